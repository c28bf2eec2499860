#include "catena/integrate/stiffness.h"

#include <fmt/format.h>

namespace catena {
namespace {

// Noise at the limit of stability bends the motion by up to 3500 tolerances (rkf78, measured; most methods
// less than 1000), steps that accuracy limits by 2e4 and more at a tolerance of 1e-6, and ever more below.
constexpr double kSmallBend = 5e3;
constexpr double kLoosestTolerance = 1e-6;
constexpr int kFewestLooks = 10;

}  // namespace

void StiffnessWatch::observe(double h, double bend, double tolerance) {
  if (tolerance > 1.01 * kLoosestTolerance) return;
  ++looks_;
  if (!(bend < kSmallBend)) return;
  ++limited_;
  sum_of_steps_ += h;
}

std::string StiffnessWatch::advice() const {
  if (looks_ < kFewestLooks || 2 * limited_ < looks_) return "";
  return fmt::format(
      "the steps, about {:.1g} s, are limited by stability, not accuracy: radau5 takes steps as long as the "
      "motion "
      "allows",
      sum_of_steps_ / limited_);
}

}  // namespace catena
