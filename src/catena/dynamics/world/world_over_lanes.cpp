// A world in lanes.
#include "catena/math/lanes.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/world/chain_over_definitions.h"
#include "catena/dynamics/world/world_over_definitions.h"

namespace catena {

#define CATENA_OF_WIDTH(W)                \
  template class ChainOver<LanesOf<W>>;   \
  template class WorldMotion<LanesOf<W>>; \
  template class WorldOver<LanesOf<W>>;
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH

}  // namespace catena
