// Bodies and joints in lanes.
#include "catena/math/lanes.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/bodies/bodies_over_definitions.h"

namespace catena {

#define CATENA_OF_WIDTH(W) template class BodiesOver<LanesOf<W>>;
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH

}  // namespace catena
