// Where a motion ends up as a number of its scene changes: values at every period of a drive, or on a
// section.
#pragma once

#include <atomic>
#include <functional>
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

// After how many values a series repeats itself to a thousandth of its range over all parameters; 0: it does
// not within half of it.
std::size_t period_of(const std::vector<double>& values, double tolerance);

}  // namespace catena
