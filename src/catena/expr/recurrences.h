// One instruction's series, one order at a time.
#pragma once

#include <cstddef>

#include "catena/expr/lower.h"

namespace catena::expr {

// Where an instruction's series are: order 0 of each row, orders `stride` apart.
struct SeriesRows {
  const double* a;
  const double* b;
  const double* c;
  double* out;
  double* second;
  double* state;  // one number per lane, kept from order to order: a sign or a valuation
  std::size_t stride;
  double zero_size;  // what counts as zero at order 0
};

bool has_state(Code code);

// Order 0. The number of lanes is a multiple of kWidth (lanes.h).
void start(const Instruction& instruction, std::size_t lanes, const SeriesRows& rows);

// Order k >= 1.
void continue_series(const Instruction& instruction, std::size_t lanes, const SeriesRows& rows, int k);

}  // namespace catena::expr
