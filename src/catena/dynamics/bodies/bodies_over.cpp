#include "catena/dynamics/bodies/bodies_over.h"

#include "catena/math/many_rates.h"
#include "catena/math/packs_digits.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/bodies/bodies_over_definitions.h"

namespace catena {

template class BodiesOver<DoubleDouble>;
template class BodiesOver<Rates>;
template class BodiesOver<ManyRates>;
#if CATENA_HAS_QUAD
template class BodiesOver<Quad>;
#endif

}  // namespace catena
