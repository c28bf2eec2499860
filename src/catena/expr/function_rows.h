// Functions of one argument: each one row that says everything about it. A new function is a word in `Op`
// (functions.h) and its row here (CONTRIBUTING.md, "Add a function"); a word without a row, and a row that
// lacks something, do not compile.
//
// A row has what people read (name, usage, summary, domain, LaTeX) and
//     value(x)             for double; digits(x): the same for numbers of more digits
//     slope(x, y)          f'(x), y = f(x)
//     derivative(g, x, y)  f'(x) as a formula
//     range(X)             holds f(x) for every x of X
//     unexpected(X)        0 where the function is tame over X, so that a few samples tell all of it;
//     otherwise how
//                          much it can do in between
//     steepest(X)          no smaller than |f'(x)| for every x of X
// and where it applies
//     kSymmetry            of -x
//     log_size(x, r)       log of a bound of |f| on the disc of radius r about x, for functions of all
//     complex numbers kCode                an instruction of its own, for a series with a better recurrence
//     than the usual one,
//                          k y_k = sum_{j=1..k} j x_j s_{k-j}, where s is the series of the derivative (which
//                          then is a formula of x alone)
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "catena/expr/lower.h"
#include "catena/expr/range.h"
#include "catena/expr/values.h"
#include "catena/math/functions_digits.h"

namespace catena::expr {

// How much an argument may change, in natural lengths, for the function to be tame: exp changes by e^4, a
// sine turns by two thirds of a period, 1/x by a factor of 4.
inline constexpr double kTameExponent = 4.0;
inline constexpr double kTameTurn = 4.0;
inline constexpr double kTameStep = 2.0;
inline constexpr double kTameFactor = 4.0;

// Of numerator / b.
inline double quotient_spread(const Range& b, double numerator) {
  const double near = b.mignitude();
  if (near > 0.0 && b.magnitude() <= kTameFactor * near) return 0.0;
  return numerator == 0.0 ? 0.0 : numerator / near;
}

namespace function_rows {

struct Row {  // what most rows have
  static constexpr Code kCode = Code::function;
  static constexpr Symmetry kSymmetry = Symmetry::none;
  static constexpr double (*log_size)(double, double) = nullptr;
};

// Of a row's function, where it grows all along.
template <class F>
Range rising(const Range& a) {
  return outward(F::value(a.low), F::value(a.high));
}

inline double tanh_spread(const Range& a) {
  if (a.has_zero()) return std::tanh(a.high) - std::tanh(a.low);
  // tanh b - tanh a = sinh(b - a) / (cosh a cosh b), without the cancellation: 1 - tanh x = 2 / (e^2x + 1)
  const double near = a.mignitude(), far = a.magnitude();
  return 2.0 / (std::exp(2 * near) + 1.0) - 2.0 / (std::exp(2 * far) + 1.0);
}

struct Abs : Row {
  static constexpr Function text{"abs", Op::abs, "abs(x)", "size of x without its sign", "all x", ""};
  static constexpr Code kCode = Code::abs;
  static constexpr Symmetry kSymmetry = Symmetry::even;
  static double value(double x) { return std::fabs(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::absolute(x);
  }
  static double slope(double x, double) { return sign_of(x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) { return g.apply(Op::sign, x); }
  static Range range(const Range& a) { return size_of(a); }
  static double unexpected(const Range&) { return 0.0; }  // its kink is watched
  static double steepest(const Range&) { return 1.0; }
};

struct Acos : Row {
  static constexpr Function text{
      "acos", Op::acos, "acos(x)", "the angle in [0, pi] whose cosine is x", "-1 <= x <= 1", "\\arccos"};
  static constexpr Code kCode = Code::acos;
  static double value(double x) { return std::acos(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::acos(x);
  }
  static double slope(double x, double) { return -1.0 / std::sqrt((1.0 - x) * (1.0 + x)); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) {
    const NodeId one = g.constant(1.0);  // (1 - x)(1 + x), since 1 - x^2 loses digits near the ends
    return g.negate(g.divide(one, g.sqrt(g.multiply(g.subtract(one, x), g.add(one, x)))));
  }
  static Range range(const Range& a) {
    return outward(std::acos(std::clamp(a.high, -1.0, 1.0)), std::acos(std::clamp(a.low, -1.0, 1.0)));
  }
  static double unexpected(const Range& a) {
    constexpr double kPi = std::numbers::pi;
    if (!(a.magnitude() < 1.0)) return kPi;
    return quotient_spread({1.0 - a.magnitude(), 1.0 - a.mignitude()}, kPi) > 0.0 ? kPi : 0.0;
  }
  static double steepest(const Range& a) {
    const double size = a.magnitude();
    return 1.0 / std::sqrt(std::max(0.0, (1.0 - size) * (1.0 + size)));
  }
};

struct Asin : Row {
  static constexpr Function text{
      "asin", Op::asin, "asin(x)", "the angle in [-pi/2, pi/2] whose sine is x", "-1 <= x <= 1", "\\arcsin"};
  static constexpr Code kCode = Code::asin;
  static constexpr Symmetry kSymmetry = Symmetry::odd;
  static double value(double x) { return std::asin(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::asin(x);
  }
  static double slope(double x, double) { return 1.0 / std::sqrt((1.0 - x) * (1.0 + x)); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) {
    const NodeId one = g.constant(1.0);
    return g.divide(one, g.sqrt(g.multiply(g.subtract(one, x), g.add(one, x))));
  }
  static Range range(const Range& a) {
    return outward(std::asin(std::clamp(a.low, -1.0, 1.0)), std::asin(std::clamp(a.high, -1.0, 1.0)));
  }
  static double unexpected(const Range& a) { return Acos::unexpected(a); }
  static double steepest(const Range& a) { return Acos::steepest(a); }
};

struct Atan : Row {
  static constexpr Function text{
      "atan", Op::atan, "atan(x)", "the angle in (-pi/2, pi/2) whose tangent is x", "all x", "\\arctan"};
  static constexpr Code kCode = Code::atan;
  static constexpr Symmetry kSymmetry = Symmetry::odd;
  static double value(double x) { return std::atan(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::atan(x);
  }
  static double slope(double x, double) { return 1.0 / (1.0 + x * x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) {
    const NodeId one = g.constant(1.0);
    return g.divide(one, g.add(one, g.power(x, 2.0)));
  }
  static Range range(const Range& a) { return rising<Atan>(a); }
  static double unexpected(const Range& a) {
    return a.width() <= kTameStep * (1.0 + a.mignitude()) ? 0.0 : std::atan(a.high) - std::atan(a.low);
  }
  static double steepest(const Range&) { return 1.0; }
};

struct Cos : Row {
  static constexpr Function text{"cos", Op::cos, "cos(x)", "cosine, x in radians", "all x", "\\cos"};
  static constexpr Code kCode = Code::cos;
  static constexpr Symmetry kSymmetry = Symmetry::even;
  static double value(double x) { return std::cos(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::cos(x);
  }
  static double slope(double x, double) { return -std::sin(x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) { return g.negate(g.apply(Op::sin, x)); }
  static Range range(const Range& a) { return cosine_of(a); }
  static double unexpected(const Range& a) { return a.width() <= kTameTurn ? 0.0 : 2.0; }
  static double steepest(const Range&) { return 1.0; }
  static double log_size(double, double radius) { return radius; }
};

struct Cosh : Row {
  static constexpr Function text{"cosh", Op::cosh, "cosh(x)", "hyperbolic cosine", "all x", "\\cosh"};
  static constexpr Code kCode = Code::cosh;
  static constexpr Symmetry kSymmetry = Symmetry::even;
  static double value(double x) { return std::cosh(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::cosh(x);
  }
  static double slope(double x, double) { return std::sinh(x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) { return g.apply(Op::sinh, x); }
  static Range range(const Range& a) { return rising<Cosh>(size_of(a)); }
  static double unexpected(const Range& a) {
    return a.width() <= kTameExponent ? 0.0 : std::cosh(a.magnitude());
  }
  static double steepest(const Range& a) { return std::cosh(a.magnitude()); }
};

struct Erf : Row {
  static constexpr Function text{
      "erf",    Op::erf,
      "erf(x)", "error function, 2/sqrt(pi) times the integral of exp(-s^2) from 0 to x",
      "all x",  "\\operatorname{erf}"};
  static constexpr Symmetry kSymmetry = Symmetry::odd;
  static constexpr double kRate = 2.0 * std::numbers::inv_sqrtpi;
  static double value(double x) { return std::erf(x); }
  // 2/sqrt(pi) exp(-x^2) sum_n 2^n x^(2n+1) / (1 3 5 .. (2n+1)): nothing cancels.
  template <class S>
  static S digits(const S& x) {
    constexpr double kFar = 9.0;  // 1 - erf(9) = 4e-37
    const double size = digits::rounded(x);
    if (!(std::fabs(size) < kFar)) return std::isnan(size) ? x : S(size > 0.0 ? 1.0 : -1.0);
    const S square = x * x;
    S term = x, sum = x;
    for (int n = 1; std::fabs(digits::rounded(term)) > 1e-36 * std::fabs(digits::rounded(sum)); ++n) {
      term = term * square * S(2.0) / S(2.0 * n + 1.0);
      sum = sum + term;
    }
    return sum * digits::exp<S>(-square) /
           digits::root<S>(digits::atan<S>(S(1.0)));  // sqrt(pi)/2 = sqrt(atan(1))
  }
  static double slope(double x, double) { return kRate * std::exp(-x * x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) {  // with all digits of 2/sqrt(pi) where they count
    const NodeId root = g.sqrt(g.apply(Op::atan, g.constant(1.0)));
    return g.divide(g.apply(Op::exp, g.negate(g.power(x, 2.0))), root);
  }
  static Range range(const Range& a) { return rising<Erf>(a); }
  static double unexpected(const Range& a) {
    if (a.width() <= kTameStep) return 0.0;
    return a.has_zero() ? std::erf(a.high) - std::erf(a.low)
                        : std::erfc(a.mignitude()) - std::erfc(a.magnitude());
  }
  static double steepest(const Range&) { return kRate; }
};

struct Exp : Row {
  static constexpr Function text{"exp", Op::exp, "exp(x)", "e to the power x", "all x", "\\exp"};
  static constexpr Code kCode = Code::exp;
  static double value(double x) { return std::exp(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::exp(x);
  }
  static double slope(double, double y) { return y; }
  static NodeId derivative(Graph&, NodeId, NodeId y) { return y; }
  static Range range(const Range& a) { return rising<Exp>(a); }
  static double unexpected(const Range& a) { return a.width() <= kTameExponent ? 0.0 : std::exp(a.high); }
  static double steepest(const Range& a) { return std::exp(a.high); }
  static double log_size(double x, double radius) { return x + radius; }
};

struct Log : Row {
  static constexpr Function text{"log", Op::log, "log(x)", "natural logarithm", "x > 0", "\\ln"};
  static constexpr Code kCode = Code::log;
  static double value(double x) { return std::log(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::log(x);
  }
  static double slope(double x, double) { return 1.0 / x; }
  static NodeId derivative(Graph& g, NodeId x, NodeId) { return g.divide(g.constant(1.0), x); }
  static Range range(const Range& a) { return rising<Log>({std::max(a.low, 0.0), a.high}); }
  static double unexpected(const Range& a) {
    if (a.low > 0.0 && a.high <= kTameFactor * a.low) return 0.0;
    return std::log(a.high) - std::log(std::max(a.low, 0.0));
  }
  static double steepest(const Range& a) { return 1.0 / a.mignitude(); }
};

struct Logistic : Row {
  static constexpr Function text{"logistic",    Op::logistic,
                                 "logistic(x)", "1/(1 + exp(-x)): rises from 0 to 1",
                                 "all x",       "\\operatorname{logistic}"};
  static constexpr Code kCode = Code::logistic;
  static double value(double x) { return logistic_of(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::logistic(x);
  }
  static double slope(double x, double y) { return y * logistic_of(-x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) {
    return g.multiply(g.apply(Op::logistic, x), g.apply(Op::logistic, g.negate(x)));
  }
  static Range range(const Range& a) { return rising<Logistic>(a); }
  static double unexpected(const Range& a) {
    return a.width() <= 2 * kTameStep ? 0.0 : 0.5 * tanh_spread({0.5 * a.low, 0.5 * a.high});
  }
  static double steepest(const Range&) { return 1.0; }
};

struct Sign : Row {
  static constexpr Function text{
      "sign", Op::sign, "sign(x)", "-1, 0 or 1 for x below, at or above 0", "all x", "\\operatorname{sign}"};
  static constexpr Code kCode = Code::sign;
  static constexpr Symmetry kSymmetry = Symmetry::odd;
  static double value(double x) { return sign_of(x); }
  template <class S>
  static S digits(const S& x) {
    return S(sign_of(digits::rounded(x)));
  }
  static double slope(double, double) { return 0.0; }
  static NodeId derivative(Graph& g, NodeId, NodeId) { return g.constant(0.0); }
  static Range range(const Range& a) { return {sign_of(a.low), sign_of(a.high)}; }
  static double unexpected(const Range&) { return 0.0; }  // its jump is watched
  static double steepest(const Range&) { return 1.0; }
};

struct Sin : Row {
  static constexpr Function text{"sin", Op::sin, "sin(x)", "sine, x in radians", "all x", "\\sin"};
  static constexpr Code kCode = Code::sin;
  static constexpr Symmetry kSymmetry = Symmetry::odd;
  static double value(double x) { return std::sin(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::sin(x);
  }
  static double slope(double x, double) { return std::cos(x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) { return g.apply(Op::cos, x); }
  static Range range(const Range& a) { return sine_of(a); }
  static double unexpected(const Range& a) { return Cos::unexpected(a); }
  static double steepest(const Range&) { return 1.0; }
  static double log_size(double, double radius) { return radius; }
};

struct Sinh : Row {
  static constexpr Function text{"sinh", Op::sinh, "sinh(x)", "hyperbolic sine", "all x", "\\sinh"};
  static constexpr Code kCode = Code::sinh;
  static constexpr Symmetry kSymmetry = Symmetry::odd;
  static double value(double x) { return std::sinh(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::sinh(x);
  }
  static double slope(double x, double) { return std::cosh(x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) { return g.apply(Op::cosh, x); }
  static Range range(const Range& a) { return rising<Sinh>(a); }
  static double unexpected(const Range& a) { return Cosh::unexpected(a); }
  static double steepest(const Range& a) { return Cosh::steepest(a); }
};

struct Softplus : Row {
  static constexpr Function text{"softplus",    Op::softplus,
                                 "softplus(x)", "log(1 + exp(x)): a smooth max(x, 0)",
                                 "all x",       "\\operatorname{softplus}"};
  static double value(double x) { return softplus_of(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::softplus(x);
  }
  static double slope(double x, double) { return logistic_of(x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId) { return g.apply(Op::logistic, x); }
  static Range range(const Range& a) { return rising<Softplus>(a); }
  static double unexpected(const Range& a) {  // beside max(x, 0), which is none of its doing
    return a.width() <= 2 * kTameStep ? 0.0 : std::log1p(std::exp(-a.mignitude()));
  }
  static double steepest(const Range&) { return 1.0; }
};

struct Sqrt : Row {
  static constexpr Function text{"sqrt", Op::sqrt, "sqrt(x)", "square root", "x >= 0", ""};
  static constexpr Code kCode = Code::sqrt;
  static double value(double x) { return std::sqrt(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::root(x);
  }
  static double slope(double, double y) { return 0.5 / y; }
  static NodeId derivative(Graph& g, NodeId, NodeId y) { return g.divide(g.constant(0.5), y); }
  static Range range(const Range& a) {
    return outward(std::sqrt(std::max(a.low, 0.0)), std::sqrt(std::max(a.high, 0.0)));
  }
  static double unexpected(const Range&) { return 0.0; }  // its end is watched
  static double steepest(const Range& a) { return 0.5 / std::sqrt(a.mignitude()); }
};

struct Step : Row {  // written out with min and max before anything runs it
  static constexpr Function text{"step",    Op::step,
                                 "step(x)", "smooth step: 0 below 0, 3 x^2 - 2 x^3 between, 1 above 1",
                                 "all x",   "\\operatorname{step}"};
  template <class S>
  static S digits(const S& x) {
    const double size = digits::rounded(x);
    if (!(size > 0.0 && size < 1.0)) return std::isnan(size) ? x : S(size > 0.0 ? 1.0 : 0.0);
    return x * x * (S(3.0) - S(2.0) * x);
  }
  static double value(double x) {
    const double s = smaller(larger(x, 0.0), 1.0);
    return s * s * (3.0 - 2.0 * s);
  }
  static double slope(double x, double) {
    const double s = smaller(larger(x, 0.0), 1.0);
    return 6.0 * s * (1.0 - s);
  }
  static NodeId derivative(Graph& g, NodeId x, NodeId) {
    const NodeId one = g.constant(1.0), s = g.apply(Op::min, g.apply(Op::max, x, g.constant(0.0)), one);
    return g.multiply(g.constant(6.0), g.multiply(s, g.subtract(one, s)));
  }
  static Range range(const Range& a) { return rising<Step>(a); }
  static double unexpected(const Range& a) { return a.width() <= 1.0 ? 0.0 : value(a.high) - value(a.low); }
  static double steepest(const Range&) { return 1.5; }
};

struct Tan : Row {
  static constexpr Function text{
      "tan", Op::tan, "tan(x)", "tangent, x in radians", "all x but odd multiples of pi/2", "\\tan"};
  static constexpr Code kCode = Code::tan;
  static constexpr Symmetry kSymmetry = Symmetry::odd;
  static double value(double x) { return std::tan(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::tan(x);
  }
  static double slope(double, double y) { return 1.0 + y * y; }
  static NodeId derivative(Graph& g, NodeId, NodeId y) { return g.add(g.constant(1.0), g.power(y, 2.0)); }
  static Range range(const Range& a) {
    constexpr double kPi = std::numbers::pi;
    // A pole lies at every odd multiple of pi/2.
    if (!(a.width() < kPi) || std::floor(a.low / kPi + 0.5) != std::floor(a.high / kPi + 0.5))
      return Range::everything();
    return rising<Tan>(a);
  }
  static double unexpected(const Range& a) { return quotient_spread(cosine_of(a), 1.0); }
  static double steepest(const Range& a) {
    const double most = range(a).magnitude();
    return 1.0 + most * most;
  }
};

struct Tanh : Row {
  static constexpr Function text{"tanh", Op::tanh, "tanh(x)", "hyperbolic tangent", "all x", "\\tanh"};
  static constexpr Code kCode = Code::tanh;
  static constexpr Symmetry kSymmetry = Symmetry::odd;
  static double value(double x) { return std::tanh(x); }
  template <class S>
  static S digits(const S& x) {
    return digits::tanh(x);
  }
  static double slope(double x, double) { return 4.0 * logistic_of(2.0 * x) * logistic_of(-2.0 * x); }
  static NodeId derivative(Graph& g, NodeId x, NodeId y) {  // 1/cosh^2 without cosh, which overflows
    return g.multiply(g.constant(4.0), Logistic::derivative(g, g.multiply(g.constant(2.0), x), y));
  }
  static Range range(const Range& a) { return rising<Tanh>(a); }
  static double unexpected(const Range& a) { return a.width() <= kTameStep ? 0.0 : tanh_spread(a); }
  static double steepest(const Range&) { return 1.0; }
};

using All = std::tuple<Abs, Acos, Asin, Atan, Cos, Cosh, Erf, Exp, Log, Logistic, Sign, Sin, Sinh, Softplus,
                       Sqrt, Step, Tan, Tanh>;

}  // namespace function_rows

// A row as plain functions.
struct FunctionRow {
  Function text;
  Code code;
  Symmetry symmetry;
  double (*value)(double);
  void (*values)(std::size_t n, const double* x, double* y);
  double (*slope)(double x, double y);
  NodeId (*derivative)(Graph&, NodeId x, NodeId y);
  Range (*range)(const Range&);
  double (*unexpected)(const Range&);
  double (*steepest)(const Range&);
  double (*log_size)(double x, double radius);  // or null
};

// Of a function of one argument, otherwise null.
const FunctionRow* function_row(Op op);
const FunctionRow* function_row(const Instruction& in);

}  // namespace catena::expr
