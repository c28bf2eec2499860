// What can be seen of the order of a world's power series.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "catena/dynamics/world/world.h"
#include "support/chains.h"

namespace catena::test {

// A truncated series misses the equation of motion by a term of its order p: halving the step divides the
// defect by 2^p. Measured at steps short enough for the series, from `step` down, and long enough for the
// defect to stay above roundoff.
inline double series_order(World& world, double t, int order, double step) {
  std::vector<double> x, lo;
  world.start(x, lo);
  const std::size_t n = world.dimension();
  std::vector<double> c((static_cast<std::size_t>(order) + 1) * n), at(n), slope(n), rate(n);
  world.taylor(t, x.data(), order, c.data());
  const auto defect = [&](double h) {
    for (std::size_t i = 0; i < n; ++i) {
      at[i] = slope[i] = 0.0;
      for (int k = order; k >= 1; --k) slope[i] = slope[i] * h + k * c[static_cast<std::size_t>(k) * n + i];
      for (int k = order; k >= 0; --k) at[i] = at[i] * h + c[static_cast<std::size_t>(k) * n + i];
    }
    world.rhs(t + h, at.data(), rate.data());
    return largest_difference(rate, slope);
  };
  while (defect(step) > 1e-6) step /= 2;
  return std::log2(defect(step) / defect(step / 2));
}

}  // namespace catena::test
