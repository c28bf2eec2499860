// A link's end follows a hand. Nothing moves afterwards: all rates are zero, so that no drag, however wild,
// brings in more than the potential energy of where things were left.
#pragma once

#include <cstddef>

#include "catena/dynamics/world/world.h"

namespace catena {

// `lanes` of the chain with the end of `link` brought to `target`, seen from the pivot in world axes, as near
// as may be. A rigid chain follows by cyclic coordinate descent (L.-C. T. Wang, C. C. Chen, IEEE Trans.
// Robot. Autom. 7, 1991): joint by joint from the hand to the pivot, each turned so that the end points to
// the target. The links below keep their directions. In an elastic chain the mass is put where the hand is,
// and neighbours give way only where a link would be stretched or squeezed beyond bounds. A planar chain
// stays in its plane.
LanePair dragged(const ChainUnit& unit, const LanePair& lanes, std::size_t link, const Vec3& target);

constexpr int kDragSweeps = 10;
// Bounds on a dragged spring's length over its length at rest.
constexpr double kLongestDragged = 1.5;
constexpr double kShortestDragged = 0.1;

}  // namespace catena
