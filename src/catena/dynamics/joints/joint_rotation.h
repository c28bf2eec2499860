// Joints are written with the rotation matrices of their bodies, whose rates are as simple as they are:
// R' = R [omega]x. The programs that run have quaternions in their place.
#pragma once

#include <cstdint>
#include <vector>

#include "catena/dynamics/joints/joint_lanes.h"

namespace catena {

// Which steady variables become constants: those with which sums and products are exact (0, 1, -1), or all.
enum class Folding : std::uint8_t { exact, all };

// The nodes of a graph made with `variables`, rewritten in another with R = R(p). Steady variables that are
// the same number in all of these lanes become that number: most of them are zero or one, and what they stand
// in goes away.
std::vector<expr::NodeId> with_quaternions(const expr::Graph& from, const std::vector<expr::NodeId>& nodes,
                                           const JointVariables& variables,
                                           const std::vector<JointLane>& lanes, Folding folding,
                                           expr::Graph& into);

}  // namespace catena
