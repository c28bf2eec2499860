#include "catena/expr/kernels.h"

#include <cmath>

#include "catena/expr/function_rows.h"
#include "catena/expr/lanes.h"
#include "catena/expr/values.h"

namespace catena::expr {
namespace {

template <class F>
void map1(std::size_t n, const Operands& o, F f) {
  over_lanes(n, [&](auto registers, std::size_t l) {
    constexpr int kP = decltype(registers)::kCount;
    write<kP>(o.out + l, f(read<kP>(o.a + l)));
  });
}

template <class F>
void map2(std::size_t n, const Operands& o, F f) {
  over_lanes(n, [&](auto registers, std::size_t l) {
    constexpr int kP = decltype(registers)::kCount;
    write<kP>(o.out + l, f(read<kP>(o.a + l), read<kP>(o.b + l)));
  });
}

template <class F>
void each(std::size_t n, F f) {
  for (std::size_t l = 0; l < n; ++l) f(l);
}

template <class F>
void each1(std::size_t n, const Operands& o, F f) {
  each(n, [&](std::size_t l) { o.out[l] = f(o.a[l]); });
}

void norm_values(std::size_t n, const Operands& o) {
  over_lanes(n, [&](auto registers, std::size_t l) {
    constexpr int kP = decltype(registers)::kCount;
    const Lanes<kP> a = read<kP>(o.a + l), b = read<kP>(o.b + l);
    Lanes<kP> square = multiply_add(b, b, a * a);
    if (o.c) {
      const Lanes<kP> c = read<kP>(o.c + l);
      square = multiply_add(c, c, square);
    }
    write<kP>(o.out + l, square);
  });
  each(n, [&](std::size_t l) { o.out[l] = length_of(o.out[l], o.a[l], o.b[l], o.c ? o.c[l] : 0.0); });
}

// a^value, without pow where roots and products do.
void power_values(std::size_t n, const Operands& o, double exponent) {
  if (exponent == 1.5) {
    each1(n, o, [](double a) { return a * std::sqrt(a); });
  } else if (exponent == 2.5) {
    each1(n, o, [](double a) { return a * a * std::sqrt(a); });
  } else {
    each1(n, o, [exponent](double a) { return std::pow(a, exponent); });
  }
}

void arithmetic(const Instruction& in, std::size_t n, const Operands& o) {
  const double value = in.value;
  switch (in.code) {
    case Code::add:
      return map2(n, o, [](const auto& a, const auto& b) { return a + b; });
    case Code::subtract:
      return map2(n, o, [](const auto& a, const auto& b) { return a - b; });
    case Code::multiply:
    case Code::weigh:
      return map2(n, o, [](const auto& a, const auto& b) { return a * b; });
    case Code::divide:
      return map2(n, o, [](const auto& a, const auto& b) { return a / b; });
    case Code::square:
      return map1(n, o, [](const auto& a) { return a * a; });
    case Code::negate:
      return map1(n, o, [](const auto& a) { return -a; });
    case Code::offset:
      return map1(n, o, [value](const auto& a) { return a + value; });
    case Code::from:
      return map1(n, o, [value](const auto& a) { return value - a; });
    case Code::scale:
      return map1(n, o, [value](const auto& a) { return value * a; });
    case Code::over:
      return map1(n, o, [value](const auto& a) { return value / a; });
    default:
      return map1(n, o, [value](const auto& a) { return a / value; });  // divide_by
  }
}

}  // namespace

void execute(const Instruction& in, std::size_t n, const Operands& o) {
  if (const FunctionRow* row = function_row(in)) return row->values(n, o.a, o.out);
  switch (in.code) {
    case Code::power:
      return power_values(n, o, in.value);
    case Code::general_power:
      return each(n, [&](std::size_t l) { o.out[l] = std::pow(o.a[l], o.b[l]); });
    case Code::atan2:
      return each(n, [&](std::size_t l) { o.out[l] = std::atan2(o.a[l], o.b[l]); });
    case Code::min:
      return each(n, [&](std::size_t l) { o.out[l] = smaller(o.a[l], o.b[l]); });
    case Code::max:
      return each(n, [&](std::size_t l) { o.out[l] = larger(o.a[l], o.b[l]); });
    case Code::norm:
      return norm_values(n, o);
    case Code::ratio:
      return each(n, [&](std::size_t l) { o.out[l] = ratio_of(o.a[l], o.b[l]); });
    case Code::choose:
      return each(n, [&](std::size_t l) { o.out[l] = chosen(o.a[l], o.b[l], o.c[l]); });
    default:
      return arithmetic(in, n, o);
  }
}

namespace {

// d/da of what has one operand; y is the value.
double slope(const Instruction& in, double a, double y) {
  if (const FunctionRow* row = function_row(in)) return row->slope(a, y);
  return in.code == Code::power ? in.value * std::pow(a, in.value - 1.0) : -y / a;  // over
}

double general_power_rate(double a, double b, double y, double da, double db) {
  const double by_base = da == 0.0 ? 0.0 : b * std::pow(a, b - 1.0) * da;
  const double by_exponent = db == 0.0 ? 0.0 : y * std::log(a) * db;
  return by_base + by_exponent;
}

void norm_rates(std::size_t n, const Operands& v, const Operands& d) {
  over_lanes(n, [&](auto registers, std::size_t l) {
    constexpr int kP = decltype(registers)::kCount;
    Lanes<kP> sum = read<kP>(v.a + l) * read<kP>(d.a + l);
    sum = multiply_add(read<kP>(v.b + l), read<kP>(d.b + l), sum);
    if (v.c) sum = multiply_add(read<kP>(v.c + l), read<kP>(d.c + l), sum);
    write<kP>(d.out + l, sum);
  });
  each(n, [&](std::size_t l) { d.out[l] = ratio_of(d.out[l], v.out[l]); });
}

void product_rates(std::size_t n, const Operands& v, const Operands& d) {
  over_lanes(n, [&](auto registers, std::size_t l) {
    constexpr int kP = decltype(registers)::kCount;
    const Lanes<kP> by_a = read<kP>(d.a + l) * read<kP>(v.b + l);
    write<kP>(d.out + l, multiply_add(read<kP>(v.a + l), read<kP>(d.b + l), by_a));
  });
}

// (a' - (a/b) b') / b; `or_zero`: 0 where both are 0.
void quotient_rates(std::size_t n, const Operands& v, const Operands& d, bool or_zero) {
  over_lanes(n, [&](auto registers, std::size_t l) {
    constexpr int kP = decltype(registers)::kCount;
    write<kP>(d.out + l, multiply_add(-read<kP>(v.out + l), read<kP>(d.b + l), read<kP>(d.a + l)));
  });
  if (or_zero) {
    each(n, [&](std::size_t l) { d.out[l] = ratio_of(d.out[l], v.b[l]); });
  } else {
    each(n, [&](std::size_t l) { d.out[l] /= v.b[l]; });
  }
}

void atan2_rates(std::size_t n, const Operands& v, const Operands& d) {
  over_lanes(n, [&](auto registers, std::size_t l) {
    constexpr int kP = decltype(registers)::kCount;
    const Lanes<kP> y = read<kP>(v.a + l), x = read<kP>(v.b + l);
    const Lanes<kP> turn = multiply_add(x, read<kP>(d.a + l), -(y * read<kP>(d.b + l)));
    write<kP>(d.out + l, turn / multiply_add(x, x, y * y));
  });
}

}  // namespace

void propagate(const Instruction& in, std::size_t n, const Operands& v, const Operands& d) {
  switch (in.code) {
    case Code::add:
    case Code::subtract:
    case Code::negate:
    case Code::scale:
    case Code::divide_by:
      return arithmetic(in, n, d);
    case Code::offset:
      return each(n, [&](std::size_t l) { d.out[l] = d.a[l]; });
    case Code::from:
      return each(n, [&](std::size_t l) { d.out[l] = -d.a[l]; });
    case Code::square:
      return each(n, [&](std::size_t l) { d.out[l] = 2.0 * v.a[l] * d.a[l]; });
    case Code::multiply:
      return product_rates(n, v, d);
    case Code::divide:
      return quotient_rates(n, v, d, false);
    case Code::ratio:
      return quotient_rates(n, v, d, true);
    case Code::general_power:
      return each(
          n, [&](std::size_t l) { d.out[l] = general_power_rate(v.a[l], v.b[l], v.out[l], d.a[l], d.b[l]); });
    case Code::atan2:
      return atan2_rates(n, v, d);
    case Code::min:
      return each(n, [&](std::size_t l) { d.out[l] = v.b[l] >= v.a[l] ? d.a[l] : d.b[l]; });
    case Code::max:
      return each(n, [&](std::size_t l) { d.out[l] = v.a[l] >= v.b[l] ? d.a[l] : d.b[l]; });
    case Code::choose:
      return each(n, [&](std::size_t l) { d.out[l] = chosen(v.a[l], d.b[l], d.c[l]); });
    case Code::norm:
      return norm_rates(n, v, d);
    default:
      return each(n, [&](std::size_t l) { d.out[l] = slope(in, v.a[l], v.out[l]) * d.a[l]; });
  }
}

}  // namespace catena::expr
