#include "catena/dynamics/joints/joint_equations.h"

namespace catena {
namespace {

using expr::dot;
using expr::Expression;
using expr::Vector;
using Equations = std::vector<Expression>;

Equations same_point(const FrameExpressions& a, const FrameExpressions& b) {
  const Vector gap = b.point - a.point;
  return {gap.x, gap.y, gap.z};
}

// b's point on the line through a's point along a's z.
Equations on_axis(const FrameExpressions& a, const FrameExpressions& b) {
  const Vector gap = b.point - a.point;
  return {dot(a.x, gap), dot(a.y, gap)};
}

Equations same_axis(const FrameExpressions& a, const FrameExpressions& b) {
  return {dot(a.x, b.z), dot(a.y, b.z)};
}

// Besides the same axis: no turn about it.
Equations same_orientation(const FrameExpressions& a, const FrameExpressions& b) {
  return {dot(a.x, b.z), dot(a.y, b.z), dot(a.y, b.x)};
}

Equations both(Equations first, const Equations& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

Expression angle_of(const FrameExpressions& a, const FrameExpressions& b) {
  return expr::atan2(dot(a.y, b.x), dot(a.x, b.x));
}

Expression travel_of(const FrameExpressions& a, const FrameExpressions& b) {
  return dot(a.z, b.point - a.point);
}

Expression distance_of(const FrameExpressions& a, const FrameExpressions& b) {
  const Vector gap = b.point - a.point;
  return expr::norm(gap.x, gap.y, gap.z);
}

Equations joint_equations(JointKind kind, const JointSymbols& s) {
  const FrameExpressions &a = s.sides[0], &b = s.sides[1];
  switch (kind) {
    case JointKind::fixed:
      return both(same_point(a, b), same_orientation(a, b));
    case JointKind::revolute:
      return both(same_point(a, b), same_axis(a, b));
    case JointKind::prismatic:
      return both(on_axis(a, b), same_orientation(a, b));
    case JointKind::cylindrical:
      return both(on_axis(a, b), same_axis(a, b));
    case JointKind::universal:
      return both(same_point(a, b), {dot(a.z, b.z) - s.value()});
    case JointKind::ball:
      return same_point(a, b);
    case JointKind::planar:
      return both(same_axis(a, b), {travel_of(a, b)});
    case JointKind::point_on_line:
      return on_axis(a, b);
    case JointKind::point_on_plane:
      return {travel_of(a, b)};
    case JointKind::distance: {
      const Vector gap = b.point - a.point;
      return {(dot(gap, gap) - expr::square(s.value())) / (2.0 * s.value())};
    }
    case JointKind::screw: {
      const Expression angle = angle_of(a, b) + s.turns[0];
      return both(both(on_axis(a, b), same_axis(a, b)), {travel_of(a, b) - s.value() * angle});
    }
    case JointKind::gear: {
      const Expression first = angle_of(a, b) + s.turns[0];
      const Expression second = angle_of(s.sides[2], s.sides[3]) + s.turns[1];
      return {second - s.value() * first};
    }
    case JointKind::rack:
      return {travel_of(s.sides[2], s.sides[3]) - s.value() * (angle_of(a, b) + s.turns[0])};
    case JointKind::constant_velocity:
      // The turn that takes one shaft to the other has no part about the shaft.
      return both(same_point(a, b), {dot(a.y, b.x) - dot(a.x, b.y)});
  }
  return {};
}

bool counts_turns(JointKind kind) {
  return kind == JointKind::screw || kind == JointKind::gear || kind == JointKind::rack;
}

}  // namespace catena
