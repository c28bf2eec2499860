// The chains' solvers in numbers that write down what is done with them.
#include "catena/math/recorded.h"

// Packs first: the definitions load and store them.
#include "catena/dynamics/chain/solvers/articulated_definitions.h"
#include "catena/dynamics/chain/solvers/springs_definitions.h"
#include "catena/dynamics/chain/solvers/tension_definitions.h"

namespace catena {

template class TensionSolver<2, Recorded>;
template class TensionSolver<3, Recorded>;
template class ArticulatedSolver<2, Recorded>;
template class ArticulatedSolver<3, Recorded>;
template class SpringSolver<2, Recorded>;
template class SpringSolver<3, Recorded>;

}  // namespace catena
