// Joints are written with the rotation matrices of their bodies, whose rates are as simple as they are:
// R' = R [omega]x. The programs that run have quaternions in their place.
#pragma once

#include <vector>

#include "catena/dynamics/joint_lanes.h"

namespace catena {

// The nodes of a graph made with `variables`, rewritten in another with R = R(p). Steady variables that are
// the same number in all of these lanes become that number: most of them are zero or one, and what they stand
// in goes away.
std::vector<expr::NodeId> with_quaternions(const expr::Graph& from, const std::vector<expr::NodeId>& nodes,
                                           const JointVariables& variables,
                                           const std::vector<JointLane>& lanes, expr::Graph& into);

}  // namespace catena
