// What all methods that choose their step share.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "catena/integrate/stepper.h"

namespace catena {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// What the sum hi + lo still gains from; asking for less would only shorten the steps.
constexpr double kFinestTolerance = 1e-3 * kEpsilon;

// Errors of velocities and momenta over what the options allow; 1 is just acceptable.
class PhysicalLimits {
 public:
  PhysicalLimits(const System& system, const StepOptions& options)
      : system_(system), velocity_(options.max_velocity_error), momentum_(options.max_momentum_error) {}

  bool given() const { return velocity_ || momentum_; }
  double ratio(const double* change) const {
    double worst = 0.0;
    if (velocity_) worst = std::max(worst, system_.velocity_error(change) / *velocity_);
    if (momentum_) worst = std::max(worst, system_.momentum_error(change) / *momentum_);
    return worst;
  }

 private:
  const System& system_;
  std::optional<double> velocity_, momentum_;
};

// Errors of a system's integrals along the motion, in its last lanes, over what is allowed.
class Accounts {
 public:
  explicit Accounts(const System& system)
      : first_(controlled_lanes(system)),
        count_(system.account_scale > 0.0 ? system.dimension - first_ : 0),
        scale_(system.account_scale) {}

  bool given() const { return count_ > 0; }
  // Between two states, by this tolerance.
  void allow(double tolerance, const double* from, const double* to) {
    if (given())
      allowed_ =
          tolerance * std::max({scale_, max_norm(from + first_, count_), max_norm(to + first_, count_)});
  }
  // `error`: of all lanes.
  double ratio(const double* error) const {
    return given() ? max_norm(error + first_, count_) / allowed_ : 0.0;
  }

 private:
  std::size_t first_, count_;
  double scale_, allowed_ = 1.0;
};

// Below this the clock cannot tell steps apart.
inline double shortest_step(double t) { return 4 * kEpsilon * std::max(std::fabs(t), kEpsilon); }

// Formulas read the clock as one double. So steps of a system that has such formulas end where the clock
// can tell, near h from here, or not before it: between two doubles a pulse as narrow as a thousand of them
// would be met at another instant than the one it was left at.
inline double on_the_clock(const System& system, const State& state, double h, bool not_before = false) {
  if (!system.reads_time) return h;
  double end = state.t + (state.t_lo + h);
  const auto length = [&] { return (end - state.t) - state.t_lo; };
  if (not_before && length() < h) end = std::nextafter(end, std::numeric_limits<double>::infinity());
  return length() > 0.0 ? length() : h;
}

// The sizes of x and x' that a first step rests on, and its first guess: an Euler step of a hundredth of x.
struct FirstStep {
  double scale;
  double slope;
  double guess;

  FirstStep(const System& system, const double* x, const double* dx)
      : scale(std::max(1.0, max_norm(x, controlled_lanes(system)))),
        slope(max_norm(dx, controlled_lanes(system))),
        guess(slope > 1e-10 ? 0.01 * scale / slope : 1e-6) {}

  // With the slope behind the guess, which tells the size of x'': the step for a method of that order
  // (E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, II.4).
  double chosen(const System& system, const double* dx, const double* dx_behind, double tolerance,
                int order) const {
    double bend = 0.0;
    for (std::size_t i = 0; i < controlled_lanes(system); ++i) {
      bend = std::max(bend, std::fabs(dx_behind[i] - dx[i]));
    }
    const double steepest = std::max(slope, bend / guess);
    const double second = steepest <= 1e-15
                              ? std::max(1e-6, guess * 1e-3)
                              : std::pow(0.01 * tolerance * scale / steepest, 1.0 / (order + 1));
    return std::min(100 * guess, second);
  }
};

}  // namespace catena
