// Joints as their equations, and nothing else: Jacobians, their series and rates are derived from these.
#pragma once

#include <vector>

#include "catena/expr/vector.h"
#include "catena/model/mechanism.h"

namespace catena {

// A joint's frame in world coordinates, as expressions of its body's position and orientation; and the body's
// own quaternion.
struct FrameExpressions {
  expr::Vector point, x, y, z;
  expr::Quaternion body{};
};

// What an equation may use: t, the frames of one or two pairs of bodies, the whole turns that each pair has
// made (in radians), and the joint's numbers.
struct JointSymbols {
  std::vector<FrameExpressions> sides;  // a, b; then those of the second joint that a gear ties
  expr::Expression t;
  std::vector<expr::Expression> turns;  // one per pair
  std::vector<expr::Expression> numbers;

  const expr::Expression& value() const { return numbers[0]; }
};

// Of the second frame against the first about the first one's z, in (-pi, pi].
expr::Expression angle_of(const FrameExpressions& a, const FrameExpressions& b);

// Along the first one's z.
expr::Expression travel_of(const FrameExpressions& a, const FrameExpressions& b);

expr::Expression distance_of(const FrameExpressions& a, const FrameExpressions& b);

// What the equations need besides: the joint's value; of a constant-velocity joint also the turn of its
// second frame in its body against the first frame in its own.
std::vector<double> joint_numbers(const Joint& joint);

// All must be zero. In metres and (about) radians.
std::vector<expr::Expression> joint_equations(JointKind kind, const JointSymbols& symbols);

// Whether the equations count turns.
bool counts_turns(JointKind kind);

}  // namespace catena
