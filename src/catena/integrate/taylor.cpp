#include "catena/integrate/taylor.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/integrate/taylor_method.h"
#include "catena/math/log_gamma.h"
#include "catena/math/pack.h"

namespace catena {
namespace {

// In doubles: the state's hi is where series start, and lo keeps what rounding would lose.
class DoubleLanes {
 public:
  using Scalar = double;
  using Base = Stepper;
  static constexpr bool kLooksInside = true;  // smooth_until does
  static constexpr double kResolution = kEpsilon;
  static constexpr int kLeapOrder = 14;
  static constexpr double kLeapNoise = 1e-11;  // where series from both sides meet: 100 times what is usual

  DoubleLanes(const System& system, const StepOptions& options, int order)
      : system_(system), limits_(system, options), order_(order) {
    polynomial_.resize(order, system_.dimension);
    if (system_.reserve) system_.reserve(order);
  }

  std::size_t dimension() const { return system_.dimension; }
  std::size_t controlled() const { return controlled_lanes(system_); }
  static double rounded(double number) { return number; }
  static double size(const double* lanes, std::size_t n) { return max_norm(lanes, n); }

  void expand(const State& state) {
    polynomial_.t = state.t;
    polynomial_.t_lo = state.t_lo;
    polynomial_.start_lo = state.lo;
    series_at(state, state.hi.data(), order_, polynomial_.row(0));
  }
  void series_at(const State& state, const double* x, int order, double* c) const {
    system_.taylor(state.t, x, order, c);
  }
  static const double* start(const State& state) { return state.hi.data(); }
  const double* row(int k) const { return polynomial_.row(k); }
  const StepPolynomial& polynomial() const { return polynomial_; }
  void cut_series(int order) {
    for (int k = order + 1; k <= order_; ++k) std::fill_n(polynomial_.row(k), dimension(), 0.0);
  }

  double smooth_until(double h) const { return system_.smooth_until ? system_.smooth_until(h) : h; }
  double on_the_clock(const State& state, double h, bool not_before) const {
    return catena::on_the_clock(system_, state, h, not_before);
  }
  // Before a kink at h, by a part of it or a tick of the clock earlier.
  double just_before(const State& state, double h, double part_before) const {
    constexpr int kTicks = 2;
    const double part = h * (1.0 - part_before), ticks = h - kTicks * kEpsilon * (state.t + h);
    return on_the_clock(state, system_.reads_time && ticks > 0.0 ? std::min(part, ticks) : part, false);
  }

  void rhs(const State& state, double h, const double* x, double* dx) const {
    system_.rhs(state.t + h, x, dx);
  }
  bool has_margin() const { return static_cast<bool>(system_.margin); }
  double margin(double t, const double* x) const { return system_.margin(t, x); }
  bool limits_given() const { return limits_.given(); }
  double limits_ratio(const double* change) const { return limits_.ratio(change); }

  const double* land(State& state, double h, const double* increment) const {
    accumulate(system_, state, h, increment);
    return state.hi.data();
  }
  void take(State& state, double h, const double* increment) {
    polynomial_.length = h;
    land(state, h, increment);
  }

  // A few lanes at a time, through all orders.
  void sum(int order, double h, double* sums, double* slopes) const {
    std::size_t i = 0;
    for (; i + 2 * kNativeWidth <= dimension(); i += 2 * kNativeWidth)
      sum_lanes<2>(order, h, i, sums, slopes);
    for (; i + kNativeWidth <= dimension(); i += kNativeWidth) sum_lanes<1>(order, h, i, sums, slopes);
    for (; i < dimension(); ++i) {
      double value = 0.0, slope = 0.0;
      for (int k = order; k >= 1; --k) {
        slope = slope * h + value;
        value = value * h + row(k)[i];
      }
      slopes[i] = slope * h + value;
      sums[i] = value * h;
    }
  }

 private:
  template <int Packs>
  void sum_lanes(int order, double h, std::size_t lane, double* sums, double* slopes) const {
    using Lanes = Pack<double, kNativeWidth>;
    Lanes value[Packs] = {}, slope[Packs] = {};
    const double* c = row(order) + lane;
    for (int k = order; k >= 1; --k, c -= system_.dimension) {
      for (int q = 0; q < Packs; ++q) {
        slope[q] = slope[q] * h + value[q];
        value[q] = value[q] * h + load<kNativeWidth>(c + q * kNativeWidth);
      }
    }
    for (int q = 0; q < Packs; ++q) {
      const std::size_t at = lane + static_cast<std::size_t>(q * kNativeWidth);
      const Lanes end_slope = slope[q] * h + value[q], increment = value[q] * h;
      store<kNativeWidth>(slopes + at, end_slope);
      store<kNativeWidth>(sums + at, increment);
    }
  }

  const System& system_;
  PhysicalLimits limits_;
  int order_;
  StepPolynomial polynomial_;
};

}  // namespace

int cheapest_order(double tolerance, double overhead, double per_step) {
  const double digits = -std::log(tolerance);
  const auto cost = [&](int p, double fixed) { return (p * (p + overhead) + fixed) * std::exp(digits / p); };
  // Terms (a h)^k / k!, the last of them the tolerance, add up to exp(a h) before they cancel.
  const auto is_exact = [&](int p) {
    const double reach = std::exp((log_gamma(p + 1.0) - digits) / p);
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
  return std::make_unique<TaylorMethod<DoubleLanes>>(system, options);
}

}  // namespace catena
