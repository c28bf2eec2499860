#include "catena/integrate/bulirsch_stoer.h"

#include "catena/integrate/extrapolation.h"
#include "catena/integrate/hermite.h"

namespace catena {
namespace {

class Doubles {
 public:
  using Scalar = double;
  using Base = Stepper;
  static constexpr int kLines = 9;
  static constexpr double kFinest = kFinestTolerance;
  // Extrapolation magnifies the roundoff of the slopes.
  static constexpr double kRoundoff = 64 * kEpsilon;

  Doubles(const System& system, const StepOptions& options)
      : system_(system),
        limits_(system, options),
        accounts_(system),
        start_(system.dimension),
        end_(system.dimension),
        hermite_(system, most()) {
    polynomial_.resize(hermite_.degree(most()), system.dimension);
  }

  std::size_t dimension() const { return system_.dimension; }
  std::size_t controlled() const { return controlled_lanes(system_); }
  const System& shape() const { return system_; }
  static double size(const double* x, std::size_t n) { return max_norm(x, n); }
  static const std::vector<double>& rounded(const std::vector<double>& x) { return x; }

  void read(const State& state, double* x) const { std::copy_n(state.hi.data(), dimension(), x); }
  void rhs(double t, double ahead, const double* x, double* dx) const { system_.rhs(later(t, ahead), x, dx); }

  // The error over what is allowed, velocities and momenta looked at as well.
  double limited(double worst, double h, const double* slope, const double* error, const double* from,
                 const double* to, double tolerance) {
    if (accounts_.given()) {
      accounts_.allow(tolerance, from, to);
      worst = std::max(worst, accounts_.ratio(error));
    }
    if (!limits_.given()) return worst;
    const double roundoff = kRoundoff * h * limits_.ratio(slope);
    return std::max(worst, limits_.ratio(error) / std::max(1.0, roundoff));
  }

  void advance(State& state, double h, const double* start, const double* increment) {
    polynomial_.t = state.t;
    polynomial_.t_lo = state.t_lo;
    polynomial_.length = h;
    polynomial_.unit = h;
    std::copy_n(start, dimension(), start_.data());
    std::copy(state.lo.begin(), state.lo.end(), polynomial_.start_lo.begin());
    accumulate(system_, state, h, increment);
    end_time_ = state.t;
    std::copy(state.hi.begin(), state.hi.end(), end_.begin());
    ready_ = false;
  }

  const StepPolynomial& polynomial(int order, StepCounts& counts) {
    if (!ready_) {
      hermite_.fill(polynomial_.t, start_.data(), end_time_, end_.data(), derivatives_for(order), polynomial_,
                    counts);
    }
    ready_ = true;
    return polynomial_;
  }

 private:
  static constexpr int most() { return derivatives_for(2 * kLines); }

  const System& system_;
  PhysicalLimits limits_;
  Accounts accounts_;
  std::vector<double> start_, end_;
  double end_time_ = 0.0;
  TwoPointHermite hermite_;
  bool ready_ = false;
  StepPolynomial polynomial_;
};

}  // namespace

std::unique_ptr<Stepper> make_bulirsch_stoer(const System& system, const StepOptions& options) {
  return std::make_unique<BulirschStoer<Doubles>>(system, options);
}

}  // namespace catena
