// What a formula can be while its variables stay within ranges.
#pragma once

#include <vector>

#include "catena/expr/range.h"

namespace catena::expr {

class FormulaRange {
 public:
  FormulaRange(const Graph& graph, NodeId output, int inputs);

  // Everything where that cannot be told.
  Range over(const std::vector<Range>& inputs);

 private:
  Lowered program_;
  std::vector<Range> rows_;
};

}  // namespace catena::expr
