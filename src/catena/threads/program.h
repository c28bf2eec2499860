// What threads compute of a sweep: the motion of its scene, recorded, and its measures
// (docs/theory/threads.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/integrate/lane_taylor.h"
#include "catena/lab/lab.h"
#include "catena/math/recording.h"
#include "catena/model/sweep.h"
#include "catena/threads/frame.h"

namespace catena {

struct ThreadProgram {
  LaneRule rule;
  std::size_t states = 0, controlled = 0, columns = 0, events = 0;
  bool projects = false, reads_time = false;
  bool looks_along = false, looks_at_times = false;         // for what is measured inside steps
  std::vector<std::pair<std::size_t, std::size_t>> angles;  // chain and link of those whose turns count
  // Of (t, x): coefficients [order][state], and rates; of (hi, lo): lo. Behind these, and those below, come
  // the numbers of `given_of`.
  RecordedFunction series, rhs, project;
  // Of (t, x, angles).
  RecordedFunction angles_of, events_of, columns_of;
  // Of (t, length, scale, angles, coefficients of near states: [state][order]): positive where an event has
  // no root.
  RecordedFunction near_of;
  std::vector<std::size_t> near_states;
  // Where cases differ in other numbers than their starts: what their worlds and columns are made of, and
  // what of that is computed once for a case. No numbers: all cases have the same.
  std::size_t numbers = 0;
  std::vector<std::size_t> shape;
  RecordedFunction given_of;
  threads::Task task{};
  std::shared_ptr<const Scene> scene;  // that was recorded

  // Of operations in all.
  std::size_t operations() const;
  // A kernel, for compilers of C++ and of GPUs: `catena_sweep`.
  std::string source() const;
  std::size_t given() const { return given_of.outputs.size(); }
  // The numbers that a case starts from: hi, lo, turns, and those that it is made of.
  std::size_t start_numbers() const { return 2 * states + angles.size() + numbers; }
  // False: its world is of another kind.
  bool write_start(Lab& lab, double* out) const;
};

// Of the cases of a plan, which differ from this scene in their starts alone, or in other numbers, too; none,
// and why, where threads cannot do it. The scene's mistakes have been looked for.
std::optional<ThreadProgram> thread_program(const Scene& scene, const SweepPlan& plan, std::string& why,
                                            bool in_starts_alone = true);

// A program that is interpreted, for what frame.h asks of one.
class InterpretedProgram {
 public:
  static constexpr int kMostStates = 64, kMostOrder = 64, kMostAngles = 16,
                       kMostEvents = threads::kMostEvents, kMostColumns = 32;
  static constexpr int kMostCoefficients = kMostStates * (kMostOrder + 1);
  static constexpr int kMostInputs = 1 + kMostStates + kMostAngles;
  static constexpr int kMostKept = threads::kMostMeasures;

  explicit InterpretedProgram(const ThreadProgram& program)
      : program_(program),
        rhs_(program.rhs, program.rhs.inputs > 0 ? program.given() : 0),
        angles_(program.angles_of, program.angles_of.inputs > 0 ? program.given() : 0),
        events_(program.events_of, program.events_of.inputs > 0 ? program.given() : 0),
        columns_(program.columns_of, program.columns_of.inputs > 0 ? program.given() : 0) {}

  // What belongs to the case that is looked at from now on.
  void give(const std::vector<double>& given) {
    for (RecordedInterpreter* one : {&rhs_, &angles_, &events_, &columns_}) {
      if (one->inputs() > 0) std::copy(given.begin(), given.end(), one->given());
    }
  }

  int states() const { return static_cast<int>(program_.states); }
  int controlled() const { return static_cast<int>(program_.controlled); }
  int order() const { return program_.rule.order; }
  int angles() const { return static_cast<int>(program_.angles.size()); }
  int events() const { return static_cast<int>(program_.events); }
  int measures() const { return program_.task.measures; }
  static threads::Kind kind(const threads::Task& task, int i) { return task.measure[i].kind; }
  bool looks_along() const { return program_.looks_along; }
  bool looks_at_times() const { return program_.looks_at_times; }
  double coefficient(const double* c, int k, int i) const {
    return c[static_cast<std::size_t>(k) * program_.states + static_cast<std::size_t>(i)];
  }
  bool rhs(const double* in, double* out) { return rhs_.run(in, out); }
  bool angles_of(const double* in, double* out) { return angles_.run(in, out); }
  bool events_of(const double* in, double* out) { return events_.run(in, out); }
  bool columns_of(const double* in, double* out) { return columns_.run(in, out); }

 private:
  const ThreadProgram& program_;
  RecordedInterpreter rhs_, angles_, events_, columns_;
};

}  // namespace catena
