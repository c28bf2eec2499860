#include "catena/model/mechanism.h"

#include "catena/model/curves.h"
#include "catena/model/joint_info.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

struct PointMotion {
  Vec3 place{}, velocity{};
};

// A point of a body as it is drawn, world.
PointMotion motion_of(const Mechanism& mechanism, int body, const Vec3& point) {
  if (body == kGround) return {point, {}};
  const Body& of = mechanism.bodies[static_cast<std::size_t>(body)];
  const Vec3 arm = rotated(of.orientation, point);
  const Vec3 turning = of.point || of.fixed ? Vec3{} : cross(of.angular_velocity, arm);
  PointMotion out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.place[i] = of.position[i] + arm[i];
    out.velocity[i] = of.fixed ? 0.0 : of.velocity[i] + turning[i];
  }
  return out;
}

// How fast s passes: the joint's point moves as drawn, seen from the first body, and so does the curve's.
double curve_rate(const Mechanism& mechanism, const Joint& joint) {
  const Curve::Point at = Curve(joint.curve).at(joint.curve_start);
  const JointFrame& frame = joint.in_a;
  Vec3 on_curve = frame.point, slope{};
  for (std::size_t i = 0; i < 3; ++i) {
    on_curve[i] += at.place[0] * frame.x[i] + at.place[1] * frame.y[i] + at.place[2] * frame.z[i];
    slope[i] = at.slope[0] * frame.x[i] + at.slope[1] * frame.y[i] + at.slope[2] * frame.z[i];
  }
  if (joint.a != kGround)
    slope = rotated(mechanism.bodies[static_cast<std::size_t>(joint.a)].orientation, slope);
  const PointMotion first = motion_of(mechanism, joint.a, on_curve);
  const PointMotion second = motion_of(mechanism, joint.b, joint.in_b.point);
  double along = 0.0, square = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    along += (second.velocity[i] - first.velocity[i]) * slope[i];
    square += slope[i] * slope[i];
  }
  return square > 0.0 ? along / square : 0.0;
}

}  // namespace

void add_sliders(Mechanism& mechanism) {
  for (Joint& joint : mechanism.joints) {
    if (joint_info(joint.kind).place != JointPlace::curve || joint.slider >= 0) continue;
    Body slider;
    slider.name = joint.name + "." + kCurveParameter;
    slider.point = true;
    slider.position = {joint.curve_start, 0.0, 0.0};
    slider.velocity = {curve_rate(mechanism, joint), 0.0, 0.0};
    slider.place = joint.place;
    joint.slider = static_cast<int>(mechanism.bodies.size());
    mechanism.bodies.push_back(slider);
    ++mechanism.hidden_bodies;
  }
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

}  // namespace catena
