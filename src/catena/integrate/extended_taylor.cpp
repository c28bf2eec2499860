#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "catena/integrate/extended_lanes.h"
#include "catena/integrate/taylor.h"
#include "catena/integrate/taylor_step.h"

namespace catena {
namespace {

// How far before a kink the defect is looked at, as a part of the step.
constexpr double kBeforeKink = 1e-9;

// Steps in a row that may be too short for the clock.
constexpr int kMostCrawling = 100;

template <class S>
class ExtendedTaylor final : public ExtendedStepper {
 public:
  ExtendedTaylor(ExtendedSystem<S> system, const StepOptions& options)
      : system_(std::move(system)),
        n_(system_.dimension),
        tolerance_(options.tolerance),
        log_tolerance_(std::log2(options.tolerance)),
        first_step_(options.step.value_or(0.0)),
        order_(options.order.value_or(cheapest_order(options.tolerance, system_.series_overhead))),
        c_((static_cast<std::size_t>(order_) + 1) * n_),
        x_(n_),
        increment_(n_),
        slope_(n_),
        rate_(n_) {
    polynomial_.resize(order_, n_);
    if (system_.reserve) system_.reserve(order_);
  }

  int order() const override { return order_; }
  StepMemory memory() const override { return {first_step_}; }
  void restore(const StepMemory& memory) override { first_step_ = memory[0]; }

  StepStatus step(State& state, double /*horizon*/) override {
    read_lanes(state, x_.data());
    const S t = from_pair<S>(state.t, state.t_lo);
    system_.taylor(t, x_.data(), order_, c_.data());
    ++counts_.evaluations;
    const double scale = std::max(1.0, size_of(x_.data(), n_));
    double h = first_step_;
    const auto size = [this](int k) { return size_of(row(k), n_); };
    if (!(h > 0.0)) h = taylor_step(order_, log_tolerance_, scale, size);
    if (std::isinf(h)) h = step_of_few_orders(order_, state.t, scale, size);
    if (!(h > 0.0)) return StepStatus::not_finite;
    h = std::min(h, longest_);
    // Series end where a law has a kink, to all digits; there another one holds, so look just before.
    S length(h);
    if (system_.smooth_until) length = system_.smooth_until(length);
    const double kink = to_pair(length).hi;
    const bool at_kink = kink < h;
    h = std::min(h, kink);
    crawling_ = h < shortest_step(state.t) ? crawling_ + 1 : 0;
    if (crawling_ > kMostCrawling) return StepStatus::step_too_small;
    const double allowed = 10 * std::max(tolerance_, 8 * resolution<S>()) * scale;
    for (;; ++counts_.rejected) {
      const S looked_at = at_kink && h == kink ? length * S(1.0 - kBeforeKink) : S(h);
      sum(looked_at);
      const double excess = defect(t + looked_at) * h / (order_ + 1);
      if (excess <= allowed) break;
      h *= std::isfinite(excess) ? std::clamp(0.8 * std::pow(allowed / excess, 1.0 / order_), 0.1, 0.8) : 0.1;
      if (h < shortest_step(state.t))
        return std::isfinite(excess) ? StepStatus::step_too_small : StepStatus::not_finite;
    }
    if (!at_kink || h < kink) length = S(h);
    if (at_kink && h == kink) sum(length);
    begin_polynomial(state, h, polynomial_);
    for (std::size_t i = 0; i < n_; ++i) x_[i] += increment_[i];
    finish(system_, state, length, x_.data());
    first_step_ = 0.0;
    last_step_ = h;
    rounded_ = false;
    ++counts_.steps;
    return StepStatus::done;
  }

  const StepPolynomial& dense() override {
    if (!rounded_) {
      for (std::size_t i = 0; i < c_.size(); ++i) polynomial_.coefficients[i] = to_pair(c_[i]).hi;
    }
    rounded_ = true;
    return polynomial_;
  }

  void project(State& state) override {
    read_lanes(state, x_.data());
    finish(system_, state, S(0.0), x_.data());
  }

  void evaluate(double time, double* hi, double* lo) override {
    const DoubleDouble ahead = two_sum(time, -polynomial_.t);
    const S s = from_pair<S>(ahead.hi, ahead.lo) - S(polynomial_.t_lo);
    for (std::size_t i = 0; i < n_; ++i) {
      S value(0.0);
      for (int k = order_; k >= 0; --k) value = value * s + row(k)[i];
      const DoubleDouble pair = to_pair(value);
      hi[i] = pair.hi;
      lo[i] = pair.lo;
    }
  }

 private:
  const S* row(int k) const { return c_.data() + static_cast<std::size_t>(k) * n_; }

  // The increment over h and the slope there, by Horner's rule.
  void sum(const S& h) {
    for (std::size_t i = 0; i < n_; ++i) {
      S value(0.0), slope(0.0);
      for (int k = order_; k >= 1; --k) {
        slope = slope * h + value;
        value = value * h + row(k)[i];
      }
      slope_[i] = slope * h + value;
      increment_[i] = value * h;
    }
  }

  // How far the polynomial is from solving the equation at the step's end.
  double defect(const S& t) {
    end_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) end_[i] = x_[i] + increment_[i];
    if (!(size_of(end_.data(), n_) < 1e150)) return std::numeric_limits<double>::infinity();
    system_.rhs(t, end_.data(), rate_.data());
    ++counts_.evaluations;
    for (std::size_t i = 0; i < n_; ++i) rate_[i] = rate_[i] - slope_[i];
    return size_of(rate_.data(), n_);
  }

  ExtendedSystem<S> system_;
  std::size_t n_;
  double tolerance_, log_tolerance_;
  double first_step_;  // asked for by the user; 0 once taken
  int order_;
  std::vector<S> c_, x_, increment_, slope_, rate_, end_;
  StepPolynomial polynomial_;
  bool rounded_ = false;
  int crawling_ = 0;  // so many steps in a row were too short for the clock
};

}  // namespace

template <>
double finest_tolerance<DoubleDouble>() {
  return 1e-31;
}

template <class S>
std::unique_ptr<ExtendedStepper> make_extended_taylor(ExtendedSystem<S> system, const StepOptions& options) {
  return std::make_unique<ExtendedTaylor<S>>(std::move(system), options);
}

template std::unique_ptr<ExtendedStepper> make_extended_taylor(ExtendedSystem<DoubleDouble>,
                                                               const StepOptions&);

#if CATENA_HAS_QUAD
template <>
double finest_tolerance<Quad>() {
  return 1e-33;
}
template std::unique_ptr<ExtendedStepper> make_extended_taylor(ExtendedSystem<Quad>, const StepOptions&);
#endif

}  // namespace catena
