#include "catena/lab/experiment/hand.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "catena/base/words.h"

namespace catena {
namespace {

// The hand's spring: stiff beside the weight of all that moves, so that what is held keeps close to the hand,
// and damped so that it does not swing about it.
constexpr double kRate = 30.0;  // 1/s

double moving_mass(const Scene& scene) {
  double sum = 0.0;
  for (const Chain& chain : scene.chains) {
    for (const Link& link : chain.links) sum += link.mass;
  }
  for (const Body& body : scene.mechanism.bodies) sum += body.fixed ? 0.0 : body.mass;
  return sum;
}

}  // namespace

Vec3 HandPath::place(double t) const {
  const double u = t - since_, fading = std::exp(-(u / kDelay) * (u / kDelay));
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = target_[i] + (place_[i] - target_[i] + velocity_[i] * u) * fading;
  return out;
}

Vec3 HandPath::velocity(double t) const {
  const double u = t - since_, fading = std::exp(-(u / kDelay) * (u / kDelay));
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double away = place_[i] - target_[i] + velocity_[i] * u;
    out[i] = (velocity_[i] - 2 * u / (kDelay * kDelay) * away) * fading;
  }
  return out;
}

void HandPath::turn_to(const Vec3& target, double t) {
  const Vec3 from = place(t), rate = velocity(t);
  target_ = target;
  place_ = from;
  velocity_ = rate;
  since_ = t;
}

Formula HandPath::place_formula(int axis) const {
  const auto i = static_cast<std::size_t>(axis);
  return fmt::format("({}) + (({}) + ({})*(t - {}))*exp(-((t - {})/{})^2)", number_text(target_[i]),
                     number_text(place_[i] - target_[i]), number_text(velocity_[i]), number_text(since_),
                     number_text(since_), number_text(kDelay));
}

Formula HandPath::rate_formula(int axis) const {
  const auto i = static_cast<std::size_t>(axis);
  return fmt::format("(({}) - 2*(t - {})/{}^2*(({}) + ({})*(t - {})))*exp(-((t - {})/{})^2)",
                     number_text(velocity_[i]), number_text(since_), number_text(kDelay),
                     number_text(place_[i] - target_[i]), number_text(velocity_[i]), number_text(since_),
                     number_text(since_), number_text(kDelay));
}

Scene with_hand(const Scene& scene, const Grip& grip, const HandPath& path) {
  Scene out = scene;
  if (grip.is_pivot()) {
    Chain& chain = out.chains[static_cast<std::size_t>(grip.chain)];
    for (int axis = 0; axis < 3; ++axis) {
      chain.pivot_motion[static_cast<std::size_t>(axis)] = path.place_formula(axis);
    }
    chain.pivot = path.place(0.0);
    return out;
  }
  const double mass = moving_mass(scene);
  ForceEntry pull;
  pull.kind = "formula";
  pull.parameters = {{kHandParameter, mass * kRate * kRate}, {kHandDamping, 2 * mass * kRate}};
  if (grip.body >= 0) {
    pull.on_bodies = {grip.body};
    pull.point = grip.point;
  } else {
    pull.on = {{grip.chain, grip.link}};
  }
  constexpr const char* kAxes[] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    pull.force[static_cast<std::size_t>(axis)] =
        fmt::format("-hand_stiffness*({} - ({})) - hand_damping*(v{} - ({}))", kAxes[axis],
                    path.place_formula(axis), kAxes[axis], path.rate_formula(axis));
  }
  out.forces.push_back(std::move(pull));
  return out;
}

}  // namespace catena
