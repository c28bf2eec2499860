// Lagrange's equations with second derivatives.
#include "catena/math/saddle_bends.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/lagrangian/lagrangian_motion_definitions.h"
#include "catena/dynamics/lagrangian/lagrangian_return_definitions.h"

namespace catena {

template class LagrangianMotion<Bends>;
template class LagrangianReturn<Bends>;

}  // namespace catena
