#include <algorithm>
#include <vector>

#include "catena/integrate/lanes_digits.h"
#include "catena/integrate/taylor_method.h"

namespace catena {
namespace {

// With more digits than a double: the state's hi and lo together are the start.
template <class S>
class DigitLanes {
 public:
  using Scalar = S;
  using Base = StepperDigits;
  static constexpr bool kLooksInside = false;  // whoever takes the step looks
  static constexpr double kResolution = resolution<S>();
  // Twice the digits, twice the order: the leap is as long as in doubles, and noise grows by 2^order.
  static constexpr int kLeapOrder = 28;
  static constexpr double kLeapNoise = 1e-21;

  DigitLanes(const SystemDigits<S>& system, const StepOptions&, int order)
      : system_(system),
        order_(order),
        c_((static_cast<std::size_t>(order) + 1) * system.dimension),
        x_(system.dimension),
        landed_(system.dimension) {
    polynomial_.resize(order, dimension());
    if (system_.reserve) system_.reserve(std::max(order, has_margin() ? kLeapOrder : 0));
  }

  std::size_t dimension() const { return system_.dimension; }
  std::size_t controlled() const { return system_.controlled == 0 ? system_.dimension : system_.controlled; }
  static double rounded(const S& number) { return to_pair(number).hi; }
  static double size(const S* lanes, std::size_t n) { return size_of(lanes, n); }

  void expand(const State& state) {
    read_lanes(state, x_.data());
    begin_polynomial(state, 0.0, polynomial_);
    series_at(state, x_.data(), order_, c_.data());
    rounded_ = false;
  }
  void series_at(const State& state, const S* x, int order, S* c) const {
    system_.taylor(from_pair<S>(state.t, state.t_lo), x, order, c);
  }
  const S* start(const State&) const { return x_.data(); }
  const S* row(int k) const { return c_.data() + static_cast<std::size_t>(k) * dimension(); }
  void cut_series(int order) {
    std::fill(c_.begin() + static_cast<std::ptrdiff_t>((order + 1) * dimension()), c_.end(), S(0.0));
  }

  const StepPolynomial& polynomial() {
    if (!rounded_) {
      for (std::size_t i = 0; i < c_.size(); ++i) polynomial_.coefficients[i] = to_pair(c_[i]).hi;
    }
    rounded_ = true;
    return polynomial_;
  }
  void evaluate(const DoubleDouble& time, double* hi, double* lo) const {
    const S s = ahead<S>(time, polynomial_);
    for (std::size_t i = 0; i < dimension(); ++i) {
      S value(0.0);
      for (int k = order_; k >= 0; --k) value = value * s + row(k)[i];
      const DoubleDouble pair = to_pair(value);
      hi[i] = pair.hi;
      lo[i] = pair.lo;
    }
  }

  S smooth_until(const S& h) const { return system_.smooth_until ? system_.smooth_until(h) : h; }
  // Formulas read the whole of the time.
  static S on_the_clock(const State&, const S& h, bool) { return h; }
  static S just_before(const State&, const S& h, double part_before) { return h * S(1.0 - part_before); }

  void rhs(const State& state, const S& h, const S* x, S* dx) const {
    system_.rhs(from_pair<S>(state.t, state.t_lo) + h, x, dx);
  }
  bool has_margin() const { return static_cast<bool>(system_.margin); }
  double margin(double t, const S* x) const { return system_.margin(t, x); }
  static bool limits_given() { return false; }
  static double limits_ratio(const S*) { return 0.0; }

  const S* land(State& state, const S& h, const S* increment) {
    for (std::size_t i = 0; i < dimension(); ++i) landed_[i] = x_[i] + increment[i];
    finish(system_, state, h, landed_.data());
    return landed_.data();
  }
  void take(State& state, const S& h, const S* increment) {
    polynomial_.length = rounded(h);
    land(state, h, increment);
  }
  void project(State& state) {
    read_lanes(state, x_.data());
    finish(system_, state, S(0.0), x_.data());
  }

  void sum(int order, const S& h, S* sums, S* slopes) const {
    for (std::size_t i = 0; i < dimension(); ++i) {
      S value(0.0), slope(0.0);
      for (int k = order; k >= 1; --k) {
        slope = slope * h + value;
        value = value * h + row(k)[i];
      }
      slopes[i] = slope * h + value;
      sums[i] = value * h;
    }
  }

 private:
  SystemDigits<S> system_;
  int order_;
  std::vector<S> c_, x_, landed_;
  StepPolynomial polynomial_;
  bool rounded_ = false;
};

}  // namespace

template <>
double finest_tolerance<DoubleDouble>() {
  return 1e-31;
}

template <class S>
std::unique_ptr<StepperDigits> make_taylor_digits(const SystemDigits<S>& system, const StepOptions& options) {
  return std::make_unique<TaylorMethod<DigitLanes<S>>>(system, options);
}

template std::unique_ptr<StepperDigits> make_taylor_digits(const SystemDigits<DoubleDouble>&,
                                                           const StepOptions&);

#if CATENA_HAS_QUAD
template <>
double finest_tolerance<Quad>() {
  return 1e-33;
}
template std::unique_ptr<StepperDigits> make_taylor_digits(const SystemDigits<Quad>&, const StepOptions&);
#endif

}  // namespace catena
