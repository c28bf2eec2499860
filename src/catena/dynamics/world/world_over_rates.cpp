// A world with derivatives.
#include "catena/math/many_rates.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/world/chain_over_definitions.h"
#include "catena/dynamics/world/world_over_definitions.h"

namespace catena {

template class ChainOver<Rates>;
template class WorldMotion<Rates>;
template class WorldOver<Rates>;
template class ChainOver<ManyRates>;
template class WorldMotion<ManyRates>;
template class WorldOver<ManyRates>;
template TensionSolver<2, Rates>* WorldOver<Rates>::only_tensions<2>();
template TensionSolver<3, Rates>* WorldOver<Rates>::only_tensions<3>();

}  // namespace catena
