#include "catena/integrate/composition.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "catena/integrate/hermite_record.h"

namespace catena {
namespace {

// Steps of verlet of lengths gamma_1 h, .. , gamma_m h, a symmetric sequence of which the first half and the
// middle are given. Neighbouring drifts are one.
Composition of_verlet_steps(int order, std::vector<double> gamma) {
  for (std::size_t i = gamma.size() - 1; i > 0; --i) gamma.push_back(gamma[i - 1]);
  Composition out{order, {}};
  double before = 0.0;
  for (const double part : gamma) {
    out.parts.push_back({0.5 * (before + part), part});
    before = part;
  }
  out.parts.push_back({0.5 * before, 0.0});
  return out;
}

const double kCubeRoot = std::cbrt(2.0);

class CompositionStepper final : public Stepper {
 public:
  CompositionStepper(const Composition& composition, const System& system, const StepOptions& options)
      : composition_(composition),
        system_(system),
        n_(system.dimension),
        h_(options.step.value_or(0.0)),
        increment_(n_),
        point_(n_),
        rate_(n_),
        rate_behind_(n_),
        start_(n_),
        record_(system, composition.order) {
    std::vector<bool> paired(n_, false);
    for (const LanePairing& pair : system.separable) {
      std::fill_n(paired.begin() + static_cast<std::ptrdiff_t>(pair.position), pair.count, true);
      std::fill_n(paired.begin() + static_cast<std::ptrdiff_t>(pair.velocity), pair.count, true);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (!paired[i]) integrals_.push_back(i);
    }
  }

  int order() const override { return composition_.order; }
  StepMemory memory() const override { return {h_}; }
  void restore(const StepMemory& memory) override { h_ = memory[0]; }

  StepStatus step(State& state, double /*horizon*/) override {
    std::copy_n(state.hi.data(), n_, start_.data());
    std::copy_n(state.hi.data(), n_, point_.data());
    std::fill(increment_.begin(), increment_.end(), 0.0);
    double drifted = 0.0;
    for (const DriftKick& part : composition_.parts) {
      drift(h_ * part.drift);
      drifted += part.drift;
      if (part.kick != 0.0) kick(state.t + drifted * h_, h_ * part.kick);
    }
    if (!std::isfinite(max_norm(increment_.data(), n_))) return StepStatus::not_finite;
    finish(state);
    return StepStatus::done;
  }

  const StepPolynomial& dense() override { return record_.polynomial(counts_); }

 private:
  // Increments are added up rather than states, so that a step loses no digit of its start.
  void drift(double time) {
    for (const LanePairing& pair : system_.separable) {
      const double* __restrict velocity = point_.data() + pair.velocity;
      double* __restrict position = point_.data() + pair.position;
      double* __restrict increment = increment_.data() + pair.position;
      const double* __restrict start = start_.data() + pair.position;
      for (std::size_t i = 0; i < pair.count; ++i) {
        increment[i] += time * velocity[i];
        position[i] = start[i] + increment[i];
      }
    }
  }

  void kick(double t, double time) {
    evaluate(t, rate_);
    for (const LanePairing& pair : system_.separable) {
      const double* __restrict rate = rate_.data() + pair.velocity;
      double* __restrict velocity = point_.data() + pair.velocity;
      double* __restrict increment = increment_.data() + pair.velocity;
      const double* __restrict start = start_.data() + pair.velocity;
      for (std::size_t i = 0; i < pair.count; ++i) {
        increment[i] += time * rate[i];
        velocity[i] = start[i] + increment[i];
      }
    }
    if (!integrals_.empty()) add_integrals(t, time);
  }

  // During a kick velocities change linearly and positions stay: rates that are linear in the velocities have
  // the mean of both ends.
  void add_integrals(double t, double time) {
    evaluate(t, rate_behind_);
    for (const std::size_t i : integrals_) {
      increment_[i] += 0.5 * time * (rate_[i] + rate_behind_[i]);
      point_[i] = start_[i] + increment_[i];
    }
  }

  void evaluate(double t, std::vector<double>& rate) {
    system_.rhs(t, point_.data(), rate.data());
    ++counts_.evaluations;
  }

  void finish(State& state) {
    record_.begin(state, h_);
    accumulate(system_, state, h_, increment_.data());
    record_.end(state);
    last_step_ = h_;
    ++counts_.steps;
  }

  const Composition& composition_;
  const System& system_;
  std::size_t n_;
  double h_;
  std::vector<std::size_t> integrals_;  // lanes that are neither positions nor velocities
  std::vector<double> increment_, point_, rate_, rate_behind_, start_;
  HermiteRecord record_;
};

}  // namespace

const Composition kSymplecticEuler{1, {{0.0, 1.0}, {1.0, 0.0}}};

const Composition kVerlet = of_verlet_steps(2, {1.0});

// H. Yoshida, Phys. Lett. A 150 (1990); order 6 is his solution A, order 8 his solution D, with the digits of
// E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, V.3.2. A test checks their conditions.
const Composition kYoshida4 = of_verlet_steps(4, {1 / (2 - kCubeRoot), -kCubeRoot / (2 - kCubeRoot)});

const Composition kYoshida6 = of_verlet_steps(
    6, {0.78451361047755726382, 0.23557321335935813368, -1.17767998417887100695, 1.31518632068391121889});

const Composition kYoshida8 = of_verlet_steps(
    8, {0.74167036435061295345, -0.40910082580003159400, 0.19075471029623837995, -0.57386247111608226666,
        0.29906418130365592384, 0.33462491824529818378, 0.31529309239676659663, -0.79688793935291635402});

std::unique_ptr<Stepper> make_composition(const Composition& composition, const System& system,
                                          const StepOptions& options) {
  return std::make_unique<CompositionStepper>(composition, system, options);
}

}  // namespace catena
