// The chains' solvers with more digits than a double.
#include "catena/math/packs_digits.h"

// Packs first: the definitions load and store them.
#include "catena/dynamics/chain/solvers/articulated_definitions.h"
#include "catena/dynamics/chain/solvers/springs_definitions.h"
#include "catena/dynamics/chain/solvers/tension_definitions.h"

namespace catena {

template class TensionSolver<2, DoubleDouble>;
template class TensionSolver<3, DoubleDouble>;
template class ArticulatedSolver<2, DoubleDouble>;
template class ArticulatedSolver<3, DoubleDouble>;
template class SpringSolver<2, DoubleDouble>;
template class SpringSolver<3, DoubleDouble>;

#if CATENA_HAS_QUAD
template class TensionSolver<2, Quad>;
template class TensionSolver<3, Quad>;
template class ArticulatedSolver<2, Quad>;
template class ArticulatedSolver<3, Quad>;
template class SpringSolver<2, Quad>;
template class SpringSolver<3, Quad>;
#endif

}  // namespace catena
