// A fit at work, for the files that it consists of: steps, seams between segments, and what is known
// afterwards.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "catena/analyze/fit.h"
#include "catena/analyze/linear_algebra.h"
#include "catena/analyze/seams.h"
#include "catena/analyze/shooting.h"

namespace catena::fits {

// Singular values of slopes, columns equally long, that are zero but for roundoff, beside the largest.
inline constexpr double kFlat = 1e-9;

// In standard deviations u: the cost rho, its slope psi, and psi'. The constants make both 95 % as sharp as
// squares where noise is normal: P. W. Holland, R. E. Welsch, Robust regression using iteratively reweighted
// least-squares, 1977.
struct Cost {
  double rho, psi, slope;
};

inline Cost cost_of(Loss loss, double u) {
  constexpr double kHuber = 1.345, kCauchy = 2.385;
  if (loss == Loss::huber && std::fabs(u) > kHuber)
    return {kHuber * (std::fabs(u) - 0.5 * kHuber), std::copysign(kHuber, u), 0.0};
  if (loss == Loss::cauchy) {
    const double q = (u / kCauchy) * (u / kCauchy);
    return {0.5 * kCauchy * kCauchy * std::log1p(q), u / (1.0 + q), (1.0 - q) / ((1.0 + q) * (1.0 + q))};
  }
  return {0.5 * u * u, u, 1.0};
}

inline double weight_of(Loss loss, double u) { return u == 0.0 ? 1.0 : cost_of(loss, u).psi / u; }

inline double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The noise of a column before anything is known of the motion: third differences of neighbouring rows are
// nearly free of it; at least a thousandth of how far the column ranges.
inline double first_noise(const FitProblem& problem, std::size_t column) {
  std::vector<double> seen, differences;
  for (std::size_t row = 0; row < problem.times.size(); ++row) {
    const double value = problem.values[row * problem.observed.size() + column];
    if (!std::isnan(value)) seen.push_back(value);
  }
  const double middle = median(seen);
  std::vector<double> away;
  for (const double value : seen) away.push_back(std::fabs(value - middle));
  for (std::size_t i = 3; i < seen.size(); ++i)
    differences.push_back(std::fabs(seen[i] - 3 * seen[i - 1] + 3 * seen[i - 2] - seen[i - 3]));
  const double range = 1.4826 * median(away);
  const double rough = 1.4826 * median(differences) / std::sqrt(20.0);
  const double least = 1e-3 * range;
  return std::max({rough, least, 1e-12 * (1.0 + std::fabs(middle))});
}

struct Statistics {
  Eigen::MatrixXd covariance;
  Eigen::MatrixXd null;  // columns: what is not determined
};

class Fitting {
 public:
  Fitting(const FitProblem& problem, const FitControl& control)
      : problem_(problem), control_(control), shooting_(problem, control) {
    for (const FreeNumber& one : problem.free) values_.push_back(std::clamp(one.guess, one.low, one.high));
    for (std::size_t c = 0; c < problem.observed.size(); ++c)
      noise_.push_back(problem.observed[c].noise.value_or(first_noise(problem, c)));
    frozen_.assign(values_.size(), 0);
    counts_.assign(problem.observed.size(), 0);
    for (std::size_t i = 0; i < problem.values.size(); ++i) {
      if (!std::isnan(problem.values[i])) ++counts_[i % problem.observed.size()];
    }
    for (const std::size_t count : counts_) measurements_ += count;
    for (const FreeNumber& one : problem.free) priors_ += one.prior_mean ? 1 : 0;
  }

  FitResult take() {
    result_.values = values_;
    if (!begin()) return finished();
    result_.start_rms = rms_of_columns();
    for (result_.iterations = 0; result_.iterations < control_.most_iterations; ++result_.iterations) {
      if (control_.progress) control_.progress(result_.iterations, total_rms());
      if (shooting_.stopped()) {
        result_.outcome = FitOutcome::interrupted;
        break;
      }
      const bool goes_on = starts_.size() == 1 ? improve() : improve_with_seams();
      if (!goes_on) break;
    }
    if (result_.iterations == control_.most_iterations)
      result_.message = fmt::format("it did not settle in {} iterations", control_.most_iterations);
    return finished();
  }

 private:
  bool begin();
  bool improve();
  bool takes(const std::vector<double>& trial, double decrease);
  bool is_roundoff(const Eigen::VectorXd& step) const;
  bool improve_with_seams();
  bool tries(double part, const SeamSolution& step);
  bool take_last(const SeamSolution& step);
  std::vector<SegmentStart> moved_starts(double part, const SeamSolution& step) const;
  FitResult finished();

  double cost_now(const std::vector<SegmentMotion>& motion, const std::vector<double>& values) const;
  void take_noise();
  bool estimates_noise() const {
    return std::any_of(problem_.observed.begin(), problem_.observed.end(),
                       [](const ObservedColumn& one) { return !one.noise; });
  }
  double scaled(const SegmentMotion& of, std::size_t i) const {
    return of.residuals[i] / noise_[i % noise_.size()];
  }
  template <class Visit>
  void each(const std::vector<SegmentMotion>& motion, const Visit& visit) const {
    for (std::size_t k = 0; k < motion.size(); ++k) {
      for (std::size_t i = 0; i < motion[k].residuals.size(); ++i) {
        if (!std::isnan(motion[k].residuals[i])) visit(k, i);
      }
    }
  }

  // The Jacobian of the residuals over their noise, priors behind them, and these residuals; with the weights
  // of a robust loss or without.
  void linearise(bool weighted, Eigen::MatrixXd& slopes, Eigen::VectorXd& residuals) const;
  SeamEquations seams(bool weighted) const;
  double largest_defect(const std::vector<SegmentMotion>& motion) const;
  std::vector<double> stepped(const Eigen::VectorXd& by, double part) const;
  void freeze(const Eigen::VectorXd& gradient);

  Statistics statistics() const;
  Statistics of_jacobian(const std::vector<char>& held) const;
  Statistics of_seams(const std::vector<char>& held) const;
  std::vector<char> without_influence() const;
  void tell_statistics();
  double robust_factor(std::size_t determined) const;
  std::vector<double> rms_of_columns() const;
  double total_rms() const;

  const FitProblem& problem_;
  const FitControl& control_;
  Shooting shooting_;
  std::vector<double> values_, noise_;
  std::vector<SegmentStart> starts_;
  std::vector<SegmentMotion> motion_;
  std::vector<char> frozen_;  // at a bound, and would go beyond
  std::vector<char> idle_;    // without influence
  std::vector<std::size_t> counts_;
  std::size_t measurements_ = 0, priors_ = 0;
  double cost_ = 0.0, noise_change_ = 0.0;
  double damping_ = 1e-4, grows_ = 2.0;
  std::vector<std::pair<double, double>> filter_;  // costs and defects that a step must do better than
  FitResult result_;
};

}  // namespace catena::fits
