// Dense output for methods that have none of their own: the polynomial of lowest degree that shares value and
// the first derivatives with the motion at both ends of a step. The derivatives come from the system's
// series.
#pragma once

#include <vector>

#include "catena/integrate/stepper.h"

namespace catena {

// How many derivatives at each end make the polynomial's error of one order higher than the step's own.
constexpr int derivatives_for(int order) { return (order + 1) / 2; }

class TwoPointHermite {
 public:
  // Up to so many derivatives. Systems without series know the first one alone.
  TwoPointHermite(const System& system, int most_derivatives);

  int degree(int derivatives) const { return 2 * usable(derivatives) + 1; }

  // The polynomial over [0, length] in units of the length, from (t, x) at both ends.
  void fill(double start_time, const double* start, double end_time, const double* end, int derivatives,
            StepPolynomial& polynomial, StepCounts& counts);

 private:
  int usable(int derivatives) const;
  // Of these, as many as series_ has in the range of numbers; at least one.
  int finite_orders(int derivatives) const;
  // Taylor coefficients at (t, x) in units of the step's length, into series_.
  void expand(double t, const double* x, int derivatives, double length, StepCounts& counts);
  void match_end(const double* start, const double* end, int derivatives, std::size_t lane,
                 StepPolynomial& polynomial) const;

  const System& system_;
  std::vector<double> series_;
};

}  // namespace catena
