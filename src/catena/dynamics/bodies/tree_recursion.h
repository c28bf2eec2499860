// Accelerations of bodies whose joints form a tree, by one pass from the leaves to the root and one back:
// what hangs on a body acts on it as inertia and load of its own (articulated inertias). All matrices have a
// fixed size and no formula is looked at: this is for rates alone. Series, reactions, loops and everything
// else is the business of ConstraintFactor. docs/theory/mechanisms.md derives what is computed here.
#pragma once

#include <memory>
#include <vector>

#include "catena/dynamics/joints/joint_lanes.h"
#include "catena/model/mechanism.h"

namespace catena {

class BodyLanes;

// A joint as the recursion sees it.
struct TreeJoint {
  JointKind kind;
  JointLane sides;
};

class TreeRecursion {
 public:
  // Empty where it does not suit: there are loops, other joints than the usual ones, points, or bodies
  // without inertia.
  TreeRecursion();
  TreeRecursion(const BodyLanes& bodies, const std::vector<TreeJoint>& joints);
  TreeRecursion(const TreeRecursion& other);
  TreeRecursion(TreeRecursion&& other) noexcept;
  TreeRecursion& operator=(TreeRecursion other) noexcept;
  ~TreeRecursion();

  bool empty() const { return parts_ == nullptr; }

  // Rows [component][body], the lanes' stride apart. `state`: x, p, v, omega. `force`: in the world at the
  // centres of mass, then torques in the bodies' frames. `torque`: more of them in the world,
  // [component][body] without fill, or nullptr. `out`: rates of v and omega.
  void accelerations(const double* state, const double* force, const double* torque, double* out);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
