// Kinks along series with more digits than a double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/expr/kinks.h"
#include "catena/math/polynomial.h"
#include "catena/math/wide_functions.h"

namespace catena {
namespace {

// Roundoff of a switch, of its own size and of what it is the difference of.
constexpr double kNoise = 1e-30;

// The polynomial of s = t / length, with all digits and in doubles; empty where it cannot vanish.
template <class S>
struct Scaled {
  std::vector<S> all;
  std::vector<double> rounded;
  double size = 0.0;

  Scaled(const S* c, std::size_t stride, int order, const S& length) {
    // First whether it could vanish at all.
    const double h = wide::rounded(length), first = std::fabs(wide::rounded(*c));
    double rest = 0.0, by = 1.0;
    for (int k = 1; k <= order; ++k)
      rest += std::fabs(wide::rounded(c[static_cast<std::size_t>(k) * stride])) * (by *= h);
    if (first > rest || !std::isfinite(rest)) return;
    size = first + rest;
    S power(1.0);
    for (int k = 0; k <= order; ++k, power = power * length) {
      all.push_back(c[static_cast<std::size_t>(k) * stride] * power);
      rounded.push_back(wide::rounded(all.back()));
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

// Newton's method doubles the digits with each pass.
template <class S, class Value, class Slope>
S refined(double near, const Value& value, const Slope& slope) {
  S s(near);
  for (int pass = 0; pass < 4; ++pass) {
    const S step = value(s) / slope(s);
    if (!(std::fabs(wide::rounded(step)) < 1e-3)) return S(near);  // no simple root: as far as doubles go
    s = s - step;
  }
  return s;
}

template <class S>
S first_touch(const S* c, std::size_t stride, int order, const S& length) {
  const Scaled<S> square(c, stride, order, length);
  if (square.rounded.empty()) return length;
  for (const double near : crossings(derivative_of(square.rounded))) {
    if (near <= 1e-9) continue;
    if (polynomial_value(square.rounded, near) > 4e-15 * square.size) continue;
    const S s = refined<S>(
        near, [&](const S& at) { return square.slope(at); }, [&](const S& at) { return square.bend(at); });
    if (wide::rounded(square.value(s)) <= kNoise * square.size) return s * length;
  }
  return length;
}

}  // namespace

template <class S>
S first_sign_change(const S* c, std::size_t stride, int order, const S& length, double noise) {
  const Scaled<S> polynomial(c, stride, order, length);
  if (polynomial.rounded.empty()) return length;
  const auto size_at = [&](const S& s) { return std::fabs(wide::rounded(polynomial.value(s))); };
  const auto is_above = [&](const S& s) { return wide::rounded(polynomial.value(s)) >= 0.0; };
  // From s on, as little as the number resolves.
  const auto beyond = [&](const S& s) {
    S out = s;
    for (double more = 1e-31; more < 1e-3 && size_at(out) <= noise; more *= 2) out = s + S(more);
    return out;
  };
  const auto ends_at = [&](const S& s) {
    const S at = s * length;
    return wide::rounded(at - length) < 0.0 ? at : length;
  };
  const auto root_near = [&](double near) {
    return refined<S>(
        near, [&](const S& at) { return polynomial.value(at); },
        [&](const S& at) { return polynomial.slope(at); });
  };
  // A step may have landed on one, on either side, or before it by less than doubles tell from nothing.
  const bool at_start = size_at(S(0.0)) <= 2 * noise;
  const S shortly(1e-14);
  if (size_at(shortly) > noise && is_above(shortly) != is_above(S(0.0)))
    return ends_at(beyond(at_start ? S(0.0) : root_near(0.0)));
  for (const double near : crossings(polynomial.rounded)) {
    const S s = root_near(near);
    if (wide::rounded(s) <= 0.0 || (at_start && size_at(s * S(0.5)) <= 2 * noise)) continue;
    return ends_at(beyond(s));
  }
  return length;
}

template <class S>
S first_break(const expr::WideSeries<S>& series, int order, const S& length, double) {
  S first = length;
  for (int s = 0; s < static_cast<int>(series.switches().size()); ++s) {
    const bool touches =
        series.switches()[static_cast<std::size_t>(s)].kind == expr::SwitchKind::touches_zero;
    for (std::size_t lane = 0; lane < series.lanes(); ++lane) {
      const S* c = series.switch_row(0, s) + lane;
      const double noise = kNoise * (1.0 + std::fabs(wide::rounded(*c)));
      first = touches ? first_touch(c, series.order_stride(), order, first)
                      : first_sign_change(c, series.order_stride(), order, first, noise);
    }
  }
  return first;
}

template DoubleDouble first_sign_change(const DoubleDouble*, std::size_t, int, const DoubleDouble&, double);
template DoubleDouble first_break(const expr::WideSeries<DoubleDouble>&, int, const DoubleDouble&, double);
#if CATENA_HAS_QUAD
template Quad first_sign_change(const Quad*, std::size_t, int, const Quad&, double);
template Quad first_break(const expr::WideSeries<Quad>&, int, const Quad&, double);
#endif

}  // namespace catena
