#include "catena/math/packs_digits.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/world/chain_over_definitions.h"

namespace catena {

template class ChainOver<DoubleDouble>;
#if CATENA_HAS_QUAD
template class ChainOver<Quad>;
#endif

}  // namespace catena
