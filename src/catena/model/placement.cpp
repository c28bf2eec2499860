#include "catena/model/placement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/model/joint_kinds.h"

namespace catena {
namespace {

Vec3 unit(const Vec3& a) {
  const double size = length(a);
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
  const Vec3 turned = 2.0 * cross(u, v), twice = cross(u, turned);
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

// By the largest of the four squares 4 w^2, 4 x^2, ..: nothing cancels.
Quaternion turn_of(const JointFrame& frame) {
  const Vec3 &x = frame.x, &y = frame.y, &z = frame.z;
  const Quaternion squares{1 + x[0] + y[1] + z[2], 1 + x[0] - y[1] - z[2], 1 - x[0] + y[1] - z[2],
                           1 - x[0] - y[1] + z[2]};
  const auto largest = std::max_element(squares.begin(), squares.end()) - squares.begin();
  const double wx = y[2] - z[1], wy = z[0] - x[2], wz = x[1] - y[0];
  const double xy = x[1] + y[0], xz = x[2] + z[0], yz = y[2] + z[1];
  switch (largest) {
    case 0:
      return normalised({squares[0], wx, wy, wz});
    case 1:
      return normalised({wx, squares[1], xy, xz});
    case 2:
      return normalised({wy, xy, squares[2], yz});
    default:
      return normalised({wz, xz, yz, squares[3]});
  }
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
  const bool turned = of.orientation != Quaternion{1, 0, 0, 0};
  // Components below the rounding of what they come from are zero: a motion in a plane has none across it.
  // `sizes`: of the numbers that the components of v were made of.
  const auto seen = [&](const Vec3& v, const Vec3& sizes) {
    constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
    Vec3 out = turned ? rotated_back(of.orientation, v) : v;
    Vec3 error{};  // R^T, by columns: what the axes of the world are in the body
    for (std::size_t j = 0; j < 3; ++j) {
      Vec3 axis{};
      axis[j] = 1.0;
      const Vec3 column = turned ? rotated_back(of.orientation, axis) : axis;
      for (std::size_t i = 0; i < 3; ++i) error[i] += std::fabs(column[i]) * sizes[j];
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (turned) error[i] += length(v);
      if (std::fabs(out[i]) <= kRounding * error[i]) out[i] = 0.0;
    }
    return out;
  };
  Vec3 from, sizes;
  for (std::size_t i = 0; i < 3; ++i) {
    from[i] = world.point[i] - of.position[i];
    sizes[i] = std::max(std::fabs(world.point[i]), std::fabs(of.position[i]));
  }
  return {seen(from, sizes), seen(world.x, {}), seen(world.y, {}), seen(world.z, {})};
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
  joint.value = length(point_b - point_a);
  return joint;
}

}  // namespace catena
