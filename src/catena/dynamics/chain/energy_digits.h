// The energy of a chain in runs with more digits than a double has: of the numbers that were written, where
// the others take them for doubles.
#pragma once

#include "catena/dynamics/chain/chain_unit.h"
#include "catena/dynamics/state/energies.h"

namespace catena {

// Of vectors along the links and their rates, or of ends and their velocities; potential energy is counted
// from the pivot. `room`: scratch memory.
Energies energy_digits(const ChainUnit& unit, const std::vector<DoubleDouble>& vectors,
                       std::vector<DoubleDouble>& room);

}  // namespace catena
