// RATTLE for rigid bodies with joints: half a kick, free flight, half a kick, with pulls along the
// constraints' gradients at both ends of the step. Symmetric and symplectic: the discrete Lagrangian on unit
// quaternions (J. Brüdigam, Z. Manchester, Linear-time variational integrators in maximal coordinates, 2020),
// written with momenta as H. C. Andersen's RATTLE.
#pragma once

#include <memory>

#include "catena/integrate/stepper.h"

namespace catena {

std::unique_ptr<Stepper> make_body_rattle(const System& system, const StepOptions& options);

}  // namespace catena
