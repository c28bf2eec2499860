#include "catena/expr/formula_range.h"

#include <algorithm>

namespace catena::expr {

FormulaRange::FormulaRange(const Graph& graph, NodeId output, int inputs)
    : program_(lower(graph, {output}, inputs, Purpose::values)),
      rows_(static_cast<std::size_t>(program_.rows)) {
  for (const auto& [row, value] : program_.constants) rows_[static_cast<std::size_t>(row)] = {value, value};
}

Range FormulaRange::over(const std::vector<Range>& inputs) {
  std::copy(inputs.begin(), inputs.end(), rows_.begin());
  const auto at = [&](int row) { return row == kNoRow ? Range{} : rows_[static_cast<std::size_t>(row)]; };
  for (const Instruction& in : program_.instructions) {
    const Range out = result_of(in, at(in.a), at(in.b), at(in.c));
    if (!out.is_known()) return Range::everything();
    rows_[static_cast<std::size_t>(in.out)] = out;
  }
  return rows_[static_cast<std::size_t>(program_.outputs.front())];
}

}  // namespace catena::expr
