#include "catena/model/placement_digits.h"

#include <cmath>

#include "catena/math/decimal.h"
#include "catena/math/functions_digits.h"
#include "catena/model/joint_kinds.h"
#include "catena/model/placement.h"
#include "catena/model/shapes_definitions.h"

namespace catena {
namespace {

using Digits = DoubleDouble;

double rest(const Digits& whole, double value) { return static_cast<double>(whole - Digits(value)); }

Vec3Digits unit(const Vec3Digits& a) {
  const Digits size = square_root(dot(a, a));
  return {a[0] / size, a[1] / size, a[2] / size};
}

Vec3 as_doubles(const Vec3Digits& a) {
  return {static_cast<double>(a[0]), static_cast<double>(a[1]), static_cast<double>(a[2])};
}

}  // namespace

Digits dot(const Vec3Digits& a, const Vec3Digits& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vec3Digits cross(const Vec3Digits& a, const Vec3Digits& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vec3Digits plus(const Vec3Digits& a, const Vec3Digits& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec3Digits minus(const Vec3Digits& a, const Vec3Digits& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3Digits times(const Digits& factor, const Vec3Digits& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}

Vec3Digits decimals_of(const Vec3& v) { return {decimal(v[0]), decimal(v[1]), decimal(v[2])}; }

Vec3Digits all_digits(const Vec3& value, const Vec3& more) {
  return {two_sum(value[0], more[0]), two_sum(value[1], more[1]), two_sum(value[2], more[2])};
}

QuaternionDigits all_digits(const Quaternion& value, const Quaternion& more) {
  QuaternionDigits out;
  for (std::size_t i = 0; i < 4; ++i) out[i] = two_sum(value[i], more[i]);
  return out;
}

Vec3 rest_of(const Vec3Digits& whole, const Vec3& value) {
  return {rest(whole[0], value[0]), rest(whole[1], value[1]), rest(whole[2], value[2])};
}

Quaternion rest_of(const QuaternionDigits& whole, const Quaternion& value) {
  Quaternion out;
  for (std::size_t i = 0; i < 4; ++i) out[i] = rest(whole[i], value[i]);
  return out;
}

Vec3Digits rotated(const QuaternionDigits& p, const Vec3Digits& v) {
  const Vec3Digits u{p[1], p[2], p[3]};
  Vec3Digits turned = cross(u, v);
  for (Digits& one : turned) one = one + one;
  const Vec3Digits twice = cross(u, turned);
  Vec3Digits out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = v[i] + p[0] * turned[i] + twice[i];
  return out;
}

Vec3Digits rotated_back(const QuaternionDigits& p, const Vec3Digits& v) {
  return rotated(QuaternionDigits{p[0], -p[1], -p[2], -p[3]}, v);
}

QuaternionDigits product(const QuaternionDigits& a, const QuaternionDigits& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
          a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
}

QuaternionDigits normalised(const QuaternionDigits& p) {
  const Digits size = square_root(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  return {p[0] / size, p[1] / size, p[2] / size, p[3] / size};
}

QuaternionDigits turn_digits(const Vec3& axis, const Angle& angle) {
  const Quaternion rough = turn_about(axis, angle);
  if (angle.sine == 0.0 && (rough[0] == 0.0 || std::fabs(rough[0]) == 1.0)) {  // half and whole turns
    const Vec3Digits u = unit(decimals_of(axis));
    const Digits c(rough[0]), s(rough[0] == 0.0 ? 1.0 : 0.0);
    const double side = rough[1] * axis[0] + rough[2] * axis[1] + rough[3] * axis[2] < 0.0 ? -1.0 : 1.0;
    return {c, Digits(side) * s * u[0], Digits(side) * s * u[1], Digits(side) * s * u[2]};
  }
  const Digits half = two_sum(angle.radians, angle.rest) * Digits(0.5);
  const Vec3Digits u = unit(decimals_of(axis));
  const Digits c = digits::cos(half), s = digits::sin(half);
  const QuaternionDigits out{c, s * u[0], s * u[1], s * u[2]};
  // turn_about takes the angle within two turns, which may change the sign.
  double same = 0.0;
  for (std::size_t i = 0; i < 4; ++i) same += static_cast<double>(out[i]) * rough[i];
  return same < 0.0 ? QuaternionDigits{-out[0], -out[1], -out[2], -out[3]} : out;
}

// ---- masses -----------------------------------------------------------------------------------------------

namespace {

// Extents as written: those of round shapes come from radius and length.
Vec3Digits extents_digits(const ShapeEntry& entry, const Vec3& size) {
  Vec3Digits out = decimals_of(size);
  if (!entry.size.empty()) return out;
  const std::size_t along = entry.shape == "rod" ? 0 : 2;
  for (std::size_t i = 0; i < 3; ++i) {
    if (entry.radius && (i != along || entry.shape == "sphere"))
      out[i] = Digits(2.0) * decimal(*entry.radius);
  }
  if (entry.shape == "rod" && !entry.radius) out[1] = out[2] = decimal(*entry.length) / Digits(50.0);
  return out;
}

}  // namespace

CATENA_SOLIDS(Digits);

MassDigits solid_digits(const ShapeEntry& entry, const Vec3& size, const Mesh& written) {
  if (entry.shape != "mesh") return solid(entry.shape, extents_digits(entry, size));
  std::vector<Vec3Digits> points;
  const Digits scale = decimal(entry.scale);
  for (const Vec3& point : written.points) points.push_back(times(scale, decimals_of(point)));
  return solid(points, written.triangles);
}

void keep_digits(const MassDigits& whole, Body& body) {
  body.mass_rest = rest(whole.mass, body.mass);
  for (std::size_t i = 0; i < 3; ++i) body.inertia_rest[i] = rest_of(whole.inertia[i], body.inertia[i]);
}

// ---- joints -----------------------------------------------------------------------------------------------

namespace {

struct FrameDigits {
  Vec3Digits point, x, y, z;
};

// As frame_along, whose choice of x it follows.
FrameDigits frame_digits(const Vec3Digits& point, const Vec3Digits& axis, const Vec3Digits& reference) {
  const JointFrame rough = frame_along(as_doubles(point), as_doubles(axis), as_doubles(reference));
  FrameDigits out{point, {}, {}, unit(axis)};
  const auto without_axis = [&](const Vec3Digits& v) {
    const Digits along = dot(v, out.z);
    return minus(v, {along * out.z[0], along * out.z[1], along * out.z[2]});
  };
  Vec3Digits x = without_axis(reference);
  if (static_cast<double>(dot(x, x)) <= 1e-20 * static_cast<double>(dot(reference, reference))) {
    Vec3Digits across{};
    std::size_t least = 0;
    for (std::size_t i = 1; i < 3; ++i) {
      if (std::fabs(rough.z[i]) < std::fabs(rough.z[least])) least = i;
    }
    across[least] = Digits(1.0);
    x = without_axis(across);
  }
  out.x = unit(x);
  out.y = cross(out.z, out.x);
  return out;
}

class JointDigitsReader {
 public:
  JointDigitsReader(const JointEntry& entry, const Mechanism& mechanism, Joint& joint)
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
  Vec3Digits position(int body) const { return all_digits(of(body).position, of(body).position_rest); }
  QuaternionDigits orientation(int body) const {
    return all_digits(of(body).orientation, of(body).orientation_rest);
  }
  Vec3Digits world_vector(int body, const Vec3& own) const {
    return body == kGround ? decimals_of(own) : rotated(orientation(body), decimals_of(own));
  }
  Vec3Digits world_point(int body, const Vec3& own) const {
    return body == kGround ? decimals_of(own) : plus(position(body), world_vector(body, own));
  }

  Vec3Digits end(int body, const std::optional<Vec3>& world, std::size_t side) const {
    if (is_point(body)) return position(body);
    return entry_.anchors ? world_point(body, (*entry_.anchors)[side]) : decimals_of(*world);
  }

  void keep(int body, const FrameDigits& world, JointFrame& frame) const {
    const auto seen = [&](const Vec3Digits& v) {
      return body == kGround ? v : rotated_back(orientation(body), v);
    };
    const Vec3Digits from = body == kGround ? world.point : minus(world.point, position(body));
    if (!is_point(body)) frame.point_rest = rest_of(seen(from), frame.point);
    frame.x_rest = rest_of(seen(world.x), frame.x);
    frame.y_rest = rest_of(seen(world.y), frame.y);
    frame.z_rest = rest_of(seen(world.z), frame.z);
  }

  void read_distance() {
    const Vec3Digits up{Digits(0.0), Digits(0.0), Digits(1.0)};
    std::array<Vec3Digits, 2> ends;
    for (const std::size_t side : {0UL, 1UL}) {
      const int body = side == 0 ? joint_.a : joint_.b;
      const std::optional<Vec3> point = entry_.points ? std::optional((*entry_.points)[side]) : std::nullopt;
      ends[side] = end(body, point, side);
      keep(body, frame_digits(ends[side], up, {}), side == 0 ? joint_.in_a : joint_.in_b);
    }
    const Vec3Digits span = minus(ends[1], ends[0]);
    const Digits apart = entry_.value ? decimal(*entry_.value) : square_root(dot(span, span));
    joint_.value_rest = rest(apart, joint_.value);
  }

  void read_frames() {
    const Vec3Digits first = entry_.axes ? world_vector(joint_.a, (*entry_.axes)[0])
                                         : decimals_of(entry_.axis.value_or(Vec3{0, 0, 1}));
    Vec3Digits second = entry_.axes ? world_vector(joint_.b, (*entry_.axes)[1]) : first;
    if (entry_.axis2) second = decimals_of(*entry_.axis2);
    const auto point = [&](int body, std::size_t side) {
      return entry_.anchors ? world_point(body, (*entry_.anchors)[side]) : decimals_of(*entry_.point);
    };
    const FrameDigits in_world = frame_digits(point(joint_.a, 0), first, cross(first, second));
    const FrameDigits other = frame_digits(point(joint_.b, 1), second, in_world.x);
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
  JointDigitsReader(entry, mechanism, joint).read();
}

}  // namespace catena
