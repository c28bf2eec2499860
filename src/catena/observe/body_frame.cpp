#include "catena/observe/body_frame.h"

#include <cmath>
#include <numbers>

#include "catena/dynamics/joints/joint_laws.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

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

bool has_angle(const Multibody& mechanism, std::size_t joint) {
  return shows(mechanism.mechanism().joints[joint].kind, Coordinate::angle);
}

// A joint's frame in one of its bodies, in the world, and how it moves.
struct Side {
  Vec3 point, x, y, z;
  Vec3 v, omega;  // of the point; of the body
};

Side side_of(const Multibody& mechanism, int body, const JointFrame& frame, const double* hi) {
  if (body == kGround) return {frame.point, frame.x, frame.y, frame.z, {}, {}};
  const BodyState s = state_of(mechanism, static_cast<std::size_t>(body), hi);
  const Vec3 arm = rotated(s.p, frame.point), omega = rotated(s.p, s.omega), turning = cross(omega, arm);
  Side out{arm, rotated(s.p, frame.x), rotated(s.p, frame.y), rotated(s.p, frame.z), turning, omega};
  for (std::size_t i = 0; i < 3; ++i) out.point[i] += s.x[i], out.v[i] += s.v[i];
  return out;
}

// Angles in (-pi, pi]. Where the coordinate is not the joint's own, from the two frames, whose axes agree.
Multibody::JointCoordinate coordinate_of(Multibody& mechanism, std::size_t joint, Coordinate which, double t,
                                         const TwoPart& state) {
  const Joint& of = mechanism.mechanism().joints[joint];
  if (joint_info(of.kind).coordinate == which) return mechanism.coordinate(joint, t, state.hi, state.lo);
  const Side a = side_of(mechanism, of.a, of.in_a, state.hi), b = side_of(mechanism, of.b, of.in_b, state.hi);
  if (which == Coordinate::angle)
    return {std::atan2(dot(a.y, b.x), dot(a.x, b.x)), dot(a.z, b.omega - a.omega)};
  const Vec3 gap = b.point - a.point;
  return {dot(a.z, gap), dot(a.z, b.v - a.v) + dot(cross(a.omega, a.z), gap)};
}

}  // namespace

bool shows(JointKind kind, Coordinate coordinate) { return joint_info(kind).shows(coordinate); }

// A start value that assembly was given, or where a motor starts, may lie turns away from the angle that can
// be seen.
AngleMemory start_memory(Multibody& mechanism, double t, const double* hi, const double* lo) {
  AngleMemory memory;
  memory.turns.assign(mechanism.mechanism().shown_joints(), 0.0);
  const auto count_turns = [&](std::size_t j, double start) {
    if (!has_angle(mechanism, j)) return;
    memory.turns[j] = kTurn * std::round((start - mechanism.coordinate(j, t, hi, lo).value) / kTurn);
  };
  for (std::size_t j = 0; j < memory.turns.size(); ++j) {
    if (const auto& start = mechanism.mechanism().joints[j].start) count_turns(j, *start);
  }
  for (const JointMotor& motor : mechanism.mechanism().motors) {
    count_turns(static_cast<std::size_t>(motor.joint), motion_at(motor, t));
  }
  return memory;
}

void follow_turns(Multibody& mechanism, double t, const TwoPart& from, const TwoPart& to, double elapsed,
                  AngleMemory& memory) {
  for (std::size_t j = 0; j < memory.turns.size(); ++j) {
    if (!has_angle(mechanism, j)) continue;
    const auto before = coordinate_of(mechanism, j, Coordinate::angle, t - elapsed, from);
    const auto after = coordinate_of(mechanism, j, Coordinate::angle, t, to);
    const double expected = before.value + 0.5 * elapsed * (before.rate + after.rate);
    // Whole turns times 2 pi, rounded once: adding one after another would round each time.
    memory.turns[j] = kTurn * std::round((memory.turns[j] + expected - after.value) / kTurn);
  }
}

BodyFrame::BodyFrame(const Multibody& mechanism) {
  const std::size_t n = mechanism.mechanism().shown_bodies(), m = mechanism.mechanism().shown_joints();
  for (Lanes3* vectors : {&position, &velocity, &rotation, &momentum, &angular_momentum, &position_lo,
                          &velocity_lo, &rotation_lo}) {
    for (Lanes& lanes : *vectors) lanes.resize(n);
  }
  for (std::array<Lanes, 4>* four : {&orientation, &orientation_lo}) {
    for (Lanes& lanes : *four) lanes.resize(n);
  }
  kinetic.resize(n);
  potential.resize(n);
  for (Lanes* lanes : {&angle, &angle_dot, &travel, &travel_dot, &unique, &angle_lo, &angle_dot_lo,
                       &travel_lo, &travel_dot_lo})
    lanes->resize(m);
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
  for (std::size_t j = 0; j < unique.size(); ++j) {
    const JointKind kind = mechanism.mechanism().joints[j].kind;
    if (shows(kind, Coordinate::angle)) {
      const auto q = coordinate_of(mechanism, j, Coordinate::angle, t, {hi, lo});
      angle[j] = q.value + memory.turns[j];
      angle_dot[j] = q.rate;
    }
    if (shows(kind, Coordinate::travel)) {
      const auto q = coordinate_of(mechanism, j, Coordinate::travel, t, {hi, lo});
      travel[j] = q.value;
      travel_dot[j] = q.rate;
    }
  }
}

void BodyFrame::react(const std::vector<Multibody::Reaction>& of_joints) {
  for (std::size_t j = 0; j < unique.size(); ++j) {
    unique[j] = of_joints[j].unique ? 1.0 : 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      force[i][j] = of_joints[j].force[i];
      moment[i][j] = of_joints[j].moment[i];
    }
  }
}

}  // namespace catena
