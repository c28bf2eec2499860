// A world with tangents in lanes: its chains, its Lagrangian, its equations.
#pragma once

#include "catena/dynamics/world/no_bodies.h"
#include "catena/math/saddle_lane_rates.h"

namespace catena {

// Not yet.
template <>
class BodiesOver<LaneRates> : public NoBodies<LaneRates> {
  using NoBodies::NoBodies;
};

}  // namespace catena

#include "catena/dynamics/world/world_over.h"
