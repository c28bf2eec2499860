#include "catena/dynamics/chain/solvers/tension.h"

#include "catena/dynamics/chain/solvers/tension_definitions.h"

namespace catena {

template class TensionSolver<2, double>;
template class TensionSolver<3, double>;

}  // namespace catena
