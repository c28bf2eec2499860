// What is known after a fit: errors, what nothing determines, and what to say of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/analyze/fitting.h"
#include "catena/analyze/flat.h"
#include "catena/math/student.h"

namespace catena::fits {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

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

}  // namespace catena::fits
