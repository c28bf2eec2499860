// A body follows a hand as far as its joints allow. Nothing moves afterwards but what motors move.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/dynamics/world/world.h"
#include "catena/observe/body_frame.h"

namespace catena {

// The bodies of a mechanism, and what their joints' angles remember.
struct BodyStates {
  LanePair lanes;
  AngleMemory angles;
};

// `from` with the point `in_body` of a moving body (its index in the mechanism) brought as near to `target`
// (world) as it gets. Steepest descent in the mass metric: a pull towards the target at that point would
// accelerate all bodies, joints obeyed, and along those accelerations they are moved, so that what is light
// and free gives way first. Bodies that cannot follow stay where they are.
BodyStates body_dragged(Multibody& mechanism, double t, BodyStates from, std::size_t body,
                        const Vec3& in_body, const Vec3& target);

// `from` with the first body that can turn turned by `angle`, the others following as a torque on it would
// make them; where none can, the first one that can move is moved by `angle` metres. Velocities stay as near
// as joints allow.
BodyStates first_body_turned(Multibody& mechanism, double t, BodyStates from, double angle);

// Onto the joints from nearby, positions and velocities; false: they cannot be met from there.
bool settle(Multibody& mechanism, double t, LanePair& lanes);

}  // namespace catena
