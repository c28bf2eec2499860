// Runs with more digits than a double: joins the chains of a world to the methods that can follow them so.
#pragma once

#include <memory>
#include <string>

#include "catena/dynamics/world/world.h"
#include "catena/integrate/catalog.h"

namespace catena {

// Why this method cannot follow this world in that precision, in words for a user; "" if it can.
std::string precision_refusal(const World& world, const std::string& method, const std::string& precision,
                              const StepOptions& options);

// The tolerance of runs that are given none.
double default_tolerance(const std::string& precision);

// The method at work. The world's chains are copied.
std::unique_ptr<Stepper> make_stepper_digits(const World& world, const std::string& method,
                                             const std::string& precision, const StepOptions& options);

// Onto the constraints to all digits of a method that has more than a double's; others leave it as it is.
void project_in_full(Stepper& stepper, State& state);

// The state at a time in the last step, with all digits that the method has.
void evaluate_step(Stepper& stepper, double time, double* hi, double* lo);

}  // namespace catena
