// Lagrange's equations with tangents in lanes.
#include "catena/math/saddle_lane_rates.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/lagrangian/lagrangian_motion_definitions.h"

namespace catena {

template class LagrangianMotion<LaneRates>;

}  // namespace catena
