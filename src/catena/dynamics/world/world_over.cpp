#include "catena/dynamics/world/world_over.h"

#include <algorithm>
#include <variant>

#include "catena/math/packs_digits.h"

// Numbers first: the definitions compute with them.
#include "catena/dynamics/world/world_over_definitions.h"

namespace catena {

bool in_unit_vectors(const ChainUnit& unit) {
  return unit.bodies() != nullptr || unit.elastic() || std::holds_alternative<RigidChain<2>>(unit.chain) ||
         std::holds_alternative<RigidChain<3>>(unit.chain);
}

bool in_unit_vectors(const World& world) {
  return std::all_of(world.chains().begin(), world.chains().end(),
                     [](const ChainUnit& unit) { return in_unit_vectors(unit); });
}

template class WorldMotion<DoubleDouble>;
template class WorldOver<DoubleDouble>;
#if CATENA_HAS_QUAD
template class WorldMotion<Quad>;
template class WorldOver<Quad>;
#endif

}  // namespace catena
