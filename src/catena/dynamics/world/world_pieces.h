// What a world keeps to go from one piece of its prescribed motions to the next.
#pragma once

#include <optional>
#include <vector>

#include "catena/dynamics/world/world.h"
#include "catena/expr/pieces.h"

namespace catena {

struct World::Pieces {
  Scene scene;
  std::vector<std::optional<Plane>> planes;
  Union bodies;
  expr::TimeKinks kinks;
  double moment = 0.0;  // of the piece that holds
};

}  // namespace catena
