// Values of expressions in twice the digits, one lane at a time: what is left of a constraint when it is
// almost met. Sums, products, quotients and roots are exact to about 30 digits; other functions have the
// digits of a double, and follow the lower parts of their arguments to first order, unless all digits are
// asked for.
#pragma once

#include <vector>

#include "catena/expr/lower.h"
#include "catena/expr/plan.h"
#include "catena/math/double_double.h"

namespace catena::expr {

// What an operation makes of its operands; functions with the digits of a double.
DoubleDouble value_in_digits(const Instruction& in, const DoubleDouble& a, const DoubleDouble& b,
                             const DoubleDouble& c);

class DigitsProgram {
 public:
  // Inputs are the variables 0 .. inputs - 1. Parameters' values are built in. `decimals`: constants stand
  // for their decimals (math/decimal.h), not for doubles, and functions have all digits; otherwise those of a
  // double at hi, and how they change with lo.
  DigitsProgram(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, bool decimals = false);

  // From now on inputs that have always been zero are taken for zero, which saves work in motions that keep
  // to a plane; when one leaves zero for the first time, evaluate() allocates.
  void look_for_zeros();

  // Does not allocate. One thread at a time.
  void evaluate(const DoubleDouble* inputs, DoubleDouble* outputs);

  int inputs() const { return lowered_.inputs; }
  int outputs() const { return static_cast<int>(lowered_.outputs.size()); }

 private:
  Lowered lowered_;
  std::vector<char> live_;  // inputs that are not taken for zero
  Plan plan_;
  std::vector<DoubleDouble> rows_;
  bool decimals_;
};

}  // namespace catena::expr
