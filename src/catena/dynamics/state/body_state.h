// Where a body's state stands among the lanes of a mechanism.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/model/mechanism.h"

namespace catena {

struct BodiesInPlane;

// Components of a body's state, in lanes [component][body]: x, p (w, x, y, z), v, omega (body frame).
constexpr std::size_t kPosition = 0;
constexpr std::size_t kOrientation = 3;
constexpr std::size_t kVelocity = 7;
constexpr std::size_t kRotation = 10;
constexpr std::size_t kBodyState = 13;

// The bodies of a mechanism, as lanes of a state have them.
struct BodySpace {
  explicit BodySpace(const Mechanism& mechanism);

  const Mechanism& mechanism;
  std::vector<int> moving;  // index among those that move, or kGround
  // Given: laws say which of these bodies they would move out of their plane.
  const BodiesInPlane* flat = nullptr;
  // The run has more digits than a double: numbers stand for their decimals.
  bool decimals = false;
};

}  // namespace catena
