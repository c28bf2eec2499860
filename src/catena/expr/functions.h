// The operations of expressions, and the functions that formulas may call. The parser, the printer, `catena
// list` and the documentation derive from the one table here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace catena::expr {

enum class Op : std::uint8_t {
  constant,
  parameter,
  variable,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  logistic,
  softplus,
  abs,
  sign,
  min,
  max,
  step,
  norm,
  ratio,
  choose,
};

// How many operands the node of an operation has: {0, 0} for leaves, {2, 3} for norm.
struct Arity {
  int fewest;
  int most;
};
Arity arity(Op op);

struct Function {
  std::string name;
  Op op;
  std::string usage;    // "atan2(y, x)"
  std::string summary;  // one line
  std::string domain;   // where it is defined, in words
  std::string latex;    // the name in LaTeX, for those that are written name(arguments)
};

const std::vector<Function>& functions();
const Function* find_function(std::string_view name);
const Function* find_function(Op op);
std::vector<std::string> function_names();

}  // namespace catena::expr
