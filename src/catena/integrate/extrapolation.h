// The extrapolated midpoint rule of R. Bulirsch and J. Stoer in any arithmetic. `Arithmetic` says what lanes
// are made of and how they come from a state and go back to it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "catena/integrate/step_control.h"

namespace catena {

// Line j of the table (from 0) takes 2 (j + 1) substeps: the harmonic sequence of P. Deuflhard. Its last
// column has order 2 (j + 1).
constexpr int kLowestTarget = 1;
constexpr int substeps(int line) { return 2 * (line + 1); }

// Evaluations for all lines up to this one; the slope at the start serves them all.
constexpr int work(int line) { return 1 + (line + 1) * (line + 2); }

constexpr double kWorthwhile = 0.9;  // work per time must fall below this part of it for another order

// E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, II.9: the order is the number of the line at which the
// error is expected to be small enough; it is looked for one line before and one behind as well.
template <class Arithmetic>
class BulirschStoer : public Arithmetic::Base {
 public:
  using S = typename Arithmetic::Scalar;

  template <class System>
  BulirschStoer(const System& system, const StepOptions& options)
      : lanes_(system, options),
        n_(lanes_.dimension()),
        controlled_(lanes_.controlled()),
        tolerance_(std::max(options.tolerance, Arithmetic::kFinest)),
        by_tolerance_(options.by_tolerance),
        h_(options.step.value_or(0.0)),
        target_(
            std::clamp(static_cast<int>(0.5 - 0.6 * std::log10(tolerance_)), kLowestTarget, kHighestTarget)),
        slope_(n_),
        rate_(n_),
        point_(n_),
        start_(n_),
        before_(n_),
        now_(n_) {
    for (std::vector<S>& row : table_) row.resize(n_);
  }

  int order() const override { return 2 * (accepted_ + 1); }
  StepMemory memory() const override { return {h_, 1.0 * target_, rejected_before_ ? 1.0 : 0.0}; }
  void restore(const StepMemory& memory) override {
    h_ = memory[0];
    target_ = static_cast<int>(memory[1]);
    rejected_before_ = memory[2] != 0.0;
  }

  StepStatus step(State& state, double /*horizon*/) override {
    lanes_.read(state, start_.data());
    evaluate_rhs(state.t, S(0.0), start_.data(), slope_.data());
    if (!std::isfinite(size(slope_, n_))) return StepStatus::not_finite;
    if (h_ == 0.0) h_ = first_step(state.t);
    double h = on_the_clock(lanes_.shape(), state, std::min(h_, this->longest_));
    while (!attempt(state.t, h)) {
      ++this->counts_.rejected;
      rejected_before_ = true;
      h = on_the_clock(lanes_.shape(), state, std::min(h_, this->longest_));
      if (h < shortest_step(state.t)) return finite_ ? StepStatus::step_too_small : StepStatus::not_finite;
    }
    finish(state, h);
    return StepStatus::done;
  }

  const StepPolynomial& dense() override { return lanes_.polynomial(order(), this->counts_); }

 protected:
  Arithmetic lanes_;

 private:
  static constexpr int kLines = Arithmetic::kLines;
  static constexpr int kHighestTarget = kLines - 2;

  static double size(const std::vector<S>& x, std::size_t n) { return Arithmetic::size(x.data(), n); }

  // At t + ahead, t being the start of the step.
  void evaluate_rhs(double t, const S& ahead, const S* x, S* dx) {
    lanes_.rhs(t, ahead, x, dx);
    ++this->counts_.evaluations;
  }

  double first_step(double t) {
    const std::vector<double> x = Arithmetic::rounded(start_), dx = Arithmetic::rounded(slope_);
    const FirstStep first(lanes_.shape(), x.data(), dx.data());
    for (std::size_t i = 0; i < n_; ++i) point_[i] = start_[i] + S(first.guess) * slope_[i];
    evaluate_rhs(t, S(first.guess), point_.data(), rate_.data());
    const std::vector<double> behind = Arithmetic::rounded(rate_);
    return first.chosen(lanes_.shape(), dx.data(), behind.data(), tolerance_, 2 * (target_ + 1));
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
    const S part = S(h) / S(1.0 * n);
    const S twice = part + part;
    std::fill(before_.begin(), before_.end(), S(0.0));
    for (std::size_t i = 0; i < n_; ++i) now_[i] = part * slope_[i];
    for (int m = 1; m <= n; ++m) {
      for (std::size_t i = 0; i < n_; ++i) point_[i] = start_[i] + now_[i];
      evaluate_rhs(t, S(1.0 * m) * part, point_.data(), rate_.data());
      if (m == n) break;
      for (std::size_t i = 0; i < n_; ++i) {
        const S next = before_[i] + twice * rate_[i];
        before_[i] = now_[i];
        now_[i] = next;
      }
    }
    for (std::size_t i = 0; i < n_; ++i) now_[i] = S(0.5) * (before_[i] + now_[i] + part * rate_[i]);
    extrapolate(line);
  }

  // table_[l] holds T(line - l, ..): with each line the columns move on in place.
  void extrapolate(int line) {
    for (int column = 1; column <= line; ++column) {
      const S ratio = S(1.0 * substeps(line)) / S(1.0 * substeps(line - column));
      const S factor = S(1.0) / (ratio * ratio - S(1.0));
      std::vector<S>& above = table_[column - 1];
      for (std::size_t i = 0; i < n_; ++i) {
        const S better = now_[i] + (now_[i] - above[i]) * factor;
        above[i] = now_[i];
        now_[i] = better;
      }
    }
    std::copy(now_.begin(), now_.end(), table_[line].begin());
  }

  // Of the last but one column of a line, over what is allowed.
  double error_of(int line, double h) {
    for (std::size_t i = 0; i < n_; ++i) point_[i] = start_[i] + table_[line][i];
    if (!std::isfinite(size(point_, n_))) return std::numeric_limits<double>::infinity();
    const double largest = std::max(size(start_, controlled_), size(point_, controlled_));
    const double allowed =
        std::max(std::max(1.0, largest) * tolerance_, Arithmetic::kRoundoff * h * size(slope_, controlled_));
    for (std::size_t i = 0; i < n_; ++i) rate_[i] = table_[line][i] - table_[line - 1][i];
    const double worst = by_tolerance_ ? size(rate_, controlled_) / allowed : 0.0;
    return lanes_.limited(worst, h, slope_.data(), rate_.data(), start_.data(), point_.data(), tolerance_);
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
    lanes_.advance(state, h, start_.data(), table_[accepted_].data());
    this->last_step_ = h;
    ++this->counts_.steps;
  }

  std::size_t n_, controlled_;
  double tolerance_;
  bool by_tolerance_;
  double h_;    // the next step; 0: not yet chosen
  int target_;  // the line at which the next step is expected to end
  bool rejected_before_ = false;
  bool finite_ = true;
  int accepted_ = kLowestTarget;
  std::array<std::vector<S>, kLines> table_;
  std::array<double, kLines> error_{}, reach_{};
  std::vector<S> slope_, rate_, point_, start_, before_, now_;
};

}  // namespace catena
