#include "catena/model/mechanism.h"

namespace catena {

const std::vector<JointInfo>& joint_infos() {
  using K = JointKind;
  using C = Coordinate;
  static const std::vector<JointInfo> all{
      {K::fixed, "fixed", 6, C::none, "two bodies as one"},
      {K::revolute, "revolute", 5, C::angle, "a hinge: turns about the axis"},
      {K::prismatic, "prismatic", 5, C::travel, "a slider: moves along the axis"},
      {K::cylindrical, "cylindrical", 4, C::none, "turns about the axis and moves along it"},
      {K::universal, "universal", 4, C::none, "a cross: one axis in each body, at a fixed angle"},
      {K::ball, "ball", 3, C::none, "one point in common"},
      {K::planar, "planar", 3, C::none, "slides on the plane across the axis and turns about the axis"},
      {K::point_on_line, "point-on-line", 2, C::none,
       "the second body's point on the first one's line along the axis"},
      {K::point_on_plane, "point-on-plane", 1, C::none,
       "the second body's point on the first one's plane across the axis"},
      {K::distance, "distance", 1, C::none, "a massless rod between two points"},
      {K::gear, "gear", 1, C::none, "ties the angles of two joints: q_second = ratio q_first"},
      {K::rack, "rack", 1, C::none, "ties a travel to an angle: travel_second = ratio angle_first"},
      {K::screw, "screw", 5, C::angle, "turns about the axis and moves along it: travel = pitch angle"},
      {K::constant_velocity, "constant-velocity", 4, C::none,
       "two shafts that meet in a point, at any angle, and turn at the same rate"},
  };
  return all;
}

std::string coordinate_name(const Joint& joint) {
  return (joint_info(joint.kind).coordinate == Coordinate::angle ? "angle_" : "travel_") + joint.name;
}

std::vector<std::string> drive_names(const Mechanism& mechanism) {
  std::vector<std::string> names{"t", "q", "rate"};
  for (const Joint& joint : mechanism.joints) {
    if (joint_info(joint.kind).coordinate == Coordinate::none) continue;
    names.push_back(coordinate_name(joint));
    names.push_back(coordinate_name(joint) + "_dot");
  }
  return names;
}

const JointInfo& joint_info(JointKind kind) { return joint_infos()[static_cast<std::size_t>(kind)]; }

}  // namespace catena
