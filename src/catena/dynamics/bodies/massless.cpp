#include "catena/dynamics/bodies/massless.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/math/cholesky.h"
#include "catena/math/symmetric_eigen.h"

namespace catena {
namespace {

// Eigenvalues of K lie between 0 and 1, of the size of a share of masses. Those of motions that nothing
// determines are roundoff.
constexpr double kUndetermined = 1e-12;

double along(const MasslessMotion& motion, const double* y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 6; ++i) sum += motion.unit[i] * y[6 * motion.body + i];
  return sum;
}

void add(const MasslessMotion& motion, double amount, double* y) {
  for (std::size_t i = 0; i < 6; ++i) y[6 * motion.body + i] += amount * motion.unit[i];
}

}  // namespace

MasslessMotions::MasslessMotions(std::vector<MasslessMotion> motions, std::size_t bodies, std::size_t rows)
    : motions_(std::move(motions)) {
  const std::size_t n = motions_.size();
  if (n == 0) return;
  k_.resize(n * n);
  root_.resize(n * n);
  forces_.resize(6 * bodies);
  amounts_.resize(n);
  none_.assign(rows, 0.0);
  unused_.resize(rows);
  lane_r_.resize(rows);
  lane_mu_.resize(rows);
  lane_y_.resize(6 * bodies);
}

void MasslessMotions::factor(ConstraintFactor& constraints) {
  const std::size_t n = motions_.size();
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(forces_.begin(), forces_.end(), 0.0);
    add(motions_[j], 1.0, forces_.data());
    constraints.solve(none_.data(), forces_.data(), unused_.data());
    for (std::size_t i = 0; i < n; ++i)
      k_[i * n + j] = (i == j ? 1.0 : 0.0) - along(motions_[i], forces_.data());
  }
  root_ = k_;
  if (!factor_cholesky(root_.data(), n)) std::fill(root_.begin(), root_.end(), std::nan(""));
}

void MasslessMotions::solve(ConstraintFactor& constraints, const double* r, double* y, double* mu) {
  if (motions_.empty()) return constraints.solve(r, y, mu);
  const std::size_t n = motions_.size();
  std::copy_n(y, forces_.size(), forces_.data());
  constraints.solve(r, y, mu);
  for (std::size_t i = 0; i < n; ++i) amounts_[i] = along(motions_[i], y);
  solve_cholesky(root_.data(), n, amounts_.data());
  for (std::size_t i = 0; i < n; ++i) add(motions_[i], amounts_[i], forces_.data());
  std::copy(forces_.begin(), forces_.end(), y);
  constraints.solve(r, y, mu);
}

void MasslessMotions::solve(ConstraintFactor& constraints, const PackOfFour* r, PackOfFour* y,
                            PackOfFour* mu) {
  if (motions_.empty()) return constraints.solve(r, y, mu);
  for (int lane = 0; lane < 4; ++lane) {
    for (std::size_t i = 0; i < lane_r_.size(); ++i) lane_r_[i] = r[i][lane];
    for (std::size_t i = 0; i < lane_y_.size(); ++i) lane_y_[i] = y[i][lane];
    solve(constraints, lane_r_.data(), lane_y_.data(), lane_mu_.data());
    for (std::size_t i = 0; i < lane_mu_.size(); ++i) mu[i][lane] = lane_mu_[i];
    for (std::size_t i = 0; i < lane_y_.size(); ++i) y[i][lane] = lane_y_[i];
  }
}

std::vector<std::vector<double>> MasslessMotions::undetermined() const {
  const SymmetricEigen of = symmetric_eigen(motions_.size(), k_);
  std::vector<std::vector<double>> out;
  for (std::size_t i = 0; i < of.values.size() && of.values[i] < kUndetermined; ++i)
    out.push_back(of.vectors[i]);
  return out;
}

}  // namespace catena
