// The way back onto a Lagrangian's constraints, with more digits and with derivatives.
#include "catena/dynamics/lagrangian/lagrangian_return_definitions.h"
#include "catena/math/many_rates.h"

namespace catena {

template class LagrangianReturn<DoubleDouble>;
template class LagrangianReturn<Rates>;
template class LagrangianReturn<ManyRates>;
#if CATENA_HAS_QUAD
template class LagrangianReturn<Quad>;
#endif

}  // namespace catena
