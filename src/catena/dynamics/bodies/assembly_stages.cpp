#include "catena/dynamics/bodies/assembly_stages.h"

#include <algorithm>
#include <cmath>

#include "catena/math/decimal.h"

namespace catena::assembly {
namespace {

// What is to be added to the decimal that a number stands for in runs with more digits.
double beyond_decimal(double value, double rest) {
  return static_cast<double>(two_sum(value, rest) - decimal(value));
}

}  // namespace

Mechanism with_start_values(const Mechanism& mechanism) {
  Mechanism out = mechanism;
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const Joint& joint = mechanism.joints[i];
    if (!joint.start) continue;
    out.motors.push_back(
        {static_cast<int>(i),
         "value + more",
         {{"value", *joint.start}, {"more", beyond_decimal(*joint.start, joint.start_rest)}}});
  }
  return out;
}

namespace {

// The angle about z from a frame's x to the body's own first axis, or to its second where that is nearly
// along z.
double angle_to_own(const JointFrame& frame) {
  constexpr double kNearlyAlong = 0.75;  // the square of a cosine
  const Vec3 own = frame.z[0] * frame.z[0] > kNearlyAlong ? Vec3{0.0, 1.0, 0.0} : Vec3{1.0, 0.0, 0.0};
  return std::atan2(dot(own, frame.y), dot(own, frame.x));
}

void turn(JointFrame& frame, double angle) {
  const Vec3 x = std::cos(angle) * frame.x + std::sin(angle) * frame.y,
             y = std::cos(angle) * frame.y - std::sin(angle) * frame.x;
  frame.x = x;
  frame.y = y;
}

}  // namespace

Mechanism with_own_frames(Mechanism mechanism) {
  for (Joint& joint : mechanism.joints) {
    const double angle = angle_to_own(joint.b != kGround ? joint.in_b : joint.in_a);
    turn(joint.in_a, angle);
    turn(joint.in_b, angle);
  }
  return mechanism;
}

Mechanism with_start_rates(const Mechanism& mechanism, Multibody& closed, const LanePair& state) {
  Mechanism out = mechanism;
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const Joint& joint = mechanism.joints[i];
    if (!joint.start_rate) continue;
    const double q = closed.coordinate(i, 0.0, state.hi.data(), state.lo.data()).value;
    const double more = beyond_decimal(*joint.start_rate, joint.start_rate_rest);
    out.motors.push_back({static_cast<int>(i),
                          "value + (rate + more)*t",
                          {{"value", q}, {"rate", *joint.start_rate}, {"more", more}}});
  }
  return out;
}

bool has_givens(const Mechanism& mechanism) {
  return std::any_of(mechanism.bodies.begin(), mechanism.bodies.end(), [](const Body& body) {
    return !body.fixed && (body.velocity_given || body.angular_velocity_given);
  });
}

Mechanism with_heavy_givens(Mechanism mechanism) {
  constexpr double kHeavy = 0x1p27;  // a power of two: no digit changes
  for (Body& body : mechanism.bodies) {
    if (body.velocity_given) {
      body.mass *= kHeavy;
      body.mass_rest *= kHeavy;
    }
    if (!body.angular_velocity_given) continue;
    for (Matrix3* inertia : {&body.inertia, &body.inertia_rest}) {
      for (Vec3& row : *inertia) {
        for (double& moment : row) moment *= kHeavy;
      }
    }
  }
  return mechanism;
}

}  // namespace catena::assembly
