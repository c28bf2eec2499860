// Taylor series of expressions over any number: the one with lanes and plans for doubles, plain ones for more
// digits.
#pragma once

#include <type_traits>

#include "catena/expr/taylor.h"
#include "catena/expr/wide_series.h"

namespace catena::expr {

template <class S>
using Series = std::conditional_t<std::is_same_v<S, double>, SeriesProgram, WideSeries<S>>;

}  // namespace catena::expr
