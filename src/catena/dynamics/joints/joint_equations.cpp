#include "catena/dynamics/joints/joint_equations.h"

#include "catena/model/placement.h"

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

expr::Quaternion product(const expr::Quaternion& a, const expr::Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x};
}

// The turn that takes one shaft's frame to the other's, p_b c p_a* in the world, has no part about the shaft:
// twice the component of that quaternion along a's z. The entries of rotation matrices know only its product
// with the scalar part, which vanishes also for all turns by pi: where the shafts fold back, a motion would
// stay there.
Expression twist_of(const JointSymbols& s) {
  const FrameExpressions &a = s.sides[0], &b = s.sides[1];
  const expr::Quaternion between{s.numbers[1], s.numbers[2], s.numbers[3], s.numbers[4]};
  const expr::Quaternion back{a.body.w, -a.body.x, -a.body.y, -a.body.z};
  const expr::Quaternion turn = product(product(b.body, between), back);
  return 2.0 * dot(a.z, Vector{turn.x, turn.y, turn.z});
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
      // Equations for people have rotation matrices: there, the same but for shafts that fold back.
      return both(same_point(a, b), {s.numbers.size() > 1 ? twist_of(s) : dot(a.y, b.x) - dot(a.x, b.y)});
  }
  return {};
}

std::vector<double> joint_numbers(const Joint& joint) {
  std::vector<double> numbers{joint.value};
  if (joint.kind == JointKind::constant_velocity) {
    const Quaternion a = turn_of(joint.in_a), b = turn_of(joint.in_b);
    const Quaternion between = catena::product(b, {a[0], -a[1], -a[2], -a[3]});
    numbers.insert(numbers.end(), between.begin(), between.end());
  }
  return numbers;
}

bool counts_turns(JointKind kind) {
  return kind == JointKind::screw || kind == JointKind::gear || kind == JointKind::rack;
}

}  // namespace catena
