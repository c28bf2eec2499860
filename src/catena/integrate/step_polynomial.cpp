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
  std::copy_n(row(degree), dimension, hi);
  for (int k = degree - 1; k >= 1; --k) {
    const double* c = row(k);
    for (std::size_t i = 0; i < dimension; ++i) hi[i] = hi[i] * s + c[i];
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
