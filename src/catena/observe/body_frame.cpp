#include "catena/observe/body_frame.h"

#include <cmath>
#include <numbers>

#include "catena/model/placement.h"

namespace catena {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// A moving body's part of the state, or a fixed one where it is.
struct BodyState {
  Vec3 x, v, omega;
  Quaternion p;
};

BodyState state_of(const Multibody& mechanism, std::size_t body, const double* hi) {
  const Body& of = mechanism.mechanism().bodies[body];
  const int index = mechanism.moving_index(body);
  if (index == kGround) return {of.position, {}, {}, of.orientation};
  const std::size_t n = mechanism.bodies(), b = static_cast<std::size_t>(index);
  BodyState out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.x[i] = hi[(kPosition + i) * n + b];
    out.v[i] = hi[(kVelocity + i) * n + b];
    out.omega[i] = hi[(kRotation + i) * n + b];
  }
  for (std::size_t i = 0; i < 4; ++i) out.p[i] = hi[(kOrientation + i) * n + b];
  return out;
}

bool is_angle(const Multibody& mechanism, std::size_t joint) {
  return joint_info(mechanism.mechanism().joints[joint].kind).coordinate == Coordinate::angle;
}

}  // namespace

// A start value that assembly was given may lie turns away from the angle that can be seen.
AngleMemory start_memory(Multibody& mechanism, const double* hi, const double* lo) {
  AngleMemory memory;
  memory.turns.assign(mechanism.mechanism().shown_joints(), 0.0);
  for (std::size_t j = 0; j < memory.turns.size(); ++j) {
    const std::optional<double>& start = mechanism.mechanism().joints[j].start;
    if (!start || !is_angle(mechanism, j)) continue;
    memory.turns[j] = kTurn * std::round((*start - mechanism.coordinate(j, 0.0, hi, lo).value) / kTurn);
  }
  return memory;
}

void follow_turns(Multibody& mechanism, double t, const TwoPart& from, const TwoPart& to, double elapsed,
                  AngleMemory& memory) {
  for (std::size_t j = 0; j < memory.turns.size(); ++j) {
    if (!is_angle(mechanism, j)) continue;
    const auto before = mechanism.coordinate(j, t - elapsed, from.hi, from.lo);
    const auto after = mechanism.coordinate(j, t, to.hi, to.lo);
    const double expected = before.value + 0.5 * elapsed * (before.rate + after.rate);
    memory.turns[j] += kTurn * std::round((expected - after.value) / kTurn);
  }
}

BodyFrame::BodyFrame(const Multibody& mechanism) {
  const std::size_t n = mechanism.mechanism().shown_bodies(), m = mechanism.mechanism().shown_joints();
  for (Lanes3* vectors : {&position, &velocity, &rotation, &momentum, &angular_momentum}) {
    for (Lanes& lanes : *vectors) lanes.resize(n);
  }
  for (Lanes& lanes : orientation) lanes.resize(n);
  kinetic.resize(n);
  potential.resize(n);
  coordinate.resize(m);
  coordinate_dot.resize(m);
  unique.resize(m);
  for (Lanes3* vectors : {&force, &moment}) {
    for (Lanes& lanes : *vectors) lanes.resize(m);
  }
}

void BodyFrame::update(Multibody& mechanism, double t, const double* hi, const double* lo,
                       const AngleMemory& memory) {
  const std::vector<Body>& bodies = mechanism.mechanism().bodies;
  for (std::size_t b = 0; b < kinetic.size(); ++b) {
    const BodyState s = state_of(mechanism, b, hi);
    const bool fixed = bodies[b].fixed;
    const double mass = fixed ? 0.0 : bodies[b].mass;
    Vec3 spin{};
    for (std::size_t i = 0; i < 3 && !fixed && !bodies[b].point; ++i)
      spin[i] = dot(bodies[b].inertia[i], s.omega);
    const Vec3 omega_world = rotated(s.p, s.omega), spin_world = rotated(s.p, spin), orbit = cross(s.x, s.v);
    for (std::size_t i = 0; i < 3; ++i) {
      position[i][b] = s.x[i];
      velocity[i][b] = s.v[i];
      rotation[i][b] = omega_world[i];
      momentum[i][b] = mass * s.v[i];
      angular_momentum[i][b] = mass * orbit[i] + spin_world[i];
    }
    for (std::size_t i = 0; i < 4; ++i) orientation[i][b] = s.p[i];
    kinetic[b] = 0.5 * mass * dot(s.v, s.v) + 0.5 * dot(s.omega, spin);
    potential[b] = -mass * dot(mechanism.gravity(), s.x);
  }
  for (std::size_t j = 0; j < coordinate.size(); ++j) {
    const auto q = mechanism.coordinate(j, t, hi, lo);
    coordinate[j] = q.value + memory.turns[j];
    coordinate_dot[j] = q.rate;
  }
}

void BodyFrame::react(const std::vector<Multibody::Reaction>& of_joints) {
  for (std::size_t j = 0; j < coordinate.size(); ++j) {
    unique[j] = of_joints[j].unique ? 1.0 : 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      force[i][j] = of_joints[j].force[i];
      moment[i][j] = of_joints[j].moment[i];
    }
  }
}

}  // namespace catena
