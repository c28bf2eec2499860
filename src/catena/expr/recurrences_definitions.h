// The series' recurrences for any scalar: what a scalar needs beyond arithmetic, and how many lanes go
// through at once, is in Scalar<S>. Included where they are instantiated, behind its Scalar<S>.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "catena/expr/kernels.h"
#include "catena/expr/recurrences.h"
#include "catena/expr/values.h"
#include "catena/math/tangent.h"

namespace catena::expr {

// Lanes: read, write, same, multiply_add and over_lanes, whose kernel gets a type with `Lanes` in it.
// Numbers: rounded, norm, power, power_weight, root, cos, cosh, sech_squared, logistic_slope, and execute for
// order 0.
template <class S>
struct Scalar;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// State of norm, power and sqrt while all coefficients so far are zero; otherwise it is the valuation
// (of the former two).
inline constexpr double kAllZero = -1.0;
// Of sqrt, from its first coefficient that is not zero on.
inline constexpr double kLeftZero = 1.0;

// The series of a few lanes of one row.
template <class S, class L>
struct Column {
  const S* at;
  std::size_t stride;
  L operator[](int order) const {
    return Scalar<S>::template read<L>(at + static_cast<std::size_t>(order) * stride);
  }
  const S& number(int order) const { return at[static_cast<std::size_t>(order) * stride]; }
};

// sum_{j=from..to} a_j b_{k-j}, in two sums that need not wait for each other
template <class S, class L>
L product(const Column<S, L>& a, const Column<S, L>& b, int from, int to, int k) {
  if constexpr (is_tangent<S>) {
    SumOfProducts<S> sum;
    for (int j = from; j <= to; ++j) sum.add(a.number(j), b.number(k - j));
    return sum.times(1.0);
  }
  L even = Scalar<S>::template same<L>(0.0), odd = even;
  int j = from;
  for (; j < to; j += 2) {
    even = Scalar<S>::multiply_add(a[j], b[k - j], even);
    odd = Scalar<S>::multiply_add(a[j + 1], b[k - j - 1], odd);
  }
  if (j == to) even = Scalar<S>::multiply_add(a[j], b[k - j], even);
  return even + odd;
}

// sum_{j=from..k-from} a_j a_{k-j}, each pair once
template <class S, class L>
L squares(const Column<S, L>& a, int from, int k) {
  if constexpr (is_tangent<S>) {
    SumOfProducts<S> pairs;
    for (int j = from; 2 * j < k; ++j) pairs.add(a.number(j), a.number(k - j));
    const S sum = pairs.times(2.0);
    return k % 2 == 0 && k / 2 >= from ? multiply_add(a.number(k / 2), a.number(k / 2), sum) : sum;
  }
  L sum = Scalar<S>::template same<L>(0.0);
  for (int j = from; 2 * j < k; ++j) sum = Scalar<S>::multiply_add(a[j], a[k - j], sum);
  sum = sum + sum;
  return k % 2 == 0 && k / 2 >= from ? Scalar<S>::multiply_add(a[k / 2], a[k / 2], sum) : sum;
}

// (1/k) sum_{j=1..to} j a_j b_{k-j}: order k of the integral of a' b. Divided, not multiplied by a rounded
// 1/k.
template <class S, class L>
L integral(const Column<S, L>& a, const Column<S, L>& b, int to, int k) {
  L sum = Scalar<S>::template same<L>(0.0);
  for (int j = 1; j <= to; ++j) sum = Scalar<S>::multiply_add(a[j] * Plain<S>(j), b[k - j], sum);
  return sum / Plain<S>(k);
}

template <class F>
void each(std::size_t n, F f) {
  for (std::size_t l = 0; l < n; ++l) f(l);
}

// Calls f(column of a, of b, of out, of second, where order k of out and second goes).
template <class S, class F>
void recur(std::size_t n, const SeriesRowsOf<S>& rows, int k, F f) {
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  Scalar<S>::over_lanes(n, [&](auto registers, std::size_t l) {
    using L = typename decltype(registers)::Lanes;
    const auto column = [&](const S* row) { return Column<S, L>{row ? row + l : nullptr, rows.stride}; };
    f(column(rows.a), column(rows.b), column(rows.out), column(rows.second), rows.out + now + l,
      rows.second ? rows.second + now + l : nullptr);
  });
}

// y' = y a', (s, c)' = (c, -s) a' or (c, s) a'.
template <class S>
void exponential(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto&, const auto& y, const auto&, S* out, S*) {
    Scalar<S>::write(out, integral(a, y, k, k));
  });
}

template <class S>
void sine_pair(std::size_t n, const SeriesRowsOf<S>& rows, int k, bool circular) {
  recur(n, rows, k, [=](const auto& a, const auto&, const auto& s, const auto& c, S* sine, S* cosine) {
    Scalar<S>::write(sine, integral(a, c, k, k));
    const auto rate = integral(a, s, k, k);
    Scalar<S>::write(cosine, circular ? -rate : rate);
  });
}

// a y' = a'
template <class S>
void logarithm(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto&, const auto& y, const auto&, S* out, S*) {
    Scalar<S>::write(out, (a[k] - integral(y, a, k - 1, k)) / a[0]);
  });
}

// y' = w a' with w = 1 + y^2 (tan), 1 - y^2 (tanh).
template <class S>
void tangent(std::size_t n, const SeriesRowsOf<S>& rows, int k, bool circular) {
  recur(n, rows, k, [=](const auto& a, const auto&, const auto& y, const auto& w, S* out, S* second) {
    Scalar<S>::write(out, integral(a, w, k, k));
    const auto square = squares(y, 0, k);
    Scalar<S>::write(second, circular ? square : -square);
  });
}

// y' = w a', w = y (1 - y).
template <class S>
void logistic(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  recur(n, rows, k, [=](const auto& a, const auto&, const auto& y, const auto& w, S* out, S* second) {
    const auto now = integral(a, w, k, k);
    Scalar<S>::write(out, now);
    Scalar<S>::write(second, now - squares(y, 0, k));
  });
}

// y' = b a', b the derivative.
template <class S>
void by_derivative(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto& b, const auto&, const auto&, S* out, S*) {
    Scalar<S>::write(out, integral(a, b, k, k));
  });
}

// r y' = a', r' = -a y' (asin);  r y' = -a', r' = a y' (acos);  r = sqrt(1 - a^2).
template <class S>
void arc_sine(std::size_t n, const SeriesRowsOf<S>& rows, int k, bool sine) {
  recur(n, rows, k, [=](const auto& a, const auto&, const auto& y, const auto& r, S* out, S* second) {
    const auto known = integral(y, r, k - 1, k);
    Scalar<S>::write(out, (sine ? a[k] - known : -a[k] - known) / r[0]);
    const auto rate = integral(y, a, k, k);
    Scalar<S>::write(second, sine ? -rate : rate);
  });
}

// g y' = a', g = 1 + a^2.
template <class S>
void arc_tangent(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto&, const auto& y, const auto& g, S* out, S* second) {
    Scalar<S>::write(out, (a[k] - integral(y, g, k - 1, k)) / g[0]);
    Scalar<S>::write(second, squares(a, 0, k));
  });
}

// g y' = b a' - a b', g = a^2 + b^2.
template <class S>
void arc_tangent2(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto& b, const auto& y, const auto& g, S* out, S* second) {
    const auto turn = integral(a, b, k, k) - integral(b, a, k, k);
    Scalar<S>::write(out, (turn - integral(y, g, k - 1, k)) / g[0]);
    Scalar<S>::write(second, squares(a, 0, k) + squares(b, 0, k));
  });
}

template <class S>
void quotient(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto& b, const auto& y, const auto&, S* out, S*) {
    Scalar<S>::write(out, (a[k] - product(b, y, 1, k, k)) / b[0]);
  });
}

template <class S>
void reciprocal(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto&, const auto& y, const auto&, S* out, S*) {
    Scalar<S>::write(out, -product(a, y, 1, k, k) / a[0]);
  });
}

template <class S>
void square_root(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto&, const auto& y, const auto&, S* out, S*) {
    Scalar<S>::write(out, (a[k] - squares(y, 1, k)) / (y[0] * S(2.0)));
  });
  // What is zero stays zero; where it leaves zero, its root has no slope.
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  each(n, [&](std::size_t l) {
    if (rows.state[l] == 0.0) return;
    if (!(rows.a[now + l] == S(0.0))) rows.state[l] = kLeftZero;
    rows.out[now + l] = S(rows.state[l] == kAllZero ? 0.0 : kNan);
  });
}

// One lane of a row, from order `from` on.
template <class S>
struct Line {
  const S* at;
  std::size_t stride;
  S operator[](int order) const { return at ? at[static_cast<std::size_t>(order) * stride] : S(0.0); }
};

template <class S>
S line_squares(const Line<S>& a, int first, int from, int k) {
  S sum(0.0);
  for (int j = from; j <= k - from; ++j) sum = sum + a[first + j] * a[first + k - j];
  return sum;
}

// Where the vector starts with zeros: y_{v+j} is order j of the norm of (a_v + a_{v+1} t + ..).
template <class S>
S norm_from_zero(const SeriesRowsOf<S>& rows, std::size_t l, int k) {
  const auto line = [&](const S* row) { return Line<S>{row ? row + l : nullptr, rows.stride}; };
  const Line<S> a = line(rows.a), b = line(rows.b), c = line(rows.c), y = line(rows.out);
  double& valuation = rows.state[l];
  if (valuation == kAllZero) {
    if (a[k] == S(0.0) && b[k] == S(0.0) && c[k] == S(0.0)) return S(0.0);
    valuation = k;
    return Scalar<S>::norm(a[k], b[k], c[k]);
  }
  const int v = static_cast<int>(valuation), j = k - v;
  const S square = line_squares(a, v, 0, j) + line_squares(b, v, 0, j) + line_squares(c, v, 0, j);
  return (square - line_squares(y, v, 1, j)) / (y[v] * S(2.0));
}

// y^2 = a^2 + b^2 + c^2
template <class S>
void norm(std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  const std::size_t stride = rows.stride, now = static_cast<std::size_t>(k) * stride;
  Scalar<S>::over_lanes(n, [&](auto registers, std::size_t l) {
    using L = typename decltype(registers)::Lanes;
    const auto column = [&](const S* row) { return Column<S, L>{row + l, stride}; };
    const auto square = [&](const S* row) { return squares(column(row), 0, k); };
    L sum = rows.second ? column(rows.second)[k] : square(rows.a) + square(rows.b);
    if (rows.c && !rows.second) sum = sum + square(rows.c);
    const auto y = column(rows.out);
    Scalar<S>::write(rows.out + now + l, (sum - squares(y, 1, k)) / (y[0] * S(2.0)));
  });
  each(n, [&](std::size_t l) {
    if (rows.state[l] != 0.0) rows.out[now + l] = norm_from_zero(rows, l, k);
  });
}

// Where a starts with zeros: (t^v a)^c = t^(cv) a^c. With c >= 1, order k needs a up to k - cv + v <= k only.
template <class S>
S power_from_zero(const SeriesRowsOf<S>& rows, const S& exponent, std::size_t l, int k) {
  const double c = Scalar<S>::rounded(exponent);
  const Line<S> a{rows.a + l, rows.stride}, y{rows.out + l, rows.stride};
  if (c <= 0.0) return S(kNan);
  double& valuation = rows.state[l];
  if (valuation == kAllZero && !(a[k] == S(0.0))) valuation = k;
  if (valuation == kAllZero) return S(0.0);
  if (c < 1.0) return S(kNan);
  if (k < c * valuation) return S(0.0);
  const double first = c * valuation;
  if (first != std::floor(first)) return S(kNan);
  const int v = static_cast<int>(valuation), m = static_cast<int>(first), i = k - m;
  if (i == 0) return Scalar<S>::power(a[v], exponent);
  S sum(0.0);
  for (int j = 1; j <= i; ++j) sum = sum + (S(exponent) * S(j) - S(i - j)) * a[v + j] * y[m + i - j];
  return sum / (S(i) * a[v]);
}

// a y' = c a' y:  k a_0 y_k = sum_{j=1..k} (c j - (k - j)) a_j y_{k-j}
template <class S, class L>
L power_term(const Column<S, L>& a, const Column<S, L>& y, const S& c, int k) {
  L sum = Scalar<S>::template same<L>(0.0);
  for (int j = 1; j <= k; ++j)
    sum = Scalar<S>::multiply_add(a[j] * Scalar<S>::power_weight(c, j, k), y[k - j], sum);
  return sum / (a[0] * S(k));
}

template <class S>
void power(std::size_t n, const SeriesRowsOf<S>& rows, const S& c, int k) {
  recur(n, rows, k, [=](const auto& a, const auto&, const auto& y, const auto&, S* out, S*) {
    Scalar<S>::write(out, power_term(a, y, c, k));
  });
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  each(n, [&](std::size_t l) {
    if (rows.state[l] != 0.0) rows.out[now + l] = power_from_zero(rows, c, l, k);
  });
}

// Decides a sign at the first coefficient that is not zero, and gives it from then on.
inline double decided(double& sign, double difference) {
  if (sign == 0.0) sign = sign_of(difference);
  return sign;
}

template <class S>
S either(double c, const S& a, const S& b) {
  return c >= 0.0 ? a : (c < 0.0 ? b : S(c));
}

// Choices between lanes' coefficients of order k.
template <class S>
void select(const Instruction& in, std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  const S *a = rows.a + now, *b = rows.b ? rows.b + now : nullptr, *c = rows.c ? rows.c + now : nullptr;
  S* out = rows.out + now;
  double* state = rows.state;
  const auto sign = [=](std::size_t l, const S& value) {
    return decided(state[l], Scalar<S>::rounded(value));
  };
  switch (in.code) {
    case Code::abs:
      return each(n, [=](std::size_t l) { out[l] = S(sign(l, a[l])) * a[l]; });
    case Code::min:
      return each(n, [=](std::size_t l) { out[l] = either(-sign(l, a[l] - b[l]), a[l], b[l]); });
    case Code::max:
      return each(n, [=](std::size_t l) { out[l] = either(sign(l, a[l] - b[l]), a[l], b[l]); });
    case Code::choose:
      return each(n, [=](std::size_t l) { out[l] = either(state[l], b[l], c[l]); });
    default:
      return each(n, [=](std::size_t l) { out[l] = S(0.0) * rows.out[l]; });  // sign: constant; NaN stays
  }
}

template <class S>
void start_state(const Instruction& in, std::size_t n, const SeriesRowsOf<S>& r) {
  // Rates need what is left of the way to a switch: where it has no slope they change most there.
  const auto zero = [&r]([[maybe_unused]] double size) {
    if constexpr (is_tangent<S>) return std::min(r.zero_size, 1e-13 * (1.0 + std::fabs(size)));
    return r.zero_size;
  };
  const auto sign_beyond = [&](const S& value, double size) {
    const double x = Scalar<S>::rounded(value);
    return std::fabs(x) <= zero(size) ? 0.0 : sign_of(x);
  };
  switch (in.code) {
    case Code::abs:
      return each(n, [&](std::size_t l) { r.state[l] = sign_beyond(r.a[l], 0.0); });
    case Code::min:
    case Code::max:
      return each(
          n, [&](std::size_t l) { r.state[l] = sign_beyond(r.a[l] - r.b[l], Scalar<S>::rounded(r.b[l])); });
    case Code::choose:
      return each(n, [&](std::size_t l) { r.state[l] = Scalar<S>::rounded(r.a[l]); });
    case Code::norm:
      return each(n, [&](std::size_t l) {
        r.state[l] = Scalar<S>::rounded(r.out[l]) <= r.zero_size ? kAllZero : 0.0;
      });
    case Code::power:
    case Code::sqrt:
      return each(n, [&](std::size_t l) { r.state[l] = r.a[l] == S(0.0) ? kAllZero : 0.0; });
    default:
      return;
  }
}

template <class S, class L>
L one_of(const Column<S, L>&) {
  return Scalar<S>::template same<L>(1.0);
}

// Order 0 of the second result or of the auxiliary series.
template <class S>
void start_second(const Instruction& in, std::size_t n, const SeriesRowsOf<S>& r) {
  switch (in.code) {
    case Code::tan:
      return recur(n, r, 0, [](const auto&, const auto&, const auto& y, const auto&, S*, S* w) {
        Scalar<S>::write(w, Scalar<S>::multiply_add(y[0], y[0], one_of(y)));
      });
    case Code::tanh:
      return each(n, [&](std::size_t l) { r.second[l] = Scalar<S>::sech_squared(r.a[l]); });
    case Code::logistic:
      return each(n, [&](std::size_t l) { r.second[l] = Scalar<S>::logistic_slope(r.a[l]); });
    case Code::asin:
    case Code::acos:
      return each(
          n, [&](std::size_t l) { r.second[l] = Scalar<S>::root((S(1.0) - r.a[l]) * (S(1.0) + r.a[l])); });
    case Code::atan:
      return recur(n, r, 0, [](const auto& a, const auto&, const auto&, const auto&, S*, S* g) {
        Scalar<S>::write(g, Scalar<S>::multiply_add(a[0], a[0], one_of(a)));
      });
    case Code::atan2:
      return recur(n, r, 0, [](const auto& a, const auto& b, const auto&, const auto&, S*, S* g) {
        Scalar<S>::write(g, Scalar<S>::multiply_add(a[0], a[0], b[0] * b[0]));
      });
    case Code::sin_cos:
      return each(n, [&](std::size_t l) { r.second[l] = Scalar<S>::cos(r.a[l]); });
    case Code::sinh_cosh:
      return each(n, [&](std::size_t l) { r.second[l] = Scalar<S>::cosh(r.a[l]); });
    default:
      return;  // general_power: has been computed
  }
}

template <class S>
void linear(const Instruction& in, std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  const OperandsOf<S> here{rows.a + now, rows.b ? rows.b + now : nullptr, nullptr, rows.out + now, rows.value,
                           rows.beside};
  if (in.code == Code::offset) {
    std::copy_n(here.a, n, here.out);
  } else {
    Scalar<S>::execute(in.code == Code::from ? Instruction{.code = Code::negate} : in, n, here);
  }
}

template <class S>
void start(const Instruction& in, std::size_t n, const SeriesRowsOf<S>& rows) {
  Instruction plain = in;
  if (in.code == Code::sin_cos) plain.code = Code::sin;
  if (in.code == Code::sinh_cosh) plain.code = Code::sinh;
  Scalar<S>::execute(plain, n, {rows.a, rows.b, rows.c, rows.out, rows.value, rows.beside});
  start_state(in, n, rows);
  start_second(in, n, rows);
}

template <class S>
void continue_series(const Instruction& in, std::size_t n, const SeriesRowsOf<S>& rows, int k) {
  switch (in.code) {
    case Code::multiply:
      return recur(n, rows, k, [k](const auto& a, const auto& b, const auto&, const auto&, S* out, S*) {
        Scalar<S>::write(out, product(a, b, 0, k, k));
      });
    case Code::weigh:
      return recur(n, rows, k, [k](const auto& a, const auto& b, const auto&, const auto&, S* out, S*) {
        Scalar<S>::write(out, a[k] * b[0]);
      });
    case Code::square:
      return recur(n, rows, k, [k](const auto& a, const auto&, const auto&, const auto&, S* out, S*) {
        Scalar<S>::write(out, squares(a, 0, k));
      });
    case Code::general_power:  // exp(second)
      return exponential<S>(n, {rows.second, nullptr, nullptr, rows.out, nullptr, nullptr, rows.stride, 0.0},
                            k);
    case Code::divide:
    case Code::ratio:
      return quotient(n, rows, k);
    case Code::over:
      return reciprocal(n, rows, k);
    case Code::power:
      if constexpr (std::is_same_v<S, double>) {
        return power<S>(n, rows, in.value, k);
      } else {
        return power<S>(n, rows, *rows.value, k);
      }
    case Code::sqrt:
      return square_root(n, rows, k);
    case Code::norm:
      return norm(n, rows, k);
    case Code::exp:
      return exponential(n, rows, k);
    case Code::log:
      return logarithm(n, rows, k);
    case Code::sin_cos:
      return sine_pair(n, rows, k, true);
    case Code::sinh_cosh:
      return sine_pair(n, rows, k, false);
    case Code::tan:
      return tangent(n, rows, k, true);
    case Code::tanh:
      return tangent(n, rows, k, false);
    case Code::logistic:
      return logistic(n, rows, k);
    case Code::function:
      return by_derivative(n, rows, k);
    case Code::asin:
      return arc_sine(n, rows, k, true);
    case Code::acos:
      return arc_sine(n, rows, k, false);
    case Code::atan:
      return arc_tangent(n, rows, k);
    case Code::atan2:
      return arc_tangent2(n, rows, k);
    case Code::abs:
    case Code::sign:
    case Code::min:
    case Code::max:
    case Code::choose:
      return select(in, n, rows, k);
    default:
      return linear(in, n, rows, k);
  }
}

}  // namespace catena::expr
