#include "catena/dynamics/lagrangian/lagrangian_momenta.h"

#include <algorithm>

namespace catena {

std::optional<LagrangianMomenta> LagrangianMomenta::of(const LagrangianSystem& system) {
  const LagrangianEquations& equations = system.equations();
  const auto first_rate = static_cast<std::uint32_t>(system.coordinates());
  const bool constant_mass = !equations.depends(equations.mass, 0, equations.time());
  const bool forces_of_places = !equations.depends(equations.force, first_rate, equations.time() - 1);
  if (!constant_mass || !forces_of_places || system.given().picks_coordinates) return std::nullopt;
  LagrangianMomenta out(system);
  if (!out.regular_) return std::nullopt;
  return out;
}

LagrangianMomenta::LagrangianMomenta(const LagrangianSystem& system)
    : n_(system.coordinates()),
      m_(system.constraints()),
      forces_(system.equations().graph, system.equations().force, system.equations().inputs()),
      rows_(system.equations().graph, system.equations().jacobian, system.equations().inputs()),
      gaps_(
          system.equations().graph,
          [&] {
            std::vector<expr::NodeId> both = system.equations().constraints;
            both.insert(both.end(), system.equations().gap_rates.begin(), system.equations().gap_rates.end());
            return both;
          }(),
          system.equations().inputs()),
      mass_(n_ * n_),
      held_rows_(m_ * n_),
      free_(n_, 0),
      held_(n_, m_),
      inputs_(2 * n_ + 1, 0.0),
      zeros_(n_, 0.0),
      velocity_(n_),
      multipliers_(m_),
      exact_inputs_(2 * n_ + 1),
      exact_gaps_(2 * m_) {
  const LagrangianEquations& equations = system.equations();
  expr::Program(equations.graph, equations.mass, equations.inputs())
      .evaluate(inputs_.data(), 1, mass_.data());
  regular_ = free_.factor(mass_.data(), nullptr);
}

void LagrangianMomenta::divide(const double* p, double* v) { free_.solve(p, nullptr, v, nullptr); }

void LagrangianMomenta::momenta_of(const double* x, double* p) const {
  for (std::size_t i = 0; i < n_; ++i) {
    p[i] = 0.0;
    for (std::size_t j = 0; j < n_; ++j) p[i] += mass_[i * n_ + j] * x[n_ + j];
  }
}

void LagrangianMomenta::set_momenta(const double* p, double* x) { divide(p, x + n_); }

void LagrangianMomenta::forces(double t, const double* x, double* f) {
  std::copy_n(x, n_, inputs_.data());  // rates do not count
  inputs_[2 * n_] = t;
  forces_.evaluate(inputs_.data(), 1, f);
}

void LagrangianMomenta::fly(double h, const double* p, double* change) {
  divide(p, change);
  for (std::size_t i = 0; i < n_; ++i) change[i] *= h;
}

void LagrangianMomenta::gaps(double t, const double* hi, const double* lo, bool rates, double* rows) {
  for (std::size_t i = 0; i < 2 * n_; ++i) exact_inputs_[i] = two_sum(hi[i], lo[i]);
  exact_inputs_[2 * n_] = t;
  gaps_.evaluate(exact_inputs_.data(), exact_gaps_.data());
  for (std::size_t r = 0; r < m_; ++r) rows[r] = static_cast<double>(exact_gaps_[rates ? m_ + r : r]);
}

void LagrangianMomenta::hold(double t, const double* x) {
  std::copy_n(x, n_, inputs_.data());
  inputs_[2 * n_] = t;
  rows_.evaluate(inputs_.data(), 1, held_rows_.data());
  held_.factor(mass_.data(), held_rows_.data());
}

void LagrangianMomenta::pull(const double* lambda, double* p) const {
  for (std::size_t r = 0; r < m_; ++r) {
    for (std::size_t i = 0; i < n_; ++i) p[i] += held_rows_[r * n_ + i] * lambda[r];
  }
}

void LagrangianMomenta::solve(double* rows) {
  held_.solve(zeros_.data(), rows, velocity_.data(), multipliers_.data());
  std::copy(multipliers_.begin(), multipliers_.end(), rows);
}

}  // namespace catena
