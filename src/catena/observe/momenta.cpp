#include "catena/observe/momenta.h"

#include <algorithm>
#include <cmath>

#include "catena/dynamics/world/world.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

Vec3 unit(std::size_t i) {
  Vec3 out{};
  out[i] = 1.0;
  return out;
}

// Gravity has no moment about this axis, wherever the masses are.
bool along_axis(const Vec3& gravity, std::size_t i) {
  return gravity[(i + 1) % 3] == 0.0 && gravity[(i + 2) % 3] == 0.0;
}

// Where the first joint to what is fixed is, in the world.
Vec3 fixed_point(const Mechanism& mechanism) {
  const auto is_fixed = [&](int body) {
    return body == kGround || mechanism.bodies[static_cast<std::size_t>(body)].fixed;
  };
  for (const Joint& joint : mechanism.joints) {
    if (joint.first >= 0) continue;
    for (const auto& [body, frame] : {std::pair(joint.a, &joint.in_a), std::pair(joint.b, &joint.in_b)}) {
      if (!is_fixed(body)) continue;
      if (body == kGround) return frame->point;
      const Body& of = mechanism.bodies[static_cast<std::size_t>(body)];
      Vec3 point = rotated(of.orientation, frame->point);
      for (std::size_t i = 0; i < 3; ++i) point[i] += of.position[i];
      return point;
    }
  }
  return {};
}

double moving_mass(const Mechanism& mechanism) {
  double sum = 0.0;
  for (const Body& body : mechanism.bodies) sum += body.fixed ? 0.0 : body.mass;
  return sum;
}

Vec3 center_of_mass(const Mechanism& mechanism, const BodyFrame& bodies) {
  Vec3 sum{};
  for (std::size_t b = 0; b < mechanism.shown_bodies(); ++b) {
    if (mechanism.bodies[b].fixed) continue;
    for (std::size_t i = 0; i < 3; ++i) sum[i] += mechanism.bodies[b].mass * bodies.position[i][b];
  }
  const double mass = moving_mass(mechanism);
  for (double& c : sum) c = mass > 0.0 ? c / mass : 0.0;
  return sum;
}

bool attached(const Mechanism& mechanism) {
  const auto to_fixed = [&](int a, int b) {
    const auto is_fixed = [&](int body) {
      return body == kGround || mechanism.bodies[static_cast<std::size_t>(body)].fixed;
    };
    return is_fixed(a) != is_fixed(b);
  };
  const auto joint = [&](const Joint& one) { return one.first < 0 && to_fixed(one.a, one.b); };
  const auto force = [&](const JointForce& one) { return to_fixed(one.a, one.b); };
  return std::any_of(mechanism.joints.begin(), mechanism.joints.end(), joint) ||
         std::any_of(mechanism.forces.begin(), mechanism.forces.end(), force);
}

std::array<bool, kMomenta> kept_by_bodies(Multibody& bodies, double t, const double* x) {
  constexpr double kNone = 1e-9;  // m/s or rad/s, for a motion of 1 m/s or 1 rad/s
  std::array<bool, kMomenta> kept{};
  if (!attached(bodies.mechanism())) {
    kept.fill(true);
    return kept;
  }
  const Vec3 point = fixed_point(bodies.mechanism());
  for (std::size_t i = 0; i < 3; ++i) {
    kept[i] = bodies.resistance(t, x, unit(i), {}, point) < kNone;
    kept[3 + i] = along_axis(bodies.gravity(), i) && bodies.resistance(t, x, {}, unit(i), point) < kNone;
  }
  return kept;
}

}  // namespace

std::array<bool, kMomenta> kept_momenta(World& world, double t, const double* x) {
  std::array<bool, kMomenta> kept{};
  const bool both = world.mechanism() != nullptr && !world.chains().empty();
  if (world.loaded() || both || world.lagrangian() != nullptr || world.equations() != nullptr) return kept;
  if (Multibody* bodies = world.mechanism()) return kept_by_bodies(*bodies, t, x);
  for (std::size_t i = 0; i < 3; ++i) {
    kept[3 + i] = std::all_of(world.chains().begin(), world.chains().end(), [&](const ChainUnit& unit) {
      return along_axis(unit.gravity, i) && unit.parameters().hinge.empty();
    });
  }
  return kept;
}

std::array<double, kMomenta> momenta(World& world, double t, const std::vector<ChainFrame>& chains,
                                     const BodyFrame* bodies) {
  std::array<double, kMomenta> out{};
  const auto total = [](const Lanes& lanes) {
    double sum = 0.0;
    for (const double value : lanes) sum += value;
    return sum;
  };
  for (const ChainFrame& chain : chains) {
    for (std::size_t i = 0; i < 3; ++i) {
      out[i] += total(chain.momentum[i]);
      out[3 + i] += total(chain.angular_momentum[i]);
    }
  }
  if (bodies == nullptr) return out;
  const Multibody& of = *world.mechanism();
  const Mechanism& mechanism = of.mechanism();
  Vec3 p, l;
  for (std::size_t i = 0; i < 3; ++i) {
    p[i] = total(bodies->momentum[i]);
    l[i] = total(bodies->angular_momentum[i]);
  }
  const Vec3 c = attached(mechanism) ? fixed_point(mechanism) : center_of_mass(mechanism, *bodies);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] += p[i] - moving_mass(mechanism) * of.gravity()[i] * t;
    out[3 + i] += l[i] - (c[j] * p[k] - c[k] * p[j]);
  }
  return out;
}

void MomentumRecord::take(World& world, double t, const double* x, const std::vector<ChainFrame>& chains,
                          const BodyFrame* bodies) {
  if (looks > 0.0 && !keeps(0) && !keeps(3)) return;
  int exponent = 0;
  if (looks == 0.0 || std::frexp(looks, &exponent) == 0.5) {
    const std::array<bool, kMomenta> now =
        kept_momenta(world, t, x + (bodies != nullptr ? world.mechanism_offset() : 0));
    for (std::size_t i = 0; i < kMomenta; ++i) kept[i] = now[i] && (looks == 0.0 || kept[i]);
  }
  const std::array<double, kMomenta> values = momenta(world, t, chains, bodies);
  if (looks == 0.0) start = values;
  for (std::size_t i = 0; i < kMomenta; ++i) error[i] = std::max(error[i], std::fabs(values[i] - start[i]));
  looks += 1.0;
}

double MomentumRecord::largest(std::size_t first) const {
  double out = 0.0;
  for (std::size_t i = first; i < first + 3; ++i) out = kept[i] ? std::max(out, error[i]) : out;
  return out;
}

}  // namespace catena
