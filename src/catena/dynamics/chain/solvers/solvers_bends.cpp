// The chains' solvers with second derivatives.
#include "catena/math/bends.h"

// Packs first: the definitions load and store them.
#include "catena/dynamics/chain/solvers/articulated_definitions.h"
#include "catena/dynamics/chain/solvers/springs_definitions.h"
#include "catena/dynamics/chain/solvers/tension_definitions.h"

namespace catena {

template class TensionSolver<2, Bends>;
template class TensionSolver<3, Bends>;
template class ArticulatedSolver<2, Bends>;
template class ArticulatedSolver<3, Bends>;
template class SpringSolver<2, Bends>;
template class SpringSolver<3, Bends>;

}  // namespace catena
