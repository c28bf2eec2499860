#include "catena/integrate/taylor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/integrate/step_control.h"
#include "catena/integrate/taylor_step.h"
#include "catena/math/pack.h"

namespace catena {
namespace {

// How far before a kink the defect is looked at, as a part of the step: far more than the step goes beyond
// it.
constexpr double kBeforeKink = 1e-9;

// Steps in a row that may be too short for the clock.
constexpr int kMostCrawling = 100;

// Integrals along the motion may be followed further than the step rule says by this factor: they are off by
// 1e5 times the tolerance at most, and do not shorten steps that are usual.
constexpr double kIntegralsReach = 1.5;

class Taylor final : public Stepper {
 public:
  Taylor(const System& system, const StepOptions& options)
      : system_(system),
        controlled_(controlled_lanes(system)),
        tolerance_(options.tolerance),
        log_tolerance_(std::log2(options.tolerance)),
        by_tolerance_(options.by_tolerance),
        limits_(system, options),
        first_step_(options.step.value_or(0.0)),
        order_(options.order.value_or(
            cheapest_order(options.tolerance, system.series_overhead, system.step_overhead))) {
    polynomial_.resize(order_, system_.dimension);
    increment_.resize(system_.dimension);
    slope_.resize(system_.dimension);
    end_.resize(system_.dimension);
    rate_.resize(system_.dimension);
    if (system_.margin) {
      middle_.resize(system_.dimension);
      back_.resize((kLeapOrder + 1) * system_.dimension);
    }
    if (system_.reserve) system_.reserve(order_);
  }

  int order() const override { return order_; }
  bool looks_inside() const override { return true; }  // smooth_until does
  StepMemory memory() const override { return {first_step_, usual_margin_, leap_length_}; }
  void restore(const StepMemory& memory) override {
    first_step_ = memory[0];
    usual_margin_ = memory[1];
    leap_length_ = memory[2];
  }
  const StepPolynomial& dense() override { return polynomial_; }

  StepStatus step(State& state, double /*horizon*/) override {
    polynomial_.t = state.t;
    polynomial_.t_lo = state.t_lo;
    polynomial_.start_lo = state.lo;
    system_.taylor(state.t, state.hi.data(), order_, polynomial_.row(0));
    ++counts_.evaluations;
    const double scale = std::max(1.0, max_norm(state.hi.data(), controlled_));
    double h = first_step_ > 0.0 ? first_step_ : step_length(scale);
    if (std::isinf(h)) h = step_of_few_orders(order_, state.t, scale, [this](int k) { return size(k); });
    if (!(h > 0.0)) return StepStatus::not_finite;
    h = std::min({h, longest_, integrals_length()});
    const double kink = system_.smooth_until ? system_.smooth_until(h) : h;
    const bool at_kink = kink < h;
    h = on_the_clock(system_, state, kink, at_kink);
    const double end_at_kink = h;
    // Kinks may lie closer together than the clock can tell; a motion that gets no further is none.
    crawling_ = h < shortest_step(state.t) ? crawling_ + 1 : 0;
    if (crawling_ > kMostCrawling) return StepStatus::step_too_small;
    if (system_.margin) {
      const Route route = around_singular(state, h, scale);
      if (route.leap && leaps(state, route.length, scale)) return StepStatus::done;
      if (!route.leap) h = route.length;
    }
    for (;; ++counts_.rejected) {
      // A step to a kink ends a little beyond it, where another law holds: look just before.
      const double looked_at = at_kink && h == end_at_kink ? just_before(state, h) : h;
      sum(looked_at);
      for (std::size_t i = 0; i < system_.dimension; ++i) end_[i] = state.hi[i] + increment_[i];
      const double excess = excess_over_allowed(state, looked_at, scale);
      if (excess <= 1.0) {
        if (looked_at != h) sum(h);
        break;
      }
      h *= std::isfinite(excess) ? std::clamp(0.8 * std::pow(1.0 / excess, 1.0 / order_), 0.1, 0.8) : 0.1;
      h = on_the_clock(system_, state, h);
      if (h < shortest_step(state.t))
        return std::isfinite(excess) ? StepStatus::step_too_small : StepStatus::not_finite;
    }
    finish(state, h);
    return StepStatus::done;
  }

 private:
  // Before a kink at h or a tick of the clock earlier.
  double just_before(const State& state, double h) const {
    constexpr int kTicks = 2;
    const double part = h * (1.0 - kBeforeKink), ticks = h - kTicks * kEpsilon * (state.t + h);
    return on_the_clock(system_, state, system_.reads_time && ticks > 0.0 ? std::min(part, ticks) : part);
  }

  void finish(State& state, double h) {
    polynomial_.length = h;
    accumulate(system_, state, h, increment_.data());
    first_step_ = 0.0;
    last_step_ = h;
    ++counts_.steps;
  }

  // Singular positions. Seen from a distance d, noise across the branches of the motion makes coefficient k
  // wrong by about roundoff / d^k: a step rule would creep into the singular position and lose all digits
  // there. So land half a leap before it, and cross in one step of few orders, in which noise grows by
  // 2^order only.
  static constexpr int kLeapOrder = 14;
  static constexpr double kLeapNoise = 1e-11;  // where series from both sides meet: 100 times what is usual
  static constexpr double kNear = 0.3;      // of the usual margin: time to look where the nearest minimum is
  static constexpr double kSingular = 0.1;  // of the usual margin, at a minimum: a singular position

  struct Route {
    double length;
    bool leap;
  };

  double margin_at(const State& state, double h) {
    sum(h);
    for (std::size_t i = 0; i < system_.dimension; ++i) end_[i] = state.hi[i] + increment_[i];
    return system_.margin(state.t + h, end_.data());
  }

  // How far to go from here with the step rule's h.
  Route around_singular(const State& state, double h, double scale) {
    const double here = system_.margin(state.t, state.hi.data());
    usual_margin_ = std::max(usual_margin_, here);
    if (here >= kNear * usual_margin_) leap_length_ = leap_length(scale);
    const double shortest_leap = leap_length_ > 0.0 ? leap_length_ : h;
    if (margin_at(state, h) >= kNear * usual_margin_ && here >= kNear * usual_margin_) return {h, false};
    const double to_singular = distance_to_minimum(state, std::max(2 * h, shortest_leap));
    if (to_singular <= 0.0) return {h, false};
    const double half = 0.5 * shortest_leap;
    if (to_singular <= 1.25 * half) return {to_singular + half, true};
    return {std::min(h, to_singular - half), false};
  }

  // Along the polynomial, as far as `reach`: the first minimum of the margin that is a singular position; 0:
  // none.
  double distance_to_minimum(const State& state, double reach) {
    constexpr int kLooks = 16;
    double before = system_.margin(state.t, state.hi.data()), last = before;
    for (int i = 1; i <= kLooks; ++i) {
      const double now = margin_at(state, reach * i / kLooks);
      if (now > last && last <= before && i > 1) {
        const double at = refined_minimum(state, reach * (i - 2) / kLooks, reach * i / kLooks);
        if (margin_at(state, at) < kSingular * usual_margin_) return at;
      }
      before = last;
      last = now;
    }
    return 0.0;
  }

  double refined_minimum(const State& state, double low, double high) {
    constexpr int kPasses = 12;  // by thirds: 0.8 % of the first interval
    for (int i = 0; i < kPasses; ++i) {
      const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
      if (margin_at(state, a) < margin_at(state, b)) {
        high = b;
      } else {
        low = a;
      }
    }
    return 0.5 * (low + high);
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
  bool leaps(State& state, double h, double scale) {
    for (std::size_t i = 0; i < system_.dimension; ++i) {
      middle_[i] = state.hi[i] + leap_sum(polynomial_.row(0), 0.5 * h, i);
      increment_[i] = leap_sum(polynomial_.row(0), h, i);
    }
    landing_ = state;
    accumulate(system_, landing_, h, increment_.data());
    system_.taylor(landing_.t, landing_.hi.data(), kLeapOrder, back_.data());
    ++counts_.evaluations;
    double apart = 0.0;
    for (std::size_t i = 0; i < controlled_; ++i) {
      const double back = landing_.hi[i] + leap_sum(back_.data(), -0.5 * h, i);
      const double difference = std::fabs(back - middle_[i]);
      apart = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(apart, difference);
    }
    if (!(apart <= std::max(10 * tolerance_, kLeapNoise) * scale)) {
      ++counts_.rejected;
      return false;
    }
    for (int k = kLeapOrder + 1; k <= order_; ++k) std::fill_n(polynomial_.row(k), system_.dimension, 0.0);
    finish(state, h);
    return true;
  }

  // What the series from row 0 on add over h, in as many orders as a leap has.
  double leap_sum(const double* series, double h, std::size_t lane) const {
    double sum = 0.0;
    for (int k = std::min(order_, kLeapOrder); k >= 1; --k)
      sum = (sum + series[static_cast<std::size_t>(k) * system_.dimension + lane]) * h;
    return sum;
  }

  double size(int k) const { return max_norm(polynomial_.row(k), controlled_); }

  // How far the integrals along the motion can be followed: as a rule much further than the motion itself,
  // but a potential may change with time where nothing feels it.
  double integrals_length() const {
    const std::size_t count = system_.dimension - controlled_;
    double log_h = std::numeric_limits<double>::infinity();
    for (int k = std::max(1, order_ - kTaylorWindow + 1); k <= order_ && count > 0; ++k) {
      const double term = max_norm(polynomial_.row(k) + controlled_, count);
      if (term > 0.0) log_h = std::min(log_h, -std::log2(term) / k);
    }
    return kIntegralsReach * std::exp2(log_h + log_tolerance_ / order_);
  }

  // h = tol^(1/p) min over the window of (s / |x_k|)^(1/k); infinite when the whole window vanishes. Errors
  // of velocities and momenta: h = min of (limit / error of x_k)^(1/k).
  double step_length(double scale) const {
    double log_h = std::numeric_limits<double>::infinity(), log_limit = log_h;
    for (int k = std::max(1, order_ - kTaylorWindow + 1); k <= order_; ++k) {
      const double term = size(k);
      if (std::isinf(term)) return std::numeric_limits<double>::quiet_NaN();
      if (term > 0.0) log_h = std::min(log_h, std::log2(scale / term) / k);
      if (!limits_.given()) continue;
      const double ratio = limits_.ratio(polynomial_.row(k));
      if (ratio > 0.0) log_limit = std::min(log_limit, -std::log2(ratio) / k);
    }
    const double h =
        std::exp2(std::min(by_tolerance_ ? log_h + log_tolerance_ / order_ : log_limit, log_limit));
    return std::isinf(h) ? h : without_cancellation(h, order_, scale, [this](int k) { return size(k); });
  }

  // The polynomial's increment over h and its slope there, by Horner's rule: a few lanes at a time, through
  // all orders.
  void sum(double h) {
    std::size_t i = 0;
    for (; i + 2 * kNativeWidth <= system_.dimension; i += 2 * kNativeWidth) sum_lanes<2>(h, i);
    for (; i + kNativeWidth <= system_.dimension; i += kNativeWidth) sum_lanes<1>(h, i);
    for (; i < system_.dimension; ++i) {
      double value = 0.0, slope = 0.0;
      for (int k = order_; k >= 1; --k) {
        slope = slope * h + value;
        value = value * h + polynomial_.row(k)[i];
      }
      slope_[i] = slope * h + value;
      increment_[i] = value * h;
    }
  }

  template <int Packs>
  void sum_lanes(double h, std::size_t lane) {
    using Lanes = Pack<double, kNativeWidth>;
    Lanes value[Packs] = {}, slope[Packs] = {};
    const double* c = polynomial_.row(order_) + lane;
    for (int k = order_; k >= 1; --k, c -= system_.dimension) {
      for (int q = 0; q < Packs; ++q) {
        slope[q] = slope[q] * h + value[q];
        value[q] = value[q] * h + load<kNativeWidth>(c + q * kNativeWidth);
      }
    }
    for (int q = 0; q < Packs; ++q) {
      const std::size_t at = lane + static_cast<std::size_t>(q * kNativeWidth);
      const Lanes end_slope = slope[q] * h + value[q], increment = value[q] * h;
      store<kNativeWidth>(slope_.data() + at, end_slope);
      store<kNativeWidth>(increment_.data() + at, increment);
    }
  }

  // The defect at the end of the step, over what is allowed.
  double excess_over_allowed(const State& state, double h, double scale) {
    const double excess = defect(state.t + h, scale) * h / (order_ + 1);
    const double allowed = 10 * std::max(tolerance_, 8 * kEpsilon) * scale;
    if (!limits_.given() || !std::isfinite(excess)) return excess / allowed;
    const double roundoff = 8 * kEpsilon * limits_.ratio(state.hi.data());
    const double physical = limits_.ratio(rate_.data()) * h / (order_ + 1) / (10 * std::max(1.0, roundoff));
    return std::max(by_tolerance_ ? excess / allowed : 0.0, physical);
  }

  // How far the polynomial is from solving the equation at the step's end.
  double defect(double t, double scale) {
    if (!(max_norm(end_.data(), system_.dimension) < 1e150 * scale))
      return std::numeric_limits<double>::infinity();
    system_.rhs(t, end_.data(), rate_.data());
    ++counts_.evaluations;
    for (std::size_t i = 0; i < controlled_; ++i) rate_[i] -= slope_[i];
    return max_norm(rate_.data(), controlled_);
  }

  const System& system_;
  std::size_t controlled_;  // leading lanes that step control looks at
  double tolerance_;
  double log_tolerance_;
  bool by_tolerance_;
  PhysicalLimits limits_;
  double first_step_;  // asked for by the user; 0 once taken
  int order_;
  double usual_margin_ = 0.0;  // of the motion so far, the largest
  double leap_length_ = 0.0;   // as of the last step from far away
  int crawling_ = 0;           // so many steps in a row were too short for the clock
  StepPolynomial polynomial_;
  std::vector<double> increment_, slope_, end_, rate_;
  State landing_;  // of a leap
  std::vector<double> middle_, back_;
};

}  // namespace

int cheapest_order(double tolerance, double overhead, double per_step) {
  const double digits = -std::log(tolerance);
  const auto cost = [&](int p, double fixed) { return (p * (p + overhead) + fixed) * std::exp(digits / p); };
  // Terms (a h)^k / k!, the last of them the tolerance, add up to exp(a h) before they cancel.
  const auto is_exact = [&](int p) {
    const double reach = std::exp((std::lgamma(p + 1.0) - digits) / p);
    return std::exp(reach) * kEpsilon <= tolerance;
  };
  int best =
      std::clamp(static_cast<int>(std::ceil(0.5 * digits + 1)), kLowestTaylorOrder, kHighestTaylorOrder);
  while (best < kHighestTaylorOrder && cost(best + 1, 0.0) < cost(best, 0.0)) ++best;
  while (best < kHighestTaylorOrder && is_exact(best + 1) &&
         cost(best + 1, per_step) < cost(best, per_step)) {
    ++best;
  }
  return best;
}

std::unique_ptr<Stepper> make_taylor(const System& system, const StepOptions& options) {
  return std::make_unique<Taylor>(system, options);
}

}  // namespace catena
