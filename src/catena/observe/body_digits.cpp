// The digits of bodies' places and motions, and of joints' coordinates, that doubles cannot hold.
#include <cmath>
#include <numbers>

#include "catena/math/functions_digits.h"
#include "catena/math/vec3.h"
#include "catena/model/placement_digits.h"
#include "catena/observe/body_frame.h"

namespace catena {
namespace {

using Digits = DoubleDouble;

void give(const Digits& value, double& hi, double& lo) {
  const Digits clean = fast_two_sum(value.hi, value.lo);
  hi = clean.hi;
  lo = clean.lo;
}

struct BodyDigits {
  Vec3Digits x, v, omega;  // omega: in the body's frame
  QuaternionDigits p;
};

BodyDigits body_at(const Multibody& mechanism, std::size_t body, const TwoPart& state) {
  const Body& of = mechanism.mechanism().bodies[body];
  const int index = mechanism.moving_index(body);
  if (index == kGround) {
    return {
        all_digits(of.position, of.position_rest), {}, {}, all_digits(of.orientation, of.orientation_rest)};
  }
  const std::size_t n = mechanism.bodies(), b = static_cast<std::size_t>(index);
  const auto lane = [&](std::size_t i) { return Digits(state.hi[i * n + b], state.lo[i * n + b]); };
  BodyDigits out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.x[i] = lane(kPosition + i);
    out.v[i] = lane(kVelocity + i);
    out.omega[i] = lane(kRotation + i);
  }
  for (std::size_t i = 0; i < 4; ++i) out.p[i] = lane(kOrientation + i);
  return out;
}

// A joint's frame in one of its bodies, in the world, and how it moves.
struct SideDigits {
  Vec3Digits point, x, y, z, v, omega;
};

SideDigits side_at(const Multibody& mechanism, int body, const JointFrame& frame, const TwoPart& state) {
  const Vec3Digits point = all_digits(frame.point, frame.point_rest), x = all_digits(frame.x, frame.x_rest),
                   y = all_digits(frame.y, frame.y_rest), z = all_digits(frame.z, frame.z_rest);
  if (body == kGround) return {point, x, y, z, {}, {}};
  const BodyDigits s = body_at(mechanism, static_cast<std::size_t>(body), state);
  const Vec3Digits arm = rotated(s.p, point), omega = rotated(s.p, s.omega);
  return {s.x + arm, rotated(s.p, x), rotated(s.p, y), rotated(s.p, z), s.v + cross(omega, arm), omega};
}

}  // namespace

void BodyFrame::refine_joint(const Multibody& mechanism, std::size_t j, const TwoPart& state, double turns) {
  const Joint& joint = mechanism.mechanism().joints[j];
  const SideDigits a = side_at(mechanism, joint.a, joint.in_a, state),
                   b = side_at(mechanism, joint.b, joint.in_b, state);
  if (shows(joint.kind, Coordinate::angle)) {
    const double whole = std::round(turns / (2.0 * std::numbers::pi));
    const Digits seen = digits::atan2<Digits>(dot(a.y, b.x), dot(a.x, b.x));
    give(seen + Digits(2.0 * whole) * digits::pi<Digits>(), angle[j], angle_lo[j]);
    give(dot(a.z, b.omega - a.omega), angle_dot[j], angle_dot_lo[j]);
  }
  if (shows(joint.kind, Coordinate::travel)) {
    const Vec3Digits gap = b.point - a.point;
    give(dot(a.z, gap), travel[j], travel_lo[j]);
    give(dot(a.z, b.v - a.v) + dot(cross(a.omega, a.z), gap), travel_dot[j], travel_dot_lo[j]);
  }
}

void BodyFrame::refine(const Multibody& mechanism, const double* hi, const double* lo,
                       const AngleMemory& memory) {
  const TwoPart state{hi, lo};
  for (std::size_t b = 0; b < kinetic.size(); ++b) {
    const BodyDigits s = body_at(mechanism, b, state);
    const Vec3Digits omega = rotated(s.p, s.omega);
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
