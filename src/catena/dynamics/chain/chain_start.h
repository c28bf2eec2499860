// A chain of a world that is to start elsewhere.
#pragma once

#include "catena/dynamics/chain/chain_unit.h"

namespace catena {

// Takes the angles at the start from the chain anew; start_of then gives the state that belongs to them.
void set_start_angles(const Chain& chain, ChainUnit& unit);

}  // namespace catena
