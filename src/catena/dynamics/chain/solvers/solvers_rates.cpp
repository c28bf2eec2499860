// The chains' solvers with derivatives.
#include "catena/math/many_rates.h"

// Packs first: the definitions load and store them.
#include "catena/dynamics/chain/solvers/articulated_definitions.h"
#include "catena/dynamics/chain/solvers/springs_definitions.h"
#include "catena/dynamics/chain/solvers/tension_definitions.h"

namespace catena {

template class TensionSolver<2, Rates>;
template class TensionSolver<3, Rates>;
template class ArticulatedSolver<2, Rates>;
template class ArticulatedSolver<3, Rates>;
template class SpringSolver<2, Rates>;
template class SpringSolver<3, Rates>;
template class TensionSolver<2, ManyRates>;
template class TensionSolver<3, ManyRates>;
template class ArticulatedSolver<2, ManyRates>;
template class ArticulatedSolver<3, ManyRates>;
template class SpringSolver<2, ManyRates>;
template class SpringSolver<3, ManyRates>;

}  // namespace catena
