// Lagrange's equations with more digits than a double.
#include "catena/dynamics/lagrangian/lagrangian_motion_definitions.h"
#include "catena/math/quad.h"

namespace catena {

template class LagrangianMotion<DoubleDouble>;
#if CATENA_HAS_QUAD
template class LagrangianMotion<Quad>;
#endif

}  // namespace catena
