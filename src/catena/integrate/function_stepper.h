// Steps of a function that the caller gives: fixed steps, dense output from the series at both ends.
#pragma once

#include <memory>

#include "catena/integrate/stepper.h"

namespace catena {

// options.take, options.step and options.order are given.
std::unique_ptr<Stepper> make_function_stepper(const System& system, const StepOptions& options);

}  // namespace catena
