// Lagrange's equations with derivatives.
#include "catena/math/many_rates.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/lagrangian/lagrangian_motion_definitions.h"

namespace catena {

template class LagrangianMotion<Rates>;
template class LagrangianMotion<ManyRates>;

}  // namespace catena
