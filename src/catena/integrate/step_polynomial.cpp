#include "catena/integrate/step_polynomial.h"

#include <algorithm>

#include "catena/math/double_double.h"

namespace catena {

void StepPolynomial::resize(int new_degree, std::size_t new_dimension) {
  degree = new_degree;
  dimension = new_dimension;
  const std::size_t size = (static_cast<std::size_t>(degree) + 1) * dimension;
  if (coefficients.size() < size) coefficients.resize(size);
  start_lo.resize(dimension);
}

void StepPolynomial::evaluate(double time, double* hi, double* lo) const {
  const double s = ((time - t) - t_lo) / unit;
  // As many at a time as registers hold.
  constexpr std::size_t kFew = 8;
  std::size_t first = 0;
  for (; first + kFew <= dimension; first += kFew) {
    double few[kFew];
    std::copy_n(row(degree) + first, kFew, few);
    for (int k = degree - 1; k >= 1; --k) {
      const double* c = row(k) + first;
      for (std::size_t i = 0; i < kFew; ++i) few[i] = few[i] * s + c[i];
    }
    std::copy_n(few, kFew, hi + first);
  }
  for (; first < dimension; ++first) {
    double one = row(degree)[first];
    for (int k = degree - 1; k >= 1; --k) one = one * s + row(k)[first];
    hi[first] = one;
  }
  const double* start = row(0);
  for (std::size_t i = 0; i < dimension; ++i) {
    const DoubleDouble sum = two_sum(start[i], hi[i] * s);
    const DoubleDouble clean = fast_two_sum(sum.hi, sum.lo + start_lo[i]);
    hi[i] = clean.hi;
    lo[i] = clean.lo;
  }
}

}  // namespace catena
