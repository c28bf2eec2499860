#include "catena/analyze/fit.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "catena/analyze/flat.h"
#include "catena/analyze/linear_algebra.h"
#include "catena/analyze/seams.h"
#include "catena/analyze/shooting.h"
#include "catena/base/words.h"
#include "catena/math/student.h"

namespace catena {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Singular values of slopes, columns equally long, that are zero but for roundoff, beside the largest.
constexpr double kFlat = 1e-9;

// ---- what a residual costs
// ------------------------------------------------------------------------------------

// In standard deviations u: the cost rho, its slope psi, and psi'. The constants make both 95 % as sharp as
// squares where noise is normal: P. W. Holland, R. E. Welsch, Robust regression using iteratively reweighted
// least-squares, 1977.
struct Cost {
  double rho, psi, slope;
};

Cost cost_of(Loss loss, double u) {
  constexpr double kHuber = 1.345, kCauchy = 2.385;
  if (loss == Loss::huber && std::fabs(u) > kHuber)
    return {kHuber * (std::fabs(u) - 0.5 * kHuber), std::copysign(kHuber, u), 0.0};
  if (loss == Loss::cauchy) {
    const double q = (u / kCauchy) * (u / kCauchy);
    return {0.5 * kCauchy * kCauchy * std::log1p(q), u / (1.0 + q), (1.0 - q) / ((1.0 + q) * (1.0 + q))};
  }
  return {0.5 * u * u, u, 1.0};
}

double weight_of(Loss loss, double u) { return u == 0.0 ? 1.0 : cost_of(loss, u).psi / u; }

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The noise of a column before anything is known of the motion: third differences of neighbouring rows are
// nearly free of it; at least a thousandth of how far the column ranges.
double first_noise(const FitProblem& problem, std::size_t column) {
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

// How far a guess may be off.
double guess_error(const FreeNumber& of) {
  double error = of.guess != 0.0 ? 0.1 * std::fabs(of.guess) : 0.1;
  if (of.prior_error) error = std::min(error, *of.prior_error);
  if (std::isfinite(of.high - of.low)) error = std::min(error, 0.5 * (of.high - of.low));
  return error;
}

// ---- the fit
// --------------------------------------------------------------------------------------------------

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

// ---- with segments
// --------------------------------------------------------------------------------------------

SeamEquations Fitting::seams(bool weighted) const {
  SeamEquations out;
  const Eigen::Index count = index(values_.size());
  out.normal = Eigen::MatrixXd::Zero(count, count);
  out.gradient = Eigen::VectorXd::Zero(count);
  for (std::size_t k = 0; k < motion_.size(); ++k) {
    const SegmentMotion& of = motion_[k];
    Eigen::MatrixXd numbers = of.by_numbers, start = of.by_start;
    Eigen::VectorXd residuals = Eigen::VectorXd::Zero(numbers.rows());
    for (Eigen::Index i = 0; i < residuals.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool is_measured = !std::isnan(of.residuals[at]);
      const double u = is_measured ? scaled(of, at) : 0.0;
      const double weight = is_measured ? (weighted ? std::sqrt(weight_of(problem_.loss, u)) : 1.0) : 0.0;
      numbers.row(i) *= weight / noise_[at % noise_.size()];
      start.row(i) *= weight / noise_[at % noise_.size()];
      residuals(i) = weight * u;
    }
    out.normal += numbers.transpose() * numbers;
    out.gradient += numbers.transpose() * residuals;
    if (k == 0) continue;
    SegmentEquations& one = out.segments.emplace_back();
    one.normal = start.transpose() * start;
    one.mixed = numbers.transpose() * start;
    one.gradient = start.transpose() * residuals;
    const SegmentMotion& before = motion_[k - 1];
    one.by_numbers = of.basis.transpose() * (before.end_by_numbers - of.start_by_numbers);
    if (k > 1) one.by_start = of.basis.transpose() * before.end_by_start;
    Eigen::VectorXd gap(index(of.start.size()));
    for (std::size_t i = 0; i < of.start.size(); ++i) gap(index(i)) = before.end[i] - of.start[i];
    one.defect = of.basis.transpose() * gap;
  }
  for (std::size_t j = 0; j < values_.size(); ++j) {
    const FreeNumber& one = problem_.free[j];
    if (!one.prior_mean) continue;
    const double weight = 1.0 / (*one.prior_error * *one.prior_error);
    out.normal(index(j), index(j)) += weight;
    out.gradient(index(j)) += weight * (values_[j] - *one.prior_mean);
  }
  return out;
}

double Fitting::largest_defect(const std::vector<SegmentMotion>& motion) const {
  double largest = 0.0;
  for (std::size_t k = 1; k < motion.size(); ++k) {
    const Eigen::MatrixXd& basis = motion_[k].basis;  // of the last motion with derivatives: lanes of motion
    Eigen::VectorXd gap(index(motion[k].start.size()));
    for (std::size_t i = 0; i < motion[k].start.size(); ++i)
      gap(index(i)) = motion[k - 1].end[i] - motion[k].start[i];
    largest = std::max(largest, (basis.transpose() * gap).cwiseAbs().maxCoeff());
  }
  return largest;
}

std::vector<SegmentStart> Fitting::moved_starts(double part, const SeamSolution& step) const {
  std::vector<SegmentStart> starts = starts_;
  for (std::size_t k = 1; k < starts.size(); ++k) {
    const Eigen::VectorXd change = part * (motion_[k].basis * step.starts[k - 1]);
    for (std::size_t i = 0; i < starts[k].x.size(); ++i)
      starts[k].x[i] = motion_[k].start[i] + change(index(i));
  }
  return starts;
}

// The step after which all is settled: derivatives are good enough as they are.
bool Fitting::take_last(const SeamSolution& step) {
  const std::vector<double> trial = stepped(step.numbers, 1.0);
  const std::vector<SegmentStart> starts = moved_starts(1.0, step);
  std::vector<SegmentMotion> motion;
  if (!shooting_.run(trial, starts, false, motion)) return false;
  constexpr double kClosed = 1e-7;
  if (largest_defect(motion) > kClosed) return false;
  for (std::size_t k = 0; k < motion.size(); ++k) {
    motion_[k].residuals = std::move(motion[k].residuals);
    motion_[k].modelled = std::move(motion[k].modelled);
    motion_[k].start = std::move(motion[k].start);
    motion_[k].end = std::move(motion[k].end);
  }
  values_ = trial;
  starts_ = starts;
  take_noise();
  return true;
}

// A part of a step is taken where it makes the cost or the defects smaller than any before: R. Fletcher,
// S. Leyffer, Nonlinear programming without a penalty function, 2002.
bool Fitting::tries(double part, const SeamSolution& step) {
  const std::vector<double> trial = stepped(step.numbers, part);
  std::vector<SegmentStart> starts = moved_starts(part, step);
  std::vector<SegmentMotion> motion;
  if (!shooting_.run(trial, starts, true, motion)) return false;
  const double cost = cost_now(motion, trial), defect = largest_defect(motion);
  constexpr double kMargin = 1e-5, kClosed = 1e-10;
  const double here = largest_defect(motion_);
  std::vector<std::pair<double, double>> rivals = filter_;
  rivals.emplace_back(cost_, here);
  for (const auto& [other_cost, other_defect] : rivals) {
    const bool cheaper = cost <= other_cost - kMargin * other_defect * (1.0 + std::fabs(other_cost)) ||
                         (defect <= kClosed && cost <= other_cost * (1.0 + 1e-9));
    const bool tighter = defect <= (1.0 - kMargin) * other_defect && defect > kClosed;
    if (!cheaper && !tighter) return false;
  }
  filter_.emplace_back(cost_, here);
  const std::vector<std::pair<double, double>> kept = filter_;
  values_ = trial;
  starts_ = std::move(starts);
  motion_ = std::move(motion);
  take_noise();
  if (!estimates_noise()) filter_ = kept;
  return true;
}

// One step of Gauss and Newton for the segments together.
bool Fitting::improve_with_seams() {
  const SeamEquations equations = seams(true);
  std::fill(frozen_.begin(), frozen_.end(), 0);
  idle_ = without_influence();
  constexpr double kDamping = 1e-12;
  SeamSolution step = solved(equations, idle_, kDamping);
  // Numbers at a bound that want beyond it stay.
  for (std::size_t j = 0; step.good && j < values_.size(); ++j) {
    const FreeNumber& one = problem_.free[j];
    const double change = step.numbers(index(j));
    frozen_[j] = (values_[j] <= one.low && change < 0.0) || (values_[j] >= one.high && change > 0.0);
  }
  if (std::any_of(frozen_.begin(), frozen_.end(), [](char frozen) { return frozen != 0; })) {
    std::vector<char> held = frozen_;
    for (std::size_t j = 0; j < held.size(); ++j) held[j] = held[j] || idle_[j];
    step = solved(equations, held, kDamping);
  }
  if (!step.good) {
    result_.message = "the equations of the segments cannot be solved: try other segments";
    return false;
  }
  // A few thousandths of a standard error; the last step makes it less than a hundred thousandth.
  constexpr double kSettled = 1e-8, kClosed = 1e-4, kSame = 1e-3;
  const bool settled = std::fabs(step.decrease) <= kSettled * (1.0 + cost_) && noise_change_ < kSame;
  if ((settled || is_roundoff(step.numbers)) && largest_defect(motion_) <= kClosed && take_last(step)) {
    result_.outcome = FitOutcome::converged;
    return false;
  }
  for (const double part : {1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.001}) {
    if (tries(part, step)) return true;
    if (shooting_.stopped()) return true;
  }
  result_.message =
      "no step brings the segments closer together: start from a better guess, or cut the record "
      "into more segments";
  return false;
}

// ---- what is known afterwards
// ---------------------------------------------------------------------------------

std::vector<double> Fitting::rms_of_columns() const {
  std::vector<double> sums(noise_.size(), 0.0);
  each(motion_, [&](std::size_t k, std::size_t i) {
    sums[i % noise_.size()] += motion_[k].residuals[i] * motion_[k].residuals[i];
  });
  for (std::size_t c = 0; c < sums.size(); ++c)
    sums[c] = std::sqrt(sums[c] / std::max<double>(1.0, static_cast<double>(counts_[c])));
  return sums;
}

double Fitting::total_rms() const {
  double sum = 0.0;
  each(motion_,
       [&](std::size_t k, std::size_t i) { sum += motion_[k].residuals[i] * motion_[k].residuals[i]; });
  return std::sqrt(sum / static_cast<double>(measurements_));
}

Statistics Fitting::of_jacobian(const std::vector<char>& held) const {
  Eigen::MatrixXd slopes;
  Eigen::VectorXd residuals;
  linearise(false, slopes, residuals);
  const Eigen::Index count = slopes.cols();
  for (Eigen::Index j = 0; j < count; ++j) {
    if (held[static_cast<std::size_t>(j)]) slopes.col(j).setZero();
  }
  Eigen::VectorXd units = slopes.colwise().norm().transpose();
  for (Eigen::Index j = 0; j < count; ++j) units(j) = units(j) > 0.0 ? 1.0 / units(j) : 1.0;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(slopes * units.asDiagonal(),
                                              Eigen::ComputeThinU | Eigen::ComputeFullV);
  Statistics out{Eigen::MatrixXd::Zero(count, count), Eigen::MatrixXd(count, 0)};
  const double largest = svd.singularValues().size() > 0 ? svd.singularValues()(0) : 0.0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const double value = i < svd.singularValues().size() ? svd.singularValues()(i) : 0.0;
    const Eigen::VectorXd direction = units.cwiseProduct(svd.matrixV().col(i));
    if (value > kFlat * largest) {
      out.covariance += direction * direction.transpose() / (value * value);
      continue;
    }
    out.null.conservativeResize(Eigen::NoChange, out.null.cols() + 1);
    out.null.col(out.null.cols() - 1) = direction;
  }
  return out;
}

Statistics Fitting::of_seams(const std::vector<char>& held) const {
  const SeamEquations equations = seams(false);
  const Eigen::Index count = equations.normal.rows();
  Eigen::VectorXd units(count);
  for (Eigen::Index j = 0; j < count; ++j)
    units(j) = equations.normal(j, j) > 0.0 ? std::sqrt(equations.normal(j, j)) : 1.0;
  constexpr double kDamping = 1e-14, kBoundless = 1e10;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance(equations, held, kDamping, units));
  Statistics out{Eigen::MatrixXd::Zero(count, count), Eigen::MatrixXd(count, 0)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::VectorXd direction = eigen.eigenvectors().col(i).cwiseQuotient(units);
    const double value = eigen.eigenvalues()(i);
    if (value < kBoundless) {
      out.covariance += std::max(value, 0.0) * direction * direction.transpose();
      continue;
    }
    out.null.conservativeResize(Eigen::NoChange, out.null.cols() + 1);
    out.null.col(out.null.cols() - 1) = direction;
  }
  return out;
}

// Numbers whose own size changes nothing but the last digits.
std::vector<char> Fitting::without_influence() const {
  constexpr double kDigits = 1e-11;
  double size = 0.0;
  each(motion_,
       [&](std::size_t k, std::size_t i) { size = std::max(size, std::fabs(motion_[k].modelled[i])); });
  std::vector<char> out(values_.size(), 1);
  for (std::size_t j = 0; j < values_.size(); ++j) {
    const double change = (values_[j] != 0.0 ? std::fabs(values_[j]) : 1.0) / std::max(size, 1e-300);
    for (const SegmentMotion& of : motion_) {
      const auto acts = [&](const Eigen::MatrixXd& rates) {
        return rates.rows() > 0 && rates.col(index(j)).cwiseAbs().maxCoeff() * change > kDigits;
      };
      if (acts(of.by_numbers) || acts(of.end_by_numbers)) out[j] = 0;
    }
    if (problem_.free[j].prior_mean) out[j] = 0;
  }
  return out;
}

Statistics Fitting::statistics() const {
  const std::vector<char> idle = without_influence();
  std::vector<char> held = frozen_;
  for (std::size_t j = 0; j < held.size(); ++j) held[j] = held[j] || idle[j];
  Statistics out = starts_.size() == 1 ? of_jacobian(held) : of_seams(held);
  // What is held at a bound has no column either, but is not flat.
  Eigen::MatrixXd null(out.null.rows(), 0);
  const auto add = [&](const Eigen::VectorXd& direction) {
    null.conservativeResize(Eigen::NoChange, null.cols() + 1);
    null.col(null.cols() - 1) = direction;
  };
  for (Eigen::Index i = 0; i < out.null.cols(); ++i) {
    Eigen::Index row = 0;
    out.null.col(i).cwiseAbs().maxCoeff(&row);
    if (!held[static_cast<std::size_t>(row)]) add(out.null.col(i));
  }
  for (std::size_t j = 0; j < held.size(); ++j) {
    if (idle[j] && !frozen_[j]) add(Eigen::VectorXd::Unit(null.rows(), index(j)));
  }
  out.null = null;
  return out;
}

// What a robust loss makes of the covariance of squares: P. J. Huber, Robust statistics, 1981, 7.6.
double Fitting::robust_factor(std::size_t determined) const {
  if (problem_.loss == Loss::squares) return 1.0;
  double squares = 0.0, slopes = 0.0;
  each(motion_, [&](std::size_t k, std::size_t i) {
    const Cost cost = cost_of(problem_.loss, scaled(motion_[k], i));
    squares += cost.psi * cost.psi;
    slopes += cost.slope;
  });
  const auto rows = static_cast<double>(measurements_);
  const double mean = slopes / rows, freedom = std::max(rows - static_cast<double>(determined), 1.0);
  return mean > 0.0 ? squares / freedom / (mean * mean) : kInfinity;
}

void Fitting::tell_statistics() {
  const std::size_t count = values_.size();
  const Statistics known = statistics();
  result_.undetermined = flat_directions(problem_.free, values_, known.null);
  std::vector<char> has_error(count, 1);
  for (const FlatDirection& flat : result_.undetermined) {
    for (const std::size_t j : flat.members) has_error[j] = 0;
  }
  std::size_t held = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (frozen_[j]) has_error[j] = 0, ++held;
  }
  const std::size_t determined = count - held - result_.undetermined.size();
  result_.freedom = static_cast<double>(measurements_ + priors_) - static_cast<double>(determined);
  const bool estimated = estimates_noise();
  if (estimated && result_.freedom < 1.0) std::fill(has_error.begin(), has_error.end(), 0);
  // The noise was estimated as if every number took a degree of freedom.
  const auto rows = static_cast<double>(measurements_);
  double factor = robust_factor(determined);
  if (estimated && problem_.loss == Loss::squares && result_.freedom >= 1.0)
    factor *= std::max(rows - static_cast<double>(count), 1.0) /
              std::max(rows - static_cast<double>(determined), 1.0);
  const double quantile = student_quantile(0.95, estimated ? std::max(1.0, result_.freedom) : kInfinity);
  result_.errors.assign(count, kNone);
  result_.intervals.assign(count, {kNone, kNone});
  result_.covariance.assign(count * count, kNone);
  result_.correlation.assign(count * count, kNone);
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_error[i]) continue;
    const double error = std::sqrt(factor * known.covariance(index(i), index(i)));
    result_.errors[i] = error;
    result_.intervals[i] = {values_[i] - quantile * error, values_[i] + quantile * error};
    for (std::size_t j = 0; j < count; ++j) {
      if (!has_error[j]) continue;
      const double both = known.covariance(index(i), index(j));
      const double size = known.covariance(index(i), index(i)) * known.covariance(index(j), index(j));
      result_.covariance[i * count + j] = factor * both;
      result_.correlation[i * count + j] = i == j ? 1.0 : both / std::sqrt(size);
    }
  }
}

FitResult Fitting::finished() {
  result_.values = values_;
  result_.measurements = measurements_;
  result_.warnings = shooting_.warnings();
  result_.cuts = {0.0};
  for (std::size_t k = 1; k < starts_.size(); ++k) result_.cuts.push_back(starts_[k].t);
  result_.bounds.assign(values_.size(), 0);
  for (std::size_t j = 0; j < values_.size(); ++j)
    result_.bounds[j] = values_[j] <= problem_.free[j].low ? -1 : values_[j] >= problem_.free[j].high ? 1 : 0;
  result_.noise = noise_;
  const std::size_t count = values_.size();
  result_.errors.assign(count, kNone);
  result_.intervals.assign(count, {kNone, kNone});
  result_.covariance.assign(count * count, kNone);
  result_.correlation.assign(count * count, kNone);
  result_.residual_rms = result_.reduced_chi_square = kNone;
  if (motion_.empty()) return std::move(result_);
  for (const SegmentMotion& of : motion_)
    result_.modelled.insert(result_.modelled.end(), of.modelled.begin(), of.modelled.end());
  result_.column_rms = rms_of_columns();
  result_.residual_rms = total_rms();
  result_.largest_defect = largest_defect(motion_);
  tell_statistics();
  if (!estimates_noise() && result_.freedom > 0.0) {
    double sum = 0.0;
    each(motion_,
         [&](std::size_t k, std::size_t i) { sum += scaled(motion_[k], i) * scaled(motion_[k], i); });
    result_.reduced_chi_square = sum / result_.freedom;
  }
  return std::move(result_);
}

}  // namespace

FitResult fit(const FitProblem& problem, const FitControl& control) {
  return Fitting(problem, control).take();
}

}  // namespace catena
