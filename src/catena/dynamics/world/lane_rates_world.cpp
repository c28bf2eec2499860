// A world with tangents in lanes.
#include "catena/dynamics/world/world_over_lane_rates.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/world/chain_over_definitions.h"
#include "catena/dynamics/world/world_over_definitions.h"

namespace catena {

template class ChainOver<LaneRates>;
template class WorldMotion<LaneRates>;
template class WorldOver<LaneRates>;

}  // namespace catena
