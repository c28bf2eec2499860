// Copying and ending worlds: all that their parts consist of, once, and compiled quickly.
#include "catena/dynamics/world/world_pieces.h"

namespace catena {

World::~World() = default;
World::World(const World&) = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

}  // namespace catena
