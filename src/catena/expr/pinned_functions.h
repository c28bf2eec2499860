// Functions of formulas over numbers whose bits are pinned: by elementary functions of our own.
#pragma once

#include "catena/expr/function_rows.h"
#include "catena/math/lanes.h"

namespace catena::expr {

template <class S>
struct PinnedFunctions {
  static S norm(const S& a, const S& b, const S& c) { return square_root(a * a + b * b + c * c); }
  static S power(const S& a, const S& b) { return pow_of(a, b); }
  static S power_weight(const S& c, int j, int k) { return c * S(j) - S(k - j); }
  static S atan2(const S& a, const S& b) { return atan2_of(a, b); }
  static S root(const S& a) { return square_root(a); }
  static S cos(const S& a) { return cos_of(a); }
  static S cosh(const S& a) { return cosh_of(a); }
  static S logistic(const S& a) { return S(1.0) / (S(1.0) + exp_of(-a)); }
  static S logistic_slope(const S& a) { return logistic(a) * logistic(-a); }
  static S sech_squared(const S& a) { return S(4.0) * logistic(a + a) * logistic(-(a + a)); }
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
        return S(function_row(op)->value(x.lane(0)));
    }
  }
};

}  // namespace catena::expr
