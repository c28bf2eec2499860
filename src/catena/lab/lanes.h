// Steps in lanes, as a lab asks for them; builds without lanes have lanes_none.cpp.
#pragma once

#include <memory>
#include <string>

#include "catena/dynamics/world/world.h"
#include "catena/integrate/stepper.h"

namespace catena {

// Why this world cannot be moved in lanes by this method, in words for a user; "" if it can.
std::string lanes_refusal(const World& world, const std::string& method, const std::string& precision,
                          const StepOptions& options);

// The world must stay where it is.
std::unique_ptr<Stepper> stepper_in_lanes(World& world, const StepOptions& options);

// Why the rates of this world cannot go along with such steps, in words for a user; "" if they can.
std::string following_in_lanes_refusal(const World& world);

// Whether this is such a stepper; then a motion of its world begins anew.
bool begin_in_lanes(Stepper& stepper);

}  // namespace catena
