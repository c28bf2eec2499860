// A look between the ends of a step, for methods that have no series to look into.
#pragma once

#include <array>
#include <vector>

#include "catena/integrate/system.h"

namespace catena {

class StepWatch {
 public:
  explicit StepWatch(const System& system) : system_(system) {
    if (!system.misses) return;
    for (std::vector<double>& state : inside_) state.resize(system.dimension);
  }

  // System::misses for the cubic from x0 to x1 with the slopes f0 and f1.
  bool misses(double t, double h, const double* x0, const double* f0, const double* x1, const double* f1) {
    std::array<const double*, kStepSamples> states{x0};
    for (int k = 1; k < kStepSamples - 1; ++k) {
      const double s = k / (kStepSamples - 1.0), r = 1.0 - s;
      std::vector<double>& state = inside_[static_cast<std::size_t>(k - 1)];
      for (std::size_t i = 0; i < state.size(); ++i) {
        state[i] = x0[i] + s * s * (1.0 + 2.0 * r) * (x1[i] - x0[i]) + h * r * s * (r * f0[i] - s * f1[i]);
      }
      states[static_cast<std::size_t>(k)] = state.data();
    }
    states[kStepSamples - 1] = x1;
    return system_.misses(t, h, states);
  }

 private:
  const System& system_;
  std::array<std::vector<double>, kStepSamples - 2> inside_;
};

}  // namespace catena
