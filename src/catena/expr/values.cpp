#include "catena/expr/values.h"

#include <limits>

namespace catena::expr {

double value_of(Op op, double a, double b, double c) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::power:
      return std::pow(a, b);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::logistic:
      return logistic_of(a);
    case Op::softplus:
      return softplus_of(a);
    case Op::abs:
      return std::fabs(a);
    case Op::sign:
      return sign_of(a);
    case Op::min:
      return smaller(a, b);
    case Op::max:
      return larger(a, b);
    case Op::step: {
      const double s = smaller(larger(a, 0.0), 1.0);
      return s * s * (3.0 - 2.0 * s);
    }
    case Op::norm:
      return length_of(a * a + b * b + c * c, a, b, c);
    case Op::ratio:
      return ratio_of(a, b);
    case Op::choose:
      return chosen(a, b, c);
    case Op::constant:
    case Op::parameter:
    case Op::variable:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace catena::expr
