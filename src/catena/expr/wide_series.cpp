#include "catena/expr/wide_series.h"

#include <algorithm>
#include <utility>

#include "catena/expr/function_rows.h"
#include "catena/expr/recurrences_definitions.h"
#include "catena/math/decimal.h"
#include "catena/math/wide_functions.h"

namespace catena::expr {
namespace {

template <class S, class... Rows>
S wide_function(Op op, const S& x, std::tuple<Rows...>*) {
  S out(kNan);
  (void)((Rows::text.op == op ? (out = Rows::template wide<S>(x), true) : false) || ...);
  return out;
}

}  // namespace

template <class S>
S wide_value(const Instruction& in, const S& a, const S& b, const S& c) {
  const S value = decimal_as<S>(in.value);
  switch (in.code) {
    case Code::add:
      return a + b;
    case Code::subtract:
      return a - b;
    case Code::multiply:
    case Code::weigh:
      return a * b;
    case Code::square:
      return a * a;
    case Code::divide:
      return a / b;
    case Code::negate:
      return -a;
    case Code::offset:
      return a + value;
    case Code::from:
      return value - a;
    case Code::scale:
      return value * a;
    case Code::over:
      return value / a;
    case Code::divide_by:
      return a / value;
    case Code::power:
      return wide::power(a, value);
    case Code::general_power:
      return wide::power(a, b);
    case Code::atan2:
      return wide::atan2(a, b);
    case Code::min:
      return either(-wide::rounded<S>(a - b), a, b);
    case Code::max:
      return either(wide::rounded<S>(a - b), a, b);
    case Code::norm:
      return wide::root<S>(a * a + b * b + c * c);
    case Code::ratio:
      return a == S(0.0) && b == S(0.0) ? S(0.0) : a / b;
    case Code::choose:
      return either(wide::rounded(a), b, c);
    default:
      break;
  }
  const FunctionRow* row = function_row(in);
  return row == nullptr ? S(kNan)
                        : wide_function<S>(row->text.op, a, static_cast<function_rows::All*>(nullptr));
}

namespace {

// One number at a time.
template <class S>
struct WideScalar {
  struct One {
    using Lanes = S;
  };

  template <class L>
  static S read(const S* from) {
    return *from;
  }
  template <class L>
  static S same(double value) {
    return decimal_as<S>(value);
  }
  static void write(S* to, const S& value) { *to = value; }
  static S multiply_add(const S& a, const S& b, const S& c) { return a * b + c; }
  template <class Kernel>
  static void over_lanes(std::size_t lanes, const Kernel& kernel) {
    for (std::size_t lane = 0; lane < lanes; ++lane) kernel(One{}, lane);
  }

  static double rounded(const S& value) { return wide::rounded(value); }
  static S norm(const S& a, const S& b, const S& c) { return wide::root<S>(a * a + b * b + c * c); }
  static S power(const S& a, double exponent) { return wide::power(a, decimal_as<S>(exponent)); }
  static S power_weight(double c, int j, int k) { return decimal_as<S>(c) * S(j) - S(k - j); }
  static S root(const S& a) { return wide::root(a); }
  static S cos(const S& a) { return wide::cos(a); }
  static S cosh(const S& a) { return wide::cosh(a); }
  static S logistic_slope(const S& a) { return wide::logistic<S>(a) * wide::logistic<S>(-a); }
  static S sech_squared(const S& a) {
    const S cosine = wide::cosh(a);
    return S(1.0) / (cosine * cosine);
  }
  static void execute(const Instruction& in, std::size_t lanes, const OperandsOf<S>& o) {
    const auto at = [](const S* row, std::size_t lane) { return row == nullptr ? S(0.0) : row[lane]; };
    for (std::size_t l = 0; l < lanes; ++l) o.out[l] = wide_value<S>(in, at(o.a, l), at(o.b, l), at(o.c, l));
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
WideSeries<S>::WideSeries(Lowered lowered)
    : lowered_(std::move(lowered)), steady_row_(steady_rows(lowered_, 0)) {}

template <class S>
WideSeries<S>::WideSeries(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int steady, int)
    : lowered_(lower(graph, outputs, inputs, Purpose::series)), steady_row_(steady_rows(lowered_, steady)) {}

template <class S>
void WideSeries<S>::reserve(std::size_t lanes, int max_order) {
  lanes_ = lanes;
  coefficients_.assign(place(max_order + 1, 0), S(0.0));
  states_.assign(lowered_.instructions.size() * lanes, 0.0);
  for (const auto& [row, value] : lowered_.constants)
    std::fill_n(coefficients_.data() + place(0, row), lanes, decimal_as<S>(value));
}

template <class S>
void WideSeries<S>::advance(int k) {
  S* base = coefficients_.data();
  const auto at = [&](int row) { return row == kNoRow ? nullptr : base + place(0, row); };
  for (std::size_t i = 0; i < lowered_.instructions.size(); ++i) {
    const Instruction& in = lowered_.instructions[i];
    const SeriesRowsOf<S> rows{at(in.a),    at(in.b),      at(in.c),
                               at(in.out),  at(in.second), states_.data() + i * lanes_,
                               place(1, 0), zero_size_};
    k == 0 ? start(in, lanes_, rows) : continue_series(in, lanes_, rows, k);
  }
}

template DoubleDouble wide_value(const Instruction&, const DoubleDouble&, const DoubleDouble&,
                                 const DoubleDouble&);
template class WideSeries<DoubleDouble>;
#if CATENA_HAS_QUAD
template class WideSeries<Quad>;
#endif

}  // namespace catena::expr
