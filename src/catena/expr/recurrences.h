// One instruction's series, one order at a time.
#pragma once

#include <cstddef>

#include "catena/expr/lower.h"

namespace catena::expr {

// Where an instruction's series are: order 0 of each row, orders `stride` apart.
template <class S>
struct SeriesRowsOf {
  const S* a;
  const S* b;
  const S* c;
  S* out;
  S* second;
  double* state;  // one number per lane, kept from order to order: a sign or a valuation
  std::size_t stride;
  double zero_size;  // what counts as zero at order 0
};

using SeriesRows = SeriesRowsOf<double>;

bool has_state(Code code);

// Order 0. The number of lanes of doubles is a multiple of kWidth (lanes.h).
template <class S>
void start(const Instruction& instruction, std::size_t lanes, const SeriesRowsOf<S>& rows);

// Order k >= 1.
template <class S>
void continue_series(const Instruction& instruction, std::size_t lanes, const SeriesRowsOf<S>& rows, int k);

}  // namespace catena::expr
