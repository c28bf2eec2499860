// Taylor series of expressions with tangents in lanes: order 0 by each function's slope, all others by the
// same recurrences. What decides by its numbers how it goes on (NumberTape::chooses) is not computed so.
#include "catena/expr/kinks.h"
#include "catena/expr/pinned_functions.h"
#include "catena/expr/series_over_definitions.h"
#include "catena/math/lane_rates.h"

namespace catena::expr {

template <>
struct Scalar<LaneRates> : OneByOne<LaneRates> {
  using S = LaneRates;
  using Lanes = S::Lanes;

  static double rounded(const S& x) { return x.value.lane(0); }
  static S norm(const S& a, const S& b, const S& c) { return square_root(a * a + b * b + c * c); }
  // d(a^b) = a^b (b da / a + log(a) db)
  static S power(const S& a, const S& b) {
    const Lanes value = pow_of(a.value, b.value);
    return composed(a, value, Lanes(b.value * pow_of(a.value, b.value - Lanes(1.0)))) +
           composed(b, Lanes(0.0), Lanes(value * log_of(a.value)));
  }
  static S power_weight(const S& c, int j, int k) { return c * S(j) - S(k - j); }
  // d = (b da - a db) / (a^2 + b^2)
  static S atan2(const S& a, const S& b) {
    const Lanes square = a.value * a.value + b.value * b.value;
    return composed(a, atan2_of(a.value, b.value), b.value / square) +
           composed(b, Lanes(0.0), -a.value / square);
  }
  static S root(const S& a) { return square_root(a); }
  static S cos(const S& a) { return function(Op::cos, a); }
  static S cosh(const S& a) { return function(Op::cosh, a); }
  static Lanes logistic_of(const Lanes& a) { return Lanes(1.0) / (Lanes(1.0) + exp_of(-a)); }
  // y (1 - y), y = 1 / (1 + exp(-a)): its slope is y (1 - y) (1 - 2 y)
  static S logistic_slope(const S& a) {
    const Lanes y = logistic_of(a.value), rest = logistic_of(-a.value), value = y * rest;
    return composed(a, value, Lanes(value * (rest - y)));
  }
  // 1/cosh^2: its slope is -2 tanh / cosh^2
  static S sech_squared(const S& a) {
    const Lanes twice = a.value + a.value;
    const Lanes value = Lanes(4.0) * Lanes(logistic_of(twice) * logistic_of(-twice));
    return composed(a, value, Lanes(Lanes(-2.0) * tanh_of(a.value)) * value);
  }
  static S function(Op op, const S& x) {
    const Lanes one(1.0), a = x.value;
    switch (op) {
      case Op::exp: {
        const Lanes value = exp_of(a);
        return composed(x, value, value);
      }
      case Op::log:
        return composed(x, log_of(a), one / a);
      case Op::sin:
        return composed(x, sin_of(a), cos_of(a));
      case Op::cos:
        return composed(x, cos_of(a), -sin_of(a));
      case Op::tan: {
        const Lanes value = tan_of(a);
        return composed(x, value, one + value * value);
      }
      case Op::asin:
        return composed(x, asin_of(a), one / square_root(Lanes((one - a) * (one + a))));
      case Op::acos:
        return composed(x, acos_of(a), -one / square_root(Lanes((one - a) * (one + a))));
      case Op::atan:
        return composed(x, atan_of(a), one / (one + a * a));
      case Op::sinh:
        return composed(x, sinh_of(a), cosh_of(a));
      case Op::cosh:
        return composed(x, cosh_of(a), sinh_of(a));
      case Op::tanh: {
        const Lanes twice = a + a;
        return composed(x, tanh_of(a), Lanes(Lanes(4.0) * logistic_of(twice)) * logistic_of(-twice));
      }
      default:
        break;
    }
    const FunctionRow* row = function_row(op);
    Lanes value, slope;
    for (int l = 0; l < Lanes::kWidth; ++l) {
      value.set_lane(l, row->value(a.lane(l)));
      slope.set_lane(l, row->slope(a.lane(l), value.lane(l)));
    }
    return composed(x, value, slope);
  }
};

template class SeriesOver<LaneRates>;

}  // namespace catena::expr

namespace catena {

// Worlds with kinks are refused.
template <>
LaneRates first_sign_change(const LaneRates*, std::size_t, int, const LaneRates& length, double) {
  return length;
}
template <>
LaneRates first_break(const expr::SeriesOver<LaneRates>&, int, const LaneRates& length, double) {
  return length;
}

}  // namespace catena
