#include "catena/dynamics/world/motion_errors.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "catena/dynamics/world/world.h"

namespace catena {
namespace {

template <class Chain>
constexpr bool kHasVelocities =
    std::is_same_v<Chain, RigidChain<2>> || std::is_same_v<Chain, RigidChain<3>> || Chain::kElastic;

double length_of(const double* lanes, std::size_t stride, std::size_t count) {
  double square = 0.0;
  for (std::size_t i = 0; i < count; ++i) square += lanes[i * stride] * lanes[i * stride];
  return std::sqrt(square);
}

}  // namespace

std::optional<MotionErrors> MotionErrors::of(const World& world) {
  if (world.chains().empty() && world.mechanism() == nullptr) return std::nullopt;
  MotionErrors out;
  for (const ChainUnit& unit : world.chains()) {
    if (unit.bodies() != nullptr) continue;  // counted with the bodies
    const bool known =
        std::visit([](const auto& c) { return kHasVelocities<std::decay_t<decltype(c)>>; }, unit.chain);
    if (!known) return std::nullopt;
    const ChainLinks& links = unit.parameters();
    ChainPart part{unit.offset + unit.components() * unit.links(),
                   unit.links(),
                   unit.components(),
                   {},
                   links.length,
                   links.mass,
                   links.center_of_mass};
    if (!unit.elastic()) part.parent = links.parent;
    out.ends_.resize(std::max(out.ends_.size(), part.links * part.space));
    out.chains_.push_back(std::move(part));
  }
  const Multibody* mechanism = world.mechanism();
  if (mechanism == nullptr) return out;
  BodyPart part{world.mechanism_offset(), mechanism->bodies(), {}, {}, {}};
  for (std::size_t b = 0; b < part.count; ++b) {
    const Matrix3& inertia = mechanism->lanes().inertia(b);
    const double moment = std::max({inertia[0][0], inertia[1][1], inertia[2][2]});
    const double mass = mechanism->lanes().mass(b);
    part.mass.push_back(mass);
    part.moment.push_back(moment);
    part.gyration.push_back(mass > 0.0 ? std::sqrt(moment / mass) : 0.0);
  }
  out.bodies_ = std::move(part);
  return out;
}

double MotionErrors::largest(const double* change, bool momenta) {
  double most = 0.0;
  for (const ChainPart& chain : chains_) {
    const double* rates = change + chain.velocities;
    for (std::size_t k = 0; k < chain.links; ++k) {
      double square = 0.0;
      for (std::size_t i = 0; i < chain.space; ++i) {
        const double own = rates[i * chain.links + k];
        double& end = ends_[i * chain.links + k];
        if (chain.parent.empty()) {
          end = own;
          square += own * own;
          continue;
        }
        const int parent = chain.parent[k];
        const double before = parent < 0 ? 0.0 : ends_[i * chain.links + static_cast<std::size_t>(parent)];
        end = before + chain.length[k] * own;
        const double looked_at = momenta ? before + chain.at[k] * chain.length[k] * own : end;
        square += looked_at * looked_at;
      }
      most = std::max(most, (momenta ? chain.mass[k] : 1.0) * std::sqrt(square));
    }
  }
  if (!bodies_) return most;
  const std::size_t n = bodies_->count;
  for (std::size_t b = 0; b < n; ++b) {
    const double* lanes = change + bodies_->first + b;
    const double v = length_of(lanes + kVelocity * n, n, 3), w = length_of(lanes + kRotation * n, n, 3);
    const double r = bodies_->gyration[b];
    most = std::max(most, momenta ? bodies_->mass[b] * v : v);
    if (r > 0.0) most = std::max(most, momenta ? bodies_->moment[b] * w / r : r * w);
  }
  return most;
}

double MotionErrors::velocity(const double* change) { return largest(change, false); }

double MotionErrors::momentum(const double* change) { return largest(change, true); }

}  // namespace catena
