// Collocation at Radau's points: implicit, order 5, for stiff systems.
#pragma once

#include <memory>

#include "catena/integrate/stepper.h"

namespace catena {

std::unique_ptr<Stepper> make_radau5(const System& system, const StepOptions& options);

}  // namespace catena
