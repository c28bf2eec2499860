#include "catena/expr/series_over_definitions.h"

namespace catena::expr {
namespace {

template <class S, class... Rows>
S function_digits(Op op, const S& x, std::tuple<Rows...>*) {
  S out(kNan);
  (void)((Rows::text.op == op ? (out = Rows::template digits<S>(x), true) : false) || ...);
  return out;
}

// Numbers with more digits than a double.
template <class S>
struct ScalarOver : OneByOne<S> {
  static double rounded(const S& value) { return digits::rounded(value); }
  static S norm(const S& a, const S& b, const S& c) { return digits::root<S>(a * a + b * b + c * c); }
  static S power(const S& a, const S& exponent) { return digits::power(a, exponent); }
  static S power_weight(const S& c, int j, int k) { return c * S(j) - S(k - j); }
  static S atan2(const S& a, const S& b) { return digits::atan2(a, b); }
  static S root(const S& a) { return digits::root(a); }
  static S cos(const S& a) { return digits::cos(a); }
  static S cosh(const S& a) { return digits::cosh(a); }
  static S logistic_slope(const S& a) { return digits::logistic<S>(a) * digits::logistic<S>(-a); }
  static S sech_squared(const S& a) { return digits::sech_squared(a); }
  static S function(Op op, const S& x) {
    return function_digits<S>(op, x, static_cast<function_rows::All*>(nullptr));
  }
};

}  // namespace

template <>
struct Scalar<DoubleDouble> : ScalarOver<DoubleDouble> {};
#if CATENA_HAS_QUAD
template <>
struct Scalar<Quad> : ScalarOver<Quad> {};
#endif

template <class S>
S value_over(const Instruction& in, const S& a, const S& b, const S& c) {
  return value_of<S>(in, decimal_as<S>(in.value), a, b, c);
}

template DoubleDouble value_over(const Instruction&, const DoubleDouble&, const DoubleDouble&,
                                 const DoubleDouble&);
template class SeriesOver<DoubleDouble>;
#if CATENA_HAS_QUAD
template class SeriesOver<Quad>;
#endif

}  // namespace catena::expr
