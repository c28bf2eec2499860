// Indicators of order and chaos: each a number or a course over time, with a verdict and its reason.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catena/analyze/correlation_dimension.h"
#include "catena/analyze/recurrence.h"
#include "catena/analyze/spectrum.h"
#include "catena/lab/run.h"

namespace catena {

// A row of the table of indicators.
struct IndicatorInfo {
  std::string name;       // "megno"
  std::string summary;    // one line
  bool tangents = false;  // whether neighbouring motions are followed for it
  std::string unit = {};  // of its value; none: a plain number
};
const std::vector<IndicatorInfo>& indicator_infos();

enum class Verdict { regular, chaotic, undecided };
std::string verdict_text(Verdict verdict);

struct Indicator {
  std::string name;
  double value = 0.0;  // at the end; nan: there is none
  double error = 0.0;  // nan: none is known
  Verdict verdict = Verdict::undecided;
  std::string reason = {};
  std::vector<double> times = {}, course = {};  // over time, where it has one
  std::string course_label = {};  // what the course is, where not the value itself: "log10 GALI_2"
};

struct IndicatorOptions {
  std::vector<std::string> only = {};  // names; none: all. Throws InputError for one that there is not
  double duration = 0.0;
  std::uint64_t seed = 1;
  std::string column = {};  // what the 0-1 test, frequencies and spectrum look at; none: the liveliest number
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double time, double end)> progress = {};
};

struct IndicatorResult {
  std::vector<Indicator> indicators;
  double duration = 0.0;
  std::string signal;  // which number of the motion was looked at
  std::vector<std::string> notes;
  Outcome outcome = Outcome::done;
  std::string message;
};

IndicatorResult indicators(const Scene& scene, const IndicatorOptions& options);

// Indicators of a lab that somebody else moves, from where it is: `prepare` before each step, `look` after
// it. Times of courses count from there. A lab that follows derivatives already cannot be watched with
// tangents.
class IndicatorWatch {
 public:
  // Throws InputError for indicators that there are not.
  IndicatorWatch(Lab& lab, const IndicatorOptions& options);
  ~IndicatorWatch();
  IndicatorWatch(const IndicatorWatch&) = delete;
  IndicatorWatch& operator=(const IndicatorWatch&) = delete;

  void prepare();
  // Up to `until`, where that lies within the step: it is the last one then.
  StepStatus look(double until);
  // What can be said so far.
  IndicatorResult conclude();

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

// The indicator of this name, with the names that are near it in the message. Throws InputError.
const IndicatorInfo& indicator_info(const std::string& name, const Place& place);

// A motion as equally spaced samples.
struct Samples {
  double spacing = 0.0;
  std::vector<double> times;
  std::vector<std::vector<double>> states;   // [sample][lane of motion]
  std::vector<std::vector<double>> columns;  // [column][sample], where columns were asked for
  std::vector<std::string> names;            // of the columns
  Outcome outcome = Outcome::done;
  std::string message;
  std::vector<std::string> notes;
};
Samples sampled(const Scene& scene, double duration, double spacing, const std::vector<std::string>& columns,
                const std::atomic<bool>* stop, const std::function<void(double, double)>& progress);

}  // namespace catena
