// Which instructions are worth running. In a motion that keeps to a plane, or to a
// line, many inputs are zero at all orders; what they multiply is zero as well, and what they are added to
// stays as it is. Outputs that nobody asks for need no series. Rows that the plan leaves out are zero.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/expr/lower.h"

namespace catena::expr {

struct Plan {
  std::vector<Instruction> instructions;
  std::vector<std::size_t> index;  // of each of these in the whole program
  std::vector<int> row;            // row -> the one that has its series: its own, or one that is equal
};

// For the orders beyond 0. `steady`: rows that are zero there whatever happens. `live`: inputs that are not
// zero throughout; those beyond its end are not. `wanted`: outputs that are asked for.
Plan plan_series(const Lowered& program, const std::vector<char>& steady, const std::vector<char>& live,
                 const std::vector<char>& wanted);
// For values, or order 0, of all outputs.
Plan plan_values(const Lowered& program, const std::vector<char>& live);

}  // namespace catena::expr
