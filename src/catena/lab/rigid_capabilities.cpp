#include "catena/lab/rigid_capabilities.h"

#include "catena/dynamics/world.h"

namespace catena {

void RigidCapabilities::offer(const World& world, System& system) {
  // Bodies and coordinates have none of these.
  if (world.mechanism() != nullptr || world.lagrangian() != nullptr) return;
  offer_action(world, system);
  offer_rods(world, system);
}

void RigidCapabilities::offer_rods(const World& world, System& system) {
  rods_ = Rods::of(world);
  if (!rods_ || world.depends_on_velocity()) return;
  for (const Rods::Block& block : rods_->blocks()) {
    const auto space = static_cast<std::size_t>(block.space);
    system.constraints.vectors.push_back(
        {block.offset, block.offset + space * block.links, block.links, space});
  }
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
  rates_.resize(system.dimension);
  system.lie.dimension = action_->algebra();
  system.lie.field = [this, &system](double t, const double* x, double* f) {
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

}  // namespace catena
