#include "catena/integrate/bulirsch_stoer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "catena/integrate/hermite.h"
#include "catena/integrate/step_control.h"

namespace catena {
namespace {

// Line j of the table (from 0) takes 2 (j + 1) substeps: the harmonic sequence of P. Deuflhard. Its last
// column has order 2 (j + 1).
constexpr int kLines = 9;
constexpr int kHighestTarget = kLines - 2;
constexpr int kLowestTarget = 1;
constexpr int substeps(int line) { return 2 * (line + 1); }

// Evaluations for all lines up to this one; the slope at the start serves them all.
constexpr int work(int line) { return 1 + (line + 1) * (line + 2); }

constexpr double kWorthwhile = 0.9;  // work per time must fall below this part of it for another order

// E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, II.9: the order is the number of the line at which the
// error is expected to be small enough; it is looked for one line before and one behind as well.
class BulirschStoer final : public Stepper {
 public:
  BulirschStoer(const System& system, const StepOptions& options)
      : system_(system),
        n_(system.dimension),
        controlled_(controlled_lanes(system)),
        tolerance_(std::max(options.tolerance, kFinestTolerance)),
        by_tolerance_(options.by_tolerance),
        limits_(system, options),
        h_(options.step.value_or(0.0)),
        target_(
            std::clamp(static_cast<int>(0.5 - 0.6 * std::log10(tolerance_)), kLowestTarget, kHighestTarget)),
        slope_(n_),
        rate_(n_),
        point_(n_),
        start_(n_),
        before_(n_),
        now_(n_),
        hermite_(system, derivatives_for(2 * kLines)) {
    for (std::vector<double>& row : table_) row.resize(n_);
    end_.resize(n_);
    polynomial_.resize(hermite_.degree(derivatives_for(2 * kLines)), n_);
  }

  int order() const override { return 2 * (accepted_ + 1); }
  StepMemory memory() const override { return {h_, 1.0 * target_, rejected_before_ ? 1.0 : 0.0}; }
  void restore(const StepMemory& memory) override {
    h_ = memory[0];
    target_ = static_cast<int>(memory[1]);
    rejected_before_ = memory[2] != 0.0;
  }

  StepStatus step(State& state, double /*horizon*/) override {
    std::copy_n(state.hi.data(), n_, start_.data());
    evaluate(state.t, start_.data(), slope_.data());
    if (!std::isfinite(max_norm(slope_.data(), n_))) return StepStatus::not_finite;
    if (h_ == 0.0) h_ = first_step(state.t);
    double h = h_;
    while (!attempt(state.t, h)) {
      ++counts_.rejected;
      rejected_before_ = true;
      h = h_;
      if (h < shortest_step(state.t)) return finite_ ? StepStatus::step_too_small : StepStatus::not_finite;
    }
    finish(state, h);
    return StepStatus::done;
  }

  const StepPolynomial& dense() override {
    if (!dense_ready_) {
      hermite_.fill(polynomial_.t, start_.data(), end_time_, end_.data(), derivatives_for(order()),
                    polynomial_, counts_);
      dense_ready_ = true;
    }
    return polynomial_;
  }

 private:
  void evaluate(double t, const double* x, double* dx) {
    system_.rhs(t, x, dx);
    ++counts_.evaluations;
  }

  double first_step(double t) {
    const FirstStep first(system_, start_.data(), slope_.data());
    for (std::size_t i = 0; i < n_; ++i) point_[i] = start_[i] + first.guess * slope_[i];
    evaluate(t + first.guess, point_.data(), rate_.data());
    return first.chosen(system_, slope_.data(), rate_.data(), tolerance_, 2 * (target_ + 1));
  }

  // Lines one after the other until one is exact enough, or none can be hoped for. Chooses h_ and target_ for
  // what comes next.
  bool attempt(double t, double h) {
    finite_ = true;
    int last = 0;
    for (int line = 0; line <= target_ + 1; ++line) {
      midpoint_line(t, h, line);
      if (line == 0) continue;
      last = line;
      error_[line] = error_of(line, h);
      finite_ = std::isfinite(error_[line]);
      if (!finite_) {
        h_ = 0.1 * h;
        return false;
      }
      reach_[line] = h * step_factor(line);
      if (line < target_ - 1) continue;
      if (error_[line] <= 1.0) {
        accepted_ = line;
        choose_next(line);
        return true;
      }
      if (hopeless(line)) break;
    }
    h_ = std::min(0.9 * h, choose_after_rejection(last));
    return false;
  }

  // The modified midpoint rule of W. B. Gragg over the whole step, its increment into the table's first
  // column, and the new diagonal by Aitken-Neville. Increments rather than states are extrapolated, so that
  // roundoff is that of the increment.
  void midpoint_line(double t, double h, int line) {
    const int n = substeps(line);
    const double part = h / n;
    std::fill(before_.begin(), before_.end(), 0.0);
    for (std::size_t i = 0; i < n_; ++i) now_[i] = part * slope_[i];
    for (int m = 1; m <= n; ++m) {
      for (std::size_t i = 0; i < n_; ++i) point_[i] = start_[i] + now_[i];
      evaluate(t + m * part, point_.data(), rate_.data());
      if (m == n) break;
      for (std::size_t i = 0; i < n_; ++i) {
        const double next = before_[i] + 2 * part * rate_[i];
        before_[i] = now_[i];
        now_[i] = next;
      }
    }
    for (std::size_t i = 0; i < n_; ++i) now_[i] = 0.5 * (before_[i] + now_[i] + part * rate_[i]);
    extrapolate(line);
  }

  // table_[l] holds T(line - l, ..): with each line the columns move on in place.
  void extrapolate(int line) {
    for (int column = 1; column <= line; ++column) {
      const double ratio = static_cast<double>(substeps(line)) / substeps(line - column);
      const double factor = 1.0 / (ratio * ratio - 1.0);
      std::vector<double>& above = table_[column - 1];
      for (std::size_t i = 0; i < n_; ++i) {
        const double better = now_[i] + (now_[i] - above[i]) * factor;
        above[i] = now_[i];
        now_[i] = better;
      }
    }
    std::copy(now_.begin(), now_.end(), table_[line].begin());
  }

  // Of the last but one column of a line, over what is allowed.
  double error_of(int line, double h) {
    for (std::size_t i = 0; i < n_; ++i) point_[i] = start_[i] + table_[line][i];
    if (!std::isfinite(max_norm(point_.data(), n_))) return std::numeric_limits<double>::infinity();
    const double size = std::max(max_norm(start_.data(), controlled_), max_norm(point_.data(), controlled_));
    const double allowed = std::max(std::max(1.0, size) * tolerance_,
                                    kEstimateRoundoff * h * max_norm(slope_.data(), controlled_));
    for (std::size_t i = 0; i < controlled_; ++i) rate_[i] = table_[line][i] - table_[line - 1][i];
    const double worst = by_tolerance_ ? max_norm(rate_.data(), controlled_) / allowed : 0.0;
    if (!limits_.given()) return worst;
    const double roundoff = kEstimateRoundoff * h * limits_.ratio(slope_.data());
    return std::max(worst, limits_.ratio(rate_.data()) / std::max(1.0, roundoff));
  }

  double step_factor(int line) const {
    const double exponent = 1.0 / (2 * line + 1);
    const double error = std::max(error_[line], 1e-30);
    const double least = std::pow(0.02, exponent);
    return std::clamp(0.94 * std::pow(0.65 / error, exponent), 0.25 * least, 1.0 / least);
  }

  // Work per time when every step ended at this line.
  double rate_of_work(int line) const { return work(line) / reach_[line]; }

  // Later lines divide the error by at most the square of their substeps over the first line's.
  bool hopeless(int line) const {
    double gain = 1.0;
    for (int later = line + 1; later <= target_ + 1; ++later) {
      const double ratio = static_cast<double>(substeps(later)) / substeps(0);
      gain *= ratio * ratio;
    }
    return error_[line] > gain;
  }

  void choose_next(int line) {
    int next = line;
    if (line >= 2 && rate_of_work(line - 1) < kWorthwhile * rate_of_work(line)) {
      next = line - 1;
    } else if (line < kHighestTarget &&
               (line < 2 || rate_of_work(line) < kWorthwhile * rate_of_work(line - 1))) {
      next = line + 1;
    }
    if (rejected_before_) next = std::min(next, line);
    next = std::clamp(next, kLowestTarget, kHighestTarget);
    double h = next <= line ? reach_[next] : reach_[line] * work(next) / work(line);
    if (rejected_before_) h = std::min(h, h_);
    rejected_before_ = false;
    h_ = h;
    target_ = next;
  }

  // `last`: the last line there was.
  double choose_after_rejection(int last) {
    int best = std::min(target_, last);
    if (best >= 2 && rate_of_work(best - 1) < kWorthwhile * rate_of_work(best)) --best;
    target_ = std::max(best, kLowestTarget);
    return reach_[target_];
  }

  void finish(State& state, double h) {
    polynomial_.t = state.t;
    polynomial_.t_lo = state.t_lo;
    polynomial_.length = h;
    polynomial_.unit = h;
    std::copy(state.lo.begin(), state.lo.end(), polynomial_.start_lo.begin());
    accumulate(system_, state, h, table_[accepted_].data());
    end_time_ = state.t;
    std::copy(state.hi.begin(), state.hi.end(), end_.begin());
    dense_ready_ = false;
    last_step_ = h;
    ++counts_.steps;
  }

  // Extrapolation magnifies the roundoff of the slopes.
  static constexpr double kEstimateRoundoff = 64 * kEpsilon;

  const System& system_;
  std::size_t n_, controlled_;
  double tolerance_;
  bool by_tolerance_;
  PhysicalLimits limits_;
  double h_;    // the next step; 0: not yet chosen
  int target_;  // the line at which the next step is expected to end
  bool rejected_before_ = false;
  bool finite_ = true;
  int accepted_ = kLowestTarget;
  std::array<std::vector<double>, kLines> table_;
  std::array<double, kLines> error_{}, reach_{};
  std::vector<double> slope_, rate_, point_, start_, before_, now_, end_;
  double end_time_ = 0.0;
  TwoPointHermite hermite_;
  bool dense_ready_ = false;
  StepPolynomial polynomial_;
};

}  // namespace

std::unique_ptr<Stepper> make_bulirsch_stoer(const System& system, const StepOptions& options) {
  return std::make_unique<BulirschStoer>(system, options);
}

}  // namespace catena
