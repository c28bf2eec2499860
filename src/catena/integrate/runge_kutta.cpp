#include "catena/integrate/runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "catena/integrate/hermite.h"
#include "catena/integrate/stage_sums.h"
#include "catena/integrate/step_control.h"
#include "catena/integrate/step_watch.h"
#include "catena/integrate/stiffness.h"

namespace catena {
namespace {

constexpr double kSafety = 0.9;
constexpr double kLargestShrink = 0.2;
constexpr double kLargestGrowth = 5.0;
constexpr double kLeastRemembered = 1e-4;  // of errors, by PI control
const double kLogOfLeast = std::log(kLeastRemembered);

std::vector<StageSum> sums_of(const std::vector<std::vector<double>>& rows) {
  std::vector<StageSum> out;
  for (const std::vector<double>& row : rows) out.emplace_back(row);
  return out;
}

// A few lanes at a time, without a call: of short states calls are a twelfth of a step.
void copy_lanes(const double* from, std::size_t n, double* to) {
  std::size_t i = 0;
  for (; i + kNativeWidth <= n; i += kNativeWidth) store<kNativeWidth>(to + i, load<kNativeWidth>(from + i));
  for (; i < n; ++i) to[i] = from[i];
}

bool same_bits(const double* a, const double* b, std::size_t n) {
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t one, other;
    std::memcpy(&one, a + i, sizeof one);
    std::memcpy(&other, b + i, sizeof other);
    different |= one ^ other;
  }
  return different == 0;
}

// Largest absolute values: of the lanes that step control looks at, and of all.
struct Sizes {
  double controlled;
  double all;

  Sizes(const double* x, std::size_t controlled_lanes, std::size_t lanes)
      : controlled(max_norm(x, controlled_lanes)),
        all(std::max(controlled, max_norm(x + controlled_lanes, lanes - controlled_lanes))) {}
};

class RungeKutta final : public Stepper {
 public:
  RungeKutta(const Tableau& tableau, const System& system, const StepOptions& options)
      : tableau_(tableau),
        system_(system),
        n_(system.dimension),
        controlled_(controlled_lanes(system)),
        tolerance_(std::max(options.tolerance, kFinestTolerance)),
        by_tolerance_(options.by_tolerance),
        limits_(system, options),
        accounts_(system),
        h_(options.step.value_or(0.0)),
        rows_(sums_of(tableau.a)),
        errors_(sums_of(tableau.error)),
        dense_rows_(sums_of(tableau.dense)),
        error_in_time_(tableau.error_in_time),
        weights_(tableau.b),
        slopes_(std::max(tableau.c.size(), end_stage() + 1), n_),
        increment_(slopes_.stride()),
        start_(slopes_.stride()),
        point_(slopes_.stride()),
        error_(slopes_.stride()),
        watch_(system, tableau.order),
        hermite_(system, derivatives_for(tableau.order)) {
    next_.hi.resize(n_);
    next_.lo.resize(n_);
    polynomial_.resize(tableau.dense.empty() ? hermite_.degree(derivatives_for(tableau.order))
                                             : static_cast<int>(tableau.dense.size()) + 3,
                       n_);
    for (const StageSum& sum : errors_) {
      needs_end_slope_ = needs_end_slope_ || (!sum.stage.empty() && sum.stage.back() == end_stage());
    }
    if (adaptive()) {
      for (const double weight : tableau.error[0]) estimate_roundoff_ += 8 * kEpsilon * std::fabs(weight);
    }
  }

  int order() const override { return tableau_.order; }
  StepMemory memory() const override { return {h_, last_error_, rejected_before_ ? 1.0 : 0.0}; }
  void restore(const StepMemory& memory) override {
    h_ = memory[0];
    remember(memory[1]);
    rejected_before_ = memory[2] != 0.0;
  }

  StepStatus step(State& state, double /*horizon*/) override {
    start_slope(state);
    const Sizes slope(slopes_[0], controlled_, n_);
    if (!std::isfinite(slope.all)) return StepStatus::not_finite;
    slope_size_ = slope.controlled;
    start_size_ = std::max(1.0, max_norm(start_.data(), controlled_));
    if (h_ == 0.0) h_ = first_step(state);
    double h = adaptive() ? on_the_clock(system_, state, std::min(h_, longest_)) : h_;
    for (;;) {
      compute_stages(state, h);
      if (!adaptive()) {
        if (!std::isfinite(max_norm(increment_.data(), n_))) return StepStatus::not_finite;
        break;
      }
      const double error = error_estimate(state, h);
      const bool missed = error <= 1.0 && system_.misses && misses(state, h);
      if (error <= 1.0 && !missed) {
        h_ = h * growth(error);
        break;
      }
      ++counts_.rejected;
      rejected_before_ = true;
      h *= missed                 ? 0.5
           : std::isfinite(error) ? std::max(kLargestShrink, kSafety * std::pow(error, -exponent()))
                                  : kLargestShrink;
      h = on_the_clock(system_, state, h);
      if (h < shortest_step(state.t))
        return std::isfinite(error) ? StepStatus::step_too_small : StepStatus::not_finite;
    }
    finish(state, h);
    return StepStatus::done;
  }

  std::string advice() const override { return stiffness_.advice(); }
  bool looks_inside() const override { return adaptive(); }

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
  std::size_t end_stage() const { return static_cast<std::size_t>(tableau_.stages); }

  void evaluate(Time t, const double* x, std::size_t into) {
    system_.rhs(t, x, slopes_[into]);
    ++counts_.evaluations;
  }

  // The slope at the end of the last step, where it is known and the state is still that very one, serves
  // again. The same bits come out when it is computed anew, so a step depends on the state alone.
  void start_slope(const State& state) {
    const bool known =
        end_slope_ready_ && state.t == next_.t && same_bits(state.hi.data(), next_.hi.data(), n_);
    if (known) {
      copy_lanes(slopes_[end_stage()], n_, slopes_[0]);
    } else {
      evaluate(state.t, state.hi.data(), 0);
      // A run taken up again counts as if it had never stopped.
      if (needs_end_slope_ && counts_.steps > 0) --counts_.evaluations;
    }
    copy_lanes(state.hi.data(), n_, start_.data());
    end_slope_ready_ = false;
  }

  void compute_stage(double t, double h, std::size_t i) {
    slopes_.advance(start_.data(), rows_[i], h, point_.data());
    evaluate(later(t, tableau_.c[i] * h), point_.data(), i);
  }

  void compute_stages(const State& state, double h) {
    for (std::size_t i = 1; i < end_stage(); ++i) compute_stage(state.t, h, i);
    slopes_.sum(weights_, h, increment_.data());
  }

  // The state at the end of the step, on the manifold.
  void compute_end(const State& state, double h) {
    next_.t = state.t;
    next_.t_lo = state.t_lo;
    copy_lanes(state.hi.data(), n_, next_.hi.data());
    copy_lanes(state.lo.data(), n_, next_.lo.data());
    accumulate(system_, next_, h, increment_.data());
  }

  void evaluate_end_slope() {
    if (end_slope_ready_) return;
    evaluate(next_.t, next_.hi.data(), end_stage());
    end_slope_ready_ = true;
  }

  // Over `allowed`, and over what velocities and momenta may be wrong by.
  double weighted_error(const StageSum& weights, double h, double allowed) {
    double worst = 0.0;
    if (by_tolerance_) {
      slopes_.sum(weights, h / allowed, error_.data());
      worst = max_norm(error_.data(), controlled_);
      if (accounts_.given()) worst = std::max(worst, allowed * accounts_.ratio(error_.data()));
    }
    if (!limits_.given()) return worst;
    slopes_.sum(weights, h, error_.data());
    const double roundoff = h * estimate_roundoff_ * limits_.ratio(slopes_[0]);
    return std::max(worst, limits_.ratio(error_.data()) / std::max(1.0, roundoff));
  }

  // Error of the step over what is allowed.
  double error_estimate(const State& state, double h) {
    for (std::size_t i = 0; i < n_; ++i) point_[i] = start_[i] + increment_[i];
    const Sizes end(point_.data(), controlled_, n_);
    if (!std::isfinite(end.all)) return std::numeric_limits<double>::infinity();
    if (needs_end_slope_) {
      compute_end(state, h);
      end_slope_ready_ = false;
      evaluate_end_slope();
    }
    accounts_.allow(tolerance_, start_.data(), point_.data());
    // Below the roundoff of the slopes the estimate tells nothing, however short the step.
    const double allowed =
        std::max(std::max(start_size_, end.controlled) * tolerance_, h * estimate_roundoff_ * slope_size_);
    double fine = weighted_error(errors_[0], h, allowed);
    const bool sharp = system_.misses || system_.smooth_until;  // formulas, or kinks as of ropes that go taut
    if (sharp && !error_in_time_.stage.empty()) {
      // Of lower order than the method: what it says of a step is more than the step's error by far.
      constexpr double kOverstated = 0.01;
      fine = std::max(fine, kOverstated * weighted_error(error_in_time_, h, allowed));
    }
    constexpr double kNothing = 1e-100;  // its square would vanish, and the quotient below be none
    if (errors_.size() == 1 || fine < kNothing) return fine;
    const double coarse = weighted_error(errors_[1], h, allowed);
    return fine * fine / std::sqrt(fine * fine + 0.01 * coarse * coarse);
  }

  // Whether something acted unseen: judged by the cubic through both ends with their slopes. The slope at the
  // end is that with which the next step begins.
  bool misses(const State& state, double h) {
    if (!needs_end_slope_) {
      compute_end(state, h);
      end_slope_ready_ = false;
    }
    evaluate_end_slope();
    return watch_.misses(state.t, h, start_.data(), slopes_[0], next_.hi.data(), slopes_[end_stage()]);
  }

  // PI control (E. Hairer, G. Wanner, Solving ODEs II, IV.2): remembers the last error; no growth right after
  // a rejection.
  double growth(double error) {
    const double now = std::log(std::max(error, 1e-10));
    const double response = tableau_.beta * last_log_ - (exponent() - 0.75 * tableau_.beta) * now;
    double factor = std::clamp(kSafety * std::exp(response), kLargestShrink, kLargestGrowth);
    if (rejected_before_) factor = std::min(factor, 1.0);
    rejected_before_ = false;
    last_error_ = std::max(error, kLeastRemembered);
    last_log_ = error >= kLeastRemembered ? now : kLogOfLeast;
    return factor;
  }

  void remember(double error) {
    last_error_ = error;
    last_log_ = std::log(error);
  }

  double first_step(const State& state) {
    const FirstStep first(system_, start_.data(), slopes_[0]);
    for (std::size_t i = 0; i < n_; ++i) point_[i] = start_[i] + first.guess * slopes_[0][i];
    evaluate(state.t + first.guess, point_.data(), 1);
    return first.chosen(system_, slopes_[0], slopes_[1], tolerance_, tableau_.order);
  }

  void finish(State& state, double h) {
    polynomial_.t = state.t;
    polynomial_.t_lo = state.t_lo;
    polynomial_.length = h;
    polynomial_.unit = h;
    copy_lanes(state.lo.data(), n_, polynomial_.start_lo.data());
    if (needs_end_slope_) {
      std::swap(state, next_);
    } else {
      accumulate(system_, state, h, increment_.data());
    }
    next_.t = state.t;
    copy_lanes(state.hi.data(), n_, next_.hi.data());
    dense_ready_ = false;
    last_step_ = h;
    ++counts_.steps;
    if (adaptive() && counts_.steps % StiffnessWatch::kEvery == 0) watch_stiffness(h);
  }

  void watch_stiffness(double h) {
    evaluate_end_slope();
    for (std::size_t i = 0; i < controlled_; ++i) error_[i] = slopes_[end_stage()][i] - slopes_[0][i];
    stiffness_.observe(h, h * max_norm(error_.data(), controlled_) / (tolerance_ * start_size_), tolerance_);
  }

  // y = y0 + s (F0 + (1-s) (F1 + s (F2 + (1-s) (F3 + ...)))), as powers of s. F0 is the increment, F1 and F2
  // make the slopes at both ends right, the others are the tableau's.
  void continuous_extension() {
    const double h = polynomial_.length;
    evaluate_end_slope();
    for (std::size_t i = end_stage() + 1; i < tableau_.c.size(); ++i) compute_stage(polynomial_.t, h, i);
    const int terms = static_cast<int>(dense_rows_.size()) + 3;
    for (int k = 0; k <= terms; ++k) std::fill_n(polynomial_.row(k), n_, 0.0);
    for (int term = terms - 1; term >= 0; --term) {
      extension_term(term, h);
      const bool from_start = term % 2 == 0;  // factor s, otherwise 1 - s
      for (std::size_t lane = 0; lane < n_; ++lane) {
        polynomial_.row(0)[lane] += point_[lane];
        for (int k = terms; k >= 1; --k) {
          const double lower = polynomial_.row(k - 1)[lane];
          polynomial_.row(k)[lane] = from_start ? lower : polynomial_.row(k)[lane] - lower;
        }
        if (from_start) polynomial_.row(0)[lane] = 0.0;
      }
    }
    std::copy_n(start_.data(), n_, polynomial_.row(0));
  }

  // Into point_.
  void extension_term(int term, double h) {
    if (term >= 3) return slopes_.sum(dense_rows_[static_cast<std::size_t>(term) - 3], h, point_.data());
    const double* slope_start = slopes_[0];
    const double* slope_end = slopes_[end_stage()];
    for (std::size_t i = 0; i < n_; ++i) {
      const double increment = increment_[i];
      point_[i] = term == 0   ? increment
                  : term == 1 ? h * slope_start[i] - increment
                              : 2 * increment - h * (slope_start[i] + slope_end[i]);
    }
  }

  void hermite() {
    hermite_.fill(polynomial_.t, start_.data(), next_.t, next_.hi.data(), derivatives_for(tableau_.order),
                  polynomial_, counts_);
  }

  const Tableau tableau_;
  const System& system_;
  std::size_t n_, controlled_;
  double tolerance_;
  bool by_tolerance_;
  PhysicalLimits limits_;
  Accounts accounts_;
  double h_;                        // the next step; 0: not yet chosen
  double estimate_roundoff_ = 0.0;  // of the error estimate, in units of the slope; slopes know few eps
  double last_error_ = kLeastRemembered;
  double last_log_ = kLogOfLeast;
  double start_size_ = 1.0, slope_size_ = 0.0;  // over the controlled lanes; the first at least 1
  bool rejected_before_ = false;
  bool needs_end_slope_ = false;  // for the error estimate
  std::vector<StageSum> rows_, errors_, dense_rows_;
  StageSum error_in_time_;
  StageSum weights_;
  StageSlopes slopes_;  // row end_stage(): at the end of the step, when end_slope_ready_
  AlignedVector<double> increment_, start_, point_, error_;
  State next_;  // the end of the last step: its t and hi, while it is being tried also the rest
  bool end_slope_ready_ = false;
  StiffnessWatch stiffness_;
  StepWatch watch_;
  TwoPointHermite hermite_;
  bool dense_ready_ = false;
  StepPolynomial polynomial_;
};

}  // namespace

std::unique_ptr<Stepper> make_runge_kutta(const Tableau& tableau, const System& system,
                                          const StepOptions& options) {
  return std::make_unique<RungeKutta>(tableau, system, options);
}

}  // namespace catena
