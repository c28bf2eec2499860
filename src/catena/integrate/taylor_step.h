// The step rule of Taylor series, in any arithmetic: sizes of coefficients are doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace catena {

// How many of the last coefficients the step rule looks at. Two are not enough: at rest every second one
// vanishes.
constexpr int kTaylorWindow = 5;

// No term |x_k| h^k may exceed s: larger ones would cancel in the sum, and their roundoff would not. It
// happens where the motion is an entire function, as on a circle: the second step control of A. Jorba and
// M. Zou. Terms rise and fall smoothly with k, so a look at k = 1, 2, 4, 8, .. is enough.
template <class Size>
double without_cancellation(double h, int order, double scale, const Size& size) {
  double power = h;
  for (int k = 1; k <= order; k *= 2, power *= power) {
    const double term = size(k);
    if (term * power <= scale) continue;
    power = scale / term;
    h = std::pow(power, 1.0 / k);
  }
  return h;
}

// Where the whole window vanishes, the motion is a polynomial of few orders, as in free fall: a step without
// cancellation. What stands still, for all that its series tell, is looked at again at twice the time. Both
// depend on the step's start alone, and a run in parts has the bits of one.
template <class Size>
double step_of_few_orders(int order, double t, double scale, const Size& size) {
  constexpr double kPart = 0.9;  // round numbers would meet round numbers: a wall a second away, just there
  double h = std::numeric_limits<double>::infinity();
  for (int k = 1; k <= order; ++k) {
    if (size(k) > 0.0) h = std::min(h, kPart * std::pow(scale / size(k), 1.0 / k));
  }
  return std::isinf(h) ? std::max(1.0, std::fabs(t)) : h;
}

// h = tol^(1/p) min over the window of (s / |x_k|)^(1/k), with size(k) = |x_k|; infinite when the whole
// window vanishes, NaN when a coefficient is infinite.
template <class Size>
double taylor_step(int order, double log_tolerance, double scale, const Size& size) {
  double log_h = std::numeric_limits<double>::infinity();
  for (int k = std::max(1, order - kTaylorWindow + 1); k <= order; ++k) {
    const double term = size(k);
    if (std::isinf(term)) return std::numeric_limits<double>::quiet_NaN();
    if (term > 0.0) log_h = std::min(log_h, std::log2(scale / term) / k);
  }
  const double h = std::exp2(log_h + log_tolerance / order);
  return std::isinf(h) ? h : without_cancellation(h, order, scale, size);
}

// Steps of a periodic motion lock onto its period: they come back to the same states over and over, where the
// same roundings are made again, and their sum grows like the time (docs/decisions/0232). A factor for the
// step of up to seven parts in 2^17 less than one, by the bits of where it starts, so a step follows from its
// start alone.
inline double shaken(const std::vector<double>& start) {
  std::uint64_t hash = 0;
  for (const double number : start) {
    std::uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  }
  return 1.0 - 0x1p-17 * static_cast<double>(hash * 0xbf58476d1ce4e5b9U >> 61);
}

}  // namespace catena
