// What a world consists of, as plain records.
#pragma once

#include "catena/dynamics/world/world.h"
#include "catena/facts/world_facts.h"

namespace catena {

WorldFacts facts_of(const World& world);

}  // namespace catena
