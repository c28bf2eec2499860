// The steps of a fit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/analyze/fitting.h"
#include "catena/base/words.h"

namespace catena::fits {
namespace {

// How far a guess may be off.
double guess_error(const FreeNumber& of) {
  double error = of.guess != 0.0 ? 0.1 * std::fabs(of.guess) : 0.1;
  if (of.prior_error) error = std::min(error, *of.prior_error);
  if (std::isfinite(of.high - of.low)) error = std::min(error, 0.5 * (of.high - of.low));
  return error;
}

}  // namespace

// The first motion; false: there is none.
bool Fitting::begin() {
  std::vector<double> errors;
  for (const FreeNumber& one : problem_.free) errors.push_back(guess_error(one));
  starts_.assign(1, {});
  const bool cut =
      problem_.segments == 1 || shooting_.assimilate(values_, errors, noise_, problem_.segments, starts_);
  if (cut && starts_.size() > 1 && !shooting_.summed().empty()) {
    throw InputError({}, fmt::format("{} adds up along the whole motion and cannot be fitted in segments: "
                                     "leave it out, or say segments = 1",
                                     listed(shooting_.summed(), "and")));
  }
  if (cut && shooting_.run(values_, starts_, true, motion_)) {
    take_noise();
    return true;
  }
  shooting_.throw_mistakes();
  result_.outcome = shooting_.stopped() ? FitOutcome::interrupted : FitOutcome::failed;
  result_.message = shooting_.failure();
  motion_.clear();
  starts_.resize(1);
  return false;
}

double Fitting::cost_now(const std::vector<SegmentMotion>& motion, const std::vector<double>& values) const {
  double sum = 0.0;
  each(motion,
       [&](std::size_t k, std::size_t i) { sum += cost_of(problem_.loss, scaled(motion[k], i)).rho; });
  for (std::size_t j = 0; j < values.size(); ++j) {
    const FreeNumber& one = problem_.free[j];
    if (!one.prior_mean) continue;
    const double u = (values[j] - *one.prior_mean) / *one.prior_error;
    sum += 0.5 * u * u;
  }
  return sum;
}

// Noise that is not given, from the residuals: as in textbooks, with the numbers that were fitted taken off;
// by the median where outliers are forgiven.
void Fitting::take_noise() {
  noise_change_ = 0.0;
  const auto rows = static_cast<double>(measurements_);
  const double share = std::max(1.0 - static_cast<double>(values_.size()) / rows, 1.0 / rows);
  for (std::size_t c = 0; c < noise_.size(); ++c) {
    if (problem_.observed[c].noise || counts_[c] == 0) continue;
    double sum = 0.0, size = 0.0;
    std::vector<double> sizes;
    each(motion_, [&](std::size_t k, std::size_t i) {
      if (i % noise_.size() != c) return;
      const double residual = motion_[k].residuals[i];
      sum += residual * residual;
      size = std::max(size, std::fabs(motion_[k].modelled[i]));
      sizes.push_back(std::fabs(residual));
    });
    const double rms = std::sqrt(sum / (static_cast<double>(counts_[c]) * share));
    const double robust = 1.4826 * median(std::move(sizes));
    double noise = problem_.loss == Loss::squares || !(robust > 0.0) ? rms : robust;
    noise = std::max(noise, 1e-14 * std::max(size, 1e-200));
    noise_change_ = std::max(noise_change_, std::fabs(noise / noise_[c] - 1.0));
    noise_[c] = noise;
  }
  cost_ = cost_now(motion_, values_);
  filter_.clear();
}

void Fitting::linearise(bool weighted, Eigen::MatrixXd& slopes, Eigen::VectorXd& residuals) const {
  slopes = Eigen::MatrixXd::Zero(index(measurements_ + priors_), index(values_.size()));
  residuals = Eigen::VectorXd::Zero(slopes.rows());
  Eigen::Index at = 0;
  each(motion_, [&](std::size_t k, std::size_t i) {
    const double u = scaled(motion_[k], i);
    const double weight = weighted ? std::sqrt(weight_of(problem_.loss, u)) : 1.0;
    slopes.row(at) = (weight / noise_[i % noise_.size()]) * motion_[k].by_numbers.row(index(i));
    residuals(at++) = weight * u;
  });
  for (std::size_t j = 0; j < values_.size(); ++j) {
    const FreeNumber& one = problem_.free[j];
    if (!one.prior_mean) continue;
    slopes(at, index(j)) = 1.0 / *one.prior_error;
    residuals(at++) = (values_[j] - *one.prior_mean) / *one.prior_error;
  }
}

std::vector<double> Fitting::stepped(const Eigen::VectorXd& by, double part) const {
  std::vector<double> out = values_;
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = std::clamp(out[j] + part * by(index(j)), problem_.free[j].low, problem_.free[j].high);
  return out;
}

// Numbers that stand at a bound stay there as long as the cost falls beyond it.
void Fitting::freeze(const Eigen::VectorXd& gradient) {
  idle_ = without_influence();
  for (std::size_t j = 0; j < values_.size(); ++j) {
    const FreeNumber& one = problem_.free[j];
    const double slope = gradient(index(j));
    frozen_[j] = (values_[j] <= one.low && slope > 0.0) || (values_[j] >= one.high && slope < 0.0);
  }
}

namespace {

// Least squares with any damping, from one factorisation: J = Q R, R = U S V^T. What J does not see is left
// alone.
class Damped {
 public:
  Damped(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& residuals) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> factored(slopes);
    const Eigen::Index count = slopes.cols(), rows = std::min(slopes.rows(), count);
    const Eigen::MatrixXd upper = factored.matrixQR().topRows(rows).triangularView<Eigen::Upper>();
    const Eigen::VectorXd turned = factored.householderQ().transpose() * residuals;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(upper, Eigen::ComputeThinU | Eigen::ComputeThinV);
    sizes_ = svd.singularValues();
    along_ = svd.matrixU().transpose() * turned.head(rows);
    directions_ = svd.matrixV();
  }

  Eigen::VectorXd step(double damping) const {
    Eigen::VectorXd parts = Eigen::VectorXd::Zero(sizes_.size());
    for (Eigen::Index i = 0; i < parts.size(); ++i) {
      if (sizes_(i) > kFlat * sizes_(0))
        parts(i) = -sizes_(i) * along_(i) / (sizes_(i) * sizes_(i) + damping);
    }
    return directions_ * parts;
  }

 private:
  Eigen::VectorXd sizes_, along_;
  Eigen::MatrixXd directions_;
};

}  // namespace

// One step of Levenberg and Marquardt: J. J. More, 1978, with the damping of H. B. Nielsen, 1999.
bool Fitting::improve() {
  Eigen::MatrixXd slopes;
  Eigen::VectorXd residuals;
  linearise(true, slopes, residuals);
  freeze(slopes.transpose() * residuals);
  for (std::size_t j = 0; j < values_.size(); ++j) {
    if (frozen_[j] || idle_[j]) slopes.col(index(j)).setZero();
  }
  Eigen::VectorXd sizes = slopes.colwise().norm().transpose();
  for (Eigen::Index j = 0; j < sizes.size(); ++j) {
    if (!(sizes(j) > 0.0)) sizes(j) = 1.0;
  }
  const Eigen::MatrixXd unit = slopes * sizes.cwiseInverse().asDiagonal();
  const Damped damped(unit, residuals);
  const Eigen::VectorXd whole = damped.step(0.0);
  constexpr double kSettled = 1e-18;  // of the cost: a billionth of a standard error
  const bool settled = (unit * whole).squaredNorm() <= kSettled * (1.0 + cost_) && noise_change_ < 1e-9;
  if (settled || is_roundoff(whole.cwiseQuotient(sizes))) {
    result_.outcome = FitOutcome::converged;
    return false;
  }
  constexpr int kMostTries = 40;
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    const Eigen::VectorXd step = damped.step(damping_), change = unit * step;
    const double decrease = -change.dot(residuals) - 0.5 * change.squaredNorm();
    if (takes(stepped(step.cwiseQuotient(sizes), 1.0), decrease) || shooting_.stopped()) return true;
    damping_ *= grows_;
    grows_ *= 2.0;
  }
  result_.message =
      "no step makes the residuals smaller: start from a better guess, or cut the record into segments";
  return false;
}

// Whether a step changes nothing but last digits, as near data without noise.
bool Fitting::is_roundoff(const Eigen::VectorXd& step) const {
  constexpr double kDigits = 1e-12;
  for (std::size_t j = 0; j < values_.size(); ++j) {
    double size = std::max(std::fabs(values_[j]), std::fabs(problem_.free[j].guess));
    if (size == 0.0) size = 1e-3;
    if (std::fabs(step(index(j))) > kDigits * size) return false;
  }
  return true;
}

// Whether the numbers are taken: where the cost falls, by a part at least of what was expected.
bool Fitting::takes(const std::vector<double>& trial, double decrease) {
  std::vector<SegmentMotion> motion;
  if (!shooting_.run(trial, starts_, false, motion)) return false;
  const double cost = cost_now(motion, trial);
  const double ratio = decrease > 0.0 ? (cost_ - cost) / decrease : -1.0;
  const bool by_roundoff = decrease <= 1e-9 * cost_ && cost <= cost_ * (1.0 + 1e-9);
  if (!(ratio > 1e-4) && !by_roundoff) return false;
  if (!shooting_.run(trial, starts_, true, motion)) return false;
  values_ = trial;
  motion_ = std::move(motion);
  const double shrinks = by_roundoff ? 1.0 / 3 : std::max(1.0 / 3, 1.0 - std::pow(2 * ratio - 1, 3));
  damping_ = std::max(damping_ * shrinks, 1e-20);
  grows_ = 2.0;
  take_noise();
  return true;
}

}  // namespace catena::fits

namespace catena {

FitResult fit(const FitProblem& problem, const FitControl& control) {
  return fits::Fitting(problem, control).take();
}

}  // namespace catena
