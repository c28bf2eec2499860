// The digits of bodies' places and motions, and of joints' coordinates, that doubles cannot hold.
#include <cmath>
#include <numbers>

#include "catena/math/vec3.h"
#include "catena/math/wide_functions.h"
#include "catena/observe/body_frame.h"

namespace catena {
namespace {

using Wide = DoubleDouble;
using WideVector = Vec3Of<Wide>;
using WideQuaternion = std::array<Wide, 4>;

void give(const Wide& value, double& hi, double& lo) {
  const Wide clean = fast_two_sum(value.hi, value.lo);
  hi = clean.hi;
  lo = clean.lo;
}

WideVector widened(const Vec3& v) { return {Wide(v[0]), Wide(v[1]), Wide(v[2])}; }

// v + 2 r x (r x v + w v), by a unit quaternion (w, r).
WideVector rotated(const WideQuaternion& p, const WideVector& v) {
  const WideVector r{p[1], p[2], p[3]};
  WideVector inner = cross(r, v);
  for (std::size_t i = 0; i < 3; ++i) inner[i] = inner[i] + p[0] * v[i];
  WideVector out = cross(r, inner);
  for (std::size_t i = 0; i < 3; ++i) out[i] = v[i] + Wide(2.0) * out[i];
  return out;
}

struct WideBody {
  WideVector x, v, omega;  // omega: in the body's frame
  WideQuaternion p;
};

WideBody body_at(const Multibody& mechanism, std::size_t body, const TwoPart& state) {
  const Body& of = mechanism.mechanism().bodies[body];
  const int index = mechanism.moving_index(body);
  if (index == kGround) {
    const Quaternion& p = of.orientation;
    return {widened(of.position), {}, {}, {Wide(p[0]), Wide(p[1]), Wide(p[2]), Wide(p[3])}};
  }
  const std::size_t n = mechanism.bodies(), b = static_cast<std::size_t>(index);
  const auto lane = [&](std::size_t i) { return Wide(state.hi[i * n + b], state.lo[i * n + b]); };
  WideBody out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.x[i] = lane(kPosition + i);
    out.v[i] = lane(kVelocity + i);
    out.omega[i] = lane(kRotation + i);
  }
  for (std::size_t i = 0; i < 4; ++i) out.p[i] = lane(kOrientation + i);
  return out;
}

// A joint's frame in one of its bodies, in the world, and how it moves.
struct WideSide {
  WideVector point, x, y, z, v, omega;
};

WideSide side_at(const Multibody& mechanism, int body, const JointFrame& frame, const TwoPart& state) {
  if (body == kGround)
    return {widened(frame.point), widened(frame.x), widened(frame.y), widened(frame.z), {}, {}};
  const WideBody s = body_at(mechanism, static_cast<std::size_t>(body), state);
  const WideVector arm = rotated(s.p, widened(frame.point)), omega = rotated(s.p, s.omega);
  return {s.x + arm,
          rotated(s.p, widened(frame.x)),
          rotated(s.p, widened(frame.y)),
          rotated(s.p, widened(frame.z)),
          s.v + cross(omega, arm),
          omega};
}

}  // namespace

void BodyFrame::refine_joint(const Multibody& mechanism, std::size_t j, const TwoPart& state, double turns) {
  const Joint& joint = mechanism.mechanism().joints[j];
  const WideSide a = side_at(mechanism, joint.a, joint.in_a, state),
                 b = side_at(mechanism, joint.b, joint.in_b, state);
  if (shows(joint.kind, Coordinate::angle)) {
    const double whole = std::round(turns / (2.0 * std::numbers::pi));
    const Wide seen = wide::atan2<Wide>(dot(a.y, b.x), dot(a.x, b.x));
    give(seen + Wide(2.0 * whole) * wide::pi<Wide>(), angle[j], angle_lo[j]);
    give(dot(a.z, b.omega - a.omega), angle_dot[j], angle_dot_lo[j]);
  }
  if (shows(joint.kind, Coordinate::travel)) {
    const WideVector gap = b.point - a.point;
    give(dot(a.z, gap), travel[j], travel_lo[j]);
    give(dot(a.z, b.v - a.v) + dot(cross(a.omega, a.z), gap), travel_dot[j], travel_dot_lo[j]);
  }
}

void BodyFrame::refine(const Multibody& mechanism, const double* hi, const double* lo,
                       const AngleMemory& memory) {
  const TwoPart state{hi, lo};
  for (std::size_t b = 0; b < kinetic.size(); ++b) {
    const WideBody s = body_at(mechanism, b, state);
    const WideVector omega = rotated(s.p, s.omega);
    for (std::size_t i = 0; i < 3; ++i) {
      give(s.x[i], position[i][b], position_lo[i][b]);
      give(s.v[i], velocity[i][b], velocity_lo[i][b]);
      give(omega[i], rotation[i][b], rotation_lo[i][b]);
    }
    for (std::size_t i = 0; i < 4; ++i) give(s.p[i], orientation[i][b], orientation_lo[i][b]);
  }
  for (std::size_t j = 0; j < unique.size(); ++j) {
    if (mechanism.mechanism().joints[j].first < 0) refine_joint(mechanism, j, state, memory.turns[j]);
  }
}

}  // namespace catena
