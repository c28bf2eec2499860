// The digits of bodies' places and motions, and of joints' coordinates, that doubles cannot hold.
#include <cmath>
#include <numbers>

#include "catena/math/vec3.h"
#include "catena/math/wide_functions.h"
#include "catena/model/wide_placement.h"
#include "catena/observe/body_frame.h"

namespace catena {
namespace {

using Wide = DoubleDouble;

void give(const Wide& value, double& hi, double& lo) {
  const Wide clean = fast_two_sum(value.hi, value.lo);
  hi = clean.hi;
  lo = clean.lo;
}

struct WideBody {
  WideVec3 x, v, omega;  // omega: in the body's frame
  WideQuaternion p;
};

WideBody body_at(const Multibody& mechanism, std::size_t body, const TwoPart& state) {
  const Body& of = mechanism.mechanism().bodies[body];
  const int index = mechanism.moving_index(body);
  if (index == kGround) {
    return {wide_sum(of.position, of.position_rest), {}, {}, wide_sum(of.orientation, of.orientation_rest)};
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
  WideVec3 point, x, y, z, v, omega;
};

WideSide side_at(const Multibody& mechanism, int body, const JointFrame& frame, const TwoPart& state) {
  const WideVec3 point = wide_sum(frame.point, frame.point_rest), x = wide_sum(frame.x, frame.x_rest),
                 y = wide_sum(frame.y, frame.y_rest), z = wide_sum(frame.z, frame.z_rest);
  if (body == kGround) return {point, x, y, z, {}, {}};
  const WideBody s = body_at(mechanism, static_cast<std::size_t>(body), state);
  const WideVec3 arm = rotated(s.p, point), omega = rotated(s.p, s.omega);
  return {s.x + arm, rotated(s.p, x), rotated(s.p, y), rotated(s.p, z), s.v + cross(omega, arm), omega};
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
    const WideVec3 gap = b.point - a.point;
    give(dot(a.z, gap), travel[j], travel_lo[j]);
    give(dot(a.z, b.v - a.v) + dot(cross(a.omega, a.z), gap), travel_dot[j], travel_dot_lo[j]);
  }
}

void BodyFrame::refine(const Multibody& mechanism, const double* hi, const double* lo,
                       const AngleMemory& memory) {
  const TwoPart state{hi, lo};
  for (std::size_t b = 0; b < kinetic.size(); ++b) {
    const WideBody s = body_at(mechanism, b, state);
    const WideVec3 omega = rotated(s.p, s.omega);
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
