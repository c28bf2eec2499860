#include "catena/integrate/constrained.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/integrate/body_rattle.h"
#include "catena/integrate/hermite_record.h"
#include "catena/integrate/step_control.h"
#include "catena/math/compensated.h"

namespace catena {
namespace {

enum class Solver { lengths, rotations };

class ConstrainedStepper final : public Stepper {
 public:
  ConstrainedStepper(Solver solver, const System& system, const StepOptions& options)
      : solver_(solver),
        system_(system),
        vectors_(system.unit_vectors),
        n_(system.dimension),
        h_(options.step.value_or(0.0)),
        start_(n_),
        end_(n_),
        force_(n_),
        kick_(n_),
        increment_(n_),
        rate_(n_),
        record_(system, kOrder) {
    std::size_t count = 0, lanes = 0;
    for (const UnitVectors& block : vectors_) {
      count += block.count;
      lanes += 2 * block.space * block.count;
    }
    for (auto* rows : {&excess_, &tangency_, &right_, &lambda_}) rows->resize(count);
    others_ = n_ - lanes;
  }

  int order() const override { return kOrder; }
  StepMemory memory() const override { return {h_}; }
  void restore(const StepMemory& memory) override { h_ = memory[0]; }
  const StepPolynomial& dense() override { return record_.polynomial(counts_); }

  StepStatus step(State& state, double /*horizon*/) override {
    std::copy(state.hi.begin(), state.hi.end(), start_.begin());
    std::fill(increment_.begin(), increment_.end(), 0.0);
    add_integrals(state.t, start_.data());
    measure_violations(state);
    evaluate(state.t, start_.data());
    if (const StepStatus status = solve_positions(); status != StepStatus::done) return status;
    solve_velocities(state.t + h_);
    if (!std::isfinite(max_norm(increment_.data(), n_))) return StepStatus::not_finite;
    add_integrals(state.t + h_, end_.data());
    record_.begin(state, h_);
    add_step(state, h_, increment_.data());
    record_.end(state);
    last_step_ = h_;
    ++counts_.steps;
    return StepStatus::done;
  }

 private:
  static constexpr int kOrder = 2;
  static constexpr int kMostPasses = 100;
  // Residuals, over the size of the step, that are roundoff once they no longer shrink.
  static constexpr double kAlmostSolved = 1e-10;

  // Calls with (multiplier, lane of the first component of u, lane of w, distance of components, components).
  template <class Call>
  void for_each_vector(Call&& call) const {
    std::size_t index = 0;
    for (const UnitVectors& block : vectors_) {
      for (std::size_t k = 0; k < block.count; ++k) {
        call(index++, block.position + k, block.velocity + k, block.count, block.space);
      }
    }
  }

  // (|u|^2 - 1)/2 and u . w of the state hi + lo, which the step must undo.
  void measure_violations(const State& state) {
    for_each_vector([&](std::size_t k, std::size_t u, std::size_t w, std::size_t stride, std::size_t space) {
      CompensatedSum square, tangency;
      square.add(-1.0);
      for (std::size_t i = 0; i < space; ++i, u += stride, w += stride) {
        square.add_product(state.hi[u], state.lo[u], state.hi[u], state.lo[u]);
        tangency.add_product(state.hi[u], state.lo[u], state.hi[w], state.lo[w]);
      }
      excess_[k] = 0.5 * (square.hi() + square.lo());
      tangency_[k] = tangency.hi() + tangency.lo();
    });
  }

  // force_ = a(u) + P(u) (something): rates of w with w = 0. The pulls that are in it shift lambda, no more.
  void evaluate(double t, const double* x) {
    std::copy_n(x, n_, rate_.data());
    for (const UnitVectors& block : vectors_) {
      std::fill_n(rate_.data() + block.velocity, block.space * block.count, 0.0);
    }
    system_.rhs(t, rate_.data(), force_.data());
    ++counts_.evaluations;
  }

  // Lanes that are no unit vectors add up by the trapezoidal rule.
  void add_integrals(double t, const double* x) {
    if (others_ == 0) return;
    system_.rhs(t, x, rate_.data());
    ++counts_.evaluations;
    for (const UnitVectors& block : vectors_) {
      std::fill_n(rate_.data() + block.position, block.space * block.count, 0.0);
      std::fill_n(rate_.data() + block.velocity, block.space * block.count, 0.0);
    }
    for (std::size_t i = 0; i < n_; ++i) increment_[i] += 0.5 * h_ * rate_[i];
  }

  // kick_ = h/2 (force_ + P(u_0) lambda); the increment of u that follows, and u_1 itself.
  void move() {
    std::copy(force_.begin(), force_.end(), kick_.begin());
    system_.constraints.pull(start_.data(), lambda_.data(), kick_.data());
    for (const UnitVectors& block : vectors_) {
      for (std::size_t i = 0; i < block.space * block.count; ++i) {
        const std::size_t u = block.position + i, w = block.velocity + i;
        kick_[w] *= 0.5 * h_;
        increment_[u] = h_ * (start_[w] + kick_[w]);
        end_[u] = start_[u] + increment_[u];
      }
    }
  }

  StepStatus solve_positions() {
    // To begin with, what keeps u on its sphere at this instant: u . P(u) lambda = -|w|^2.
    for_each_vector([&](std::size_t k, std::size_t, std::size_t w, std::size_t stride, std::size_t space) {
      lambda_[k] = 0.0;
      for (std::size_t i = 0; i < space; ++i, w += stride) lambda_[k] -= start_[w] * start_[w];
    });
    system_.constraints.solve(start_.data(), start_.data(), lambda_.data());
    double before = std::numeric_limits<double>::infinity();
    int growing = 0;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      move();
      const double size = moved_distance();
      const double residual = solver_ == Solver::lengths ? length_residuals() : rotation_residuals();
      if (!std::isfinite(size)) return StepStatus::not_finite;
      if (!std::isfinite(residual)) return StepStatus::not_solved;
      if (residual <= 0.5 * kEpsilon * size) return StepStatus::done;
      if (residual >= before) {
        if (residual <= kAlmostSolved * size) return StepStatus::done;
        if (++growing == 5) break;
      }
      before = residual;
      for (double& value : right_) value *= -2.0 / (h_ * h_);
      system_.constraints.solve(start_.data(), solver_ == Solver::lengths ? end_.data() : start_.data(),
                                right_.data());
      for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] += right_[k];
    }
    return StepStatus::not_solved;
  }

  double moved_distance() const {
    double largest = 0.0;
    for (const UnitVectors& block : vectors_) {
      largest = std::max(largest, max_norm(increment_.data() + block.position, block.space * block.count));
    }
    return largest;
  }

  // (|u_1|^2 - 1)/2, whose derivative by lambda is h^2/2 u_1 . P(u_0).
  double length_residuals() {
    double largest = 0.0;
    for_each_vector([&](std::size_t k, std::size_t u, std::size_t, std::size_t stride, std::size_t space) {
      double sum = 0.0;
      for (std::size_t i = 0; i < space; ++i, u += stride)
        sum += (start_[u] + 0.5 * increment_[u]) * increment_[u];
      right_[k] = excess_[k] + sum;
    });
    for (const double value : right_)
      largest = std::isnan(value) ? value : std::max(largest, std::fabs(value));
    return largest;
  }

  // How much the part of u_1 - u_0 along u_0 differs from that of a rotation whose other part is the same:
  // -kappa = cos - 1 with the sine |y|. Zero where |u_1| = |u_0|.
  double rotation_residuals() {
    double largest = 0.0;
    for_each_vector([&](std::size_t k, std::size_t u, std::size_t, std::size_t stride, std::size_t space) {
      double along = 0.0, square = 0.0;
      for (std::size_t i = 0; i < space; ++i) along += start_[u + i * stride] * increment_[u + i * stride];
      for (std::size_t i = 0; i < space; ++i) {
        const double across = increment_[u + i * stride] - along * start_[u + i * stride];
        square += across * across;
      }
      right_[k] = along + square / (1.0 + std::sqrt(1.0 - square));
    });
    for (const double value : right_) {
      if (!std::isfinite(value)) return value;
      largest = std::max(largest, std::fabs(value));
    }
    return largest;
  }

  // Twice: the second pass takes what roundoff left of the first one.
  void solve_velocities(double t) {
    evaluate(t, end_.data());
    for (const UnitVectors& block : vectors_) {
      for (std::size_t i = 0; i < block.space * block.count; ++i) {
        increment_[block.velocity + i] = kick_[block.velocity + i] + 0.5 * h_ * force_[block.velocity + i];
      }
    }
    for (int pass = 0; pass < 2; ++pass) {
      for_each_vector(
          [&](std::size_t k, std::size_t u, std::size_t w, std::size_t stride, std::size_t space) {
            double sum = tangency_[k];
            for (std::size_t i = 0; i < space; ++i, u += stride, w += stride) {
              sum += start_[u] * increment_[w] + increment_[u] * (start_[w] + increment_[w]);
            }
            right_[k] = -2.0 / h_ * sum;
          });
      system_.constraints.solve(end_.data(), end_.data(), right_.data());
      std::fill(kick_.begin(), kick_.end(), 0.0);
      system_.constraints.pull(end_.data(), right_.data(), kick_.data());
      for (std::size_t i = 0; i < n_; ++i) increment_[i] += 0.5 * h_ * kick_[i];
    }
    for (std::size_t i = 0; i < n_; ++i) end_[i] = start_[i] + increment_[i];
  }

  Solver solver_;
  const System& system_;
  const std::vector<UnitVectors>& vectors_;
  std::size_t n_, others_ = 0;
  double h_;
  std::vector<double> start_, end_, force_, kick_, increment_, rate_;
  std::vector<double> excess_, tangency_, right_, lambda_;  // one for each vector
  HermiteRecord record_;
};

}  // namespace

std::unique_ptr<Stepper> make_rattle(const System& system, const StepOptions& options) {
  if (system.bodies.momenta > 0) return make_body_rattle(system, options);
  return std::make_unique<ConstrainedStepper>(Solver::lengths, system, options);
}

std::unique_ptr<Stepper> make_variational(const System& system, const StepOptions& options) {
  return std::make_unique<ConstrainedStepper>(Solver::rotations, system, options);
}

}  // namespace catena
