// Gauss collocation: implicit Runge-Kutta methods of the highest order, 2 s with s stages. They are symmetric
// and symplectic and keep quadratic invariants.
#pragma once

#include <memory>
#include <vector>

#include "catena/integrate/stepper.h"
#include "catena/math/double_double.h"

namespace catena {

// Coefficients to about 30 digits: rounded to doubles the method would not quite be symplectic, and energy
// would drift (E. Hairer, R. I. McLachlan, A. Razakarivony, BIT 48, 2008).
struct GaussTableau {
  explicit GaussTableau(int stages);

  int stages;
  std::vector<DoubleDouble> c;
  std::vector<std::vector<DoubleDouble>> a;
  std::vector<DoubleDouble> b;
};

std::unique_ptr<Stepper> make_gauss(int stages, const System& system, const StepOptions& options);

}  // namespace catena
