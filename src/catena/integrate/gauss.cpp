#include "catena/integrate/gauss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "catena/integrate/hermite_record.h"
#include "catena/integrate/stage_sums.h"
#include "catena/integrate/turning.h"

namespace catena {
namespace {

DoubleDouble divided(const DoubleDouble& value, double divisor) {
  const double first = value.hi / divisor;
  const DoubleDouble rest = value - two_product(first, divisor);
  return fast_two_sum(first, static_cast<double>(rest) / divisor);
}

DoubleDouble reciprocal(const DoubleDouble& value) {
  const double first = 1.0 / value.hi;
  const DoubleDouble rest = DoubleDouble(1.0) - value * DoubleDouble(first);
  return fast_two_sum(first, static_cast<double>(rest) * first);
}

// P_0 .. P_s of Legendre on [0, 1] at x.
std::vector<DoubleDouble> legendre(int highest, const DoubleDouble& x) {
  const DoubleDouble y = x + x - DoubleDouble(1.0);
  std::vector<DoubleDouble> p{DoubleDouble(1.0), y};
  for (int k = 2; k <= highest; ++k) {
    p.push_back(divided(y * p[k - 1] * DoubleDouble(2 * k - 1.0) - p[k - 2] * DoubleDouble(k - 1.0), k));
  }
  return p;
}

// The i-th root of P_s, from 0, by Newton's method.
DoubleDouble legendre_root(int s, int i) {
  DoubleDouble x = 0.5 * (1 - std::cos(std::numbers::pi * (i + 0.75) / (s + 0.5)));
  for (int pass = 0; pass < 8; ++pass) {
    const std::vector<DoubleDouble> p = legendre(s, x);
    const double y = 2 * x.hi - 1;
    const double slope = 2 * s * (y * p[s].hi - p[s - 1].hi) / (y * y - 1);
    x -= DoubleDouble(static_cast<double>(p[s]) / slope);
  }
  return x;
}

// Weights as hi and lo parts. The small ones come first, where they still decide how the sum is rounded:
// behind the large ones they would be lost.
StageSum exact_sum(const std::vector<DoubleDouble>& weights) {
  StageSum sum;
  for (const bool low : {true, false}) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      sum.stage.push_back(j);
      sum.weight.push_back(low ? weights[j].lo : weights[j].hi);
    }
  }
  return sum;
}

// A step is a function of the state alone: iteration starts from the series, not from the step before, so
// that a run taken up again goes on with the same bits.
//
// Unit vectors turn with angular velocities inside the step: so their lengths are invariants that the method
// keeps, and projection has nothing to do but roundoff. On rates w it would change the state by the method's
// own error, which is not symmetric in time, and the energy would drift by it.
class Gauss final : public Stepper {
 public:
  Gauss(int stages, const System& system, const StepOptions& options)
      : system_(system),
        n_(system.dimension),
        stages_(static_cast<std::size_t>(stages)),
        turning_(system.unit_vectors),
        h_(options.step.value_or(0.0)),
        slopes_(stages_, n_),
        start_(slopes_.stride()),
        point_(slopes_.stride()),
        increment_(slopes_.stride()),
        low_(slopes_.stride()),
        rate_(n_),
        record_(system, 2 * stages) {
    const GaussTableau tableau(stages);
    for (std::size_t i = 0; i < stages_; ++i) {
      rows_.push_back(exact_sum(tableau.a[i]));
      c_.push_back(tableau.c[i].hi);
    }
    weights_ = exact_sum(tableau.b);
    guess_order_ = system.taylor ? 2 * stages : 1;
    series_.resize((static_cast<std::size_t>(guess_order_) + 1) * n_);
    if (system.taylor && system.reserve) system.reserve(guess_order_);
  }

  int order() const override { return 2 * static_cast<int>(stages_); }
  StepMemory memory() const override { return {h_}; }
  void restore(const StepMemory& memory) override { h_ = memory[0]; }

  StepStatus step(State& state, double /*horizon*/) override {
    std::copy_n(state.hi.data(), n_, start_.data());
    std::copy_n(state.lo.data(), n_, low_.data());
    guess_slopes(state.t);
    turning_.to_turning(start_.data(), low_.data());
    if (!std::isfinite(largest_slope())) return StepStatus::not_finite;
    if (const StepStatus status = solve(state.t); status != StepStatus::done) return status;
    slopes_.sum(weights_, h_, increment_.data());
    turning_.change_of_rates(start_.data(), increment_.data());
    finish(state);
    return StepStatus::done;
  }

  const StepPolynomial& dense() override { return record_.polynomial(counts_); }

 private:
  static constexpr int kMostPasses = 200;
  // Changes of slopes, over their size, below which iteration has only roundoff left to do.
  static constexpr double kAlmostSolved = 1e-11;

  double largest_slope() const {
    double largest = 0.0;
    for (std::size_t i = 0; i < stages_; ++i) largest = std::max(largest, max_norm(slopes_[i], n_));
    return largest;
  }

  // Slopes along the series of the motion: k_i = sum of m x_m (c_i h)^(m-1), turned at the point there.
  void guess_slopes(double t) {
    ++counts_.evaluations;
    if (!system_.taylor) {
      system_.rhs(t, start_.data(), slopes_[0]);
      turning_.turn(start_.data(), slopes_[0]);
      for (std::size_t i = 1; i < stages_; ++i) std::copy_n(slopes_[0], n_, slopes_[i]);
      return;
    }
    system_.taylor(t, start_.data(), guess_order_, series_.data());
    for (std::size_t i = 0; i < stages_; ++i) {
      const double s = c_[i] * h_;
      double* __restrict slope = slopes_[i];
      double* __restrict point = point_.data();
      std::fill_n(slope, n_, 0.0);
      std::fill_n(point, n_, 0.0);
      for (int m = guess_order_; m >= 1; --m) {
        const double* __restrict row = series_.data() + static_cast<std::size_t>(m) * n_;
        for (std::size_t k = 0; k < n_; ++k) {
          slope[k] = slope[k] * s + m * row[k];
          point[k] = (point[k] + row[k]) * s;
        }
      }
      for (std::size_t k = 0; k < n_; ++k) point[k] += series_[k];
      turning_.turn(point, slope);
    }
  }

  // k_i = f(t + c_i h, x + h sum_j a_ij k_j) by iteration, each stage using the newest slopes, until a pass
  // changes nothing or no less than the one before: then only roundoff is left, and it has no direction.
  StepStatus solve(double t) {
    double before = std::numeric_limits<double>::infinity();
    int growing = 0;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      const double change = improve(t);
      if (!std::isfinite(change)) return StepStatus::not_finite;
      if (change == 0.0) return StepStatus::done;
      if (change >= before) {
        if (change <= kAlmostSolved * largest_slope()) return StepStatus::done;
        if (++growing == 5) break;
      }
      before = change;
    }
    return StepStatus::not_solved;
  }

  double improve(double t) {
    double change = 0.0;
    for (std::size_t i = 0; i < stages_; ++i) {
      slopes_.advance(low_.data(), rows_[i], h_, point_.data());
      for (std::size_t k = 0; k < n_; ++k) point_[k] += start_[k];
      turning_.to_rates(point_.data());
      system_.rhs(t + c_[i] * h_, point_.data(), rate_.data());
      turning_.turn(point_.data(), rate_.data());
      ++counts_.evaluations;
      double* __restrict slope = slopes_[i];
      for (std::size_t k = 0; k < n_; ++k) {
        const double now = rate_[k];
        rate_[k] = now - slope[k];
        slope[k] = now;
      }
      change = std::max(change, max_norm(rate_.data(), n_));
    }
    return change;
  }

  void finish(State& state) {
    record_.begin(state, h_);
    accumulate(system_, state, h_, increment_.data());
    record_.end(state);
    last_step_ = h_;
    ++counts_.steps;
  }

  const System& system_;
  std::size_t n_, stages_;
  Turning turning_;
  double h_;
  int guess_order_ = 1;
  std::vector<StageSum> rows_;
  StageSum weights_;
  std::vector<double> c_;
  StageSlopes slopes_;
  AlignedVector<double> start_, point_, increment_, low_;
  std::vector<double> rate_, series_;
  HermiteRecord record_;
};

}  // namespace

// c: the roots of Legendre's P_s; 1/b_j = sum of (2k+1) P_k(c_j)^2; and
// a_ij = b_j (c_i + sum_{k=1..s-1} P_k(c_j) (P_{k+1}(c_i) - P_{k-1}(c_i)) / 2), the integral to c_i of the
// polynomial that is 1 at c_j and 0 at the other nodes, in Legendre's basis.
GaussTableau::GaussTableau(int stage_count) : stages(stage_count) {
  std::vector<std::vector<DoubleDouble>> p;
  for (int i = 0; i < stages; ++i) {
    c.push_back(legendre_root(stages, i));
    p.push_back(legendre(stages, c.back()));
    DoubleDouble sum;
    for (int k = 0; k < stages; ++k) sum += p[i][k] * p[i][k] * DoubleDouble(2 * k + 1.0);
    b.push_back(reciprocal(sum));
  }
  a.assign(static_cast<std::size_t>(stages), {});
  for (int i = 0; i < stages; ++i) {
    for (int j = 0; j < stages; ++j) {
      DoubleDouble sum = c[i];
      for (int k = 1; k < stages; ++k) sum += p[j][k] * (p[i][k + 1] - p[i][k - 1]) * DoubleDouble(0.5);
      a[i].push_back(b[j] * sum);
    }
  }
}

std::unique_ptr<Stepper> make_gauss(int stages, const System& system, const StepOptions& options) {
  return std::make_unique<Gauss>(stages, system, options);
}

}  // namespace catena
