// Steps of Taylor series in any arithmetic: their length, the look at what they leave, kinks that end them,
// and singular positions that they leap over. `Arithmetic` says what lanes are made of and how they come from
// a state and go back to it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "catena/integrate/singular_route.h"
#include "catena/integrate/step_control.h"
#include "catena/integrate/taylor.h"
#include "catena/integrate/taylor_step.h"
#include "catena/math/double_double.h"

namespace catena {

template <class Arithmetic>
class TaylorMethod final : public Arithmetic::Base {
 public:
  using S = typename Arithmetic::Scalar;
  using Arithmetic::Base::counts_;
  using Arithmetic::Base::last_step_;
  using Arithmetic::Base::longest_;

  template <class System>
  TaylorMethod(const System& system, const StepOptions& options)
      : tolerance_(options.tolerance),
        log_tolerance_(std::log2(options.tolerance)),
        by_tolerance_(options.by_tolerance),
        first_step_(options.step.value_or(0.0)),
        order_(options.order.value_or(
            cheapest_order(options.tolerance, system.series_overhead, system.step_overhead))),
        lanes_(system, options, order_),
        n_(lanes_.dimension()),
        controlled_(lanes_.controlled()),
        increment_(n_),
        slope_(n_),
        end_(n_),
        rate_(n_) {
    if (!lanes_.has_margin()) return;
    middle_.resize(n_);
    back_.resize((kLeapOrder + 1) * n_);
  }

  int order() const override { return order_; }
  bool looks_inside() const override { return Arithmetic::kLooksInside; }
  StepMemory memory() const override { return {first_step_, singular_.usual_margin, singular_.leap_length}; }
  void restore(const StepMemory& memory) override {
    first_step_ = memory[0];
    singular_ = {memory[1], memory[2]};
  }
  const StepPolynomial& dense() override { return lanes_.polynomial(); }
  // Of numbers with more digits than a double.
  void evaluate(const DoubleDouble& time, double* hi, double* lo) { lanes_.evaluate(time, hi, lo); }
  void project(State& state) { lanes_.project(state); }

  StepStatus step(State& state, double /*horizon*/) override {
    lanes_.expand(state);
    ++counts_.evaluations;
    const double scale = std::max(1.0, Arithmetic::size(lanes_.start(state), controlled_));
    double wanted = first_step_ > 0.0 ? first_step_ : step_length(scale);
    if (is_rounding_all() && !(first_step_ > 0.0)) wanted *= shaken(state.hi);
    const auto size_of_order = [this](int k) { return size(k); };
    if (std::isinf(wanted))
      wanted = std::min(kLongest, step_of_few_orders(order_, state.t, scale, size_of_order));
    if (!(wanted > 0.0)) return StepStatus::not_finite;
    wanted = std::min({wanted, longest_, integrals_length()});
    if (!(wanted > 0.0)) return StepStatus::not_finite;  // an integral without a slope here
    const S kink = lanes_.smooth_until(S(wanted));
    const bool at_kink = Arithmetic::rounded(kink) < wanted;
    S h = lanes_.on_the_clock(state, kink, at_kink);
    // Kinks may lie closer together than the clock can tell; a motion that gets no further is none.
    crawling_ = Arithmetic::rounded(h) < shortest_step(state.t) ? crawling_ + 1 : 0;
    if (crawling_ > kMostCrawling) return StepStatus::step_too_small;
    bool ends_at_kink = at_kink;
    if (lanes_.has_margin()) {
      const singular::Route route = around_singular(state, Arithmetic::rounded(h), scale);
      if (route.leap && leaps(state, route.length, scale)) return StepStatus::done;
      if (!route.leap && route.length < Arithmetic::rounded(h)) {
        h = S(route.length);
        ends_at_kink = false;
      }
    }
    for (;; ++counts_.rejected) {
      // A step to a kink ends a little beyond it, where another law holds: look just before.
      const S looked_at = ends_at_kink ? lanes_.just_before(state, h, kBeforeKink) : h;
      sum(looked_at);
      const double excess = excess_over_allowed(state, looked_at, scale);
      if (excess <= 1.0) {
        if (ends_at_kink) sum(h);
        break;
      }
      const double shorter =
          std::isfinite(excess) ? std::clamp(0.8 * std::pow(1.0 / excess, 1.0 / order_), 0.1, 0.8) : 0.1;
      h = lanes_.on_the_clock(state, S(Arithmetic::rounded(h) * shorter), false);
      ends_at_kink = false;
      if (Arithmetic::rounded(h) < shortest_step(state.t))
        return std::isfinite(excess) ? StepStatus::step_too_small : StepStatus::not_finite;
    }
    finish(state, h);
    return StepStatus::done;
  }

 private:
  // How far before a kink the defect is looked at, as a part of the step: far more than the step goes beyond
  // it.
  static constexpr double kBeforeKink = 1e-9;
  // Steps in a row that may be too short for the clock.
  static constexpr int kMostCrawling = 100;
  // Integrals along the motion may be followed further than the step rule says by this factor, and so far
  // that they are off by so many times the tolerance: they do not shorten steps that are usual.
  static constexpr double kIntegralsReach = 1.5, kIntegralsLoss = 3e5;
  // Rounding's own speed, 1e-32 m/s, would lead on for 1e32 s.
  static constexpr double kLongest = 1e15;

  const S* row(int k) const { return lanes_.row(k); }
  // Whether truncation leaves nothing: no more than half a unit of a last digit.
  bool is_rounding_all() const { return tolerance_ <= 0.5 * Arithmetic::kResolution; }
  double size(int k) const { return Arithmetic::size(row(k), controlled_); }

  void finish(State& state, const S& h) {
    lanes_.take(state, h, increment_.data());
    first_step_ = 0.0;
    last_step_ = Arithmetic::rounded(h);
    ++counts_.steps;
  }

  // The polynomial's increment over h and its slope there, by Horner's rule.
  void sum(const S& h) { lanes_.sum(order_, h, increment_.data(), slope_.data()); }

  void show_end(const State& state) {
    const S* start = lanes_.start(state);
    for (std::size_t i = 0; i < n_; ++i) end_[i] = start[i] + increment_[i];
  }

  // How far the integrals along the motion can be followed: as a rule much further than the motion itself,
  // but a potential may change with time where nothing feels it.
  double integrals_length() const {
    const std::size_t count = n_ - controlled_;
    double log_h = std::numeric_limits<double>::infinity();
    if (count == 0) return log_h;
    for (int k = std::max(1, order_ - kTaylorWindow + 1); k <= order_; ++k) {
      const double term = Arithmetic::size(row(k) + controlled_, count);
      if (term > 0.0) log_h = std::min(log_h, -std::log2(term) / k);
    }
    const double reach = std::min(kIntegralsReach, std::pow(kIntegralsLoss, 1.0 / order_));
    return reach * std::exp2(log_h + log_tolerance_ / order_);
  }

  // Singular positions: see singular_route.h.
  static constexpr int kLeapOrder = Arithmetic::kLeapOrder;

  double margin_at(const State& state, double h) {
    sum(S(h));
    show_end(state);
    return lanes_.margin(state.t + h, end_.data());
  }

  // How far to go from here with the step rule's h.
  singular::Route around_singular(const State& state, double h, double scale) {
    const double here = lanes_.margin(state.t, lanes_.start(state));
    singular_.usual_margin = std::max(singular_.usual_margin, here);
    if (!singular::is_near(singular_, here)) singular_.leap_length = leap_length(scale);
    return singular::route(singular_, here, h, [&](double at) { return margin_at(state, at); });
  }

  // What the step rule would give for the leap's order.
  double leap_length(double scale) const {
    double log_h = std::numeric_limits<double>::infinity();
    const int order = std::min(order_, kLeapOrder);
    for (int k = std::max(1, order - kTaylorWindow + 1); k <= order; ++k) {
      if (size(k) > 0.0) log_h = std::min(log_h, std::log2(scale / size(k)) / k);
    }
    return std::isfinite(log_h) ? std::exp2(log_h + log_tolerance_ / order) : 0.0;
  }

  // Whether the motion is smooth across, as at a singular position, and the leap is taken: the series from
  // both of its ends meet in the middle. Past a position that is nearly singular the motion turns within a
  // short time, which a leap must not cut off.
  bool leaps(State& state, double length, double scale) {
    const S h(length), half(0.5 * length), half_back(-0.5 * length);
    const S* start = lanes_.start(state);
    for (std::size_t i = 0; i < n_; ++i) {
      middle_[i] = start[i] + leap_sum(row(0), half, i);
      increment_[i] = leap_sum(row(0), h, i);
    }
    if (!(Arithmetic::size(increment_.data(), n_) < singular::kAstray * scale)) {
      ++counts_.rejected;
      return false;
    }
    landing_ = state;
    const S* landed = lanes_.land(landing_, h, increment_.data());
    lanes_.series_at(landing_, landed, kLeapOrder, back_.data());
    ++counts_.evaluations;
    double apart = 0.0;
    for (std::size_t i = 0; i < controlled_; ++i) {
      const S back = landed[i] + leap_sum(back_.data(), half_back, i);
      const double difference = std::fabs(Arithmetic::rounded(back - middle_[i]));
      apart = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(apart, difference);
    }
    if (!(apart <= std::max(10 * tolerance_, Arithmetic::kLeapNoise) * scale)) {
      ++counts_.rejected;
      // Back to the start, for what counts turns along the motion.
      landing_ = state;
      std::fill(increment_.begin(), increment_.end(), S(0.0));
      lanes_.land(landing_, S(0.0), increment_.data());
      return false;
    }
    lanes_.cut_series(kLeapOrder);
    finish(state, h);
    return true;
  }

  // What the series from row 0 on add over h, in as many orders as a leap has.
  S leap_sum(const S* series, const S& h, std::size_t lane) const {
    S sum(0.0);
    for (int k = std::min(order_, kLeapOrder); k >= 1; --k)
      sum = (sum + series[static_cast<std::size_t>(k) * n_ + lane]) * h;
    return sum;
  }

  // h = tol^(1/p) min over the window of (s / |x_k|)^(1/k); infinite when the whole window vanishes. Errors
  // of velocities and momenta: h = min of (limit / error of x_k)^(1/k).
  double step_length(double scale) const {
    double log_h = std::numeric_limits<double>::infinity(), log_limit = log_h;
    for (int k = std::max(1, order_ - kTaylorWindow + 1); k <= order_; ++k) {
      const double term = size(k);
      if (std::isinf(term)) return std::numeric_limits<double>::quiet_NaN();
      if (term > 0.0) log_h = std::min(log_h, std::log2(scale / term) / k);
      if (!lanes_.limits_given()) continue;
      const double ratio = lanes_.limits_ratio(row(k));
      if (ratio > 0.0) log_limit = std::min(log_limit, -std::log2(ratio) / k);
    }
    const double h =
        std::exp2(std::min(by_tolerance_ ? log_h + log_tolerance_ / order_ : log_limit, log_limit));
    return std::isinf(h) ? h : without_cancellation(h, order_, scale, [this](int k) { return size(k); });
  }

  // The defect at the end of the step, over what is allowed.
  double excess_over_allowed(const State& state, const S& length, double scale) {
    const double h = Arithmetic::rounded(length);
    show_end(state);
    const double excess = defect(state, length, scale) * h / (order_ + 1);
    const double allowed = 10 * std::max(tolerance_, 8 * Arithmetic::kResolution) * scale;
    if (!lanes_.limits_given() || !std::isfinite(excess)) return excess / allowed;
    const double roundoff = 8 * Arithmetic::kResolution * lanes_.limits_ratio(lanes_.start(state));
    const double physical =
        lanes_.limits_ratio(rate_.data()) * h / (order_ + 1) / (10 * std::max(1.0, roundoff));
    return std::max(by_tolerance_ ? excess / allowed : 0.0, physical);
  }

  // How far the polynomial is from solving the equation at the step's end.
  double defect(const State& state, const S& h, double scale) {
    if (!(Arithmetic::size(end_.data(), n_) < 1e150 * scale)) return std::numeric_limits<double>::infinity();
    lanes_.rhs(state, h, end_.data(), rate_.data());
    ++counts_.evaluations;
    for (std::size_t i = 0; i < controlled_; ++i) rate_[i] = rate_[i] - slope_[i];
    return Arithmetic::size(rate_.data(), controlled_);
  }

  double tolerance_;
  double log_tolerance_;
  bool by_tolerance_;
  double first_step_;  // asked for by the user; 0 once taken
  int order_;
  Arithmetic lanes_;
  std::size_t n_, controlled_;  // controlled: leading lanes that step control looks at
  singular::Memory singular_;
  int crawling_ = 0;  // so many steps in a row were too short for the clock
  std::vector<S> increment_, slope_, end_, rate_;
  State landing_;  // of a leap
  std::vector<S> middle_, back_;
};

}  // namespace catena
