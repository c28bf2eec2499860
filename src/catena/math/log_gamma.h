// The logarithm of |gamma(x)|, for any number of threads: std::lgamma leaves the sign in a variable that all
// of them share.
#pragma once

#include <math.h>

namespace catena {

inline double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace catena
