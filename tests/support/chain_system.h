// A scene's chains as a system that methods can be tried on without a run around it.
#pragma once

#include "catena/lab/rigid_capabilities.h"
#include "support/chains.h"

namespace catena::test {

struct ChainSystem {
  explicit ChainSystem(const Scene& scene) : world(scene) {
    system.dimension = world.dimension();
    system.controlled = world.motion_lanes();
    system.rhs = [this](double t, const double* x, double* dx) { world.rhs(t, x, dx); };
    system.taylor = [this](double t, const double* x, int order, double* c) { world.taylor(t, x, order, c); };
    system.reserve = [this](int order) { world.reserve(order); };
    system.project = [this](double t, const double* hi, double* lo) { world.project(t, hi, lo); };
    rigid.offer(world, system);
    world.start(start.hi, start.lo);
  }
  explicit ChainSystem(const std::string& toml, std::vector<std::string> overrides = {})
      : ChainSystem(scene_of(toml, std::move(overrides))) {}
  ChainSystem(const ChainSystem&) = delete;
  ChainSystem& operator=(const ChainSystem&) = delete;

  mutable World world;  // has scratch memory, whatever it is asked
  RigidCapabilities rigid;
  System system;
  State start;
};

// The state at t, to the last digits.
inline std::vector<double> exact_state(const ChainSystem& chain, double t) {
  const auto stepper = find_method("taylor")->make(chain.system, {.tolerance = 1e-18});
  State state = chain.start;
  while (state.t < t) stepper->step(state, t);
  std::vector<double> hi(chain.system.dimension), lo(hi);
  stepper->dense().evaluate(t, hi.data(), lo.data());
  return hi;
}

}  // namespace catena::test
