// Kinks along series of any number.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "catena/expr/kinks.h"
#include "catena/math/functions_digits.h"
#include "catena/math/polynomial.h"
#include "catena/math/tangent.h"

namespace catena::kinks {

template <class S>
constexpr bool kIsDouble = std::is_same_v<S, double>;
// Whether values have a double's digits, rates beside them or not.
template <class S>
constexpr bool kHasDoubles = kIsDouble<S> || is_tangent<S>;
// Roundoff of a switch, of its own size and of what it is the difference of.
template <class S>
constexpr double kNoise = kHasDoubles<S> ? 2e-15 : 1e-30;
// Roundoff of a square at the place where it touches zero.
template <class S>
constexpr double kTouching = kHasDoubles<S> ? 4e-15 : kNoise<S>;
// As little beyond a kink as the number resolves, as a part of the step.
template <class S>
constexpr double kBeyond = kHasDoubles<S> ? 1e-16 : 1e-31;

template <class S>
double rounded(const S& x) {
  if constexpr (kIsDouble<S>)
    return x;
  else
    return digits::rounded(x);
}

// How large a polynomial can be along the step; 0 where it cannot vanish.
template <class S>
double size_if_it_may_vanish(const S* c, std::size_t stride, int order, const S& length) {
  const double h = rounded(length), first = std::fabs(rounded(*c));
  double rest = 0.0, by = 1.0;
  for (int k = 1; k <= order; ++k)
    rest += std::fabs(rounded(c[static_cast<std::size_t>(k) * stride])) * (by *= h);
  return first > rest || !std::isfinite(rest) ? 0.0 : first + rest;
}

// The polynomial of s = t / length, with all digits and in doubles.
template <class S>
struct Scaled {
  Few<S> all;
  Few<double> in_double;
  double size;

  Scaled(const S* c, std::size_t stride, int order, const S& length, double size_along) : size(size_along) {
    S power(1.0);
    for (int k = 0; k <= order; ++k, power = power * length) {
      all.push_back(c[static_cast<std::size_t>(k) * stride] * power);
      in_double.push_back(rounded(all.back()));
    }
  }

  S value(const S& s) const {
    S sum(0.0);
    for (std::size_t k = all.size(); k-- > 0;) sum = sum * s + all[k];
    return sum;
  }
  S slope(const S& s) const {
    S sum(0.0);
    for (std::size_t k = all.size(); k-- > 1;) sum = sum * s + all[k] * S(static_cast<double>(k));
    return sum;
  }
  S bend(const S& s) const {
    S sum(0.0);
    for (std::size_t k = all.size(); k-- > 2;) sum = sum * s + all[k] * S(static_cast<double>(k * (k - 1)));
    return sum;
  }
};

// No simple root: as far as doubles go. How it moves has no answer.
template <class S>
S unrefined(double near) {
  S out(near);
  if constexpr (is_tangent<S>) {
    for (int j = 0; j < S::kDirections; ++j) out.set_rate(j, std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

// A root that is known in double, to all digits: Newton's method doubles them with each pass. In numbers with
// rates it gives those of the root, d tau = -dg / g'.
template <class S, class Value, class Slope>
S refined(double near, const Value& value, const Slope& slope) {
  if constexpr (kIsDouble<S>) return near;
  S s(near);
  for (int pass = 0; pass < 4; ++pass) {
    const S step = value(s) / slope(s);
    if (!(std::fabs(rounded(step)) < 1e-3)) return unrefined<S>(near);
    s = s - step;
  }
  return s;
}

// A square that touches zero does so at a minimum.
template <class S>
S first_touch(const S* c, std::size_t stride, int order, const S& length) {
  const double size = size_if_it_may_vanish(c, stride, order, length);
  if (size == 0.0) return length;
  const Scaled<S> square(c, stride, order, length, size);
  for (const double near : crossings(derivative_of(square.in_double))) {
    if (near <= 1e-9) continue;
    if (polynomial_value(square.in_double, near) > 4e-15 * square.size) continue;
    const S s = refined<S>(
        near, [&](const S& at) { return square.slope(at); }, [&](const S& at) { return square.bend(at); });
    if (rounded(square.value(s)) <= kTouching<S> * square.size) return s * length;
  }
  return length;
}

// The first sign change of one quantity, known to `noise`, and what a step does about it.
template <class S>
class SignChange {
 public:
  SignChange(const Scaled<S>& polynomial, const S& length, double noise)
      : polynomial_(polynomial), length_(length), noise_(noise) {}

  S first() const {
    // A step may have landed on a kink, on either side. From the old side it is still to be passed.
    const bool at_start = size_at(S(0.0)) <= 2 * noise_;
    if (at_start) {
      const S s = beyond(S(0.0), 2 * noise_);
      if (size_at(s) > 2 * noise_ && is_above(s) != is_above(S(0.0))) return ends_at(s);
    } else if (!kHasDoubles<S>) {
      // Before it by less than doubles tell from nothing.
      const S shortly(1e-14);
      if (size_at(shortly) > noise_ && is_above(shortly) != is_above(S(0.0)))
        return ends_at(beyond(root_near(0.0), noise_));
    }
    for (const double near : crossings(polynomial_.in_double)) {
      const S s = root_near(near);
      if (rounded(s) <= 0.0 || (at_start && size_at(s * S(0.5)) <= 2 * noise_)) continue;
      return ends_at(beyond(s, noise_));
    }
    return length_;
  }

 private:
  double size_at(const S& s) const { return std::fabs(rounded(polynomial_.value(s))); }
  bool is_above(const S& s) const { return rounded(polynomial_.value(s)) >= 0.0; }
  // From s on, as little as the number resolves, and no further than the step.
  S beyond(const S& s, double noise) const {
    S out = s;
    for (double more = kBeyond<S>; more < 1e-3 && size_at(out) <= noise; more *= 2)
      out = rounded(s) + more < 1.0 ? s + S(more) : S(1.0);
    return out;
  }
  S ends_at(const S& s) const {
    const S at = s * length_;
    return rounded(at - length_) < 0.0 ? at : length_;
  }
  S root_near(double near) const {
    return refined<S>(
        near, [&](const S& at) { return polynomial_.value(at); },
        [&](const S& at) { return polynomial_.slope(at); });
  }

  const Scaled<S>& polynomial_;
  const S& length_;
  double noise_;
};

template <class S>
S first_sign_change(const S* c, std::size_t stride, int order, const S& length, double noise) {
  const double size = size_if_it_may_vanish(c, stride, order, length);
  if (size == 0.0) return length;
  const Scaled<S> polynomial(c, stride, order, length, size);
  return SignChange<S>(polynomial, length, noise).first();
}

// The first kink of any of the series' switches.
template <class S, class Series>
S first_kink(const Series& series, int order, const S& length) {
  S first = length;
  for (int s = 0; s < static_cast<int>(series.switches().size()); ++s) {
    const bool touches =
        series.switches()[static_cast<std::size_t>(s)].kind == expr::SwitchKind::touches_zero;
    for (std::size_t lane = 0; lane < series.lanes(); ++lane) {
      const S* c = series.switch_row(0, s) + lane;
      const double noise = kNoise<S> * (1.0 + std::fabs(rounded(*c)));
      first = touches ? kinks::first_touch(c, series.order_stride(), order, first)
                      : kinks::first_sign_change(c, series.order_stride(), order, first, noise);
    }
  }
  return first;
}

}  // namespace catena::kinks
