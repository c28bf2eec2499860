// A look between the ends of a step, for methods that have no series to look into.
#pragma once

#include <array>
#include <vector>

#include "catena/integrate/system.h"

namespace catena {

class StepWatch {
 public:
  // Methods of low order take short steps, on which one state between the ends shows what three show on
  // others.
  StepWatch(const System& system, int order)
      : system_(system), last_(order <= kLowOrder ? 2 : kStepSamples - 1) {
    if (!system.misses) return;
    for (std::vector<double>& state : inside_) state.resize(system.dimension);
  }

  // System::misses for the cubic from x0 to x1 with the slopes f0 and f1.
  bool misses(double t, double h, const double* x0, const double* f0, const double* x1, const double* f1) {
    if (system_.may_miss && !system_.may_miss(h, x0, f0, x1, f1)) return false;
    std::array<const double*, kStepSamples> states{x0};
    for (int k = 1; k < last_; ++k) {
      const double s = k / (1.0 * last_), r = 1.0 - s;
      std::vector<double>& state = inside_[static_cast<std::size_t>(k - 1)];
      for (std::size_t i = 0; i < state.size(); ++i) {
        state[i] = x0[i] + s * s * (1.0 + 2.0 * r) * (x1[i] - x0[i]) + h * r * s * (r * f0[i] - s * f1[i]);
      }
      states[static_cast<std::size_t>(k)] = state.data();
    }
    states[static_cast<std::size_t>(last_)] = x1;
    return system_.misses(t, h, {states.data(), static_cast<std::size_t>(last_ + 1)});
  }

 private:
  static constexpr int kLowOrder = 5;

  const System& system_;
  int last_;  // of the states, from 0 on
  std::array<std::vector<double>, kStepSamples - 2> inside_;
};

}  // namespace catena
