// What evaluation and series run: the nodes that the outputs need, as instructions on numbered rows.
// Parameters have become constants (and were simplified as such), operations with a constant operand have
// codes of their own, and the smooth step is written out with min and max.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "catena/expr/graph.h"

namespace catena::expr {

enum class Code : std::uint8_t {
  add,
  subtract,
  multiply,
  weigh,  // a b where b is steady: its series is its order 0
  square,
  divide,
  negate,
  offset,     // a + value
  from,       // value - a
  scale,      // value * a
  over,       // value / a
  divide_by,  // a / value
  power,      // a ^ value
  general_power,
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
  abs,
  sign,
  min,
  max,
  norm,
  ratio,
  choose,
  sin_cos,    // out: sin, second: cos
  sinh_cosh,  // out: sinh, second: cosh
  function,   // `op` of a; series: b is its derivative
};

constexpr int kNoRow = -1;

struct Instruction {
  Code code = Code::add;
  int out = kNoRow;
  int second = kNoRow;  // another result, or an auxiliary series (norm: the square, if it has a row)
  int a = kNoRow;
  int b = kNoRow;
  int c = kNoRow;
  double value = 0.0;  // of a product: how many factors it has, those of its factors counted
  Op op = Op::constant;
};

// A quantity of which a function's smoothness depends: see SeriesProgram::switches.
enum class SwitchKind : std::uint8_t {
  sign_change,   // the function has a kink or a jump where this changes its sign
  touches_zero,  // this is a square, never negative; the function has a kink where it touches zero
};

struct Switch {
  SwitchKind kind;
  Op op;  // the operation that has the kink
};

struct Lowered {
  int inputs = 0;  // rows 0 .. inputs - 1
  int rows = 0;
  std::vector<std::pair<int, double>> constants;  // rows that hold a constant
  std::vector<Instruction> instructions;
  std::vector<int> outputs;  // their rows
  std::vector<Switch> switches;
  std::vector<int> switch_rows;
  int low_row = kNoRow;  // among the constants: what time is beyond the double that is its input
};

enum class Purpose : std::uint8_t { values, series };

// `time`: which input is time, or kNoRow. What is written with t - c then takes time as a sum hi + lo: a
// double tells a time of hours to a picosecond only, and t - c may be a small part of a nanosecond.
//
// Throws std::out_of_range when a variable's index is not below `inputs`.
Lowered lower(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, Purpose purpose,
              int time = kNoRow);

// Which rows do not change with time, the last `steady_inputs` inputs being constant.
std::vector<char> steady_rows(const Lowered& lowered, int steady_inputs);

}  // namespace catena::expr
