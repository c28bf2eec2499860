// Ranges of numbers, and what the operations of formulas make of them: whatever the operands are within
// theirs, the result is within the range returned, but for what dependence between operands would exclude.
// Ends are widened by a few units in the last place instead of rounding outwards.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/expr/lower.h"

namespace catena::expr {

struct Range {
  double low = 0.0;
  double high = 0.0;

  static Range around(double middle, double radius) { return {middle - radius, middle + radius}; }
  static Range everything() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }

  double width() const { return high - low; }
  double middle() const { return 0.5 * low + 0.5 * high; }
  // The largest and the smallest |x|.
  double magnitude() const { return std::max(std::fabs(low), std::fabs(high)); }
  double mignitude() const { return has_zero() ? 0.0 : std::min(std::fabs(low), std::fabs(high)); }
  bool has_zero() const { return low <= 0.0 && high >= 0.0; }
  bool is_known() const { return low <= high; }  // false for NaN

  bool holds(const Range& other) const { return low <= other.low && other.high <= high; }

  void include(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  // By a part of its width on both sides.
  Range widened(double part) const { return {low - part * width(), high + part * width()}; }
};

// A range with its ends widened, everything where they are not numbers in this order.
Range outward(double low, double high);
// Of |x|.
inline Range size_of(const Range& a) { return {a.mignitude(), a.magnitude()}; }
// The values of sin and cos, which turn, over a range.
Range sine_of(const Range& a);
Range cosine_of(const Range& a);

// What an instruction gives; of pairs (sin and cos of one argument) the first.
Range result_of(const Instruction& in, const Range& a, const Range& b, const Range& c);

}  // namespace catena::expr
