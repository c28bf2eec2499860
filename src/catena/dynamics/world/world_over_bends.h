// A world with second derivatives: its chains, its Lagrangian, its equations.
#pragma once

#include "catena/dynamics/world/no_bodies.h"
#include "catena/math/saddle_bends.h"

namespace catena {

// Not yet.
template <>
class BodiesOver<Bends> : public NoBodies<Bends> {
  using NoBodies::NoBodies;
};

}  // namespace catena

#include "catena/dynamics/world/world_over.h"
