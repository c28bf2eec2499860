// The chains' solvers with tangents in lanes.
#include "catena/math/lane_rates.h"

// Packs first: the definitions load and store them.
#include "catena/dynamics/chain/solvers/articulated_definitions.h"
#include "catena/dynamics/chain/solvers/springs_definitions.h"
#include "catena/dynamics/chain/solvers/tension_definitions.h"

namespace catena {

template class TensionSolver<2, LaneRates>;
template class TensionSolver<3, LaneRates>;
template class ArticulatedSolver<2, LaneRates>;
template class ArticulatedSolver<3, LaneRates>;
template class SpringSolver<2, LaneRates>;
template class SpringSolver<3, LaneRates>;

}  // namespace catena
