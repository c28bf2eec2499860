// What runs of a joint's equations C(x, p, t) = 0: the entries of J in dC/dt = J v - c, and c, for series; or
// the gaps C and their rates, for values.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/dynamics/joints/constraint_lanes.h"
#include "catena/dynamics/joints/joint_rotation.h"

namespace catena {

struct JacobianEntry {
  int row;
  std::size_t motion;  // rank of the side that moves times six, plus component
  int output;
};

struct JacobianNodes {
  int rows = 0;
  std::vector<JacobianEntry> entries;  // those that are not zero throughout
  std::vector<int> drive;              // output with c of each row, or -1
  std::vector<expr::NodeId> outputs;
};

JacobianNodes jacobian_nodes(const JointVariables& variables, const EquationMaker& equations,
                             const std::vector<JointLane>& lanes, Folding folding, expr::Graph& run);

// C of all rows, then dC/dt of all rows. `variables`: with motions.
std::vector<expr::NodeId> gap_nodes(const JointVariables& variables, const EquationMaker& equations,
                                    const std::vector<JointLane>& lanes, expr::Graph& run);

}  // namespace catena
