// One instruction's series, one order at a time.
#pragma once

#include <cstddef>
#include <cstdint>

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
  double zero_size;          // what counts as zero at order 0
  const S* value = nullptr;  // as OperandsOf has them
  std::size_t beside = 1;
};

using SeriesRows = SeriesRowsOf<double>;

bool has_state(Code code);

// An instruction of plain arithmetic with its rows as places: order 0 of the first lane, in doubles.
struct Operation {
  Code code;
  std::uint32_t a, b, out;  // a and b are read whatever the code is
  double value;
  std::size_t at;  // of the instruction in its plan
};
bool is_plain(Code code);

// Order k of those from `first` on, up to the first that is not plain, or the end: where that is.
const Operation* run_plain(const Operation* first, const Operation* end, double* coefficients,
                           std::size_t stride, std::size_t lanes, int k);

// Order 0. The number of lanes of doubles is a multiple of kWidth (lanes.h).
template <class S>
void start(const Instruction& instruction, std::size_t lanes, const SeriesRowsOf<S>& rows);

// Order k >= 1.
template <class S>
void continue_series(const Instruction& instruction, std::size_t lanes, const SeriesRowsOf<S>& rows, int k);

}  // namespace catena::expr
