#include "catena/integrate/function_stepper.h"

#include <cmath>

#include "catena/integrate/hermite_record.h"

namespace catena {
namespace {

class FunctionStepper final : public Stepper {
 public:
  FunctionStepper(const System& system, const StepOptions& options)
      : system_(system),
        take_(options.take),
        order_(options.order.value_or(1)),
        h_(options.step.value_or(0.0)),
        increment_(system.dimension),
        record_(system, order_) {
    rhs_ = [this](double t, const double* x, double* dx) {
      system_.rhs(t, x, dx);
      ++counts_.evaluations;
    };
  }

  int order() const override { return order_; }
  StepMemory memory() const override { return {h_}; }
  void restore(const StepMemory& memory) override { h_ = memory[0]; }

  StepStatus step(State& state, double /*horizon*/) override {
    const std::size_t n = system_.dimension;
    take_(rhs_, n, state.t, state.hi.data(), h_, increment_.data());
    for (std::size_t i = 0; i < n; ++i) increment_[i] -= state.hi[i];
    if (!std::isfinite(max_norm(increment_.data(), n))) return StepStatus::not_finite;
    record_.begin(state, h_);
    accumulate(system_, state, h_, increment_.data());
    record_.end(state);
    last_step_ = h_;
    ++counts_.steps;
    return StepStatus::done;
  }

  const StepPolynomial& dense() override { return record_.polynomial(counts_); }

 private:
  const System& system_;
  TakeStep take_;
  std::function<void(double, const double*, double*)> rhs_;
  int order_;
  double h_;
  std::vector<double> increment_;
  HermiteRecord record_;
};

}  // namespace

std::unique_ptr<Stepper> make_function_stepper(const System& system, const StepOptions& options) {
  return std::make_unique<FunctionStepper>(system, options);
}

}  // namespace catena
