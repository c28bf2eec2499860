// A state in motion, and how a step ended: what methods and those who ask them to step exchange.
#pragma once

#include <cstdint>
#include <vector>

namespace catena {

// Time and state as unevaluated sums hi + lo, so that adding up millions of steps loses nothing.
struct State {
  double t = 0.0;
  double t_lo = 0.0;
  std::vector<double> hi;
  std::vector<double> lo;
};

enum class StepStatus {
  done,
  not_finite,      // the state ran out of the range of numbers
  step_too_small,  // no step that the clock can tell apart meets the tolerance
  not_solved,      // the equations of an implicit step have no solution near, or iteration does not find it
  not_closed,      // constraints that exclude each other came apart
};

struct StepCounts {
  std::int64_t steps = 0;
  std::int64_t rejected = 0;
  std::int64_t evaluations = 0;
};

}  // namespace catena
