#include <vector>

#include "catena/integrate/extrapolation.h"
#include "catena/integrate/hermite.h"
#include "catena/integrate/lanes_digits.h"
#include "catena/integrate/two_point.h"

namespace catena {
namespace {

// As TwoPointHermite.
template <class S>
class HermiteDigits {
 public:
  HermiteDigits(const SystemDigits<S>& system, int derivatives)
      : system_(system),
        m_(derivatives),
        series_(static_cast<std::size_t>(m_ + 1) * system.dimension),
        rows_(static_cast<std::size_t>(2 * m_ + 2) * system.dimension),
        lack_(static_cast<std::size_t>(m_) + 1),
        own_(lack_) {
    if (system.reserve) system.reserve(m_);
  }

  void fill(const S& t, const S* start, const S* end, double length) {
    const std::size_t n = system_.dimension;
    expand(t, start, length);
    std::copy(series_.begin(), series_.end(), rows_.begin());
    expand(t + S(length), end, length);
    for (std::size_t lane = 0; lane < n; ++lane) {
      for (int k = 0; k <= m_; ++k) own_[k] = k == 0 ? S(0.0) : rows_[k * n + lane];
      const auto wanted = [&](int k) { return k == 0 ? end[lane] - start[lane] : series_[k * n + lane]; };
      two_point::match_end(m_, own_.data(), wanted, lack_.data());
      for (int k = 0; k <= m_; ++k) rows_[(m_ + 1 + k) * n + lane] = lack_[k];
    }
  }

  int degree() const { return 2 * m_ + 1; }
  const S& at(int k, std::size_t lane) const { return rows_[k * system_.dimension + lane]; }

 private:
  void expand(const S& t, const S* x, double length) {
    system_.taylor(t, x, m_, series_.data());
    S power(1.0);
    for (int k = 1; k <= m_; ++k) {
      power = power * S(length);
      for (std::size_t i = 0; i < system_.dimension; ++i) {
        S& c = series_[k * system_.dimension + i];
        c = c * power;
      }
    }
  }

  const SystemDigits<S>& system_;
  int m_;
  std::vector<S> series_, rows_;
  std::vector<S> lack_, own_;  // scratch
};

template <class S>
class LanesDigits {
 public:
  using Scalar = S;
  using Base = StepperDigits;
  static constexpr int kLines = 14;  // beyond, extrapolation magnifies roundoff more than it gains
  static constexpr double kFinest = resolution<S>();
  static constexpr double kRoundoff = 64 * resolution<S>();

  LanesDigits(const SystemDigits<S>& system, const StepOptions&)
      : system_(system),
        start_(system.dimension),
        end_(system.dimension),
        hermite_(system_, derivatives_for(2 * kLines)) {
    shape_.dimension = system.dimension;
    polynomial_.resize(hermite_.degree(), system.dimension);
  }
  LanesDigits(const LanesDigits&) = delete;

  std::size_t dimension() const { return system_.dimension; }
  std::size_t controlled() const { return system_.dimension; }
  const System& shape() const { return shape_; }
  static double size(const S* x, std::size_t n) { return size_of(x, n); }
  static std::vector<double> rounded(const std::vector<S>& x) {
    std::vector<double> out;
    for (const S& lane : x) out.push_back(to_pair(lane).hi);
    return out;
  }

  void read(const State& state, S* x) {
    time_ = from_pair<S>(state.t, state.t_lo);
    read_lanes(state, x);
  }
  void rhs(double, const S& ahead, const S* x, S* dx) const { system_.rhs(time_ + ahead, x, dx); }

  double limited(double worst, double, const S*, const S*, const S*, const S*, double) const { return worst; }

  void advance(State& state, double h, const S* start, const S* increment) {
    begin_polynomial(state, h, polynomial_);
    polynomial_.unit = h;
    for (std::size_t i = 0; i < dimension(); ++i) {
      start_[i] = start[i];
      end_[i] = start[i] + increment[i];
    }
    finish(system_, state, S(h), end_.data());
    ready_ = false;
  }

  void project(State& state) {
    read_lanes(state, end_.data());
    finish(system_, state, S(0.0), end_.data());
  }

  const StepPolynomial& polynomial(int, StepCounts& counts) {
    prepare(counts);
    for (int k = 0; k <= hermite_.degree(); ++k) {
      for (std::size_t i = 0; i < dimension(); ++i) polynomial_.row(k)[i] = to_pair(hermite_.at(k, i)).hi;
    }
    return polynomial_;
  }

  void evaluate(const DoubleDouble& time, double* hi, double* lo, StepCounts& counts) {
    prepare(counts);
    const S s = ahead<S>(time, polynomial_) / S(polynomial_.unit);
    for (std::size_t i = 0; i < dimension(); ++i) {
      S value(0.0);
      for (int k = hermite_.degree(); k >= 0; --k) value = value * s + hermite_.at(k, i);
      const DoubleDouble pair = to_pair(value);
      hi[i] = pair.hi;
      lo[i] = pair.lo;
    }
  }

 private:
  void prepare(StepCounts& counts) {
    if (!ready_) {
      hermite_.fill(time_, start_.data(), end_.data(), polynomial_.length);
      counts.evaluations += 2;
    }
    ready_ = true;
  }

  SystemDigits<S> system_;
  System shape_;
  S time_{};  // at the start of the step
  std::vector<S> start_, end_;
  HermiteDigits<S> hermite_;
  bool ready_ = false;
  StepPolynomial polynomial_;
};

template <class S>
class BulirschStoerDigits final : public BulirschStoer<LanesDigits<S>> {
 public:
  using BulirschStoer<LanesDigits<S>>::BulirschStoer;
  void evaluate(const DoubleDouble& time, double* hi, double* lo) override {
    this->lanes_.evaluate(time, hi, lo, this->counts_);
  }
  void project(State& state) override { this->lanes_.project(state); }
};

}  // namespace

template <class S>
std::unique_ptr<StepperDigits> make_bulirsch_stoer_digits(SystemDigits<S> system,
                                                          const StepOptions& options) {
  return std::make_unique<BulirschStoerDigits<S>>(system, options);
}

template std::unique_ptr<StepperDigits> make_bulirsch_stoer_digits(SystemDigits<DoubleDouble>,
                                                                   const StepOptions&);
#if CATENA_HAS_QUAD
template std::unique_ptr<StepperDigits> make_bulirsch_stoer_digits(SystemDigits<Quad>, const StepOptions&);
#endif

}  // namespace catena
