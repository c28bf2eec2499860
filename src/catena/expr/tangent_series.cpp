// Taylor series of expressions with derivatives: order 0 by each function's slope, all others by the same
// recurrences.
#include "catena/expr/series_over_definitions.h"
#include "catena/math/many_rates.h"

namespace catena::expr {

template <int K>
struct Scalar<Tangent<K>> : OneByOne<Tangent<K>> {
  using S = Tangent<K>;
  static double rounded(const S& x) { return x.value(); }
  static S norm(const S& a, const S& b, const S& c) { return square_root(a * a + b * b + c * c); }
  // d(a^b) = a^b (b da / a + log(a) db)
  static S power(const S& a, const S& exponent) {
    const double x = a.value(), p = exponent.value(), value = std::pow(x, p);
    S out = composed(a, value, p == 0.0 ? 0.0 : p * std::pow(x, p - 1.0));
    const S from_exponent = composed(exponent, 0.0, value == 0.0 ? 0.0 : value * std::log(x));
    return out + from_exponent;
  }
  static S power_weight(const S& c, int j, int k) { return c * S(j) - S(k - j); }
  // d = (b da - a db) / (a^2 + b^2)
  static S atan2(const S& a, const S& b) {
    const double square = a.value() * a.value() + b.value() * b.value();
    const double value = std::atan2(a.value(), b.value());
    return composed(a, value, b.value() / square) + composed(b, 0.0, -a.value() / square);
  }
  static S root(const S& a) { return square_root(a); }
  static S cos(const S& a) { return composed(a, std::cos(a.value()), -std::sin(a.value())); }
  static S cosh(const S& a) { return composed(a, std::cosh(a.value()), std::sinh(a.value())); }
  // y (1 - y), y = 1 / (1 + exp(-a)): its slope is y (1 - y) (1 - 2 y)
  static S logistic_slope(const S& a) {
    const double y = logistic_of(a.value()), rest = logistic_of(-a.value());
    return composed(a, y * rest, y * rest * (rest - y));
  }
  // 1/cosh^2: its slope is -2 tanh / cosh^2
  static S sech_squared(const S& a) {
    const double value = 4.0 * logistic_of(2.0 * a.value()) * logistic_of(-2.0 * a.value());
    return composed(a, value, -2.0 * std::tanh(a.value()) * value);
  }
  static S function(Op op, const S& x) {
    const FunctionRow* row = function_row(op);
    const double value = row->value(x.value());
    return composed(x, value, row->slope(x.value(), value));
  }
};

template class SeriesOver<Rates>;
template class SeriesOver<ManyRates>;

}  // namespace catena::expr
