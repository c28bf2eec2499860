// Taylor series of expressions with second derivatives: order 0 by each function's slope and the slope of
// that, all others by the same recurrences.
#include <array>

#include "catena/expr/derivative.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/series_over_definitions.h"
#include "catena/math/bends.h"

namespace catena::expr {
namespace {

// The second derivative of a function of one argument, from its formulas.
class Bend {
 public:
  explicit Bend(Op op) : program_(made(op)) {}
  double at(double x) const {
    Program program = program_;  // programs have scratch memory
    double out = 0.0;
    program.evaluate(&x, 1, &out);
    return out;
  }

 private:
  static Program made(Op op) {
    Graph graph;
    const NodeId x = graph.variable(0), slope = derivative(graph, graph.apply(op, x), 0);
    return Program(graph, {derivative(graph, slope, 0)}, 1);
  }
  Program program_;
};

double bend_of(Op op, double x) {
  static const std::vector<Bend> all = [] {
    std::vector<Bend> out;
    for (int each = 0; each < static_cast<int>(Op::count); ++each) {
      const Op one = static_cast<Op>(each);
      out.emplace_back(function_row(one) == nullptr ? Op::sin : one);
    }
    return out;
  }();
  return all[static_cast<std::size_t>(op)].at(x);
}

}  // namespace

template <>
struct Scalar<Bends> : OneByOne<Bends> {
  using S = Bends;
  static double rounded(const S& x) { return x.value(); }
  static S norm(const S& a, const S& b, const S& c) { return square_root(a * a + b * b + c * c); }
  // a^b; exponents that do not change by themselves, others as exp(b log a)
  static S power(const S& a, const S& exponent) {
    const double x = a.value(), p = exponent.value();
    if (exponent == S(p)) {
      const auto falling = [&](double factor, double to) {
        return factor == 0.0 ? 0.0 : factor * std::pow(x, to);
      };
      return composed(a, std::pow(x, p), falling(p, p - 1.0), falling(p * (p - 1.0), p - 2.0));
    }
    const S logarithm = composed(a, std::log(x), 1.0 / x, -1.0 / (x * x)), over = exponent * logarithm;
    const double value = std::exp(over.value());
    return composed(over, value, value, value);
  }
  static S power_weight(const S& c, int j, int k) { return c * S(j) - S(k - j); }
  // The angle of (b, a) turned back by its value lies at 0, where the tangent is as good as it.
  static S atan2(const S& a, const S& b) {
    const double value = std::atan2(a.value(), b.value()), sine = std::sin(value), cosine = std::cos(value);
    const S ratio = (a * cosine - b * sine) / (b * cosine + a * sine);
    return S(value) + (ratio - S(ratio.value()));
  }
  static S root(const S& a) { return square_root(a); }
  static S cos(const S& a) {
    const double value = std::cos(a.value());
    return composed(a, value, -std::sin(a.value()), -value);
  }
  static S cosh(const S& a) {
    const double value = std::cosh(a.value());
    return composed(a, value, std::sinh(a.value()), value);
  }
  // g = y (1 - y), y = 1 / (1 + exp(-a)): g' = g (1 - 2 y), g'' = g (1 - 6 g)
  static S logistic_slope(const S& a) {
    const double y = logistic_of(a.value()), rest = logistic_of(-a.value()), g = y * rest;
    return composed(a, g, g * (rest - y), g * (1.0 - 6.0 * g));
  }
  // g = 1/cosh^2: g' = -2 tanh g, g'' = g (4 - 6 g)
  static S sech_squared(const S& a) {
    const double g = 4.0 * logistic_of(2.0 * a.value()) * logistic_of(-2.0 * a.value());
    return composed(a, g, -2.0 * std::tanh(a.value()) * g, g * (4.0 - 6.0 * g));
  }
  static S function(Op op, const S& x) {
    const FunctionRow* row = function_row(op);
    const double value = row->value(x.value());
    return composed(x, value, row->slope(x.value(), value), bend_of(op, x.value()));
  }
};

template class SeriesOver<Bends>;

}  // namespace catena::expr
