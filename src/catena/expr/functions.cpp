#include "catena/expr/functions.h"

namespace catena::expr {

Arity arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::parameter:
    case Op::variable:
      return {0, 0};
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::ratio:
      return {2, 2};
    case Op::norm:
      return {2, 3};
    case Op::choose:
      return {3, 3};
    default:
      return {1, 1};
  }
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"abs", Op::abs, "abs(x)", "size of x without its sign", "all x", ""},
      {"acos", Op::acos, "acos(x)", "the angle in [0, pi] whose cosine is x", "-1 <= x <= 1", "\\arccos"},
      {"asin", Op::asin, "asin(x)", "the angle in [-pi/2, pi/2] whose sine is x", "-1 <= x <= 1", "\\arcsin"},
      {"atan", Op::atan, "atan(x)", "the angle in (-pi/2, pi/2) whose tangent is x", "all x", "\\arctan"},
      {"atan2", Op::atan2, "atan2(y, x)", "the angle in [-pi, pi] of the point (x, y), from the x axis",
       "all points; no derivative at the origin", "\\operatorname{atan2}"},
      {"choose", Op::choose, "choose(c, a, b)", "a where c >= 0, otherwise b", "all c",
       "\\operatorname{choose}"},
      {"cos", Op::cos, "cos(x)", "cosine, x in radians", "all x", "\\cos"},
      {"cosh", Op::cosh, "cosh(x)", "hyperbolic cosine", "all x", "\\cosh"},
      {"exp", Op::exp, "exp(x)", "e to the power x", "all x", "\\exp"},
      {"log", Op::log, "log(x)", "natural logarithm", "x > 0", "\\ln"},
      {"logistic", Op::logistic, "logistic(x)", "1/(1 + exp(-x)): rises from 0 to 1", "all x",
       "\\operatorname{logistic}"},
      {"max", Op::max, "max(a, b)", "the larger of two", "all a and b", "\\max"},
      {"min", Op::min, "min(a, b)", "the smaller of two", "all a and b", "\\min"},
      {"norm", Op::norm, "norm(a, b) or norm(a, b, c)", "length of a vector, sqrt(a^2 + b^2 + c^2)",
       "all vectors; its derivative at zero is taken as 0", ""},
      {"pow", Op::power, "pow(a, b)", "a to the power b, the same as a^b",
       "a > 0; any a for a whole constant b", ""},
      {"ratio", Op::ratio, "ratio(a, b)", "a / b, and 0 where both are 0", "b != 0, or a = b = 0", ""},
      {"sign", Op::sign, "sign(x)", "-1, 0 or 1 for x below, at or above 0", "all x", "\\operatorname{sign}"},
      {"sin", Op::sin, "sin(x)", "sine, x in radians", "all x", "\\sin"},
      {"sinh", Op::sinh, "sinh(x)", "hyperbolic sine", "all x", "\\sinh"},
      {"softplus", Op::softplus, "softplus(x)", "log(1 + exp(x)): a smooth max(x, 0)", "all x",
       "\\operatorname{softplus}"},
      {"sqrt", Op::sqrt, "sqrt(x)", "square root", "x >= 0", ""},
      {"step", Op::step, "step(x)", "smooth step: 0 below 0, 3 x^2 - 2 x^3 between, 1 above 1", "all x",
       "\\operatorname{step}"},
      {"tan", Op::tan, "tan(x)", "tangent, x in radians", "all x but odd multiples of pi/2", "\\tan"},
      {"tanh", Op::tanh, "tanh(x)", "hyperbolic tangent", "all x", "\\tanh"},
  };
  return all;
}

const Function* find_function(std::string_view name) {
  for (const Function& function : functions()) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

const Function* find_function(Op op) {
  for (const Function& function : functions()) {
    if (function.op == op) return &function;
  }
  return nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& function : functions()) names.push_back(function.name);
  return names;
}

}  // namespace catena::expr
