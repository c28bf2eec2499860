// The kinds of joints: each one row, with its equation. A new joint is a word in the enum, its equation and
// its row, all in this file; everything else follows (CONTRIBUTING.md, "Add a joint in ten minutes").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "catena/model/joint_info.h"
#include "catena/model/placement.h"

namespace catena {

enum class JointKind : std::uint8_t {
  fixed,
  revolute,
  prismatic,
  cylindrical,
  universal,
  ball,
  planar,
  point_on_line,
  point_on_plane,
  distance,
  gear,
  rack,
  screw,
  constant_velocity,
  point_on_curve,
  count,  // how many there are
};

namespace joints {

using expr::dot;
using expr::Expression;
using expr::Vector;

inline JointEquations both(JointEquations first, const JointEquations& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

inline JointEquations same_point(const Vector& a, const Vector& b) {
  const Vector gap = b - a;
  return {gap.x, gap.y, gap.z};
}
inline JointEquations same_point(const JointSymbols& s) {
  return same_point(s.sides[0].point, s.sides[1].point);
}

// b's point on the line through a's point along a's z.
inline JointEquations on_axis(const JointSymbols& s) {
  const FrameExpressions &a = s.sides[0], &b = s.sides[1];
  const Vector gap = b.point - a.point;
  return {dot(a.x, gap), dot(a.y, gap)};
}

inline JointEquations same_axis(const JointSymbols& s) {
  const FrameExpressions &a = s.sides[0], &b = s.sides[1];
  return {dot(a.x, b.z), dot(a.y, b.z)};
}

// Besides the same axis: no turn about it.
inline JointEquations same_orientation(const JointSymbols& s) {
  const FrameExpressions &a = s.sides[0], &b = s.sides[1];
  return {dot(a.x, b.z), dot(a.y, b.z), dot(a.y, b.x)};
}

inline Expression travel(const JointSymbols& s) { return travel_of(s.sides[0], s.sides[1]); }

// With its whole turns.
inline Expression angle(const JointSymbols& s, std::size_t pair = 0) {
  return angle_of(s.sides[2 * pair], s.sides[2 * pair + 1]) + s.turns[pair];
}

inline JointEquations rod(const JointSymbols& s) {
  const Vector gap = s.sides[1].point - s.sides[0].point;
  return {(dot(gap, gap) - expr::square(s.value())) / (2.0 * s.value())};
}

inline JointEquations screw(const JointSymbols& s) {
  const Expression turned = angle(s);
  return both(both(on_axis(s), same_axis(s)), {travel(s) - s.value() * turned});
}

inline JointEquations gear(const JointSymbols& s) {
  const Expression first = angle(s), second = angle(s, 1);
  return {second - s.value() * first};
}

inline expr::Quaternion product(const expr::Quaternion& a, const expr::Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x};
}

// The turn that takes one shaft's frame to the other's, p_b c p_a* in the world, has no part about the shaft:
// twice the component of that quaternion along a's z. The entries of rotation matrices know only its product
// with the scalar part, which vanishes also for all turns by pi: where the shafts fold back, a motion would
// stay there.
inline Expression twist(const JointSymbols& s) {
  const FrameExpressions &a = s.sides[0], &b = s.sides[1];
  const expr::Quaternion between{s.numbers[1], s.numbers[2], s.numbers[3], s.numbers[4]};
  const expr::Quaternion back{a.body.w, -a.body.x, -a.body.y, -a.body.z};
  const expr::Quaternion turn = product(product(b.body, between), back);
  return 2.0 * dot(a.z, Vector{turn.x, turn.y, turn.z});
}

inline JointEquations constant_velocity(const JointSymbols& s) {
  const FrameExpressions &a = s.sides[0], &b = s.sides[1];
  // Equations for people have rotation matrices: there, the same but for shafts that fold back.
  return both(same_point(s), {s.numbers.size() > 1 ? twist(s) : dot(a.y, b.x) - dot(a.x, b.y)});
}

// The turn of the second frame in its body against the first frame in its own.
inline std::vector<double> turn_between(const Joint& joint) {
  const Quaternion a = turn_of(joint.in_a), b = turn_of(joint.in_b);
  const Quaternion between = catena::product(b, {a[0], -a[1], -a[2], -a[3]});
  return {between.begin(), between.end()};
}

}  // namespace joints

inline constexpr std::array<JointInfo, static_cast<std::size_t>(JointKind::count)> kJointKinds{{
    {.kind = JointKind::fixed,
     .name = "fixed",
     .summary = "two bodies as one",
     .equations = 6,
     .gaps =
         [](const JointSymbols& s) {
           return joints::both(joints::same_point(s), joints::same_orientation(s));
         },
     .axes = JointAxes::orientation,
     .plane = JointPlane::keeps,
     .drawing = JointDrawing::arms},
    {.kind = JointKind::revolute,
     .name = "revolute",
     .summary = "a hinge: turns about the axis",
     .equations = 5,
     .gaps = [](const JointSymbols& s) { return joints::both(joints::same_point(s), joints::same_axis(s)); },
     .coordinate = Coordinate::angle,
     .plane = JointPlane::keeps_if_axis_across},
    {.kind = JointKind::prismatic,
     .name = "prismatic",
     .summary = "a slider: moves along the axis",
     .equations = 5,
     .gaps =
         [](const JointSymbols& s) { return joints::both(joints::on_axis(s), joints::same_orientation(s)); },
     .coordinate = Coordinate::travel,
     .plane = JointPlane::keeps_if_axis_inside,
     .drawing = JointDrawing::rail},
    {.kind = JointKind::cylindrical,
     .name = "cylindrical",
     .summary = "turns about the axis and moves along it",
     .equations = 4,
     .gaps = [](const JointSymbols& s) { return joints::both(joints::on_axis(s), joints::same_axis(s)); },
     .shows_angle = true,
     .shows_travel = true},
    {.kind = JointKind::universal,
     .name = "universal",
     .summary = "a cross: one axis in each body, at a fixed angle",
     .equations = 4,
     .gaps =
         [](const JointSymbols& s) {
           return joints::both(joints::same_point(s), {dot(s.sides[0].z, s.sides[1].z) - s.value()});
         },
     .axes = JointAxes::two},
    {.kind = JointKind::ball,
     .name = "ball",
     .summary = "one point in common",
     .equations = 3,
     .gaps = joints::same_point,
     .axes = JointAxes::none,
     .points = JointPoints::both},
    {.kind = JointKind::planar,
     .name = "planar",
     .summary = "slides on the plane across the axis and turns about the axis",
     .equations = 3,
     .gaps = [](const JointSymbols& s) { return joints::both(joints::same_axis(s), {joints::travel(s)}); },
     .shows_angle = true,
     .plane = JointPlane::keeps_if_axis_across},
    {.kind = JointKind::point_on_line,
     .name = "point-on-line",
     .summary = "the second body's point on the first one's line along the axis",
     .equations = 2,
     .gaps = joints::on_axis,
     .points = JointPoints::second,
     .shows_travel = true},
    {.kind = JointKind::point_on_plane,
     .name = "point-on-plane",
     .summary = "the second body's point on the first one's plane across the axis",
     .equations = 1,
     .gaps = [](const JointSymbols& s) -> JointEquations { return {joints::travel(s)}; },
     .points = JointPoints::second},
    {.kind = JointKind::distance,
     .name = "distance",
     .summary = "a massless rod between two points",
     .equations = 1,
     .gaps = joints::rod,
     .place = JointPlace::ends,
     .axes = JointAxes::none,
     .points = JointPoints::both,
     .value = {.key = "length",
               .unit = "m",
               .summary = "between the ends, or of the spring at rest; default: that at the start",
               .positive = true},
     .holds = false,
     .plane = JointPlane::keeps,
     .drawing = JointDrawing::rod},
    {.kind = JointKind::gear,
     .name = "gear",
     .summary = "ties the angles of two joints: q_second = ratio q_first",
     .equations = 1,
     .gaps = joints::gear,
     .place = JointPlace::ties,
     .axes = JointAxes::none,
     .value = {.key = "ratio", .summary = "q_second = ratio q_first"},
     .turning_pairs = 2,
     .tied = Coordinate::angle,
     .holds = false,
     .plane = JointPlane::keeps,
     .drawing = JointDrawing::nothing},
    {.kind = JointKind::rack,
     .name = "rack",
     .summary = "ties a travel to an angle: travel_second = ratio angle_first",
     .equations = 1,
     .gaps = [](const JointSymbols& s) -> JointEquations {
       return {travel_of(s.sides[2], s.sides[3]) - s.value() * joints::angle(s)};
     },
     .place = JointPlace::ties,
     .axes = JointAxes::none,
     .value = {.key = "ratio", .summary = "m of travel per rad"},
     .turning_pairs = 1,
     .tied = Coordinate::travel,
     .holds = false,
     .plane = JointPlane::keeps,
     .drawing = JointDrawing::nothing},
    {.kind = JointKind::screw,
     .name = "screw",
     .summary = "turns about the axis and moves along it: travel = pitch angle",
     .equations = 5,
     .gaps = joints::screw,
     .value = {.key = "pitch", .unit = "m/rad", .summary = "travel per angle"},
     .coordinate = Coordinate::angle,
     .shows_travel = true,
     .turning_pairs = 1},
    {.kind = JointKind::constant_velocity,
     .name = "constant-velocity",
     .summary = "two shafts that meet in a point, at any angle, and turn at the same rate",
     .equations = 4,
     .gaps = joints::constant_velocity,
     .more_numbers = joints::turn_between,
     .axes = JointAxes::one_or_two},
    {.kind = JointKind::point_on_curve,
     .name = "point-on-curve",
     .summary = "the second body's point on a curve of the first",
     .equations = 2,
     .gaps = [](const JointSymbols& s) { return joints::same_point(s.curve, s.sides[1].point); },
     .place = JointPlace::curve,
     .axes = JointAxes::none,
     .points = JointPoints::second,
     .curve = {.key = "curve",
               .summary =
                   "three formulas of s, in m, in the first body's own frame (the ground's: the world)"},
     .drawing = JointDrawing::curve},
}};

// The enum and the rows cannot disagree: every word has one row, at its place.
constexpr bool joint_kinds_agree() {
  for (std::size_t i = 0; i < kJointKinds.size(); ++i) {
    const JointInfo& row = kJointKinds[i];
    if (row.kind != static_cast<JointKind>(i) || row.name == nullptr || row.gaps == nullptr) return false;
  }
  return true;
}
static_assert(joint_kinds_agree(), "a kind of joint has no row of its own, or rows are in another order");

}  // namespace catena
