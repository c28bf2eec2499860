#include "catena/expr/wide_series_definitions.h"

namespace catena::expr {
namespace {

template <class S, class... Rows>
S wide_function(Op op, const S& x, std::tuple<Rows...>*) {
  S out(kNan);
  (void)((Rows::text.op == op ? (out = Rows::template wide<S>(x), true) : false) || ...);
  return out;
}

// Numbers with more digits than a double.
template <class S>
struct WideScalar : OneByOne<S> {
  static double rounded(const S& value) { return wide::rounded(value); }
  static S norm(const S& a, const S& b, const S& c) { return wide::root<S>(a * a + b * b + c * c); }
  static S power(const S& a, const S& exponent) { return wide::power(a, exponent); }
  static S power_weight(const S& c, int j, int k) { return c * S(j) - S(k - j); }
  static S atan2(const S& a, const S& b) { return wide::atan2(a, b); }
  static S root(const S& a) { return wide::root(a); }
  static S cos(const S& a) { return wide::cos(a); }
  static S cosh(const S& a) { return wide::cosh(a); }
  static S logistic_slope(const S& a) { return wide::logistic<S>(a) * wide::logistic<S>(-a); }
  static S sech_squared(const S& a) {
    const S cosine = wide::cosh(a);
    return S(1.0) / (cosine * cosine);
  }
  static S function(Op op, const S& x) {
    return wide_function<S>(op, x, static_cast<function_rows::All*>(nullptr));
  }
};

}  // namespace

template <>
struct Scalar<DoubleDouble> : WideScalar<DoubleDouble> {};
#if CATENA_HAS_QUAD
template <>
struct Scalar<Quad> : WideScalar<Quad> {};
#endif

template <class S>
S wide_value(const Instruction& in, const S& a, const S& b, const S& c) {
  return value_of<S>(in, decimal_as<S>(in.value), a, b, c);
}

template DoubleDouble wide_value(const Instruction&, const DoubleDouble&, const DoubleDouble&,
                                 const DoubleDouble&);
template class WideSeries<DoubleDouble>;
#if CATENA_HAS_QUAD
template class WideSeries<Quad>;
#endif

}  // namespace catena::expr
