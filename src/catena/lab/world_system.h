// A world as a system that methods can step, with all that it can offer them.
#pragma once

#include <optional>
#include <vector>

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
  // The series at a state where a step is about to begin: the method that asks for them next gets these.
  // Valid until then.
  const double* expand_ahead(double t, const double* x, int order);

 private:
  struct Ahead {
    bool is_there = false;
    double t = 0.0;
    int order = 0;
    std::vector<double> x, c;
    bool is_of(double time, const double* state, int orders) const;
  };
  World& world_;
  System system_;
  Ahead ahead_;
  RigidCapabilities rigid_;
};

}  // namespace catena
