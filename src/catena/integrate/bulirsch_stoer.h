// Extrapolation of the modified midpoint rule, with order and step chosen from the tolerance.
#pragma once

#include <memory>

#include "catena/integrate/stepper.h"

namespace catena {

std::unique_ptr<Stepper> make_bulirsch_stoer(const System& system, const StepOptions& options);

}  // namespace catena
