// Where a motion ends up as a number of its scene changes: values at every period of a drive, or on a
// section.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/lab/run.h"

namespace catena {

struct BifurcationOptions {
  std::vector<double> parameters;                // in the order of the way up
  std::function<Scene(double parameter)> scene;  // with the number in its place
  std::string when = {}, direction = "rising";   // a section, or
  std::optional<double> period = {};             // s: at its multiples
  std::string record;                            // a formula of columns
  double duration = 0.0;                         // s, for each parameter
  std::optional<double> skip = {};               // s of it before anything is recorded; none: half
  bool down = true;                              // and back again
  bool fresh = false;  // each from the scene's own start, not from where the last ended
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double done, double all)> progress = {};
};

struct BifurcationResult {
  std::vector<double> parameters;
  std::vector<std::vector<double>> values, down;   // [parameter][..], on the way up and on the way down
  std::vector<std::size_t> periods, down_periods;  // after so many values they repeat; 0: they do not
  std::vector<std::string> notes;
  Outcome outcome = Outcome::done;
  std::string message;
};

BifurcationResult bifurcation(const BifurcationOptions& options);

// The same parameter by parameter, for whoever shows it while it is computed: each motion goes on where the
// last one ended, or begins anew where that is asked for.
class BifurcationColumns {
 public:
  // The options must stay where they are.
  explicit BifurcationColumns(const BifurcationOptions& options);
  ~BifurcationColumns();

  // Values at one parameter, behind those that are there; not done: as many as there are until then.
  Outcome take(double parameter, std::vector<double>& values);
  // What failed.
  const std::string& message() const { return message_; }
  // What the motions so far are warned of.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // What is wrong with the range as a whole.
  static std::vector<std::string> notes(const BifurcationOptions& options);

 private:
  struct End;
  bool step(Lab& lab);
  void strobe(Lab& lab, double from, double end, std::vector<double>& values);
  void pass(Lab& lab, double from, double end, std::vector<double>& values);

  const BifurcationOptions& options_;
  Outcome outcome_ = Outcome::done;
  std::string message_;
  std::vector<std::string> warnings_;
  std::unique_ptr<End> last_;
  std::size_t taken_ = 0;
};

// After how many values a series repeats itself to a thousandth of its range over all parameters; 0: it does
// not within half of it.
std::size_t period_of(const std::vector<double>& values, double tolerance);

}  // namespace catena
