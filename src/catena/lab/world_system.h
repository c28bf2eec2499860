// A world as a system that methods can step, with all that it can offer them.
#pragma once

#include <optional>

#include "catena/integrate/system.h"
#include "catena/lab/rigid_capabilities.h"

namespace catena {

class World;

class WorldSystem {
 public:
  // The world must stay where it is. `tolerance`: of the steps, for what looks inside them; none: nothing
  // does.
  explicit WorldSystem(World& world, std::optional<double> tolerance = std::nullopt);
  WorldSystem(const WorldSystem&) = delete;
  WorldSystem& operator=(const WorldSystem&) = delete;

  const System& system() const { return system_; }

 private:
  System system_;
  RigidCapabilities rigid_;
};

}  // namespace catena
