// Chains in angles and on Lie groups with more digits than a double.
#include "catena/math/packs_digits.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/chain/solvers/coordinate_links_definitions.h"
#include "catena/dynamics/chain/solvers/lie_links_definitions.h"

namespace catena {

template class CoordinateLinks<2, DoubleDouble>;
template class CoordinateLinks<3, DoubleDouble>;
template class LieLinks<2, DoubleDouble>;
template class LieLinks<3, DoubleDouble>;

#if CATENA_HAS_QUAD
template class CoordinateLinks<2, Quad>;
template class CoordinateLinks<3, Quad>;
template class LieLinks<2, Quad>;
template class LieLinks<3, Quad>;
#endif

}  // namespace catena
