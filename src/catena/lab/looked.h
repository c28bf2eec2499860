// What rows and the energy record of a lab are made from, for the files that it consists of.
#pragma once

#include "catena/lab/inside.h"

namespace catena {

// Energies of a state, and their balance: energy plus what was dissipated, less the work done. It stays.
struct Lab::Looked {
  Looked(World& world, const State& state)
      : energy(world.energy(state.t, state.hi.data(), state.lo.data())),
        dissipated(world.dissipated(state.hi.data(), state.lo.data())),
        work(world.work(state.hi.data(), state.lo.data())),
        balance(energy.total() + dissipated - work) {}

  Energies energy;
  DoubleDouble dissipated, work, balance;
  double constraint_error = 0.0;
};

// Whole turns that springs, limits and drives count, up to a state that has not been projected just now.
void count_turns(World& world, const State& state);

}  // namespace catena
