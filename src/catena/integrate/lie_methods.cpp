#include "catena/integrate/lie_methods.h"

#include <algorithm>
#include <cmath>

#include "catena/integrate/hermite_record.h"
#include "catena/integrate/stage_sums.h"
#include "catena/integrate/step_control.h"

namespace catena {
namespace {

const Tableau kKutta3{.order = 3,
                      .stages = 3,
                      .c = {0.0, 0.5, 1.0},
                      .a = {{}, {0.5}, {-1.0, 2.0}},
                      .b = {1.0 / 6, 2.0 / 3, 1.0 / 6}};

// The step rule of E. Celledoni, E. Cokaj, A. Leone, D. Murari, B. Owren, Int. J. Comput. Math. 99 (2022):
// h <- 0.85 (tolerance / error)^(1/4) h, with bounds for errors that say nothing.
constexpr double kSafety = 0.85;
constexpr double kExponent = 0.25;
constexpr double kLargestShrink = 0.1;
constexpr double kLargestGrowth = 10.0;

class LieStepper final : public Stepper {
 public:
  LieStepper(const LieScheme& scheme, const System& system, const StepOptions& options)
      : scheme_(scheme),
        tableau_(*scheme.tableau),
        system_(system),
        lie_(system.lie),
        n_(system.dimension),
        m_(system.lie.dimension),
        controlled_(m_ - (n_ - controlled_lanes(system))),
        tolerance_(std::max(options.tolerance, kFinestTolerance)),
        by_tolerance_(options.by_tolerance),
        limits_(system, options),
        accounts_(system),
        h_(options.step.value_or(0.0)),
        slopes_(static_cast<std::size_t>(tableau_.stages) + 1, m_),
        sigma_(slopes_.stride()),
        field_(m_),
        extra_(m_),
        point_(n_),
        increment_(n_),
        middle_(n_),
        record_(system, tableau_.order) {
    for (const std::vector<double>& row : tableau_.a) rows_.emplace_back(row);
    weights_ = StageSum(tableau_.b);
    if (!scheme_.adaptive) return;
    error_ = StageSum(tableau_.error[0]);
    for (const double weight : tableau_.error[0]) estimate_roundoff_ += 8 * kEpsilon * std::fabs(weight);
  }

  int order() const override { return tableau_.order; }
  StepMemory memory() const override { return {h_}; }
  void restore(const StepMemory& memory) override { h_ = memory[0]; }
  const StepPolynomial& dense() override { return record_.polynomial(counts_); }

  StepStatus step(State& state, double /*horizon*/) override {
    const double* x = state.hi.data();
    evaluate(state.t, x, slopes_[0]);
    if (!std::isfinite(max_norm(slopes_[0], m_))) return StepStatus::not_finite;
    if (h_ == 0.0) h_ = first_step(state);
    double h = scheme_.adaptive ? on_the_clock(system_, state, std::min(h_, longest_)) : h_;
    while (true) {
      take(state.t, x, h);
      if (!scheme_.adaptive) {
        if (!std::isfinite(max_norm(increment_.data(), n_))) return StepStatus::not_finite;
        break;
      }
      const double error = error_estimate(state.t, x, h);
      const double change = error > 0.0 ? kSafety * std::pow(1.0 / error, kExponent) : kLargestGrowth;
      h_ = h * (std::isfinite(error) ? std::clamp(change, kLargestShrink, kLargestGrowth) : kLargestShrink);
      if (error < 1.0) break;
      ++counts_.rejected;
      h = on_the_clock(system_, state, h_);
      if (h < shortest_step(state.t)) {
        return std::isfinite(error) ? StepStatus::step_too_small : StepStatus::not_finite;
      }
    }
    record_.begin(state, h);
    if (lie_.keeps_allowed) {
      add_step(state, h, increment_.data());
    } else {
      accumulate(system_, state, h, increment_.data());
    }
    record_.end(state);
    last_step_ = h;
    ++counts_.steps;
    return StepStatus::done;
  }

 private:
  void evaluate(Time t, const double* x, double* f) {
    lie_.field(t, x, f);
    ++counts_.evaluations;
  }

  // The field at exp(sigma_) . x.
  void evaluate_moved(Time t, const double* x, double* f) {
    lie_.act(sigma_.data(), x, increment_.data());
    for (std::size_t i = 0; i < n_; ++i) point_[i] = x[i] + increment_[i];
    evaluate(t, point_.data(), f);
  }

  void take(double t, const double* x, double h) {
    switch (scheme_.kind) {
      case LieScheme::Kind::munthe_kaas:
        return munthe_kaas(t, x, h);
      case LieScheme::Kind::two_commutators:
        return two_commutators(t, x, h);
      case LieScheme::Kind::commutator_free:
        return commutator_free(t, x, h);
    }
  }

  void munthe_kaas(double t, const double* x, double h) {
    for (int i = 1; i < tableau_.stages; ++i) {
      slopes_.sum(rows_[i], h, sigma_.data());
      evaluate_moved(later(t, tableau_.c[i] * h), x, field_.data());
      lie_.dexp_inverse(sigma_.data(), field_.data(), slopes_[i]);
    }
    slopes_.sum(weights_, h, sigma_.data());
    lie_.act(sigma_.data(), x, increment_.data());
  }

  // H. Munthe-Kaas, B. Owren, Phil. Trans. R. Soc. Lond. A 357 (1999). With K_i = h k_i:
  //   K2 = f(exp(K1/2)),  K3 = f(exp(K2/2 - [K1, K2]/8)),  K4 = f(exp(K3)),
  //   exp((K1 + 2 K2 + 2 K3 + K4 - [K1, K4]/2) / 6)
  void two_commutators(double t, const double* x, double h) {
    for (int i = 1; i < 4; ++i) {
      slopes_.sum(rows_[i], h, sigma_.data());
      if (i == 2) add_bracket(slopes_[0], slopes_[1], -h * h / 8);
      evaluate_moved(later(t, tableau_.c[i] * h), x, slopes_[i]);
    }
    slopes_.sum(weights_, h, sigma_.data());
    add_bracket(slopes_[0], slopes_[3], -h * h / 12);
    lie_.act(sigma_.data(), x, increment_.data());
  }

  void add_bracket(const double* a, const double* b, double factor) {
    lie_.bracket(a, b, extra_.data());
    for (std::size_t i = 0; i < m_; ++i) sigma_[i] += factor * extra_[i];
  }

  // E. Celledoni, A. Marthinsen, B. Owren, Future Gener. Comput. Syst. 19 (2003): the fourth stage starts
  // from the second one's point, and the step has two halves.
  void commutator_free(double t, const double* x, double h) {
    slopes_.sum(kHalfFirst, h, sigma_.data());
    evaluate_moved(t + 0.5 * h, x, slopes_[1]);
    std::copy(point_.begin(), point_.end(), middle_.begin());
    slopes_.sum(kHalfSecond, h, sigma_.data());
    evaluate_moved(t + 0.5 * h, x, slopes_[2]);
    slopes_.sum(kFromMiddle, h, sigma_.data());
    evaluate_moved(t + h, middle_.data(), slopes_[3]);

    slopes_.sum(kFirstHalf, h, sigma_.data());
    lie_.act(sigma_.data(), x, increment_.data());
    for (std::size_t i = 0; i < n_; ++i) middle_[i] = x[i] + increment_[i];
    slopes_.sum(kSecondHalf, h, sigma_.data());
    lie_.act(sigma_.data(), middle_.data(), point_.data());
    for (std::size_t i = 0; i < n_; ++i) increment_[i] += point_[i];
  }

  // Euclidean norm in the algebra of the difference to the embedded method, over the tolerance.
  double error_estimate(double t, const double* x, double h) {
    if (!std::isfinite(max_norm(increment_.data(), n_))) return std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n_; ++i) point_[i] = x[i] + increment_[i];
    evaluate(t + h, point_.data(), field_.data());
    lie_.dexp_inverse(sigma_.data(), field_.data(), slopes_[static_cast<std::size_t>(tableau_.stages)]);
    const double roundoff = h * estimate_roundoff_ * norm(slopes_[0]);
    slopes_.sum(error_, h, sigma_.data());
    double worst = by_tolerance_ ? norm(sigma_.data()) / std::max(tolerance_, roundoff) : 0.0;
    if (by_tolerance_ && accounts_.given()) {  // the algebra's last elements are they
      accounts_.allow(tolerance_, x, point_.data());
      worst = std::max(worst, accounts_.ratio(sigma_.data() + m_ - n_));
    }
    if (!limits_.given()) return worst;
    lie_.act(sigma_.data(), x, point_.data());
    return std::max(worst, limits_.ratio(point_.data()));
  }

  double norm(const double* v) const {
    double square = 0.0;
    for (std::size_t i = 0; i < controlled_; ++i) square += v[i] * v[i];
    return std::sqrt(square);
  }

  double first_step(const State& state) {
    const double* x = state.hi.data();
    double* slope = point_.data();
    double* behind = middle_.data();
    system_.rhs(state.t, x, slope);
    const FirstStep first(system_, x, slope);
    for (std::size_t i = 0; i < n_; ++i) increment_[i] = x[i] + first.guess * slope[i];
    system_.rhs(state.t + first.guess, increment_.data(), behind);
    counts_.evaluations += 2;
    return first.chosen(system_, slope, behind, tolerance_, tableau_.order);
  }

  static const StageSum kHalfFirst, kHalfSecond, kFromMiddle, kFirstHalf, kSecondHalf;

  const LieScheme& scheme_;
  const Tableau& tableau_;
  const System& system_;
  const LieAction& lie_;
  std::size_t n_;           // of the state
  std::size_t m_;           // of the algebra
  std::size_t controlled_;  // leading lanes of the algebra that step control looks at
  double tolerance_;
  bool by_tolerance_;
  PhysicalLimits limits_;
  Accounts accounts_;
  double h_;  // the next step; 0: not yet chosen
  double estimate_roundoff_ = 0.0;
  std::vector<StageSum> rows_;
  StageSum weights_, error_;
  StageSlopes slopes_;
  AlignedVector<double> sigma_;
  std::vector<double> field_, extra_, point_, increment_, middle_;
  HermiteRecord record_;
};

const StageSum LieStepper::kHalfFirst({0.5});
const StageSum LieStepper::kHalfSecond({0.0, 0.5});
const StageSum LieStepper::kFromMiddle({-0.5, 0.0, 1.0});
const StageSum LieStepper::kFirstHalf({3.0 / 12, 2.0 / 12, 2.0 / 12, -1.0 / 12});
const StageSum LieStepper::kSecondHalf({-1.0 / 12, 2.0 / 12, 2.0 / 12, 3.0 / 12});

}  // namespace

const LieScheme kLieEuler{&kEuler};
const LieScheme kRkmk2{&kHeun};
const LieScheme kRkmk3{&kKutta3};
const LieScheme kRkmk4{&kRk4};
const LieScheme kRkmk4TwoCommutators{&kRk4, LieScheme::Kind::two_commutators};
const LieScheme kRkmk5{&kDopri5};
const LieScheme kRkmk54{&kDopri5, LieScheme::Kind::munthe_kaas, true};
const LieScheme kCf4{&kRk4, LieScheme::Kind::commutator_free};

std::unique_ptr<Stepper> make_lie_method(const LieScheme& scheme, const System& system,
                                         const StepOptions& options) {
  return std::make_unique<LieStepper>(scheme, system, options);
}

}  // namespace catena
