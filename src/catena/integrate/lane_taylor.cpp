#include "catena/integrate/lane_taylor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "catena/integrate/step_control.h"
#include "catena/integrate/taylor_step.h"

namespace catena {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

int first_looked_at(int order) { return std::max(1, order - kTaylorWindow + 1); }

// The lanes of one decision.
template <int W>
typename LanesOf<W>::Mask lanes_where(const bool (&chosen)[W]) {
  LanesOf<W> out(0.0);
  for (int l = 0; l < W; ++l) out.set_lane(l, chosen[l] ? 1.0 : 0.0);
  return out > LanesOf<W>(0.5);
}

// log2 of a positive normal number to 2e-6, for lengths of steps: log2(1 + f) by a polynomial. Its bits are
// pinned as those of all operations here.
constexpr double kRoughLog2[] = {0x1.47f3ea46e8201p-19, 0x1.7144a261130e5p+0,  -0x1.6f439ee87b2b8p-1,
                                 0x1.d16aac97026bap-2,  -0x1.173e07caf7bc6p-2, 0x1.e1be41da5e110p-4,
                                 -0x1.9287e74f78021p-6};
template <class P>
P rough_log2_of_register(const P& x) {
  const Words<P> words = words_of(x);
  const P exponent = same_bits<P>(Words<P>((words >> 52) | 0x4330000000000000)) - (0x1p52 + 1023.0);
  const P f = same_bits<P>(Words<P>((words & 0x000fffffffffffff) | 0x3ff0000000000000)) - 1.0;
  return exponent + polynomial(f, kRoughLog2);
}
template <int W>
LanesOf<W> rough_log2(const LanesOf<W>& x) {
  return LanesOf<W>::made([&](int q) { return rough_log2_of_register(x.parts[q]); });
}

}  // namespace

template <int W>
LaneTaylor<W>::LaneTaylor(LaneSystem<W> system, const LaneRule& rule)
    : system_(std::move(system)),
      rule_(rule),
      log_tolerance_per_order_(log2_of(S(rule.tolerance)) / S(rule.order)),
      n_(system_.dimension),
      controlled_(system_.controlled == 0 ? n_ : system_.controlled),
      t_(0.0),
      t_lo_(0.0),
      first_(0.0),
      longest_(kInfinite),
      h_(0.0),
      t_end_{S(0.0), S(0.0)} {
  for (auto* lanes : {&hi_, &lo_, &hi_end_, &lo_end_, &increment_, &kept_, &slope_, &end_, &rate_})
    lanes->assign(n_, S(0.0));
  c_.assign((static_cast<std::size_t>(rule.order) + 1) * n_, S(0.0));
  const std::size_t rates = system_.directions * n_;
  for (auto* lanes : {&rates_, &rates_end_}) lanes->assign(rates, S(0.0));
  rate_series_.assign((static_cast<std::size_t>(rule.order) + 1) * rates, S(0.0));
  constexpr double kLenient = 64.0;  // as RateLimits has them
  for (int k = first_looked_at(rule.order); rates > 0 && k <= rule.order; ++k)
    rate_limits_.push_back(kLenient * elementary::pow(rule.tolerance, static_cast<double>(k) / rule.order));
  if (system_.reserve) system_.reserve(system_.margin ? std::max(rule.order, kLeapOrder) : rule.order);
  if (!system_.margin || W != 1) return;
  middle_.assign(n_, S(0.0));
  back_.assign((kLeapOrder + 1) * n_, S(0.0));
}

template <int W>
void LaneTaylor<W>::seat(int lane, const State& state, double first, double longest,
                         const singular::Memory& memory) {
  for (std::size_t i = 0; i < n_; ++i) {
    hi_[i].set_lane(lane, state.hi[i]);
    lo_[i].set_lane(lane, state.lo[i]);
  }
  t_.set_lane(lane, state.t);
  t_lo_.set_lane(lane, state.t_lo);
  first_.set_lane(lane, first);
  longest_.set_lane(lane, longest);
  singular_[lane] = memory;
  seated_[lane] = true;
}

template <int W>
void LaneTaylor<W>::seat_rates(int lane, const std::vector<double>& rates) {
  for (std::size_t i = 0; i < rates_.size(); ++i) rates_[i].set_lane(lane, rates[i]);
}

template <int W>
void LaneTaylor<W>::go_on() {
  std::swap(rates_, rates_end_);
  std::swap(hi_, hi_end_);
  std::swap(lo_, lo_end_);
  t_ = t_end_.hi;
  t_lo_ = t_end_.lo;
  first_ = S(0.0);
}

template <int W>
void LaneTaylor<W>::read_start(int lane, State& state) const {
  state.t = t_.lane(lane);
  state.t_lo = t_lo_.lane(lane);
  for (std::size_t i = 0; i < n_; ++i) state.hi[i] = hi_[i].lane(lane), state.lo[i] = lo_[i].lane(lane);
}

template <int W>
void LaneTaylor<W>::read_end(int lane, State& state) const {
  state.t = t_end_.hi.lane(lane);
  state.t_lo = t_end_.lo.lane(lane);
  for (std::size_t i = 0; i < n_; ++i) {
    state.hi[i] = hi_end_[i].lane(lane);
    state.lo[i] = lo_end_[i].lane(lane);
  }
}

template <int W>
void LaneTaylor<W>::read_polynomial(int lane, StepPolynomial& polynomial) const {
  polynomial.t = t_.lane(lane);
  polynomial.t_lo = t_lo_.lane(lane);
  polynomial.length = h_.lane(lane);
  const double* from = reinterpret_cast<const double*>(c_.data()) + lane;
  for (std::size_t i = 0; i < c_.size(); ++i) polynomial.coefficients[i] = from[i * W];
  for (std::size_t i = 0; i < n_; ++i) polynomial.start_lo[i] = lo_[i].lane(lane);
}

namespace {

template <int W>
void read_lane(const AlignedVector<LanesOf<W>>& lanes, int lane, std::vector<double>& to) {
  to.resize(lanes.size());
  const double* from = reinterpret_cast<const double*>(lanes.data()) + lane;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i * W];
}

}  // namespace

template <int W>
void LaneTaylor<W>::read_rates(int lane, std::vector<double>& start, std::vector<double>& end) const {
  read_lane<W>(rates_, lane, start);
  read_lane<W>(rates_end_, lane, end);
}

template <int W>
void LaneTaylor<W>::read_rate_series(int lane, std::vector<double>& series) const {
  read_lane<W>(rate_series_, lane, series);
}

template <int W>
void LaneTaylor<W>::note_squares() {
  const std::size_t row = rates_.size();
  for (std::size_t place = 0; place < kGaussPlaces.size(); ++place) {
    const S at = S(kGaussPlaces[place]) * h_;
    S sum(0.0);
    for (std::size_t i = 0; i < controlled_; ++i) {
      const S* c = rate_series_.data() + static_cast<std::size_t>(rule_.order) * row + i;
      S value = *c;
      for (int k = rule_.order; k-- > 0;) value = fused(value, at, *(c -= row));
      sum += value * value;
    }
    squares_[place] = sum;
  }
}

// Largest |x_i|. What is no number does not count here: the look at the step's end finds it.
template <int W>
LanesOf<W> LaneTaylor<W>::size(const S* x, std::size_t n) const {
  S out(0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (int q = 0; q < S::kRegisters; ++q)
      out.parts[q] = larger_of(size_of_number(x[i].parts[q]), out.parts[q]);
  }
  return out;
}

// As catena::without_cancellation.
template <int W>
LanesOf<W> LaneTaylor<W>::without_cancellation(const S& length, const S& scale) const {
  S h = length, power = length;
  for (int k = 1; k <= rule_.order; k *= 2, power = power * power) {
    const S term = size_of_order(k);
    const Mask exceeds = S(term * power) > scale;
    if (!exceeds.any()) continue;
    power = choose(exceeds, scale / term, power);
    h = choose(exceeds, pow_of(power, S(1.0 / k)), h);
  }
  return h;
}

// h = tol^(1/p) min over the window of (s / |x_k|)^(1/k); infinite when the whole window vanishes.
template <int W>
LanesOf<W> LaneTaylor<W>::step_length(const S& scale) {
  S log_h(kInfinite);
  Mask bad = S(1.0) < S(0.0);
  const S log_scale = rough_log2(scale);
  for (int k = first_looked_at(rule_.order); k <= rule_.order; ++k) {
    const S term = size_of_order(k);
    bad = bad | !(term < S(kInfinite));
    const S wanted = (log_scale - rough_log2(term)) * S(1.0 / k);
    log_h = choose(term > S(0.0), smaller(log_h, wanted), log_h);
  }
  const S h = exp2_of(log_h + log_tolerance_per_order_);
  const S safe = choose(h < S(kInfinite), without_cancellation(h, scale), h);
  return choose(bad, S(std::numeric_limits<double>::quiet_NaN()), safe);
}

// As catena::step_of_few_orders.
template <int W>
double LaneTaylor<W>::length_of_few_orders(int lane, double t, double scale) const {
  constexpr double kPart = 0.9;
  double h = kInfinite;
  for (int k = 1; k <= rule_.order; ++k) {
    const double term = size_of_order(k).lane(lane);
    if (term > 0.0) h = std::min(h, kPart * elementary::pow(scale / term, 1.0 / k));
  }
  return std::isinf(h) ? std::max(1.0, std::fabs(t)) : h;
}

template <int W>
LanesOf<W> LaneTaylor<W>::integrals_length() const {
  const std::size_t count = n_ - controlled_;
  if (count == 0) return S(kInfinite);
  S log_h(kInfinite);
  for (int k = first_looked_at(rule_.order); k <= rule_.order; ++k) {
    const S term = size(row(k) + controlled_, count);
    log_h = choose(term > S(0.0), smaller(log_h, -rough_log2(term) * S(1.0 / k)), log_h);
  }
  return S(kIntegralsReach) * exp2_of(log_h + log_tolerance_per_order_);
}

// As RateBlock::allowed, of all directions. `far`: the motion stands still, or is a polynomial, and steps
// far.
template <int W>
LanesOf<W> LaneTaylor<W>::rates_length(const S& wanted, const Mask& far) const {
  constexpr int kUsual = 4, kFromFarOff = 64;
  const std::size_t row = rates_.size();
  const int first = first_looked_at(rule_.order);
  S h = wanted;
  for (int pass = 0; pass < kFromFarOff; ++pass) {
    S shrink(1.0);
    for (std::size_t j = 0; j < system_.directions; ++j) {
      const auto size_at = [&](int k) {
        return size(rate_series_.data() + static_cast<std::size_t>(k) * row + j * n_, controlled_);
      };
      S whole(0.0), power(1.0);
      for (int k = 0; 4 * k <= rule_.order; ++k, power = power * h) {
        const S term = size_at(k) * power;
        whole = choose(whole < term, term, whole);
      }
      power = S(1.0);
      for (int k = 0; k < first; ++k) power = power * h;
      for (int k = first; k <= rule_.order; ++k, power = power * h) {
        const S term = size_at(k) * power;
        const S most = S(rate_limits_[static_cast<std::size_t>(k - first)]) * whole;
        const Mask beyond = (term > most) & (most > S(0.0));
        if (!beyond.any()) continue;
        shrink = choose(beyond, smaller(shrink, pow_of(S(most / term), S(1.0 / k))), shrink);
      }
    }
    if (pass >= kUsual) shrink = choose(far, shrink, S(1.0));
    if (!(shrink < S(1.0)).any()) break;
    h = h * shrink;
  }
  return h;
}

// The rates at the end of the step.
template <int W>
void LaneTaylor<W>::sum_rates() {
  const std::size_t row = rates_.size();
  std::size_t i = 0;
  const auto few = [&](auto count) {
    constexpr std::size_t kCount = decltype(count)::value;
    S value[kCount];
    const S* c = rate_series_.data() + static_cast<std::size_t>(rule_.order) * row + i;
    for (std::size_t q = 0; q < kCount; ++q) value[q] = c[q];
    for (int k = rule_.order; k-- > 0;) {
      c -= row;
      for (std::size_t q = 0; q < kCount; ++q) value[q] = fused(value[q], h_, c[q]);
    }
    for (std::size_t q = 0; q < kCount; ++q) rates_end_[i + q] = value[q];
    i += kCount;
  };
  constexpr std::size_t kFew = 8;
  while (i + kFew <= row) few(std::integral_constant<std::size_t, kFew>{});
  while (i < row) few(std::integral_constant<std::size_t, 1>{});
  system_.project_rates(t_end_.hi, hi_end_.data(), rates_end_.data());
}

template <int W>
LanesOf<W> LaneTaylor<W>::on_the_clock(const S& h, const Mask& not_before) const {
  if (!system_.reads_time) return h;
  S out = h;
  for (int l = 0; l < W; ++l) {
    const double t = t_.lane(l), t_lo = t_lo_.lane(l), wanted = h.lane(l);
    double end = t + (t_lo + wanted);
    if (not_before.lane(l) && (end - t) - t_lo < wanted) end = std::nextafter(end, kInfinite);
    const double length = (end - t) - t_lo;
    if (length > 0.0) out.set_lane(l, length);
  }
  return out;
}

template <int W>
LanesOf<W> LaneTaylor<W>::just_before(const S& h) const {
  constexpr double kTicks = 2.0;
  const Mask none = S(1.0) < S(0.0);
  const S part = h * S(1.0 - kBeforeKink);
  if (!system_.reads_time) return part;
  const S ticks = h - S(kTicks * kEpsilon) * (t_ + h);
  return on_the_clock(choose(ticks > S(0.0), smaller(part, ticks), part), none);
}

// The polynomials' increments over h and their slopes there, by Horner's rule.
template <int W>
void LaneTaylor<W>::sum(const S& h) {
  std::size_t i = 0;
  const auto few = [&](auto count) {
    constexpr std::size_t kCount = decltype(count)::value;
    S value[kCount], slope[kCount];
    for (std::size_t q = 0; q < kCount; ++q) value[q] = slope[q] = S(0.0);
    const S* c = row(rule_.order) + i;
    for (int k = rule_.order; k >= 1; --k, c -= n_) {
      for (std::size_t q = 0; q < kCount; ++q) {
        slope[q] = fused(slope[q], h, value[q]);
        value[q] = fused(value[q], h, c[q]);
      }
    }
    for (std::size_t q = 0; q < kCount; ++q) {
      slope_[i + q] = fused(slope[q], h, value[q]);
      increment_[i + q] = value[q] * h;
    }
    i += kCount;
  };
  constexpr std::size_t kFew = W == 8 ? 2 : 4;  // as many as fill the registers
  while (i + kFew <= n_) few(std::integral_constant<std::size_t, kFew>{});
  while (i < n_) few(std::integral_constant<std::size_t, 1>{});
}

// The defect at the end of the step, over what is allowed.
template <int W>
LanesOf<W> LaneTaylor<W>::excess(const S& h, const S& scale) {
  for (std::size_t i = 0; i < n_; ++i) end_[i] = hi_[i] + increment_[i];
  system_.rhs(t_ + h, end_.data(), rate_.data());
  S total(0.0);  // no number, or infinite, if one of them is
  for (std::size_t i = 0; i < controlled_; ++i) {
    rate_[i] = rate_[i] - slope_[i];
    total += size_of(rate_[i]);
  }
  const S defect = size(rate_.data(), controlled_), largest = size(end_.data(), n_);
  const S over = defect * h / S(rule_.order + 1.0);
  const S allowed = S(10.0 * std::max(rule_.tolerance, 8.0 * kEpsilon)) * scale;
  return choose((largest < S(1e150) * scale) & (total < S(kInfinite)), over / allowed, S(kInfinite));
}

template <int W>
void LaneTaylor<W>::settle(const Mask& at_kink, const S& scale) {
  Mask pending = lanes_where<W>(seated_), ends_at_kink = at_kink;
  bool first_pass = true;
  while (pending.any()) {
    const S looked_at = ends_at_kink.any() ? choose(ends_at_kink, just_before(h_), h_) : h_;
    sum(looked_at);
    const S over = excess(looked_at, scale);
    const Mask good = pending & (over <= S(1.0));
    if (ends_at_kink.any()) sum(h_);
    if (first_pass && !(pending & !good).any()) {
      std::swap(kept_, increment_);
    } else {
      for (std::size_t i = 0; i < n_; ++i) kept_[i] = choose(good, increment_[i], kept_[i]);
    }
    first_pass = false;
    pending = pending & !good;
    if (!pending.any()) return;
    const Mask finite = over < S(kInfinite);
    const S wanted = S(0.8) * pow_of(S(1.0) / over, S(1.0 / rule_.order));
    const S factor = choose(finite, choose(wanted < S(0.1), S(0.1), smaller(wanted, S(0.8))), S(0.1));
    h_ = choose(pending, on_the_clock(h_ * factor, S(1.0) < S(0.0)), h_);
    ends_at_kink = ends_at_kink & !pending;
    bool stays[W];
    for (int l = 0; l < W; ++l) {
      stays[l] = pending.lane(l);
      if (!stays[l]) continue;
      ++rejected_[l];
      if (h_.lane(l) >= shortest_step(t_.lane(l))) continue;
      status_[l] = finite.lane(l) ? StepStatus::step_too_small : StepStatus::not_finite;
      stays[l] = false;
    }
    pending = lanes_where<W>(stays);
  }
}

// As add_step and accumulate.
template <int W>
void LaneTaylor<W>::land() {
  for (std::size_t i = 0; i < n_; ++i) {
    const LanePairs<W> sum = two_sum(hi_[i], kept_[i]);
    const LanePairs<W> clean = fast_two_sum(sum.hi, lo_[i] + sum.lo);
    hi_end_[i] = clean.hi;
    lo_end_[i] = clean.lo;
  }
  const LanePairs<W> time = two_sum(t_, h_);
  t_end_ = fast_two_sum(time.hi, time.lo + t_lo_);
  if (!system_.project) return;
  bool well[W];
  for (int l = 0; l < W; ++l) well[l] = seated_[l] && status_[l] == StepStatus::done;
  system_.project(t_end_.hi, hi_end_.data(), lo_end_.data(), well);
  for (std::size_t i = 0; i < n_; ++i) {
    const LanePairs<W> clean = fast_two_sum(hi_end_[i], lo_end_[i]);
    hi_end_[i] = clean.hi;
    lo_end_[i] = clean.lo;
  }
}

// As TaylorMethod has it.
template <int W>
LanesOf<W> LaneTaylor<W>::leap_length(const S& scale) const {
  const int order = std::min(rule_.order, kLeapOrder);
  S log_h(kInfinite);
  for (int k = std::max(1, order - kTaylorWindow + 1); k <= order; ++k) {
    const S term = size_of_order(k);
    log_h = choose(term > S(0.0), smaller(log_h, log2_of(scale / term) * S(1.0 / k)), log_h);
  }
  const S per_order = log_tolerance_per_order_ * S(static_cast<double>(rule_.order) / order);
  return choose(log_h < S(kInfinite), exp2_of(log_h + per_order), S(0.0));
}

template <int W>
LanesOf<W> LaneTaylor<W>::margin_at(const S& h) {
  sum(h);
  for (std::size_t i = 0; i < n_; ++i) end_[i] = hi_[i] + increment_[i];
  return system_.margin(t_ + h, end_.data());
}

// Whether the step is taken already, in a leap.
template <int W>
bool LaneTaylor<W>::around_singular(const S& scale, Mask& at_kink) {
  const S here = system_.margin(t_, hi_.data()), leap = leap_length(scale);
  for (int l = 0; l < W; ++l) {
    singular_[l].usual_margin = std::max(singular_[l].usual_margin, here.lane(l));
    if (!singular::is_near(singular_[l], here.lane(l))) singular_[l].leap_length = leap.lane(l);
  }
  if constexpr (W == 1) {
    const singular::Route route = singular::route(singular_[0], here.lane(0), h_.lane(0),
                                                  [&](double at) { return margin_at(S(at)).lane(0); });
    if (route.leap && leaps(route.length, scale.lane(0))) return true;
    if (route.leap || !(route.length < h_.lane(0))) return false;
    h_ = S(route.length);
    at_kink = S(1.0) < S(0.0);
  } else {
    const S there = margin_at(h_);
    for (int l = 0; l < W; ++l) {
      parts_[l] = seated_[l] && (singular::is_near(singular_[l], here.lane(l)) ||
                                 singular::is_near(singular_[l], there.lane(l)));
      if (!parts_[l]) continue;
      seated_[l] = false;
      h_.set_lane(l, 0.0);
    }
  }
  return false;
}

// What the series from row 0 on add over h, in as many orders as a leap has.
template <int W>
LanesOf<W> LaneTaylor<W>::leap_sum(const S* series, const S& h, std::size_t i) const {
  S sum(0.0);
  for (int k = std::min(rule_.order, kLeapOrder); k >= 1; --k)
    sum = (sum + series[static_cast<std::size_t>(k) * n_ + i]) * h;
  return sum;
}

// As TaylorMethod::leaps.
template <int W>
bool LaneTaylor<W>::leaps(double length, double scale) {
  if constexpr (W != 1) {
    return false;
  } else {
    const S usual = h_, h(length), half(0.5 * length), half_back(-0.5 * length);
    for (std::size_t i = 0; i < n_; ++i) {
      middle_[i] = hi_[i] + leap_sum(row(0), half, i);
      kept_[i] = leap_sum(row(0), h, i);
    }
    ++rejected_[0];
    if (!(size(kept_.data(), n_) < S(singular::kAstray * scale)).lane(0)) return false;
    h_ = h;
    for (std::size_t i = 0; i < n_; ++i) end_[i] = hi_[i] + kept_[i];
    system_.margin(t_ + h_, end_.data());  // it lands with the constraints as they are there
    land();
    system_.taylor(t_end_.hi, hi_end_.data(), kLeapOrder, back_.data());
    double apart = 0.0;
    for (std::size_t i = 0; i < controlled_; ++i) {
      const S back = hi_end_[i] + leap_sum(back_.data(), half_back, i);
      const double difference = std::fabs(S(back - middle_[i]).lane(0));
      apart = std::isnan(difference) ? kInfinite : std::max(apart, difference);
    }
    if (apart <= std::max(10 * rule_.tolerance, kLeapNoise) * scale) {
      --rejected_[0];
      for (int k = kLeapOrder + 1; k <= rule_.order; ++k)
        std::fill_n(c_.begin() + static_cast<std::ptrdiff_t>(k * n_), n_, S(0.0));
      return true;
    }
    // Back to the start, for what counts turns along the motion.
    h_ = S(0.0);
    std::fill(kept_.begin(), kept_.end(), S(0.0));
    system_.margin(t_, hi_.data());
    land();
    h_ = usual;
    return false;
  }
}

template <int W>
void LaneTaylor<W>::step() {
  system_.taylor(t_, hi_.data(), rule_.order, c_.data());
  const S largest = size(hi_.data(), controlled_), scale = choose(S(1.0) < largest, largest, S(1.0));
  S wanted = choose(first_ > S(0.0), first_, step_length(scale));
  bool far[W];
  for (int l = 0; l < W; ++l) {
    far[l] = false;
    if (!seated_[l]) continue;
    rejected_[l] = 0;
    far[l] = std::isinf(wanted.lane(l));
    if (far[l]) wanted.set_lane(l, length_of_few_orders(l, t_.lane(l), scale.lane(l)));
    status_[l] = wanted.lane(l) > 0.0 ? StepStatus::done : StepStatus::not_finite;
  }
  bool was_seated[W];
  for (int l = 0; l < W; ++l) {
    was_seated[l] = seated_[l];
    seated_[l] = seated_[l] && status_[l] == StepStatus::done;
    if (!seated_[l]) wanted.set_lane(l, 0.0);
  }
  wanted = smaller(smaller(wanted, longest_), integrals_length());
  if (system_.directions > 0) {
    system_.follow(t_, hi_.data(), rates_.data(), rule_.order, rate_series_.data());
    const S usual = wanted;
    wanted = rates_length(usual, lanes_where<W>(far));
    for (int l = 0; l < W; ++l) shortened_[l] = wanted.lane(l) < usual.lane(l);
  }
  const S kink = system_.smooth_until ? system_.smooth_until(wanted) : wanted;
  Mask at_kink = kink < wanted;
  h_ = on_the_clock(kink, at_kink);
  std::fill_n(parts_, W, false);
  if (!system_.margin || !around_singular(scale, at_kink)) {
    settle(at_kink, scale);
    land();
  }
  if (system_.directions > 0) {
    sum_rates();
    note_squares();
  }
  for (int l = 0; l < W; ++l) seated_[l] = was_seated[l];
}

#define CATENA_OF_WIDTH(W) template class LaneTaylor<W>;
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH

}  // namespace catena
