// One instruction on rows of lanes: its values, and the rates of its result.
#pragma once

#include <cstddef>

#include "catena/expr/lower.h"

namespace catena::expr {

// Where an instruction's rows are; nullptr for operands that it does not have. Results share no row with
// operands.
template <class S>
struct OperandsOf {
  const S* a;
  const S* b;
  const S* c;
  S* out;
  const S* value = nullptr;  // the instruction's, as a number of kind S; doubles take it from there
  std::size_t beside = 1;    // so many of them, for as many lanes, and again
};

using Operands = OperandsOf<double>;

// The number of lanes is a multiple of kWidth (lanes.h).
void execute(const Instruction& instruction, std::size_t lanes, const Operands& values);

// The rates of the result, from those of the operands and all values, the result's included.
void propagate(const Instruction& instruction, std::size_t lanes, const Operands& values,
               const Operands& rates);

}  // namespace catena::expr
