#include "catena/model/placement.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vec3 scaled(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }

Vec3 unit(const Vec3& a) {
  const double size = std::hypot(a[0], a[1], a[2]);
  return {a[0] / size, a[1] / size, a[2] / size};
}

// The axis of the world that is closest to perpendicular.
Vec3 across(const Vec3& z) {
  Vec3 axis{};
  std::size_t least = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    if (std::fabs(z[i]) < std::fabs(z[least])) least = i;
  }
  axis[least] = 1.0;
  return axis;
}

}  // namespace

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
          a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
}

Vec3 rotated(const Quaternion& p, const Vec3& v) {
  const Vec3 u{p[1], p[2], p[3]};
  const Vec3 turned = scaled(2.0, cross(u, v)), twice = cross(u, turned);
  return {v[0] + p[0] * turned[0] + twice[0], v[1] + p[0] * turned[1] + twice[1],
          v[2] + p[0] * turned[2] + twice[2]};
}

Vec3 rotated_back(const Quaternion& p, const Vec3& v) { return rotated({p[0], -p[1], -p[2], -p[3]}, v); }

Quaternion normalised(const Quaternion& p) {
  const double size = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  return {p[0] / size, p[1] / size, p[2] / size, p[3] / size};
}

Quaternion turn_about(const Vec3& axis, const Angle& angle) {
  // Half angles from sine and cosine, which are exact at quarter turns: without cancellation on either side.
  const double half = 0.5 * std::remainder(angle.radians, 4.0 * 3.14159265358979323846);
  double c = std::cos(half), s = std::sin(half);
  if (angle.sine == 0.0) {
    c = angle.cosine > 0.0 ? std::round(c) : 0.0;
    s = angle.cosine > 0.0 ? 0.0 : std::round(s);
  }
  const Vec3 u = unit(axis);
  return normalised({c, s * u[0], s * u[1], s * u[2]});
}

JointFrame frame_along(const Vec3& point, const Vec3& axis, const Vec3& reference) {
  JointFrame frame;
  frame.point = point;
  frame.z = unit(axis);
  const auto without_axis = [&](Vec3 v) {
    for (int pass = 0; pass < 2; ++pass) {  // the second takes what rounding left
      const double along = dot(v, frame.z);
      for (std::size_t i = 0; i < 3; ++i) v[i] -= along * frame.z[i];
    }
    return v;
  };
  Vec3 x = without_axis(reference);
  if (dot(x, x) <= 1e-20 * dot(reference, reference)) x = without_axis(across(frame.z));
  frame.x = unit(x);
  frame.y = cross(frame.z, frame.x);
  return frame;
}

JointFrame seen_by(const Mechanism& mechanism, int body, const JointFrame& world) {
  if (body == kGround) return world;
  const Body& of = mechanism.bodies[static_cast<std::size_t>(body)];
  const Vec3 from{world.point[0] - of.position[0], world.point[1] - of.position[1],
                  world.point[2] - of.position[2]};
  // Components below the rounding of what they come from are zero: a motion in a plane has none across it.
  const auto seen = [&](const Vec3& v, double size) {
    constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
    Vec3 out = rotated_back(of.orientation, v);
    for (double& c : out) {
      if (std::fabs(c) <= kRounding * size) c = 0.0;
    }
    return out;
  };
  const auto length = [](const Vec3& v) { return std::hypot(v[0], v[1], v[2]); };
  return {seen(from, std::max(length(world.point), length(of.position))), seen(world.x, 1.0),
          seen(world.y, 1.0), seen(world.z, 1.0)};
}

Joint joint_at(const Mechanism& mechanism, JointKind kind, int a, int b, const Vec3& point,
               const Vec3& axis) {
  const JointFrame world = frame_along(point, axis);
  Joint joint;
  joint.kind = kind;
  joint.a = a;
  joint.b = b;
  joint.in_a = seen_by(mechanism, a, world);
  joint.in_b = seen_by(mechanism, b, world);
  return joint;
}

Joint rod_between(const Mechanism& mechanism, int a, int b, const Vec3& point_a, const Vec3& point_b) {
  Joint joint;
  joint.kind = JointKind::distance;
  joint.a = a;
  joint.b = b;
  joint.in_a = seen_by(mechanism, a, frame_along(point_a, {0, 0, 1}));
  joint.in_b = seen_by(mechanism, b, frame_along(point_b, {0, 0, 1}));
  joint.value = std::hypot(point_b[0] - point_a[0], point_b[1] - point_a[1], point_b[2] - point_a[2]);
  return joint;
}

}  // namespace catena
