// A whole run: rows at exactly the times asked for, given to a sink as they come.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catena/lab/events.h"
#include "catena/lab/lab.h"

namespace catena {

// The times of a run's rows: 0, sample, 2 sample, .. and the end; or exactly the times given.
class Schedule {
 public:
  static Schedule grid(double sample, double duration);
  static Schedule list(std::vector<double> times);  // sorted, unique

  std::size_t count() const { return count_; }
  double time(std::size_t row) const;
  double end() const { return end_; }

 private:
  double sample_ = 0.0;
  double end_ = 0.0;
  std::size_t count_ = 0;
  std::vector<double> times_;
};

// Where rows go. A checkpoint says how to go on after the rows given so far.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void row(const double* values) = 0;
  virtual bool checkpoint_due() = 0;  // asked a few hundred times a second at most
  virtual void checkpoint(const std::string& bytes) = 0;
};

enum class Outcome { done, stopped_by_event, failed, interrupted };
std::string outcome_text(Outcome outcome);  // "done", "stopped-by-event", ..

// What went wrong with a step, and what may help.
std::string failure_text(const Lab& lab, StepStatus status);

struct RunSummary {
  std::string scene;
  std::string method;
  int order = 0;
  double tolerance = 0.0;
  std::string precision;
  StepCounts counts;
  double setup_seconds = 0.0;  // the caller's: reading and building
  double step_seconds = 0.0;
  double wall_seconds = 0.0;
  double peak_memory_bytes = 0.0;  // the caller's, who knows the process
  double simulated_seconds = 0.0;
  std::size_t rows = 0;
  double energy_initial = 0.0;
  double energy_final = 0.0;
  double energy_scale = 0.0;
  double energy_error_relative = 0.0;
  // Largest changes of momenta that nothing but gravity changes, kg m/s and kg m^2/s; none: there are none.
  std::optional<double> linear_momentum_error;
  std::optional<double> angular_momentum_error;
  std::vector<std::string> kept_momenta;  // which: "px", .., "lz"
  double constraint_error = 0.0;
  std::size_t degrees_of_freedom = 0;
  std::string assembly;  // assembly_json; empty: there are no bodies
  Outcome outcome = Outcome::done;
  std::string message;                // what failed, and what may help
  std::vector<std::string> warnings;  // with their places: what should not pass in silence
  std::string advice;                 // what would serve better; usually nothing
  std::vector<MethodChange> changes;
  std::vector<EventTable> events;
  std::vector<std::string> derivatives;  // paths of the numbers that they are with respect to
  std::int64_t shortened = 0;            // steps that were made shorter for the sake of derivatives
};

// What assembly changed most, and of which bodies, as JSON: {"largest_move":0.1,"moved":"crank",..}; names
// are null where nothing changed.
std::string assembly_json(const MechanismFacts& mechanism);

// Compact JSON with the names of the formats page.
std::string summary_json(const RunSummary& summary);

// What has to be said of the balance of energy so far, by a method that chooses its step; none: it is kept.
std::optional<Warning> energy_warning(const Lab& lab);

struct RunControl {
  const std::atomic<bool>* stop = nullptr;                     // set from outside to interrupt
  std::function<void(double time, double end)> progress = {};  // a few times a second
};

// The columns of a run's rows: those asked for and, where derivatives are followed, those of each but time.
std::vector<Stem> recorded_stems(const Lab& lab, const Columns& columns);

// Rows [first_row, schedule.count()) of the run that `lab` is in. A fresh lab starts at row 0; a restored one
// goes on behind the rows it has. Leaves the closing checkpoint with the sink.
RunSummary run(Lab& lab, const Schedule& schedule, const Columns& columns, std::size_t first_row,
               RowSink& sink, const RunControl& control);

}  // namespace catena
