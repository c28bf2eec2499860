// The operations on plain numbers, with the conventions that folding, evaluation and the series' order 0
// share. NaN goes in, NaN comes out.
#pragma once

#include <cmath>

#include "catena/expr/functions.h"

namespace catena::expr {

inline double smaller(double a, double b) { return b < a || b != b ? b : a; }
inline double larger(double a, double b) { return a < b || b != b ? b : a; }
inline double sign_of(double a) { return a > 0.0 ? 1.0 : (a < 0.0 ? -1.0 : a); }
inline double chosen(double c, double a, double b) { return c >= 0.0 ? a : (c < 0.0 ? b : c); }
inline double ratio_of(double a, double b) { return a == 0.0 && b == 0.0 ? 0.0 : a / b; }

inline double logistic_of(double a) {
  const double small = std::exp(-std::fabs(a));  // never overflows
  return (a < 0.0 ? small : 1.0) / (1.0 + small);
}
inline double softplus_of(double a) { return larger(a, 0.0) + std::log1p(std::exp(-std::fabs(a))); }

// |(a, b, c)| when the sum of squares is known: squares that overflow or lose digits are done again, scaled.
inline double length_of(double square, double a, double b, double c) {
  constexpr double kSmallest = 1e-280, kLargest = 1e300;
  if (square > kSmallest && square < kLargest) return std::sqrt(square);
  const double most = larger(std::fabs(a), larger(std::fabs(b), std::fabs(c)));
  if (!(most > 0.0) || std::isinf(most)) return most;
  a /= most, b /= most, c /= most;
  return most * std::sqrt(a * a + b * b + c * c);
}

double value_of(Op op, double a, double b = 0.0, double c = 0.0);

}  // namespace catena::expr
