#include "catena/expr/recurrences.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/expr/kernels.h"
#include "catena/expr/lanes.h"
#include "catena/expr/values.h"

namespace catena::expr {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// State of norm and power while all coefficients so far are zero; otherwise it is the valuation.
constexpr double kAllZero = -1.0;

// The series of a few lanes of one row.
template <int P>
struct Column {
  const double* at;
  std::size_t stride;
  Lanes<P> operator[](int order) const { return read<P>(at + static_cast<std::size_t>(order) * stride); }
};

// sum_{j=from..to} a_j b_{k-j}, in two sums that need not wait for each other
template <int P>
Lanes<P> product(const Column<P>& a, const Column<P>& b, int from, int to, int k) {
  Lanes<P> even = zero<P>(), odd = zero<P>();
  int j = from;
  for (; j < to; j += 2) {
    even = multiply_add(a[j], b[k - j], even);
    odd = multiply_add(a[j + 1], b[k - j - 1], odd);
  }
  if (j == to) even = multiply_add(a[j], b[k - j], even);
  return even + odd;
}

// sum_{j=from..k-from} a_j a_{k-j}, each pair once
template <int P>
Lanes<P> squares(const Column<P>& a, int from, int k) {
  Lanes<P> sum = zero<P>();
  for (int j = from; 2 * j < k; ++j) sum = multiply_add(a[j], a[k - j], sum);
  sum = sum + sum;
  return k % 2 == 0 && k / 2 >= from ? multiply_add(a[k / 2], a[k / 2], sum) : sum;
}

// (1/k) sum_{j=1..to} j a_j b_{k-j}: order k of the integral of a' b. Divided, not multiplied by a rounded
// 1/k.
template <int P>
Lanes<P> integral(const Column<P>& a, const Column<P>& b, int to, int k) {
  Lanes<P> sum = zero<P>();
  for (int j = 1; j <= to; ++j) sum = multiply_add(static_cast<double>(j) * a[j], b[k - j], sum);
  return sum / static_cast<double>(k);
}

template <class F>
void each(std::size_t n, F f) {
  for (std::size_t l = 0; l < n; ++l) f(l);
}

// Calls f(column of a, of b, of out, of second, where order k of out and second goes).
template <class F>
void recur(std::size_t n, const SeriesRows& rows, int k, F f) {
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  over_lanes(n, [&](auto registers, std::size_t l) {
    constexpr int kP = decltype(registers)::kCount;
    const auto column = [&](const double* row) { return Column<kP>{row ? row + l : nullptr, rows.stride}; };
    f(column(rows.a), column(rows.b), column(rows.out), column(rows.second), rows.out + now + l,
      rows.second ? rows.second + now + l : nullptr);
  });
}

// y' = y a', (s, c)' = (c, -s) a' or (c, s) a'.
void exponential(std::size_t n, const SeriesRows& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto&, const auto& y, const auto&, double* out, double*) {
    write(out, integral(a, y, k, k));
  });
}

void sine_pair(std::size_t n, const SeriesRows& rows, int k, bool circular) {
  recur(n, rows, k,
        [=](const auto& a, const auto&, const auto& s, const auto& c, double* sine, double* cosine) {
          write(sine, integral(a, c, k, k));
          const auto rate = integral(a, s, k, k);
          write(cosine, circular ? -rate : rate);
        });
}

// a y' = a'
void logarithm(std::size_t n, const SeriesRows& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto&, const auto& y, const auto&, double* out, double*) {
    write(out, (a[k] - integral(y, a, k - 1, k)) / a[0]);
  });
}

// y' = w a' with w = 1 + y^2 (tan), 1 - y^2 (tanh).
void tangent(std::size_t n, const SeriesRows& rows, int k, bool circular) {
  recur(n, rows, k,
        [=](const auto& a, const auto&, const auto& y, const auto& w, double* out, double* second) {
          write(out, integral(a, w, k, k));
          const auto square = squares(y, 0, k);
          write(second, circular ? square : -square);
        });
}

// r y' = a', r' = -a y' (asin);  r y' = -a', r' = a y' (acos);  r = sqrt(1 - a^2).
void arc_sine(std::size_t n, const SeriesRows& rows, int k, bool sine) {
  recur(n, rows, k,
        [=](const auto& a, const auto&, const auto& y, const auto& r, double* out, double* second) {
          const auto known = integral(y, r, k - 1, k);
          write(out, (sine ? a[k] - known : -a[k] - known) / r[0]);
          const auto rate = integral(y, a, k, k);
          write(second, sine ? -rate : rate);
        });
}

// g y' = a', g = 1 + a^2.
void arc_tangent(std::size_t n, const SeriesRows& rows, int k) {
  recur(n, rows, k,
        [k](const auto& a, const auto&, const auto& y, const auto& g, double* out, double* second) {
          write(out, (a[k] - integral(y, g, k - 1, k)) / g[0]);
          write(second, squares(a, 0, k));
        });
}

// g y' = b a' - a b', g = a^2 + b^2.
void arc_tangent2(std::size_t n, const SeriesRows& rows, int k) {
  recur(n, rows, k,
        [k](const auto& a, const auto& b, const auto& y, const auto& g, double* out, double* second) {
          const auto turn = integral(a, b, k, k) - integral(b, a, k, k);
          write(out, (turn - integral(y, g, k - 1, k)) / g[0]);
          write(second, squares(a, 0, k) + squares(b, 0, k));
        });
}

void quotient(std::size_t n, const SeriesRows& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto& b, const auto& y, const auto&, double* out, double*) {
    write(out, (a[k] - product(b, y, 1, k, k)) / b[0]);
  });
}

void reciprocal(std::size_t n, const SeriesRows& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto&, const auto& y, const auto&, double* out, double*) {
    write(out, -product(a, y, 1, k, k) / a[0]);
  });
}

void square_root(std::size_t n, const SeriesRows& rows, int k) {
  recur(n, rows, k, [k](const auto& a, const auto&, const auto& y, const auto&, double* out, double*) {
    write(out, (a[k] - squares(y, 1, k)) / (2.0 * y[0]));
  });
}

// One lane of a row, from order `from` on.
struct Line {
  const double* at;
  std::size_t stride;
  double operator[](int order) const { return at ? at[static_cast<std::size_t>(order) * stride] : 0.0; }
};

double line_squares(const Line& a, int first, int from, int k) {
  double sum = 0.0;
  for (int j = from; j <= k - from; ++j) sum += a[first + j] * a[first + k - j];
  return sum;
}

// Where the vector starts with zeros: y_{v+j} is order j of the norm of (a_v + a_{v+1} t + ..).
double norm_from_zero(const SeriesRows& rows, std::size_t l, int k) {
  const auto line = [&](const double* row) { return Line{row ? row + l : nullptr, rows.stride}; };
  const Line a = line(rows.a), b = line(rows.b), c = line(rows.c), y = line(rows.out);
  double& valuation = rows.state[l];
  if (valuation == kAllZero) {
    if (a[k] == 0.0 && b[k] == 0.0 && c[k] == 0.0) return 0.0;
    valuation = k;
    return value_of(Op::norm, a[k], b[k], c[k]);
  }
  const int v = static_cast<int>(valuation), j = k - v;
  const double square = line_squares(a, v, 0, j) + line_squares(b, v, 0, j) + line_squares(c, v, 0, j);
  return (square - line_squares(y, v, 1, j)) / (2.0 * y[v]);
}

// y^2 = a^2 + b^2 + c^2
void norm(std::size_t n, const SeriesRows& rows, int k) {
  const std::size_t stride = rows.stride, now = static_cast<std::size_t>(k) * stride;
  over_lanes(n, [&](auto registers, std::size_t l) {
    constexpr int kP = decltype(registers)::kCount;
    const auto column = [&](const double* row) { return Column<kP>{row + l, stride}; };
    const auto square = [&](const double* row) { return squares(column(row), 0, k); };
    Lanes<kP> sum = rows.second ? column(rows.second)[k] : square(rows.a) + square(rows.b);
    if (rows.c && !rows.second) sum = sum + square(rows.c);
    const auto y = column(rows.out);
    write(rows.out + now + l, (sum - squares(y, 1, k)) / (2.0 * y[0]));
  });
  each(n, [&](std::size_t l) {
    if (rows.state[l] != 0.0) rows.out[now + l] = norm_from_zero(rows, l, k);
  });
}

// Where a starts with zeros: (t^v a)^c = t^(cv) a^c. With c >= 1, order k needs a up to k - cv + v <= k only.
double power_from_zero(const SeriesRows& rows, double c, std::size_t l, int k) {
  const Line a{rows.a + l, rows.stride}, y{rows.out + l, rows.stride};
  if (c < 1.0) return kNan;
  double& valuation = rows.state[l];
  if (valuation == kAllZero && a[k] != 0.0) valuation = k;
  if (valuation == kAllZero || k < c * valuation) return 0.0;
  const double first = c * valuation;
  if (first != std::floor(first)) return kNan;
  const int v = static_cast<int>(valuation), m = static_cast<int>(first), i = k - m;
  if (i == 0) return std::pow(a[v], c);
  double sum = 0.0;
  for (int j = 1; j <= i; ++j) sum += (c * j - (i - j)) * a[v + j] * y[m + i - j];
  return sum / (i * a[v]);
}

// a y' = c a' y:  k a_0 y_k = sum_{j=1..k} (c j - (k - j)) a_j y_{k-j}
[[gnu::noinline]] double power_weight(double c, int j, int k) {
  return c * j - (k - j);
}  // same bits for all

template <int P>
Lanes<P> power_term(const Column<P>& a, const Column<P>& y, double c, int k) {
  Lanes<P> sum = zero<P>();
  for (int j = 1; j <= k; ++j) sum = multiply_add(power_weight(c, j, k) * a[j], y[k - j], sum);
  return sum / (static_cast<double>(k) * a[0]);
}

void power(std::size_t n, const SeriesRows& rows, double c, int k) {
  recur(n, rows, k, [=](const auto& a, const auto&, const auto& y, const auto&, double* out, double*) {
    write(out, power_term(a, y, c, k));
  });
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  each(n, [&](std::size_t l) {
    if (rows.state[l] != 0.0) rows.out[now + l] = power_from_zero(rows, c, l, k);
  });
}

// Decides a sign at the first coefficient that is not zero, and gives it from then on.
double decided(double& sign, double difference) {
  if (sign == 0.0) sign = sign_of(difference);
  return sign;
}

// Choices between lanes' coefficients of order k.
void select(const Instruction& in, std::size_t n, const SeriesRows& rows, int k) {
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  const double *a = rows.a + now, *b = rows.b ? rows.b + now : nullptr, *c = rows.c ? rows.c + now : nullptr;
  double *out = rows.out + now, *state = rows.state;
  switch (in.code) {
    case Code::abs:
      return each(n, [=](std::size_t l) { out[l] = decided(state[l], a[l]) * a[l]; });
    case Code::min:
      return each(n, [=](std::size_t l) { out[l] = chosen(-decided(state[l], a[l] - b[l]), a[l], b[l]); });
    case Code::max:
      return each(n, [=](std::size_t l) { out[l] = chosen(decided(state[l], a[l] - b[l]), a[l], b[l]); });
    case Code::choose:
      return each(n, [=](std::size_t l) { out[l] = chosen(state[l], b[l], c[l]); });
    default:
      return each(n, [=](std::size_t l) { out[l] = 0.0 * rows.out[l]; });  // sign: constant; NaN stays
  }
}

void start_state(const Instruction& in, std::size_t n, const SeriesRows& r) {
  const auto sign_beyond = [&r](double x) { return std::fabs(x) <= r.zero_size ? 0.0 : sign_of(x); };
  switch (in.code) {
    case Code::abs:
      return each(n, [&](std::size_t l) { r.state[l] = sign_beyond(r.a[l]); });
    case Code::min:
    case Code::max:
      return each(n, [&](std::size_t l) { r.state[l] = sign_beyond(r.a[l] - r.b[l]); });
    case Code::choose:
      return each(n, [&](std::size_t l) { r.state[l] = r.a[l]; });
    case Code::norm:
      return each(n, [&](std::size_t l) { r.state[l] = r.out[l] <= r.zero_size ? kAllZero : 0.0; });
    case Code::power:
      return each(n, [&](std::size_t l) { r.state[l] = r.a[l] == 0.0 ? kAllZero : 0.0; });
    default:
      return;
  }
}

template <int P>
Lanes<P> one_of(const Lanes<P>&) {
  return same<P>(1.0);
}

// Order 0 of the second result or of the auxiliary series.
void start_second(const Instruction& in, std::size_t n, const SeriesRows& r) {
  switch (in.code) {
    case Code::tan:
      return recur(n, r, 0, [](const auto&, const auto&, const auto& y, const auto&, double*, double* w) {
        write(w, multiply_add(y[0], y[0], one_of(y[0])));
      });
    case Code::tanh:
      return each(n, [&](std::size_t l) { r.second[l] = std::pow(std::cosh(r.a[l]), -2.0); });
    case Code::asin:
    case Code::acos:
      return each(n, [&](std::size_t l) { r.second[l] = std::sqrt((1.0 - r.a[l]) * (1.0 + r.a[l])); });
    case Code::atan:
      return recur(n, r, 0, [](const auto& a, const auto&, const auto&, const auto&, double*, double* g) {
        write(g, multiply_add(a[0], a[0], one_of(a[0])));
      });
    case Code::atan2:
      return recur(n, r, 0, [](const auto& a, const auto& b, const auto&, const auto&, double*, double* g) {
        write(g, multiply_add(a[0], a[0], b[0] * b[0]));
      });
    case Code::sin_cos:
      return each(n, [&](std::size_t l) { r.second[l] = std::cos(r.a[l]); });
    case Code::sinh_cosh:
      return each(n, [&](std::size_t l) { r.second[l] = std::cosh(r.a[l]); });
    default:
      return;  // general_power: has been computed
  }
}

void linear(const Instruction& in, std::size_t n, const SeriesRows& rows, int k) {
  const std::size_t now = static_cast<std::size_t>(k) * rows.stride;
  const Operands here{rows.a + now, rows.b ? rows.b + now : nullptr, nullptr, rows.out + now};
  if (in.code == Code::offset) {
    std::copy_n(here.a, n, here.out);
  } else {
    execute(in.code == Code::from ? Instruction{.code = Code::negate} : in, n, here);
  }
}

}  // namespace

bool has_state(Code code) {
  return code == Code::abs || code == Code::min || code == Code::max || code == Code::choose ||
         code == Code::norm || code == Code::power;
}

void start(const Instruction& in, std::size_t n, const SeriesRows& rows) {
  Instruction plain = in;
  if (in.code == Code::sin_cos) plain.code = Code::sin;
  if (in.code == Code::sinh_cosh) plain.code = Code::sinh;
  execute(plain, n, {rows.a, rows.b, rows.c, rows.out});
  start_state(in, n, rows);
  start_second(in, n, rows);
}

void continue_series(const Instruction& in, std::size_t n, const SeriesRows& rows, int k) {
  switch (in.code) {
    case Code::multiply:
      return recur(n, rows, k,
                   [k](const auto& a, const auto& b, const auto&, const auto&, double* out, double*) {
                     write(out, product(a, b, 0, k, k));
                   });
    case Code::weigh:
      return recur(n, rows, k,
                   [k](const auto& a, const auto& b, const auto&, const auto&, double* out, double*) {
                     write(out, a[k] * b[0]);
                   });
    case Code::square:
      return recur(n, rows, k,
                   [k](const auto& a, const auto&, const auto&, const auto&, double* out, double*) {
                     write(out, squares(a, 0, k));
                   });
    case Code::general_power:  // exp(second)
      return exponential(n, {rows.second, nullptr, nullptr, rows.out, nullptr, nullptr, rows.stride, 0.0}, k);
    case Code::divide:
    case Code::ratio:
      return quotient(n, rows, k);
    case Code::over:
      return reciprocal(n, rows, k);
    case Code::power:
      return power(n, rows, in.value, k);
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
