// Fits in segments: the steps that close the seams between them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/analyze/fitting.h"

namespace catena::fits {
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

}  // namespace catena::fits
