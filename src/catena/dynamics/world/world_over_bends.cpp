// A world with second derivatives.
#include "catena/dynamics/world/world_over_bends.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/world/chain_over_definitions.h"
#include "catena/dynamics/world/world_over_definitions.h"

namespace catena {

template class ChainOver<Bends>;
template class WorldMotion<Bends>;
template class WorldOver<Bends>;

}  // namespace catena
