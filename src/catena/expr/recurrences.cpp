#include "catena/expr/kernels.h"
#include "catena/expr/lanes.h"
#include "catena/expr/recurrences_definitions.h"

namespace catena::expr {

template <>
struct Scalar<double> {
  template <int P>
  struct Registers {
    using Lanes = expr::Lanes<P>;
  };

  template <class L>
  static L read(const double* from) {
    return expr::read<L::kRegisters>(from);
  }
  template <class L>
  static L same(double value) {
    return expr::same<L::kRegisters>(value);
  }
  template <class L>
  static void write(double* to, const L& lanes) {
    expr::write(to, lanes);
  }
  template <class L>
  static L multiply_add(const L& a, const L& b, const L& c) {
    return expr::multiply_add(a, b, c);
  }
  template <class Kernel>
  static void over_lanes(std::size_t lanes, const Kernel& kernel) {
    expr::over_lanes(lanes, [&](auto registers, std::size_t lane) {
      kernel(Registers<decltype(registers)::kCount>{}, lane);
    });
  }

  static double rounded(double value) { return value; }
  static double norm(double a, double b, double c) { return value_of(Op::norm, a, b, c); }
  static double power(double a, double exponent) { return std::pow(a, exponent); }
  [[gnu::noinline]] static double power_weight(double c, int j, int k) {
    return c * j - (k - j);
  }  // same bits for all
  static double root(double a) { return std::sqrt(a); }
  static double cos(double a) { return std::cos(a); }
  static double cosh(double a) { return std::cosh(a); }
  static double sech_squared(double a) { return std::pow(std::cosh(a), -2.0); }
  static double logistic_slope(double a) { return logistic_of(a) * logistic_of(-a); }
  static void execute(const Instruction& in, std::size_t lanes, const Operands& values) {
    expr::execute(in, lanes, values);
  }
};

bool has_state(Code code) {
  return code == Code::abs || code == Code::min || code == Code::max || code == Code::choose ||
         code == Code::norm || code == Code::power || code == Code::sqrt;
}

bool is_plain(Code code) {
  switch (code) {
    case Code::add:
    case Code::subtract:
    case Code::multiply:
    case Code::weigh:
    case Code::square:
    case Code::scale:
    case Code::negate:
      return true;
    default:
      return false;
  }
}

namespace {

// For few lanes the way to an instruction costs more than the work: this is a short one.
template <int P>
const Operation* run_plain_lanes(const Operation* op, const Operation* end, double* coefficients,
                                 std::size_t stride, int k) {
  using L = Lanes<P>;
  double* now = coefficients + static_cast<std::size_t>(k) * stride;
  for (; op != end; ++op) {
    const L a = read<P>(now + op->a);
    const auto b = [&] { return read<P>(now + op->b); };
    const auto column = [&](std::uint32_t row) { return Column<double, L>{coefficients + row, stride}; };
    double* out = now + op->out;
    switch (op->code) {
      case Code::add:
        write(out, a + b());
        break;
      case Code::subtract:
        write(out, a - b());
        break;
      case Code::scale:
        write(out, a * op->value);
        break;
      case Code::negate:
        write(out, -a);
        break;
      case Code::weigh:
        write(out, a * read<P>(coefficients + op->b));
        break;
      case Code::multiply:
        write(out, k == 0 ? a * b() : product(column(op->a), column(op->b), 0, k, k));
        break;
      case Code::square:
        write(out, k == 0 ? a * a : squares(column(op->a), 0, k));
        break;
      default:
        return op;
    }
  }
  return end;
}

}  // namespace

const Operation* run_plain(const Operation* first, const Operation* end, double* coefficients,
                           std::size_t stride, std::size_t lanes, int k) {
  const Operation* stop = end;
  over_lanes(lanes, [&](auto registers, std::size_t lane) {
    stop = run_plain_lanes<decltype(registers)::kCount>(first, end, coefficients + lane, stride, k);
  });
  return stop;
}

template void start(const Instruction&, std::size_t, const SeriesRowsOf<double>&);
template void continue_series(const Instruction&, std::size_t, const SeriesRowsOf<double>&, int);

}  // namespace catena::expr
