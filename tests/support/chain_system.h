// A scene's chains as a system that methods can be tried on without a run around it.
#pragma once

#include "catena/lab/world_system.h"
#include "support/chains.h"

namespace catena::test {

struct ChainSystem {
  explicit ChainSystem(const Scene& scene) : world(scene), wired(world), system(wired.system()) {
    world.start(start.hi, start.lo);
  }
  explicit ChainSystem(const std::string& toml, std::vector<std::string> overrides = {})
      : ChainSystem(scene_of(toml, std::move(overrides))) {}
  ChainSystem(const ChainSystem&) = delete;
  ChainSystem& operator=(const ChainSystem&) = delete;

  World world;
  WorldSystem wired;
  const System& system;
  State start;
};

// The state at t, to the last digits.
inline std::vector<double> exact_state(ChainSystem& chain, double t) {
  const auto stepper = find_method("taylor")->make(chain.system, {.tolerance = 1e-18});
  State state = chain.start;
  while (state.t < t) stepper->step(state, t);
  std::vector<double> hi(chain.system.dimension), lo(hi);
  stepper->dense().evaluate(t, hi.data(), lo.data());
  return hi;
}

}  // namespace catena::test
