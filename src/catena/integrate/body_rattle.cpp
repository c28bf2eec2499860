#include "catena/integrate/body_rattle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/integrate/hermite_record.h"
#include "catena/integrate/step_control.h"

namespace catena {
namespace {

class BodyRattle final : public Stepper {
 public:
  BodyRattle(const System& system, const StepOptions& options)
      : system_(system),
        bodies_(system.bodies),
        n_(system.dimension),
        controlled_(controlled_lanes(system)),
        h_(options.step.value_or(0.0)),
        start_momenta_(bodies_.momenta),
        momenta_(bodies_.momenta),
        force_(bodies_.momenta),
        rows_(bodies_.rows),
        increment_(n_),
        end_(n_),
        low_(n_),
        rate_(n_),
        record_(system, kOrder) {}

  int order() const override { return kOrder; }
  StepMemory memory() const override { return {h_}; }
  void restore(const StepMemory& memory) override { h_ = memory[0]; }
  const StepPolynomial& dense() override { return record_.polynomial(counts_); }

  StepStatus step(State& state, double /*horizon*/) override {
    const double* x = state.hi.data();
    std::fill(increment_.begin(), increment_.end(), 0.0);
    add_integrals(state.t, x);
    bodies_.momenta_of(x, start_momenta_.data());
    kick(state.t, x, start_momenta_.data());
    bodies_.hold(state.t, x);
    if (const StepStatus status = fly(state); status != StepStatus::done) return status;
    land(state);
    if (!std::isfinite(max_norm(increment_.data(), n_))) return StepStatus::not_finite;
    add_integrals(state.t + h_, end_.data());
    record_.begin(state, h_);
    accumulate(system_, state, h_, increment_.data());
    record_.end(state);
    last_step_ = h_;
    ++counts_.steps;
    return StepStatus::done;
  }

 private:
  static constexpr int kOrder = 2;
  static constexpr int kMostPasses = 100;
  // Gaps, over the size of the step, that are roundoff once they no longer shrink.
  static constexpr double kAlmostClosed = 1e-12;

  // p += h/2 f
  void kick(double t, const double* x, double* p) {
    bodies_.forces(t, x, force_.data());
    ++counts_.evaluations;
    for (std::size_t i = 0; i < force_.size(); ++i) p[i] += 0.5 * h_ * force_[i];
  }

  // Integrals along the motion add up by the trapezoidal rule.
  void add_integrals(double t, const double* x) {
    if (controlled_ == n_) return;
    system_.rhs(t, x, rate_.data());
    ++counts_.evaluations;
    for (std::size_t i = controlled_; i < n_; ++i) increment_[i] += 0.5 * h_ * rate_[i];
  }

  // start_momenta_ plus the pulls that make the flight end where the constraints hold. The gradients at the
  // start serve for all corrections.
  StepStatus fly(const State& state) {
    double before = std::numeric_limits<double>::infinity();
    int growing = 0;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      std::copy(start_momenta_.begin(), start_momenta_.end(), momenta_.begin());
      if (!bodies_.fly(h_, state.hi.data(), momenta_.data(), increment_.data()))
        return StepStatus::not_solved;
      const double size = max_norm(increment_.data(), controlled_);
      if (!std::isfinite(size)) return StepStatus::not_finite;
      for (std::size_t i = 0; i < n_; ++i) low_[i] = state.lo[i] + increment_[i];
      bodies_.gaps(state.t + h_, state.hi.data(), low_.data(), false, rows_.data());
      const double gap = max_norm(rows_.data(), rows_.size());
      if (!std::isfinite(gap)) return StepStatus::not_solved;
      if (gap <= 0.25 * kEpsilon * size) return StepStatus::done;
      if (gap >= before) {
        if (gap <= kAlmostClosed * std::max(1.0, size)) return StepStatus::done;
        if (++growing == 5) break;
      }
      before = gap;
      for (double& row : rows_) row *= -1.0 / h_;
      bodies_.solve(rows_.data());
      bodies_.pull(rows_.data(), start_momenta_.data());
    }
    return StepStatus::not_solved;
  }

  // The second half kick, and the pulls that make the velocities allowed.
  void land(const State& state) {
    const double t = state.t + h_;
    for (std::size_t i = 0; i < n_; ++i) end_[i] = state.hi[i] + increment_[i];
    kick(t, end_.data(), momenta_.data());
    bodies_.hold(t, end_.data());
    std::fill(low_.begin(), low_.end(), 0.0);
    for (int pass = 0; pass < 2; ++pass) {  // the second one takes what roundoff left of the first
      bodies_.set_momenta(momenta_.data(), end_.data());
      bodies_.gaps(t, end_.data(), low_.data(), true, rows_.data());
      for (double& row : rows_) row = -row;
      bodies_.solve(rows_.data());
      bodies_.pull(rows_.data(), momenta_.data());
    }
    bodies_.set_momenta(momenta_.data(), end_.data());
    // Places keep their exact increments; velocities change from those at the start.
    for (std::size_t i = 0; i < controlled_; ++i) {
      if (end_[i] != state.hi[i] + increment_[i]) increment_[i] = end_[i] - state.hi[i];
    }
  }

  const System& system_;
  const BodyMechanics& bodies_;
  std::size_t n_, controlled_;
  double h_;
  std::vector<double> start_momenta_, momenta_, force_, rows_;
  std::vector<double> increment_, end_, low_, rate_;
  HermiteRecord record_;
};

}  // namespace

std::unique_ptr<Stepper> make_body_rattle(const System& system, const StepOptions& options) {
  return std::make_unique<BodyRattle>(system, options);
}

}  // namespace catena
