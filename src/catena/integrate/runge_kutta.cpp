#include "catena/integrate/runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// What the sum hi + lo still gains from; asking for less would only shorten the steps.
constexpr double kFinestTolerance = 1e-3 * kEpsilon;
constexpr double kSafety = 0.9;
constexpr double kLargestShrink = 0.2;
constexpr double kLargestGrowth = 5.0;

// out += factor * in
void add(std::vector<double>& out, double factor, const double* in) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += factor * in[i];
}

class RungeKutta final : public Stepper {
 public:
  RungeKutta(const Tableau& tableau, const System& system, const StepOptions& options)
      : tableau_(tableau),
        system_(system),
        n_(system.dimension),
        tolerance_(std::max(options.tolerance, kFinestTolerance)),
        h_(options.step.value_or(0.0)),
        stages_(std::max(tableau.c.size(), static_cast<std::size_t>(tableau.stages) + 1) * n_),
        increment_(n_),
        start_(n_),
        point_(n_),
        error_(n_) {
    const int hermite_degree = system_.taylor ? 5 : 3;
    polynomial_.resize(tableau.dense.empty() ? hermite_degree : static_cast<int>(tableau.dense.size()) + 3,
                       n_);
    series_.resize(3 * n_);
    if (system_.reserve) system_.reserve(2);
    if (adaptive()) {
      for (const double weight : tableau.error[0]) estimate_roundoff_ += 8 * kEpsilon * std::fabs(weight);
    }
  }

  int order() const override { return tableau_.order; }
  StepMemory memory() const override { return {h_, last_error_, rejected_before_ ? 1.0 : 0.0}; }
  void restore(const StepMemory& memory) override {
    h_ = memory[0];
    last_error_ = memory[1];
    rejected_before_ = memory[2] != 0.0;
  }

  StepStatus step(State& state, double /*horizon*/) override {
    evaluate(state.t, state.hi.data(), 0);
    if (!std::isfinite(max_norm(stage(0), n_))) return StepStatus::not_finite;
    if (h_ == 0.0) h_ = first_step(state);
    const double shortest = 4 * kEpsilon * std::max(std::fabs(state.t), kEpsilon);
    double h = h_;
    for (;;) {
      compute_stages(state, h);
      if (!adaptive()) {
        if (!std::isfinite(max_norm(increment_.data(), n_))) return StepStatus::not_finite;
        break;
      }
      const double error = error_estimate(state, h);
      if (error <= 1.0) {
        h_ = h * growth(error);
        break;
      }
      ++counts_.rejected;
      rejected_before_ = true;
      h *= std::isfinite(error) ? std::max(kLargestShrink, kSafety * std::pow(error, -exponent()))
                                : kLargestShrink;
      if (h < shortest) return std::isfinite(error) ? StepStatus::step_too_small : StepStatus::not_finite;
    }
    finish(state, h);
    return StepStatus::done;
  }

  const StepPolynomial& dense() override {
    if (!dense_ready_) {
      tableau_.dense.empty() ? hermite() : continuous_extension();
      dense_ready_ = true;
    }
    return polynomial_;
  }

 private:
  bool adaptive() const { return !tableau_.error.empty(); }
  double exponent() const { return 1.0 / (tableau_.error_order + 1); }
  double* stage(int i) { return stages_.data() + static_cast<std::size_t>(i) * n_; }

  void evaluate(double t, const double* x, int into) {
    system_.rhs(t, x, stage(into));
    ++counts_.evaluations;
  }

  void compute_stage(double t, const double* x, double h, int i) {
    std::copy_n(x, n_, point_.data());
    for (int j = 0; j < i; ++j) {
      if (tableau_.a[i][j] != 0.0) add(point_, h * tableau_.a[i][j], stage(j));
    }
    evaluate(t + tableau_.c[i] * h, point_.data(), i);
  }

  void compute_stages(const State& state, double h) {
    for (int i = 1; i < tableau_.stages; ++i) compute_stage(state.t, state.hi.data(), h, i);
    std::fill(increment_.begin(), increment_.end(), 0.0);
    for (int i = 0; i < tableau_.stages; ++i) {
      if (tableau_.b[i] != 0.0) add(increment_, h * tableau_.b[i], stage(i));
    }
  }

  double weighted_error(const std::vector<double>& weights, double scale) {
    std::fill(error_.begin(), error_.end(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] != 0.0) add(error_, weights[i], stage(static_cast<int>(i)));
    }
    return max_norm(error_.data(), n_) / scale;
  }

  // Error of the step over what is allowed.
  double error_estimate(const State& state, double h) {
    for (std::size_t i = 0; i < n_; ++i) point_[i] = state.hi[i] + increment_[i];
    const double size = max_norm(point_.data(), n_);
    if (!std::isfinite(size)) return size;
    evaluate(state.t + h, point_.data(), tableau_.stages);
    const double asked = std::max({1.0, max_norm(state.hi.data(), n_), size}) * tolerance_;
    // Below the roundoff of the slopes the estimate tells nothing, however short the step.
    const double scale = std::max(asked, h * estimate_roundoff_ * max_norm(stage(0), n_));
    const double fine = h * weighted_error(tableau_.error[0], scale);
    if (tableau_.error.size() == 1 || fine == 0.0) return fine;
    const double coarse = h * weighted_error(tableau_.error[1], scale);
    return fine * fine / std::sqrt(fine * fine + 0.01 * coarse * coarse);
  }

  // PI control (E. Hairer, G. Wanner, Solving ODEs II, IV.2): remembers the last error; no growth right after
  // a rejection.
  double growth(double error) {
    const double bounded = std::max(error, 1e-10);
    double factor = kSafety * std::pow(bounded, -(exponent() - 0.75 * tableau_.beta));
    factor *= std::pow(last_error_, tableau_.beta);
    factor = std::clamp(factor, kLargestShrink, kLargestGrowth);
    if (rejected_before_) factor = std::min(factor, 1.0);
    rejected_before_ = false;
    last_error_ = std::max(error, 1e-4);
    return factor;
  }

  // E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, II.4: from the sizes of x, x' and x''.
  double first_step(const State& state) {
    const double scale = std::max(1.0, max_norm(state.hi.data(), n_));
    const double slope = max_norm(stage(0), n_);
    const double guess = slope > 1e-10 ? 0.01 * scale / slope : 1e-6;
    std::copy(state.hi.begin(), state.hi.end(), point_.begin());
    add(point_, guess, stage(0));
    evaluate(state.t + guess, point_.data(), 1);
    double bend = 0.0;
    for (std::size_t i = 0; i < n_; ++i) bend = std::max(bend, std::fabs(stage(1)[i] - stage(0)[i]));
    const double steepest = std::max(slope, bend / guess);
    const double second = steepest <= 1e-15
                              ? std::max(1e-6, guess * 1e-3)
                              : std::pow(0.01 * tolerance_ * scale / steepest, 1.0 / (tableau_.order + 1));
    return std::min(100 * guess, second);
  }

  void finish(State& state, double h) {
    polynomial_.t = state.t;
    polynomial_.t_lo = state.t_lo;
    polynomial_.length = h;
    polynomial_.unit = h;
    polynomial_.start_lo = state.lo;
    std::copy(state.hi.begin(), state.hi.end(), start_.begin());
    accumulate(system_, state, h, increment_.data());
    end_ = &state.hi;
    end_time_ = state.t;
    dense_ready_ = false;
    last_step_ = h;
    ++counts_.steps;
  }

  // y = y0 + s (F0 + (1-s) (F1 + s (F2 + (1-s) (F3 + ...)))), as powers of s. F0 is the increment, F1 and F2
  // make the slopes at both ends right, the others are the tableau's.
  void continuous_extension() {
    const double h = polynomial_.length;
    for (int i = tableau_.stages + 1; i < static_cast<int>(tableau_.c.size()); ++i) {
      compute_stage(polynomial_.t, start_.data(), h, i);
    }
    const int terms = static_cast<int>(tableau_.dense.size()) + 3;
    for (int k = 0; k <= terms; ++k) std::fill_n(polynomial_.row(k), n_, 0.0);
    for (int term = terms - 1; term >= 0; --term) {
      const bool from_start = term % 2 == 0;  // factor s, otherwise 1 - s
      for (std::size_t lane = 0; lane < n_; ++lane) {
        polynomial_.row(0)[lane] += extension_term(term, h, lane);
        for (int k = terms; k >= 1; --k) {
          const double lower = polynomial_.row(k - 1)[lane];
          polynomial_.row(k)[lane] = from_start ? lower : polynomial_.row(k)[lane] - lower;
        }
        if (from_start) polynomial_.row(0)[lane] = 0.0;
      }
    }
    std::copy_n(start_.data(), n_, polynomial_.row(0));
  }

  double extension_term(int term, double h, std::size_t lane) {
    const double increment = increment_[lane];
    const double slope_start = h * stage(0)[lane], slope_end = h * stage(tableau_.stages)[lane];
    if (term == 0) return increment;
    if (term == 1) return slope_start - increment;
    if (term == 2) return 2 * increment - slope_start - slope_end;
    const std::vector<double>& weights = tableau_.dense[term - 3];
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * stage(static_cast<int>(i))[lane];
    return h * sum;
  }

  // The quintic through value, slope and curvature at both ends: more exact than any of the methods that use
  // it. Systems without series get the cubic through value and slope.
  void hermite() {
    const double h = polynomial_.length;
    double* c = polynomial_.row(0);
    series_at(polynomial_.t, start_.data());
    for (std::size_t i = 0; i < n_; ++i) {
      c[i] = start_[i];
      c[n_ + i] = h * series_[n_ + i];
      c[2 * n_ + i] = h * h * series_[2 * n_ + i];
    }
    series_at(end_time_, end_->data());
    for (std::size_t i = 0; i < n_; ++i) {
      // What value, slope and half curvature still lack at s = 1, met by s^3 (p + q (s-1) + r (s-1)^2), or
      // without curvatures by s^2 (p + q (s-1)).
      const double value = (*end_)[i] - (c[i] + c[n_ + i] + c[2 * n_ + i]);
      const double slope = h * series_[n_ + i] - (c[n_ + i] + 2 * c[2 * n_ + i]);
      const double bend = h * h * series_[2 * n_ + i] - c[2 * n_ + i];
      const double p = value;
      const double q = slope - (system_.taylor ? 3 : 2) * p;
      const double r = system_.taylor ? bend - 3 * p - 3 * q : 0.0;
      double* lowest = c + (system_.taylor ? 3 : 2) * n_ + i;
      lowest[0] = p - q + r;
      lowest[n_] = q - 2 * r;
      if (system_.taylor) lowest[2 * n_] = r;
    }
  }

  void series_at(double t, const double* x) {
    ++counts_.evaluations;
    if (system_.taylor) return system_.taylor(t, x, 2, series_.data());
    system_.rhs(t, x, series_.data() + n_);
  }

  const Tableau& tableau_;
  const System& system_;
  std::size_t n_;
  double tolerance_;
  double h_;                        // the next step; 0: not yet chosen
  double estimate_roundoff_ = 0.0;  // of the error estimate, in units of the slope; slopes know few eps
  double last_error_ = 1e-4;
  bool rejected_before_ = false;
  std::vector<double> stages_, increment_, start_, point_, error_, series_;
  const std::vector<double>* end_ = nullptr;
  double end_time_ = 0.0;
  bool dense_ready_ = false;
  StepPolynomial polynomial_;
};

}  // namespace

std::unique_ptr<Stepper> make_runge_kutta(const Tableau& tableau, const System& system,
                                          const StepOptions& options) {
  return std::make_unique<RungeKutta>(tableau, system, options);
}

}  // namespace catena
