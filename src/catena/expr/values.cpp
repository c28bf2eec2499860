#include "catena/expr/values.h"

#include <limits>

#include "catena/expr/function_rows.h"

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
    case Op::atan2:
      return std::atan2(a, b);
    case Op::min:
      return smaller(a, b);
    case Op::max:
      return larger(a, b);
    case Op::norm:
      return length_of(a * a + b * b + c * c, a, b, c);
    case Op::ratio:
      return ratio_of(a, b);
    case Op::choose:
      return chosen(a, b, c);
    default:
      if (const FunctionRow* row = function_row(op)) return row->value(a);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace catena::expr
