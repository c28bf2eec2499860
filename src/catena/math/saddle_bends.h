// SaddlePoint's equations with second derivatives: those of the number, and once more for its change along,
//     M a' = f' + G'^T lambda + G^T lambda' - M' a        G a' = c' - G' a
#pragma once

#include <cstddef>
#include <vector>

#include "catena/math/bends.h"
#include "catena/math/saddle_solver.h"

namespace catena {

template <>
class SaddleSolver<Bends> {
 public:
  SaddleSolver(std::size_t unknowns, std::size_t constraints)
      : n_(unknowns),
        m_(constraints),
        solver_(unknowns, constraints),
        mass_(n_ * n_),
        rows_(m_ * n_),
        f_(n_),
        c_(m_),
        a_(n_),
        change_(n_),
        lambda_(m_),
        reaction_(m_) {}

  bool factor(const Bends* mass, const Bends* rows) {
    mass_.assign(mass, mass + n_ * n_);
    rows_.assign(rows, rows + m_ * n_);
    std::vector<Rates> masses(n_ * n_), ties(m_ * n_);
    for (std::size_t i = 0; i < masses.size(); ++i) masses[i] = mass[i].base;
    for (std::size_t i = 0; i < ties.size(); ++i) ties[i] = rows[i].base;
    return solver_.factor(masses.data(), ties.data());
  }

  void solve(const Bends* f, const Bends* c, Bends* a, Bends* lambda) {
    for (std::size_t i = 0; i < n_; ++i) f_[i] = f[i].base;
    for (std::size_t r = 0; r < m_; ++r) c_[r] = c[r].base;
    solver_.solve(f_.data(), c_.data(), a_.data(), lambda_.data());
    for (std::size_t i = 0; i < n_; ++i) {
      f_[i] = f[i].along;
      for (std::size_t j = 0; j < n_; ++j) f_[i] -= mass_[i * n_ + j].along * a_[j];
      for (std::size_t r = 0; r < m_; ++r) f_[i] += rows_[r * n_ + i].along * lambda_[r];
    }
    for (std::size_t r = 0; r < m_; ++r) {
      c_[r] = c[r].along;
      for (std::size_t j = 0; j < n_; ++j) c_[r] -= rows_[r * n_ + j].along * a_[j];
    }
    solver_.solve(f_.data(), c_.data(), change_.data(), reaction_.data());
    for (std::size_t i = 0; i < n_; ++i) a[i] = {a_[i], change_[i]};
    for (std::size_t r = 0; r < m_; ++r) lambda[r] = {lambda_[r], reaction_[r]};
  }

 private:
  std::size_t n_, m_;
  SaddleSolver<Rates> solver_;
  std::vector<Bends> mass_, rows_;
  std::vector<Rates> f_, c_, a_, change_, lambda_, reaction_;
};

}  // namespace catena
