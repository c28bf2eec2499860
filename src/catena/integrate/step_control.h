// What all methods that choose their step share.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/integrate/stepper.h"

namespace catena {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// What the sum hi + lo still gains from; asking for less would only shorten the steps.
constexpr double kFinestTolerance = 1e-3 * kEpsilon;

// Below this the clock cannot tell steps apart.
inline double shortest_step(double t) { return 4 * kEpsilon * std::max(std::fabs(t), kEpsilon); }

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
