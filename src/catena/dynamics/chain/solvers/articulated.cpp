#include "catena/dynamics/chain/solvers/articulated.h"

#include "catena/dynamics/chain/solvers/articulated_definitions.h"

namespace catena {

template class ArticulatedSolver<2, double>;
template class ArticulatedSolver<3, double>;

}  // namespace catena
