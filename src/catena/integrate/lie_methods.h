// Runge-Kutta methods in a Lie algebra that acts on the states. A step is x -> exp(sigma) . x, so it stays
// where the group's action stays: on spheres, without any projection.
//
// H. Munthe-Kaas, Appl. Numer. Math. 29 (1999): stages of an ordinary tableau, taken back to the algebra,
//   sigma_i = h sum_j a_ij k_j,   k_i = dexp^-1_{sigma_i} f(t + c_i h, exp(sigma_i) . x),
//   x_{n+1} = exp(h sum_j b_j k_j) . x_n
#pragma once

#include <memory>

#include "catena/integrate/runge_kutta.h"
#include "catena/integrate/stepper.h"

namespace catena {

struct LieScheme {
  enum class Kind {
    munthe_kaas,
    two_commutators,  // order 4 with brackets instead of dexp^-1
    commutator_free,  // order 4, a step of two exponentials
  };
  const Tableau* tableau;
  Kind kind = Kind::munthe_kaas;
  bool adaptive = false;  // by the tableau's error estimate
};

extern const LieScheme kLieEuler;
extern const LieScheme kRkmk2;
extern const LieScheme kRkmk3;
extern const LieScheme kRkmk4;
extern const LieScheme kRkmk4TwoCommutators;
extern const LieScheme kRkmk5;
extern const LieScheme kRkmk54;
extern const LieScheme kCf4;

std::unique_ptr<Stepper> make_lie_method(const LieScheme& scheme, const System& system,
                                         const StepOptions& options);

}  // namespace catena
