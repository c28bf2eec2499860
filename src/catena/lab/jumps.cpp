#include "catena/lab/jumps.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/dynamics/world/world.h"
#include "catena/facts/step.h"

namespace catena {
namespace {

double largest_difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t lanes) {
  double largest = 0.0;
  for (std::size_t i = 0; i < lanes; ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

}  // namespace

bool rates_jump(World& world, const State& from, const State& to, double allowed) {
  constexpr int kHalvings = 40;
  constexpr double kAll = 0.3;      // of the change is left where it is one jump
  constexpr double kNoise = 1e-6;   // of the rates
  constexpr double kCounts = 1e-3;  // of the error that is allowed
  constexpr double kAhead = 2.0;    // steps: a method may stay on one side and only look at the other
  const std::size_t n = from.hi.size(), lanes = world.motion_lanes();
  thread_local std::vector<double> x, first, last, middle, leaving;  // scratch: steps do not allocate
  for (std::vector<double>* of : {&x, &first, &last, &middle, &leaving}) of->resize(n);
  const double length = to.t - from.t;
  const auto rates_at = [&](double part, std::vector<double>& rates) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = part <= 1.0 ? from.hi[i] + part * (to.hi[i] - from.hi[i])
                         : to.hi[i] + (part - 1.0) * length * leaving[i];
    }
    world.rhs(from.t + part * length, x.data(), rates.data());
  };
  rates_at(1.0, leaving);
  rates_at(0.0, first);
  rates_at(1.0 + kAhead, last);
  double low = 0.0, high = 1.0 + kAhead;
  if (largest_difference(first, leaving, lanes) > largest_difference(leaving, last, lanes)) {
    last = leaving;
    high = 1.0;
  } else {
    first = leaving;
    low = 1.0;
  }
  const double change = largest_difference(first, last, lanes);
  double size = 0.0;
  for (std::size_t i = 0; i < lanes; ++i) size = std::max({size, std::fabs(first[i]), std::fabs(last[i])});
  if (!(change > kNoise * size) || !(change * length > kCounts * allowed)) return false;
  for (int i = 0; i < kHalvings; ++i) {
    const double part = 0.5 * (low + high);
    rates_at(part, middle);
    const bool is_before = largest_difference(first, middle, lanes) > largest_difference(middle, last, lanes);
    (is_before ? high : low) = part;
    std::swap(is_before ? last : first, middle);
  }
  return largest_difference(first, last, lanes) > kAll * change;
}

}  // namespace catena
