#include "catena/dynamics/state/body_state.h"

namespace catena {

BodySpace::BodySpace(const Mechanism& of) : mechanism(of) {
  int count = 0;
  for (const Body& body : of.bodies) moving.push_back(body.fixed ? kGround : count++);
}

}  // namespace catena
