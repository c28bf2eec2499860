// Sums and dot products as exact as if computed with twice the digits: T. Ogita, S. M. Rump, S. Oishi,
// "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005).
#pragma once

#include "catena/math/double_double.h"

namespace catena {

class CompensatedSum {
 public:
  void add(double value) {
    const DoubleDouble sum = two_sum(hi_, value);
    hi_ = sum.hi;
    lo_ += sum.lo;
  }
  void add_product(double a, double b) {
    const DoubleDouble product = two_product(a, b);
    add(product.hi);
    lo_ += product.lo;
  }
  // (a_hi + a_lo) (b_hi + b_lo)
  void add_product(double a_hi, double a_lo, double b_hi, double b_lo) {
    add_product(a_hi, b_hi);
    lo_ += a_hi * b_lo + a_lo * (b_hi + b_lo);
  }
  // factor value^2
  void add_square(double factor, const DoubleDouble& value) {
    const DoubleDouble square = two_product(value.hi, value.hi);
    add_product(factor, square.hi);
    add(factor * (square.lo + 2 * value.hi * value.lo));
  }
  DoubleDouble value() const { return fast_two_sum(hi_, lo_); }
  double hi() const { return hi_; }
  double lo() const { return lo_; }

 private:
  double hi_ = 0.0;
  double lo_ = 0.0;
};

}  // namespace catena
