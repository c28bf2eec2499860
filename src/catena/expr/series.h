// Taylor series of expressions over any number: the one with lanes and plans for doubles, plain ones for more
// digits.
#pragma once

#include <type_traits>
#include <vector>

#include "catena/expr/series_over.h"
#include "catena/expr/taylor.h"

namespace catena::expr {

template <class S>
using Series = std::conditional_t<std::is_same_v<S, double>, SeriesProgram, SeriesOver<S>>;

// `time`: which input it is. `tape`: where the numbers come from, of kinds that have rates.
template <class S>
Series<S> made_series(const Graph& graph, const std::vector<NodeId>& outputs, int inputs, int time,
                      [[maybe_unused]] NumberTape* tape) {
  if constexpr (std::is_same_v<S, double>) {
    return SeriesProgram(graph, outputs, inputs, 0, time);
  } else {
    return SeriesOver<S>(graph, outputs, inputs, 0, time, tape);
  }
}

}  // namespace catena::expr
