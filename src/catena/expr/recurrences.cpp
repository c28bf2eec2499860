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
  static void execute(const Instruction& in, std::size_t lanes, const Operands& values) {
    expr::execute(in, lanes, values);
  }
};

bool has_state(Code code) {
  return code == Code::abs || code == Code::min || code == Code::max || code == Code::choose ||
         code == Code::norm || code == Code::power;
}

template void start(const Instruction&, std::size_t, const SeriesRowsOf<double>&);
template void continue_series(const Instruction&, std::size_t, const SeriesRowsOf<double>&, int);

}  // namespace catena::expr
