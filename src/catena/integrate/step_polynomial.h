// Dense output: the motion over one step as one polynomial per component. Every method gives its dense output
// in this form, so sampling and finding events are written once.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/math/aligned.h"

namespace catena {

struct StepPolynomial {
  double t = 0.0;  // start of the step
  double t_lo = 0.0;
  double length = 0.0;  // of the step, s
  double unit = 1.0;    // the polynomial's variable is (time - t) / unit
  int degree = 0;
  std::size_t dimension = 0;
  AlignedVector<double> coefficients;  // [k * dimension + lane], k = 0..degree

  void resize(int new_degree, std::size_t new_dimension);
  double* row(int k) { return coefficients.data() + static_cast<std::size_t>(k) * dimension; }
  const double* row(int k) const { return coefficients.data() + static_cast<std::size_t>(k) * dimension; }

  std::vector<double> start_lo;  // what rounding took from row 0

  // State hi + lo at `time`, which should lie in the step.
  void evaluate(double time, double* hi, double* lo) const;
};

}  // namespace catena
