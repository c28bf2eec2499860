#include "catena/lab/lanes.h"

#include "catena/lab/lane_stepper.h"

namespace catena {

std::unique_ptr<Stepper> stepper_in_lanes(World& world, const StepOptions& options) {
  return std::make_unique<LaneStepper>(world, options);
}

std::string following_in_lanes_refusal(const World& world) { return rates_in_lanes_refusal(world); }

bool begin_in_lanes(Stepper& stepper) {
  auto* in_lanes = dynamic_cast<LaneStepper*>(&stepper);
  if (in_lanes != nullptr) in_lanes->begin();
  return in_lanes != nullptr;
}

}  // namespace catena
