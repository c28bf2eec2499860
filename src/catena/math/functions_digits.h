// The elementary functions of numbers with more digits than a double, by reduction of the argument and
// series, or by a step of Newton's method from the double's value. Right to a few units of the last digit for
// arguments of everyday size; sines of arguments beyond 1e9 lose digits as the argument itself does.
#pragma once

#include <cmath>
#include <limits>

#include "catena/math/packs_digits.h"

namespace catena::digits {

template <class S>
inline double rounded(const S& x) {
  const DoubleDouble pair = to_pair(x);
  return pair.hi + pair.lo;
}

template <class S>
inline bool negative(const S& x) {
  return to_pair(x).hi < 0.0;
}

template <class S>
inline S absolute(const S& x) {
  return negative(x) ? -x : x;
}

// A constant in three parts: 159 bits.
template <class S>
inline S constant(double first, double second, double third) {
  return S(first) + (S(second) + S(third));
}

template <class S>
S pi() {
  return constant<S>(3.141592653589793116, 1.224646799147353207e-16, -2.994769809718339666e-33);
}

// sum x^k / (k! ..) over k = first, first + 2, .. with the sign that `sign` gives each next term.
template <class S>
S every_second_term(const S& x, int first, double sign) {
  const S square = x * x * S(sign);
  S term = first == 0 ? S(1.0) : x, sum = term;
  for (int k = first + 2; k < 40; k += 2) {
    term = term * square / S(static_cast<double>(k) * (k - 1));
    sum = sum + term;
  }
  return sum;
}

template <class S>
struct SinCos {
  S sin, cos;
};

template <class S>
SinCos<S> sin_cos(const S& x) {
  const double size = std::fabs(rounded(x));
  if (!(size < 1e15)) {
    const S none(std::numeric_limits<double>::quiet_NaN());
    return {none, none};
  }
  const double quarters = std::nearbyint(rounded(x) / 1.5707963267948966);
  // Each product with a part of pi/2 is exact in the two doubles of a pair.
  const S rest = ((x - S(quarters) * S(1.570796326794896558)) - S(quarters) * S(6.123233995736766036e-17)) -
                 S(quarters) * S(-1.497384904859169833e-33);
  const S sine = every_second_term(rest, 1, -1.0), cosine = every_second_term(rest, 0, -1.0);
  switch (static_cast<int>(quarters - 4.0 * std::floor(quarters / 4.0))) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

template <class S>
S sin(const S& x) {
  return sin_cos(x).sin;
}
template <class S>
S cos(const S& x) {
  return sin_cos(x).cos;
}
template <class S>
S tan(const S& x) {
  const SinCos<S> of = sin_cos(x);
  return of.sin / of.cos;
}

template <class S>
S exp(const S& x) {
  const double size = rounded(x);
  constexpr double kLargest = 709.78, kSmallest = -745.0;
  if (!(size < kLargest) || !(size > kSmallest)) return S(std::exp(size));
  const double twos = std::nearbyint(size / 0.6931471805599453);
  const S rest = ((x - S(twos) * S(6.931471805599452862e-01)) - S(twos) * S(2.319046813846299558e-17)) -
                 S(twos) * S(5.707708438416212066e-34);
  S term(1.0), sum(1.0);
  for (int k = 1; k < 32; ++k) {
    term = term * rest / S(static_cast<double>(k));
    sum = sum + term;
  }
  // In two factors: 2^1024 is beyond the range of a double, where its product with a sum below 1 is not.
  const int whole = static_cast<int>(twos), half = whole / 2;
  return (sum * S(std::ldexp(1.0, half))) * S(std::ldexp(1.0, whole - half));
}

template <class S>
S log(const S& x) {
  const double size = rounded(x);
  S y(std::log(size));
  if (!(size > 0.0) || std::isinf(size)) return y;
  for (int i = 0; i < 2; ++i) y = y + (x * exp(-y) - S(1.0));
  return y;
}

// The angle of the double, turned by what is left: its sine is as small as a double's last digit.
template <class S>
S atan2(const S& y, const S& x) {
  S angle(std::atan2(rounded(y), rounded(x)));
  if ((rounded(y) == 0.0 && rounded(x) == 0.0) || !std::isfinite(rounded(angle))) return angle;
  for (int i = 0; i < 2; ++i) {
    const SinCos<S> of = sin_cos(angle);
    angle = angle + (y * of.cos - x * of.sin) / (x * of.cos + y * of.sin);
  }
  return angle;
}

template <class S>
S atan(const S& x) {
  return atan2(x, S(1.0));
}
template <class S>
S root(const S& x) {
  return square_root(x);
}
template <class S>
S asin(const S& x) {
  return atan2(x, root<S>((S(1.0) - x) * (S(1.0) + x)));
}
template <class S>
S acos(const S& x) {
  return atan2(root<S>((S(1.0) - x) * (S(1.0) + x)), x);
}

// e^|x| / 2, which is sinh |x| and cosh x where e^-|x| is beyond all digits; e^|x| itself may be out of
// range.
constexpr double kFarOut = 300.0;
template <class S>
S half_exp(const S& x) {
  const double size = std::fabs(rounded(x));
  if (!(size < 710.47)) return S(std::cosh(size));
  const S root = exp<S>(absolute(x) * S(0.5));
  return (root * S(0.5)) * root;
}
template <class S>
S sinh(const S& x) {
  if (std::fabs(rounded(x)) < 0.5) return every_second_term(x, 1, 1.0);
  if (std::fabs(rounded(x)) > kFarOut) return negative(x) ? -half_exp(x) : half_exp(x);
  const S grown = exp(x);
  return (grown - S(1.0) / grown) * S(0.5);
}
template <class S>
S cosh(const S& x) {
  if (std::fabs(rounded(x)) > kFarOut) return half_exp(x);
  const S grown = exp(x);
  return (grown + S(1.0) / grown) * S(0.5);
}
template <class S>
S tanh(const S& x) {
  const double size = rounded(x);
  if (std::fabs(size) > kFarOut) return S(size > 0.0 ? 1.0 : -1.0);
  return sinh(x) / cosh(x);
}

// 1 / cosh^2 without cosh, which overflows.
template <class S>
S sech_squared(const S& x) {
  const double size = std::fabs(rounded(x));
  if (size > kFarOut) return S(4.0) * exp<S>(-(absolute(x) + absolute(x)));
  const S cosine = cosh(x);
  return S(1.0) / (cosine * cosine);
}

template <class S>
S logistic(const S& x) {
  const bool below = rounded(x) < 0.0;
  const S small = exp<S>(below ? x : -x);
  return (below ? small : S(1.0)) / (S(1.0) + small);
}
// log(1 + exp(x)); where exp(-|x|) is small by the series of log(1 + s), which keeps its digits.
template <class S>
S softplus(const S& x) {
  const bool below = rounded(x) < 0.0;
  const S small = exp<S>(below ? x : -x);
  // 2 atanh(s / (2 + s))
  const S z = small / (S(2.0) + small), square = z * z;
  S sum(0.0);
  for (int k = 81; k >= 1; k -= 2) sum = sum * square + S(2.0) / S(1.0 * k);
  return (below ? S(0.0) : x) + z * sum;
}

// x^n by products
template <class S>
S whole_power(S x, unsigned n) {
  S product(1.0);
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) product = product * x;
    x = x * x;
  }
  return product;
}

template <class S>
S power(const S& x, const S& exponent) {
  const double size = rounded(exponent);
  const double twice = 2.0 * size;
  const bool simple = to_pair(exponent).lo == 0.0 && twice == std::floor(twice) && std::fabs(size) <= 1024.0;
  if (!simple) {
    if (rounded(x) <= 0.0) return S(std::pow(rounded(x), size));
    return exp<S>(exponent * log(x));
  }
  const auto halves = static_cast<unsigned>(std::fabs(twice));
  S product = whole_power(x, halves / 2);
  if (halves % 2 == 1) product = product * root<S>(x);
  return size < 0.0 ? S(1.0) / product : product;
}

}  // namespace catena::digits
