#include "catena/dynamics/chain/solvers/springs.h"

#include "catena/dynamics/chain/solvers/springs_definitions.h"

namespace catena {

template class SpringSolver<2, double>;
template class SpringSolver<3, double>;

}  // namespace catena
