#include "catena/lab/rigid_capabilities.h"

#include <algorithm>
#include <memory>

#include "catena/dynamics/lagrangian/lagrangian_momenta.h"
#include "catena/dynamics/world/world.h"

namespace catena {
namespace {

// Coordinates have no group; where masses are constant they have momenta.
void offer_coordinates(const LagrangianSystem& coordinates, System& system) {
  std::optional<LagrangianMomenta> made = LagrangianMomenta::of(coordinates);
  if (!made) return;
  const auto momenta = std::make_shared<LagrangianMomenta>(std::move(*made));
  BodyMechanics& offered = system.bodies;
  offered.momenta = momenta->count();
  offered.rows = momenta->rows();
  offered.momenta_of = [momenta](const double* x, double* p) { momenta->momenta_of(x, p); };
  offered.set_momenta = [momenta](const double* p, double* x) { momenta->set_momenta(p, x); };
  offered.forces = [momenta](double t, const double* x, double* f) { momenta->forces(t, x, f); };
  offered.fly = [momenta](double h, const double*, double* p, double* change) {
    momenta->fly(h, p, change);
    return true;
  };
  offered.gaps = [momenta](double t, const double* hi, const double* lo, bool rates, double* rows) {
    momenta->gaps(t, hi, lo, rates, rows);
  };
  offered.hold = [momenta](double t, const double* x) { momenta->hold(t, x); };
  offered.pull = [momenta](const double* lambda, double* p) { momenta->pull(lambda, p); };
  offered.solve = [momenta](double* rows) { momenta->solve(rows); };
}

}  // namespace

void RigidCapabilities::offer(World& world, System& system) {
  if (world.lagrangian() != nullptr) return offer_coordinates(*world.lagrangian(), system);
  if (world.equations() != nullptr) return;  // they have no structure that is known
  offer_errors(world, system);
  if (world.mechanism() != nullptr) {
    // Links that are bodies are among them.
    const auto is_bodies = [](const ChainUnit& unit) { return unit.bodies() != nullptr; };
    if (std::all_of(world.chains().begin(), world.chains().end(), is_bodies)) offer_bodies(world, system);
    return;
  }
  offer_action(world, system);
  offer_rods(world, system);
}

void RigidCapabilities::offer_rods(const World& world, System& system) {
  rods_ = Rods::of(world);
  if (!rods_ || world.depends_on_velocity()) return;
  system.constraints.pull = [this](const double* x, const double* lambda, double* a) {
    rods_->pull(x, lambda, a);
  };
  system.constraints.solve = [this](const double* from, const double* to, double* right) {
    rods_->solve(from, to, right);
  };
}

void RigidCapabilities::offer_action(const World& world, System& system) {
  action_ = SphereAction::of(world);
  if (!action_) return;
  for (const SphereAction::Block& block : action_->blocks()) {
    if (block.turning) continue;
    const auto space = static_cast<std::size_t>(block.space);
    system.unit_vectors.push_back({block.offset, block.offset + space * block.links, block.links, space});
  }
  system.lie.dimension = action_->algebra();
  system.lie.field = [this, &system](Time t, const double* x, double* f) {
    rates_.resize(system.dimension);
    system.rhs(t, x, rates_.data());
    action_->field(x, rates_.data(), f);
  };
  system.lie.act = [this](const double* sigma, const double* x, double* change) {
    action_->act(sigma, x, change);
  };
  system.lie.dexp_inverse = [this](const double* sigma, const double* v, double* out) {
    action_->dexp_inverse(sigma, v, out);
  };
  system.lie.bracket = [this](const double* a, const double* b, double* out) { action_->bracket(a, b, out); };
}

void RigidCapabilities::offer_errors(const World& world, System& system) {
  errors_ = MotionErrors::of(world);
  if (!errors_) return;
  system.velocity_error = [this](const double* change) { return errors_->velocity(change); };
  system.momentum_error = [this](const double* change) { return errors_->momentum(change); };
}

void RigidCapabilities::offer_bodies(World& world, System& system) {
  const std::size_t bodies = world.mechanism()->bodies();
  body_action_.emplace(bodies, system.dimension - world.motion_lanes());
  rates_.resize(system.dimension);
  system.lie.dimension = body_action_->algebra();
  system.lie.keeps_allowed = false;  // orientations stay unit, but joints need projection
  system.lie.field = [this, &system](Time t, const double* x, double* f) {
    system.rhs(t, x, rates_.data());
    body_action_->field(x, rates_.data(), f);
  };
  system.lie.act = [this](const double* sigma, const double* x, double* change) {
    body_action_->act(sigma, x, change);
  };
  system.lie.dexp_inverse = [this](const double* sigma, const double* v, double* out) {
    body_action_->dexp_inverse(sigma, v, out);
  };
  system.lie.bracket = [this](const double* a, const double* b, double* out) {
    body_action_->bracket(a, b, out);
  };
  Multibody& mechanism = *world.mechanism();
  if (world.loaded() || mechanism.depends_on_velocity() || mechanism.has_massless()) return;
  offer_momenta(mechanism, system);
}

void RigidCapabilities::offer_momenta(Multibody& bodies, System& system) {
  BodyMechanics& offered = system.bodies;
  offered.momenta = 6 * bodies.bodies();
  offered.rows = bodies.rows();
  offered.momenta_of = [&bodies](const double* x, double* p) { bodies.momenta_of(x, p); };
  offered.set_momenta = [&bodies](const double* p, double* x) { bodies.set_momenta(p, x); };
  offered.forces = [&bodies](double t, const double* x, double* f) { bodies.forces(t, x, f); };
  offered.fly = [&bodies](double h, const double* x, double* p, double* change) {
    return bodies.fly(h, x, p, change);
  };
  offered.gaps = [&bodies](double t, const double* hi, const double* lo, bool rates, double* rows) {
    bodies.gaps(t, hi, lo, rates, rows);
  };
  offered.hold = [&bodies](double t, const double* x) { bodies.hold(t, x); };
  offered.pull = [&bodies](const double* lambda, double* p) { bodies.pull(lambda, p); };
  offered.solve = [&bodies](double* rows) { bodies.solve_multipliers(rows); };
}

}  // namespace catena
