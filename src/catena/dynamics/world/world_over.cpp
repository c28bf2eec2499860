#include "catena/dynamics/world/world_over.h"

#include <algorithm>
#include <variant>

#include "catena/math/packs_digits.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/world/world_over_definitions.h"

namespace catena {

std::string digits_refusal(const World& world) {
  for (const ChainUnit& unit : world.chains()) {
    if (unit.bodies() != nullptr) continue;
    if (!unit.elastic() && !std::holds_alternative<RigidChain<2>>(unit.chain) &&
        !std::holds_alternative<RigidChain<3>>(unit.chain)) {
      return "is for the formulations tension and articulated; leave `formulation` out";
    }
  }
  return world.has_pieces()
             ? "cannot do pivots, motors and constraints whose motion has kinks: their impulses are "
               "computed in double"
             : "";
}

template class WorldMotion<DoubleDouble>;
template class WorldOver<DoubleDouble>;
#if CATENA_HAS_QUAD
template class WorldMotion<Quad>;
template class WorldOver<Quad>;
#endif

}  // namespace catena
