#include "catena/dynamics/lagrangian/wide_lagrangian.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/math/wide_functions.h"

namespace catena {
namespace {

expr::Lowered motion_of(const LagrangianEquations& equations) {
  std::vector<expr::NodeId> outputs;
  const std::size_t n = equations.coordinates;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) outputs.push_back(equations.mass[i * n + j]);
  }
  outputs.insert(outputs.end(), equations.force.begin(), equations.force.end());
  outputs.push_back(equations.loss);
  outputs.push_back(equations.power);
  return lower(equations.graph, outputs, equations.inputs(), expr::Purpose::series);
}

}  // namespace

template <class S>
WideLagrangian<S>::WideLagrangian(const LagrangianSystem& system, bool accounts)
    : n_(system.coordinates()),
      accounts_(accounts),
      has_excess_(!system.equations().is_zero(system.equations().excess)),
      motion_(motion_of(system.equations())),
      excess_(lower(system.equations().graph, {system.equations().excess}, system.equations().inputs(),
                    expr::Purpose::series)),
      mass_(n_ * n_),
      pivot_(n_),
      right_(n_),
      first_(2 * (2 * n_ + 2)) {
  reserve(1);
}

template <class S>
void WideLagrangian<S>::reserve(int order) {
  if (order <= reserved_) return;
  motion_.reserve(1, order);
  excess_.reserve(1, order + 1);
  q_.resize((static_cast<std::size_t>(order) + 2) * n_);
  v_.resize(q_.size());
  reserved_ = order;
}

template <class S>
void WideLagrangian<S>::feed(expr::WideSeries<S>& series, const S& t, int k) {
  for (std::size_t i = 0; i < n_; ++i) {
    *series.input(k, static_cast<int>(i)) = row(q_, k)[i];
    *series.input(k, static_cast<int>(n_ + i)) = row(v_, k)[i];
  }
  *series.input(k, static_cast<int>(2 * n_)) = k == 0 ? t : S(k == 1 ? 1.0 : 0.0);
  series.advance(k);
}

// LU with row pivots.
template <class S>
void WideLagrangian<S>::factor() {
  const auto size = [&](std::size_t i, std::size_t j) { return std::fabs(wide::rounded(mass_[i * n_ + j])); };
  for (std::size_t k = 0; k < n_; ++k) {
    pivot_[k] = k;
    for (std::size_t i = k + 1; i < n_; ++i) {
      if (size(i, k) > size(pivot_[k], k)) pivot_[k] = i;
    }
    if (pivot_[k] != k)
      std::swap_ranges(mass_.begin() + k * n_, mass_.begin() + (k + 1) * n_, mass_.begin() + pivot_[k] * n_);
    for (std::size_t i = k + 1; i < n_; ++i) {
      const S share = mass_[i * n_ + k] / mass_[k * n_ + k];
      mass_[i * n_ + k] = share;
      for (std::size_t j = k + 1; j < n_; ++j)
        mass_[i * n_ + j] = mass_[i * n_ + j] - share * mass_[k * n_ + j];
    }
  }
}

template <class S>
void WideLagrangian<S>::solve() {
  for (std::size_t k = 0; k < n_; ++k) std::swap(right_[k], right_[pivot_[k]]);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < i; ++j) right_[i] = right_[i] - mass_[i * n_ + j] * right_[j];
  }
  for (std::size_t i = n_; i-- > 0;) {
    for (std::size_t j = i + 1; j < n_; ++j) right_[i] = right_[i] - mass_[i * n_ + j] * right_[j];
    right_[i] = right_[i] / mass_[i * n_ + i];
  }
}

template <class S>
void WideLagrangian<S>::advance(int k, const S& t) {
  for (std::size_t i = 0; i < n_; ++i) row(q_, k + 1)[i] = row(v_, k)[i] / S(k + 1.0);
  feed(motion_, t, k);
  const int halves = static_cast<int>(n_ * (n_ + 1) / 2);
  for (std::size_t i = 0; i < n_; ++i) right_[i] = *motion_.output(k, halves + static_cast<int>(i));
  int output = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = i; j < n_; ++j, ++output) {
      if (k == 0) mass_[i * n_ + j] = mass_[j * n_ + i] = *motion_.output(0, output);
      for (int l = 1; l <= k; ++l) {
        const S m = *motion_.output(l, output) * S(k + 1.0 - l);
        right_[i] = right_[i] - m * row(v_, k + 1 - l)[j];
        if (i != j) right_[j] = right_[j] - m * row(v_, k + 1 - l)[i];
      }
    }
  }
  if (k == 0) factor();
  solve();
  for (std::size_t i = 0; i < n_; ++i) row(v_, k + 1)[i] = right_[i] / S(k + 1.0);
}

// Order k + 1 of what was dissipated and of the work done.
template <class S>
void WideLagrangian<S>::account(int k, const S& t, S* next) {
  const int outputs = motion_.outputs();
  next[0] = *motion_.output(k, outputs - 2) / S(k + 1.0);
  next[1] = *motion_.output(k, outputs - 1) / S(k + 1.0);
  if (!has_excess_) return;
  if (k == 0) feed(excess_, t, 0);
  feed(excess_, t, k + 1);
  next[1] = next[1] + *excess_.output(k + 1, 0);
}

template <class S>
void WideLagrangian<S>::taylor(const S& t, const S* x, int order, S* c) {
  reserve(order);
  const std::size_t dimension = 2 * n_ + (accounts_ ? 2 : 0);
  std::copy_n(x, n_, q_.data());
  std::copy_n(x + n_, n_, v_.data());
  if (accounts_) std::copy_n(x + 2 * n_, 2, c + 2 * n_);
  for (int k = 0;; ++k) {
    S* to = c + static_cast<std::size_t>(k) * dimension;
    std::copy_n(row(q_, k), n_, to);
    std::copy_n(row(v_, k), n_, to + n_);
    if (k == order) return;
    advance(k, t);
    if (accounts_) account(k, t, to + dimension + 2 * n_);
  }
}

template <class S>
void WideLagrangian<S>::rhs(const S& t, const S* x, S* dx) {
  const std::size_t dimension = 2 * n_ + (accounts_ ? 2 : 0);
  taylor(t, x, 1, first_.data());
  std::copy_n(first_.data() + dimension, dimension, dx);
}

template class WideLagrangian<DoubleDouble>;
#if CATENA_HAS_QUAD
template class WideLagrangian<Quad>;
#endif

}  // namespace catena
