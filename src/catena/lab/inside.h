// What a lab is made of: physics, wired to a method, and what rows are made from.
#pragma once

#include <memory>
#include <optional>

#include "catena/dynamics/world/world.h"
#include "catena/integrate/catalog.h"
#include "catena/lab/lab.h"
#include "catena/lab/stepping_digits.h"
#include "catena/lab/world_system.h"
#include "catena/observe/world_frame.h"

namespace catena {

struct Lab::Inside {
  // Throws InputError when the method cannot do the scene justice.
  explicit Inside(const Scene& scene);

  World world;
  std::optional<Method> own_method;  // one that is in no catalog
  const Method* method;
  StepOptions options;
  WorldSystem wired;
  std::unique_ptr<DigitsMotion> digits;  // of runs with more than a double's
  std::unique_ptr<Stepper> stepper;
  StepMemory start_memory{};  // of the stepper, where the last step began
  StepMemory fresh_memory{};  // of one that has taken no step
  WorldFrame frame;
  MomentumRecord momenta;
  Angles kept_angles;  // of rows, while somebody looks on

  const System& system() const { return wired.system(); }
};

}  // namespace catena
