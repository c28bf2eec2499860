// Linear equations of implicit methods, (shift I - J) y = b with the Jacobian J of the right-hand side.
#pragma once

#include <memory>

#include "catena/integrate/system.h"

namespace catena {

class ShiftedSolver {
 public:
  virtual ~ShiftedSolver() = default;

  // Takes J at (t, x); `slope` is dx/dt there. Returns how many right-hand sides that cost.
  virtual int linearise(double t, const double* x, const double* slope) = 0;

  // For a real shift and a complex one at once. False where a matrix is singular.
  virtual bool factor(double real_shift, double shift_re, double shift_im) = 0;

  // Each replaces b by the solution, for the real and for the complex shift.
  virtual void solve_real(double* b) = 0;
  virtual void solve_complex(double* re, double* im) = 0;
};

// For systems that offer no solver of their own: J by differences, dense factors. The cost of a step grows
// with the cube of the dimension; of unit vectors and their rates only the rates across the vectors count.
std::unique_ptr<ShiftedSolver> dense_shifted_solver(const System& system);

}  // namespace catena
