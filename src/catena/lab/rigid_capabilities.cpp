#include "catena/lab/rigid_capabilities.h"

namespace catena {

void RigidCapabilities::offer(const World& world, System& system) {
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
