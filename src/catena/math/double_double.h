// Numbers as unevaluated sums hi + lo of two doubles: about 32 digits. The basic operations follow
// T. J. Dekker (1971) and D. E. Knuth; the accurate sum and product follow M. Joldes, J.-M. Muller and
// V. Popescu, ACM Trans. Math. Softw. 44, 15 (2017).
#pragma once

#include <cmath>

namespace catena {

struct DoubleDouble {
  double hi = 0.0;
  double lo = 0.0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : hi(value) {}  // NOLINT: a double is one, without a word
  constexpr DoubleDouble(double high, double low) : hi(high), lo(low) {}
  explicit operator double() const { return hi + lo; }
};

// a + b exactly, as rounded sum and its error.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// The same when |a| >= |b| or a = 0.
inline DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// a b exactly.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
#if defined(__wasm__)  // no fused multiply-add: Dekker's product of halves, for factors below 1e300
  const auto upper_half = [](double x) {
    const double scaled = 134217729.0 * x;  // 2^27 + 1
    return scaled - (scaled - x);
  };
  const double a_high = upper_half(a), a_low = a - a_high, b_high = upper_half(b), b_low = b - b_high;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
#else
  return {product, std::fma(a, b, -product)};
#endif
}

inline DoubleDouble operator-(const DoubleDouble& a) { return {-a.hi, -a.lo}; }

inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = two_sum(a.hi, b.hi);
  const DoubleDouble low = two_sum(a.lo, b.lo);
  const DoubleDouble partial = fast_two_sum(high.hi, high.lo + low.hi);
  return fast_two_sum(partial.hi, low.lo + partial.lo);
}

inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + (-b); }

inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = two_product(a.hi, b.hi);
  const double cross = std::fma(a.hi, b.lo, std::fma(a.lo, b.hi, a.lo * b.lo));
  return fast_two_sum(product.hi, product.lo + cross);
}

inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.hi / b.hi;
  const DoubleDouble rest = a - DoubleDouble(first) * b;
  return fast_two_sum(first, rest.hi / b.hi);
}

inline DoubleDouble square_root(const DoubleDouble& a) {
  const double first = std::sqrt(a.hi);
  if (!(first > 0.0)) return first;
  const DoubleDouble rest = a - two_product(first, first);
  return fast_two_sum(first, rest.hi / (2.0 * first));
}

inline DoubleDouble& operator+=(DoubleDouble& a, const DoubleDouble& b) { return a = a + b; }
inline DoubleDouble& operator-=(DoubleDouble& a, const DoubleDouble& b) { return a = a - b; }

inline double abs(const DoubleDouble& a) { return std::fabs(a.hi + a.lo); }

}  // namespace catena
