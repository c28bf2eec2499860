// Taylor series of expressions in lanes: one number after the other, four at once where no choice depends on
// them. What the machine's library would compute is computed by elementary functions of our own.
#include <cmath>

#include "catena/math/lanes.h"

// Numbers first: the definitions compute with them.
#include "catena/expr/wide_series_definitions.h"

namespace catena::expr {

using Number = catena::LanesOf<1>;
using Numbers = catena::LanesOf<4>;

inline Number number(double x) { return Number(x); }

template <>
struct Scalar<Number> : OneByOne<Number> {
  using S = Number;
  struct AtOnce {
    using Lanes = Numbers;
  };
  template <class L>
  static L read(const S* from) {
    L out;
    std::memcpy(&out, from, sizeof out);
    return out;
  }
  template <class L>
  static L same(double value) {
    return L(value);
  }
  static void write(S* to, const Number& value) { *to = value; }
  static void write(S* to, const Numbers& value) {
    std::memcpy(static_cast<void*>(to), &value, sizeof value);
  }
  static Number multiply_add(const Number& a, const Number& b, const Number& c) { return fused(a, b, c); }
  static Numbers multiply_add(const Numbers& a, const Numbers& b, const Numbers& c) { return fused(a, b, c); }
  template <class Kernel>
  static void over_lanes(std::size_t lanes, const Kernel& kernel) {
    std::size_t lane = 0;
    for (; lane + 4 <= lanes; lane += 4) kernel(AtOnce{}, lane);
    for (; lane < lanes; ++lane) kernel(One{}, lane);
  }

  static double rounded(const S& x) { return x.lane(0); }
  static S norm(const S& a, const S& b, const S& c) { return square_root(a * a + b * b + c * c); }
  static S power(const S& a, const S& b) { return pow_of(a, b); }
  static S power_weight(const S& c, int j, int k) { return c * S(j) - S(k - j); }
  static S atan2(const S& a, const S& b) { return atan2_of(a, b); }
  static S root(const S& a) { return square_root(a); }
  static S cos(const S& a) { return cos_of(a); }
  static S cosh(const S& a) { return cosh_of(a); }
  static S logistic(const S& a) { return number(1.0) / (number(1.0) + exp_of(-a)); }
  static S logistic_slope(const S& a) { return logistic(a) * logistic(-a); }
  static S sech_squared(const S& a) { return number(4.0) * logistic(a + a) * logistic(-(a + a)); }
  static S function(Op op, const S& x) {
    switch (op) {
      case Op::sqrt:
        return square_root(x);
      case Op::exp:
        return exp_of(x);
      case Op::log:
        return log_of(x);
      case Op::sin:
        return sin_of(x);
      case Op::cos:
        return cos_of(x);
      case Op::tan:
        return tan_of(x);
      case Op::asin:
        return asin_of(x);
      case Op::acos:
        return acos_of(x);
      case Op::atan:
        return atan_of(x);
      case Op::sinh:
        return sinh_of(x);
      case Op::cosh:
        return cosh_of(x);
      case Op::tanh:
        return tanh_of(x);
      default:
        return number(function_row(op)->value(x.lane(0)));
    }
  }
};

#define CATENA_OF_WIDTH(W) template class WideSeries<catena::LanesOf<W>>;
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH

}  // namespace catena::expr
