#include "catena/dynamics/bodies/assembly_stages.h"

#include <algorithm>

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
