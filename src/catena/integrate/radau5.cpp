// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.8, in the form of their program
// radau5. The inverse of the coefficient matrix has one real eigenvalue and a complex pair; in the basis of
// its eigenvectors (T below) a Newton step is one real and one complex system of the size of the state.
#include "catena/integrate/radau5.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "catena/integrate/shifted_solver.h"
#include "catena/integrate/step_control.h"

namespace catena {
namespace {

constexpr double kRoot6 = 2.449489742783178;
constexpr std::array<double, 3> kNodes{(4 - kRoot6) / 10, (4 + kRoot6) / 10, 1.0};

constexpr double kT[3][3] = {{9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
                             {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
                             {0.96604818261509293619, 1.0, 0.0}};
constexpr double kInverseT[3][3] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};

// Eigenvalues of the inverse coefficient matrix.
constexpr double kReal = 3.6378342527444962;
constexpr double kComplexRe = 2.6810828736277523;
constexpr double kComplexIm = 3.0504301992474105;

// Weights of the error estimate, of order 3.
constexpr std::array<double, 3> kError{-(13 + 7 * kRoot6) / 3, (-13 + 7 * kRoot6) / 3, -1.0 / 3};

constexpr int kMostIterations = 14;  // it starts from rest, so it has a few more to go than from a good guess
constexpr double kSlowestRate = 0.1;
constexpr double kSafety = 0.9;
constexpr double kLargestGrowth = 8.0;
constexpr double kLargestShrink = 0.2;

// A step is a function of the state and of h alone: the Jacobian is taken anew and the iteration starts from
// rest, so that a run taken up again goes on with the same bits.
class Radau5 final : public Stepper {
 public:
  Radau5(const System& system, const StepOptions& options)
      : system_(system),
        n_(system.dimension),
        controlled_(controlled_lanes(system)),
        // The estimate is of order 3 and the step of order 5: this brings the error near the tolerance.
        tolerance_(0.1 * std::pow(std::max(options.tolerance, kFinestTolerance), 2.0 / 3)),
        by_tolerance_(options.by_tolerance),
        limits_(system, options),
        accounts_(system),
        // How far the iteration goes below the allowed error.
        solved_(std::max(10 * kEpsilon / tolerance_, std::min(0.03, std::sqrt(tolerance_)))),
        h_(options.step.value_or(0.0)),
        own_(system.shifted ? nullptr : dense_shifted_solver(system)),
        solver_(system.shifted ? *system.shifted : *own_),
        start_(n_),
        slope_(n_),
        point_(n_),
        estimate_(n_) {
    for (int i = 0; i < 3; ++i) {
      z_[i].resize(n_);
      w_[i].resize(n_);
      f_[i].resize(n_);
    }
    polynomial_.resize(3, n_);
  }

  int order() const override { return 5; }
  StepMemory memory() const override {
    return {h_, last_step_taken_, last_error_, rejected_before_ ? 1.0 : 0.0};
  }
  void restore(const StepMemory& memory) override {
    h_ = memory[0];
    last_step_taken_ = memory[1];
    last_error_ = memory[2];
    rejected_before_ = memory[3] != 0.0;
  }

  StepStatus step(State& state, double /*horizon*/) override {
    std::copy_n(state.hi.data(), n_, start_.data());
    evaluate(state.t, start_.data(), slope_.data());
    if (!std::isfinite(max_norm(slope_.data(), n_))) return StepStatus::not_finite;
    allowed_ = tolerance_ * std::max(1.0, max_norm(start_.data(), controlled_));
    accounts_.allow(tolerance_, start_.data(), start_.data());
    if (h_ == 0.0) h_ = first_step(state.t);
    counts_.evaluations += solver_.linearise(state.t, start_.data(), slope_.data());
    double h = std::min(h_, longest_);
    for (;; ++counts_.rejected) {
      h = on_the_clock(system_, state, h);
      if (h < shortest_step(state.t)) return StepStatus::not_solved;
      double factor = 0.5;  // of the step, where the equations are not solved
      if (solver_.factor(kReal / h, kComplexRe / h, kComplexIm / h) && solve(state.t, h, factor)) {
        const double error = error_estimate(state.t, h);
        factor = step_factor(error);
        if (error <= 1.0) {
          accept(h, error, factor);
          break;
        }
        if (last_step_taken_ == 0.0) factor = 0.1;
      }
      h *= factor;
      rejected_before_ = true;
    }
    finish(state, h);
    return StepStatus::done;
  }

  // The collocation polynomial: x at the start, x + z_i at the nodes.
  const StepPolynomial& dense() override {
    if (dense_ready_) return polynomial_;
    std::copy_n(start_.data(), n_, polynomial_.row(0));
    const auto [a, b, one] = kNodes;
    for (std::size_t i = 0; i < n_; ++i) {
      // Newton's divided differences of z / s at the nodes.
      const double at_a = z_[0][i] / a, at_b = z_[1][i] / b, at_one = z_[2][i];
      const double first = (at_b - at_a) / (b - a), second = (at_one - at_b) / (one - b);
      const double bend = (second - first) / (one - a);
      polynomial_.row(1)[i] = at_a - a * first + a * b * bend;
      polynomial_.row(2)[i] = first - (a + b) * bend;
      polynomial_.row(3)[i] = bend;
    }
    dense_ready_ = true;
    return polynomial_;
  }

 private:
  void evaluate(Time t, const double* x, double* dx) {
    system_.rhs(t, x, dx);
    ++counts_.evaluations;
  }

  double first_step(double t) {
    const FirstStep first(system_, start_.data(), slope_.data());
    for (std::size_t i = 0; i < n_; ++i) point_[i] = start_[i] + first.guess * slope_[i];
    evaluate(t + first.guess, point_.data(), estimate_.data());
    return first.chosen(system_, slope_.data(), estimate_.data(), tolerance_, 3);
  }

  // Simplified Newton iteration for z_i = h sum_j a_ij f(x + z_j). Where it fails, `factor` says by how much
  // a shorter step would do.
  bool solve(double t, double h, double& factor) {
    for (int i = 0; i < 3; ++i) {
      std::fill(z_[i].begin(), z_[i].end(), 0.0);
      std::fill(w_[i].begin(), w_[i].end(), 0.0);
    }
    double before = 0.0, rate_before = 0.0, remaining = 1.0;
    rate_ = 0.0;
    for (iterations_ = 1; iterations_ <= kMostIterations; ++iterations_) {
      const double change = improve(t, h) / allowed_;
      if (!std::isfinite(change)) return false;
      if (iterations_ > 1) {
        const double ratio = change / before;
        const double rate = iterations_ == 2 ? ratio : std::sqrt(ratio * rate_before);
        rate_before = ratio;
        if (rate >= 0.99) return false;
        rate_ = rate;
        remaining = rate / (1 - rate);
        const int left = kMostIterations - 1 - iterations_;
        const double expected = remaining * change * std::pow(rate, left) / solved_;
        if (expected >= 1.0) {
          factor = 0.8 * std::pow(std::clamp(expected, 1e-4, 20.0), -1.0 / (4 + std::max(left, 0)));
          return false;
        }
      }
      before = std::max(change, kEpsilon);
      if (remaining * change <= solved_) return true;
    }
    return false;
  }

  // One iteration; returns the size of the change in the transformed unknowns w = T^-1 z.
  double improve(double t, double h) {
    for (int i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < n_; ++k) point_[k] = start_[k] + z_[i][k];
      evaluate(later(t, kNodes[i] * h), point_.data(), f_[i].data());
    }
    const double real = kReal / h, re = kComplexRe / h, im = kComplexIm / h;
    for (std::size_t k = 0; k < n_; ++k) {
      const double f0 = f_[0][k], f1 = f_[1][k], f2 = f_[2][k];
      const auto transformed = [&](int row) {
        return kInverseT[row][0] * f0 + kInverseT[row][1] * f1 + kInverseT[row][2] * f2;
      };
      f_[0][k] = transformed(0) - real * w_[0][k];
      f_[1][k] = transformed(1) - (re * w_[1][k] - im * w_[2][k]);
      f_[2][k] = transformed(2) - (re * w_[2][k] + im * w_[1][k]);
    }
    solver_.solve_real(f_[0].data());
    solver_.solve_complex(f_[1].data(), f_[2].data());
    for (std::size_t k = 0; k < n_; ++k) {
      for (int i = 0; i < 3; ++i) w_[i][k] += f_[i][k];
      for (int i = 0; i < 3; ++i) {
        z_[i][k] = kT[i][0] * w_[0][k] + kT[i][1] * w_[1][k] + kT[i][2] * w_[2][k];
      }
    }
    return std::max({max_norm(f_[0].data(), controlled_), max_norm(f_[1].data(), controlled_),
                     max_norm(f_[2].data(), controlled_)});
  }

  // Over what is allowed. Filtered by the real factor, so that stiff components do not count as errors; once
  // more after a rejection, where the first estimate is too large.
  double error_estimate(double t, double h) {
    const auto estimate = [&](const double* slope) {
      for (std::size_t k = 0; k < n_; ++k) {
        estimate_[k] = slope[k] + (kError[0] * z_[0][k] + kError[1] * z_[1][k] + kError[2] * z_[2][k]) / h;
      }
      solver_.solve_real(estimate_.data());
      double worst = by_tolerance_ ? max_norm(estimate_.data(), controlled_) / allowed_ : 0.0;
      if (by_tolerance_) worst = std::max(worst, accounts_.ratio(estimate_.data()));
      return limits_.given() ? std::max(worst, limits_.ratio(estimate_.data())) : worst;
    };
    const double error = estimate(slope_.data());
    if (error < 1.0 || !std::isfinite(error) || (last_step_taken_ != 0.0 && !rejected_before_)) return error;
    for (std::size_t k = 0; k < n_; ++k) point_[k] = start_[k] + estimate_[k];
    evaluate(t, point_.data(), f_[0].data());
    return estimate(f_[0].data());
  }

  // The more iterations a step took, the more careful.
  double step_factor(double error) const {
    const double safety =
        std::min(kSafety, kSafety * (2 * kMostIterations + 1) / (iterations_ + 2.0 * kMostIterations));
    const double bounded = std::isfinite(error) ? std::max(error, 1e-10) : 1e10;
    return std::clamp(safety * std::pow(bounded, -0.25), kLargestShrink, kLargestGrowth);
  }

  // K. Gustafsson's control by prediction: errors that rise from step to step are expected to rise on.
  void accept(double h, double error, double factor) {
    if (last_step_taken_ > 0.0) {
      const double bounded = std::max(error, 1e-10);
      const double predicted =
          kSafety * (h / last_step_taken_) * std::pow(last_error_ / (bounded * bounded), 0.25);
      factor = std::min(factor, std::clamp(predicted, kLargestShrink, kLargestGrowth));
    }
    if (rejected_before_) factor = std::min(factor, 1.0);
    // The rate of the iteration grows with the step, for links that turn like its square: a step at which it
    // would be too slow is not worth a try.
    if (rate_ > 0.0) factor = std::min(factor, std::max(1.0, std::sqrt(kSlowestRate / rate_)));
    rejected_before_ = false;
    last_step_taken_ = h;
    last_error_ = std::max(error, 1e-2);
    h_ = h * factor;
  }

  void finish(State& state, double h) {
    polynomial_.t = state.t;
    polynomial_.t_lo = state.t_lo;
    polynomial_.length = h;
    polynomial_.unit = h;
    std::copy(state.lo.begin(), state.lo.end(), polynomial_.start_lo.begin());
    accumulate(system_, state, h, z_[2].data());
    dense_ready_ = false;
    last_step_ = h;
    ++counts_.steps;
  }

  const System& system_;
  std::size_t n_, controlled_;
  double tolerance_;
  bool by_tolerance_;
  PhysicalLimits limits_;
  Accounts accounts_;
  double solved_, allowed_ = 0.0;
  double h_;                      // the next step; 0: not yet chosen
  double last_step_taken_ = 0.0;  // 0: none
  double last_error_ = 1.0;
  bool rejected_before_ = false;
  int iterations_ = 0;
  double rate_ = 0.0;  // of the last iteration
  std::unique_ptr<ShiftedSolver> own_;
  ShiftedSolver& solver_;
  std::vector<double> start_, slope_, point_, estimate_;
  std::array<std::vector<double>, 3> z_, w_, f_;
  bool dense_ready_ = false;
  StepPolynomial polynomial_;
};

}  // namespace

std::unique_ptr<Stepper> make_radau5(const System& system, const StepOptions& options) {
  return std::make_unique<Radau5>(system, options);
}

}  // namespace catena
