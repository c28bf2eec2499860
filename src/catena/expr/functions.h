// The operations of expressions, and the functions that formulas may call. The parser, the printer, `catena
// list` and the documentation derive from the one table `functions`.
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
  erf,
  abs,
  sign,
  min,
  max,
  step,
  norm,
  ratio,
  choose,
  count,  // how many there are
};

// How many operands the node of an operation has: {0, 0} for leaves, {2, 3} for norm.
struct Arity {
  int fewest;
  int most;
};
Arity arity(Op op);

// What people read of a function. Functions of one argument have more in their rows (function_rows.h).
struct Function {
  std::string_view name;
  Op op;
  std::string_view usage;    // "atan2(y, x)"
  std::string_view summary;  // one line
  std::string_view domain;   // where it is defined, in words
  std::string_view latex;    // the name in LaTeX, for those that are written name(arguments)
};

// f(-x): as good as none, f(x) or -f(x).
enum class Symmetry : std::uint8_t { none, even, odd };

const std::vector<Function>& functions();
const Function* find_function(std::string_view name);
const Function* find_function(Op op);
std::vector<std::string> function_names();

}  // namespace catena::expr
