#include "catena/model/wide_placement.h"

#include <cmath>

#include "catena/math/decimal.h"
#include "catena/math/wide_functions.h"
#include "catena/model/joint_kinds.h"
#include "catena/model/placement.h"
#include "catena/model/shapes_definitions.h"

namespace catena {
namespace {

using Wide = DoubleDouble;

double rest(const Wide& whole, double value) { return static_cast<double>(whole - Wide(value)); }

WideVec3 unit(const WideVec3& a) {
  const Wide size = square_root(dot(a, a));
  return {a[0] / size, a[1] / size, a[2] / size};
}

Vec3 as_doubles(const WideVec3& a) {
  return {static_cast<double>(a[0]), static_cast<double>(a[1]), static_cast<double>(a[2])};
}

}  // namespace

Wide dot(const WideVec3& a, const WideVec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

WideVec3 cross(const WideVec3& a, const WideVec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

WideVec3 plus(const WideVec3& a, const WideVec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
WideVec3 minus(const WideVec3& a, const WideVec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
WideVec3 times(const Wide& factor, const WideVec3& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}

WideVec3 wide_decimals(const Vec3& v) { return {decimal(v[0]), decimal(v[1]), decimal(v[2])}; }

WideVec3 wide_sum(const Vec3& value, const Vec3& more) {
  return {two_sum(value[0], more[0]), two_sum(value[1], more[1]), two_sum(value[2], more[2])};
}

WideQuaternion wide_sum(const Quaternion& value, const Quaternion& more) {
  WideQuaternion out;
  for (std::size_t i = 0; i < 4; ++i) out[i] = two_sum(value[i], more[i]);
  return out;
}

Vec3 rest_of(const WideVec3& whole, const Vec3& value) {
  return {rest(whole[0], value[0]), rest(whole[1], value[1]), rest(whole[2], value[2])};
}

Quaternion rest_of(const WideQuaternion& whole, const Quaternion& value) {
  Quaternion out;
  for (std::size_t i = 0; i < 4; ++i) out[i] = rest(whole[i], value[i]);
  return out;
}

WideVec3 rotated(const WideQuaternion& p, const WideVec3& v) {
  const WideVec3 u{p[1], p[2], p[3]};
  WideVec3 turned = cross(u, v);
  for (Wide& one : turned) one = one + one;
  const WideVec3 twice = cross(u, turned);
  WideVec3 out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = v[i] + p[0] * turned[i] + twice[i];
  return out;
}

WideVec3 rotated_back(const WideQuaternion& p, const WideVec3& v) {
  return rotated(WideQuaternion{p[0], -p[1], -p[2], -p[3]}, v);
}

WideQuaternion product(const WideQuaternion& a, const WideQuaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
          a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
}

WideQuaternion normalised(const WideQuaternion& p) {
  const Wide size = square_root(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  return {p[0] / size, p[1] / size, p[2] / size, p[3] / size};
}

WideQuaternion wide_turn(const Vec3& axis, const Angle& angle) {
  const Quaternion rough = turn_about(axis, angle);
  if (angle.sine == 0.0 && (rough[0] == 0.0 || std::fabs(rough[0]) == 1.0)) {  // half and whole turns
    const WideVec3 u = unit(wide_decimals(axis));
    const Wide c(rough[0]), s(rough[0] == 0.0 ? 1.0 : 0.0);
    const double side = rough[1] * axis[0] + rough[2] * axis[1] + rough[3] * axis[2] < 0.0 ? -1.0 : 1.0;
    return {c, Wide(side) * s * u[0], Wide(side) * s * u[1], Wide(side) * s * u[2]};
  }
  const Wide half = two_sum(angle.radians, angle.rest) * Wide(0.5);
  const WideVec3 u = unit(wide_decimals(axis));
  const Wide c = wide::cos(half), s = wide::sin(half);
  const WideQuaternion out{c, s * u[0], s * u[1], s * u[2]};
  // turn_about takes the angle within two turns, which may change the sign.
  double same = 0.0;
  for (std::size_t i = 0; i < 4; ++i) same += static_cast<double>(out[i]) * rough[i];
  return same < 0.0 ? WideQuaternion{-out[0], -out[1], -out[2], -out[3]} : out;
}

// ---- masses -----------------------------------------------------------------------------------------------

namespace {

// Extents as written: those of round shapes come from radius and length.
WideVec3 wide_extents(const ShapeEntry& entry, const Vec3& size) {
  WideVec3 out = wide_decimals(size);
  if (!entry.size.empty()) return out;
  const std::size_t along = entry.shape == "rod" ? 0 : 2;
  for (std::size_t i = 0; i < 3; ++i) {
    if (entry.radius && (i != along || entry.shape == "sphere")) out[i] = Wide(2.0) * decimal(*entry.radius);
  }
  if (entry.shape == "rod" && !entry.radius) out[1] = out[2] = decimal(*entry.length) / Wide(50.0);
  return out;
}

}  // namespace

CATENA_SOLIDS(Wide);

WideMass wide_solid(const ShapeEntry& entry, const Vec3& size, const Mesh& written) {
  if (entry.shape != "mesh") return solid(entry.shape, wide_extents(entry, size));
  std::vector<WideVec3> points;
  const Wide scale = decimal(entry.scale);
  for (const Vec3& point : written.points) points.push_back(times(scale, wide_decimals(point)));
  return solid(points, written.triangles);
}

void keep_digits(const WideMass& whole, Body& body) {
  body.mass_rest = rest(whole.mass, body.mass);
  for (std::size_t i = 0; i < 3; ++i) body.inertia_rest[i] = rest_of(whole.inertia[i], body.inertia[i]);
}

// ---- joints -----------------------------------------------------------------------------------------------

namespace {

struct WideFrame {
  WideVec3 point, x, y, z;
};

// As frame_along, whose choice of x it follows.
WideFrame wide_frame(const WideVec3& point, const WideVec3& axis, const WideVec3& reference) {
  const JointFrame rough = frame_along(as_doubles(point), as_doubles(axis), as_doubles(reference));
  WideFrame out{point, {}, {}, unit(axis)};
  const auto without_axis = [&](const WideVec3& v) {
    const Wide along = dot(v, out.z);
    return minus(v, {along * out.z[0], along * out.z[1], along * out.z[2]});
  };
  WideVec3 x = without_axis(reference);
  if (static_cast<double>(dot(x, x)) <= 1e-20 * static_cast<double>(dot(reference, reference))) {
    WideVec3 across{};
    std::size_t least = 0;
    for (std::size_t i = 1; i < 3; ++i) {
      if (std::fabs(rough.z[i]) < std::fabs(rough.z[least])) least = i;
    }
    across[least] = Wide(1.0);
    x = without_axis(across);
  }
  out.x = unit(x);
  out.y = cross(out.z, out.x);
  return out;
}

class WideJointReader {
 public:
  WideJointReader(const JointEntry& entry, const Mechanism& mechanism, Joint& joint)
      : entry_(entry), mechanism_(mechanism), joint_(joint) {}

  void read() {
    const JointInfo& info = joint_info(joint_.kind);
    if (entry_.value && info.place != JointPlace::ends)
      joint_.value_rest = rest(decimal(*entry_.value), joint_.value);
    if (info.place == JointPlace::ends) read_distance();
    if (info.place == JointPlace::point) read_frames();
  }

 private:
  bool is_point(int body) const { return body != kGround && of(body).point; }
  const Body& of(int body) const { return mechanism_.bodies[static_cast<std::size_t>(body)]; }
  WideVec3 position(int body) const { return wide_sum(of(body).position, of(body).position_rest); }
  WideQuaternion orientation(int body) const {
    return wide_sum(of(body).orientation, of(body).orientation_rest);
  }
  WideVec3 world_vector(int body, const Vec3& own) const {
    return body == kGround ? wide_decimals(own) : rotated(orientation(body), wide_decimals(own));
  }
  WideVec3 world_point(int body, const Vec3& own) const {
    return body == kGround ? wide_decimals(own) : plus(position(body), world_vector(body, own));
  }

  WideVec3 end(int body, const std::optional<Vec3>& world, std::size_t side) const {
    if (is_point(body)) return position(body);
    return entry_.anchors ? world_point(body, (*entry_.anchors)[side]) : wide_decimals(*world);
  }

  void keep(int body, const WideFrame& world, JointFrame& frame) const {
    const auto seen = [&](const WideVec3& v) {
      return body == kGround ? v : rotated_back(orientation(body), v);
    };
    const WideVec3 from = body == kGround ? world.point : minus(world.point, position(body));
    if (!is_point(body)) frame.point_rest = rest_of(seen(from), frame.point);
    frame.x_rest = rest_of(seen(world.x), frame.x);
    frame.y_rest = rest_of(seen(world.y), frame.y);
    frame.z_rest = rest_of(seen(world.z), frame.z);
  }

  void read_distance() {
    const WideVec3 up{Wide(0.0), Wide(0.0), Wide(1.0)};
    std::array<WideVec3, 2> ends;
    for (const std::size_t side : {0UL, 1UL}) {
      const int body = side == 0 ? joint_.a : joint_.b;
      const std::optional<Vec3> point = entry_.points ? std::optional((*entry_.points)[side]) : std::nullopt;
      ends[side] = end(body, point, side);
      keep(body, wide_frame(ends[side], up, {}), side == 0 ? joint_.in_a : joint_.in_b);
    }
    const WideVec3 span = minus(ends[1], ends[0]);
    const Wide apart = entry_.value ? decimal(*entry_.value) : square_root(dot(span, span));
    joint_.value_rest = rest(apart, joint_.value);
  }

  void read_frames() {
    const WideVec3 first = entry_.axes ? world_vector(joint_.a, (*entry_.axes)[0])
                                       : wide_decimals(entry_.axis.value_or(Vec3{0, 0, 1}));
    WideVec3 second = entry_.axes ? world_vector(joint_.b, (*entry_.axes)[1]) : first;
    if (entry_.axis2) second = wide_decimals(*entry_.axis2);
    const auto point = [&](int body, std::size_t side) {
      return entry_.anchors ? world_point(body, (*entry_.anchors)[side]) : wide_decimals(*entry_.point);
    };
    const WideFrame in_world = wide_frame(point(joint_.a, 0), first, cross(first, second));
    const WideFrame other = wide_frame(point(joint_.b, 1), second, in_world.x);
    keep(joint_.a, in_world, joint_.in_a);
    keep(joint_.b, other, joint_.in_b);
    if (joint_info(joint_.kind).axes == JointAxes::two)
      joint_.value_rest = rest(dot(in_world.z, other.z), joint_.value);
  }

  const JointEntry& entry_;
  const Mechanism& mechanism_;
  Joint& joint_;
};

}  // namespace

void keep_digits(const JointEntry& entry, const Mechanism& mechanism, Joint& joint) {
  WideJointReader(entry, mechanism, joint).read();
}

}  // namespace catena
