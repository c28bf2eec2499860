// In the page, and in the first picture of the demo, nothing goes in lanes.
#include "catena/lab/lanes.h"

namespace catena {

std::string lanes_refusal(const World&, const std::string&, const std::string&, const StepOptions&) {
  return "lanes are not in this build";
}

std::unique_ptr<Stepper> stepper_in_lanes(World&, const StepOptions&) { return nullptr; }

std::string following_in_lanes_refusal(const World&) { return "lanes are not in this build"; }

bool begin_in_lanes(Stepper&) { return false; }

}  // namespace catena
