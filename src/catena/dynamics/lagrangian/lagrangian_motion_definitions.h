// What LagrangianMotion does, for the files that make it over a number.
#pragma once

#include <algorithm>

#include "catena/dynamics/lagrangian/lagrangian_motion.h"

namespace catena {

template <class S>
LagrangianMotion<S>::LagrangianMotion(const LagrangianEquations& equations, NumberTape* tape)
    : n_(equations.coordinates),
      m_(equations.constraints.size()),
      has_excess_(!equations.is_zero(equations.excess)),
      driven_(std::any_of(equations.drift.begin(), equations.drift.end(),
                          [&](expr::NodeId node) { return !equations.is_zero(node); })),
      motion_(expr::made_series<S>(equations.graph, motion_outputs(equations), equations.inputs(),
                                   static_cast<int>(equations.time()), tape)),
      ties_(expr::made_series<S>(equations.graph, tie_outputs(equations), equations.inputs(),
                                 static_cast<int>(equations.time()), tape)),
      excess_(
          expr::made_series<S>(equations.graph, {equations.excess}, equations.inputs(), expr::kNoRow, tape)),
      saddle_(n_, m_),
      mass_(n_ * n_),
      rows_(m_ * n_),
      right_(n_),
      demand_(m_),
      solution_(n_),
      order_one_(2 * (2 * n_ + 2)) {
  reserve(2);
}

template <class S>
void LagrangianMotion<S>::reserve(int order) {
  if (order <= reserved_) return;
  for (expr::Series<S>* series : {&motion_, &ties_, &excess_}) series->reserve(1, order);
  const auto orders = static_cast<std::size_t>(order) + 1;
  q_.resize(orders * n_);
  v_.resize(orders * n_);
  lambda_.resize(orders * m_);
  reserved_ = order;
}

template <class S>
void LagrangianMotion<S>::feed(expr::Series<S>& series, int k, bool rates_known) {
  for (std::size_t i = 0; i < n_; ++i) {
    *series.input(k, static_cast<int>(i)) = row(q_, k)[i];
    *series.input(k, static_cast<int>(n_ + i)) = rates_known ? row(v_, k)[i] : S(0.0);
  }
  *series.input(k, static_cast<int>(2 * n_)) = k == 0 ? time_ : S(k == 1 ? 1.0 : 0.0);
  series.advance(k);
}

template <class S>
void LagrangianMotion<S>::factor() {
  int output = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = i; j < n_; ++j) mass_[i * n_ + j] = mass_[j * n_ + i] = *motion_.output(0, output++);
  }
  for (std::size_t r = 0; r < m_ * n_; ++r) rows_[r] = *ties_.output(0, static_cast<int>(r));
  saddle_.factor(mass_.data(), rows_.data());
}

// f_k - sum_{j>=1} M_j (k+1-j) v_{k+1-j}
template <class S>
void LagrangianMotion<S>::take_masses(int k) {
  const int halves = static_cast<int>(n_ * (n_ + 1) / 2);
  for (std::size_t i = 0; i < n_; ++i) right_[i] = *motion_.output(k, halves + static_cast<int>(i));
  int output = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = i; j < n_; ++j, ++output) {
      if (motion_.is_steady(output)) continue;
      S first(0.0), second(0.0);
      for (int l = 1; l <= k; ++l) {
        const S m = *motion_.output(l, output) * S(k + 1.0 - l);
        first += m * row(v_, k + 1 - l)[j];
        second += m * row(v_, k + 1 - l)[i];
      }
      right_[i] -= first;
      if (i != j) right_[j] -= second;
    }
  }
}

template <class S>
void LagrangianMotion<S>::take_ties(int k) {
  for (std::size_t r = 0; r < m_; ++r) {
    demand_[r] = -*ties_.output(k + 1, static_cast<int>(m_ * n_ + r));
    for (std::size_t i = 0; i < n_; ++i) {
      const int g = static_cast<int>(r * n_ + i);
      for (int l = 1; l <= k + 1; ++l) demand_[r] -= *ties_.output(l, g) * row(v_, k + 1 - l)[i];
      for (int l = 1; l <= k; ++l)
        right_[i] += *ties_.output(l, g) * lambda_[static_cast<std::size_t>(k - l) * m_ + r];
    }
    demand_[r] = demand_[r] * S(k + 1.0);
  }
}

template <class S>
void LagrangianMotion<S>::advance(int k) {
  for (std::size_t i = 0; i < n_; ++i) row(q_, k + 1)[i] = row(v_, k)[i] / S(k + 1.0);
  feed(motion_, k, true);
  if (m_ > 0 && k == 0) feed(ties_, 0, true);
  if (m_ > 0) feed(ties_, k + 1, false);
  if (k == 0) factor();
  take_masses(k);
  take_ties(k);
  S* multipliers = m_ > 0 ? lambda_.data() + static_cast<std::size_t>(k) * m_ : nullptr;
  saddle_.solve(right_.data(), demand_.data(), solution_.data(), multipliers);
  for (std::size_t i = 0; i < n_; ++i) row(v_, k + 1)[i] = solution_[i] / S(k + 1.0);
}

// Order k + 1 of what was dissipated and of the work done.
template <class S>
void LagrangianMotion<S>::account(int k, S* next) {
  const int outputs = motion_.outputs();
  const S loss = *motion_.output(k, outputs - 2);
  S power = *motion_.output(k, outputs - 1);
  for (std::size_t r = 0; driven_ && r < m_; ++r) {
    for (int l = 0; l <= k; ++l) {
      power -=
          lambda_[static_cast<std::size_t>(l) * m_ + r] * *ties_.output(k - l, static_cast<int>(m_ * n_ + r));
    }
  }
  next[0] = loss / S(k + 1.0);
  next[1] = power / S(k + 1.0);
  if (!has_excess_) return;
  if (k == 0) feed(excess_, 0, true);
  feed(excess_, k + 1, true);
  next[1] += *excess_.output(k + 1, 0);
}

template <class S>
void LagrangianMotion<S>::begin(const S& t, const S* x) {
  time_ = t;
  std::copy_n(x, n_, q_.data());
  std::copy_n(x + n_, n_, v_.data());
}

template <class S>
std::vector<S> LagrangianMotion<S>::drifts(const S& t, const S* x) {
  begin(t, x);
  feed(ties_, 0, true);
  std::vector<S> out;
  for (std::size_t r = 0; r < m_; ++r) out.push_back(*ties_.output(0, static_cast<int>(m_ * n_ + r)));
  return out;
}

template <class S>
S LagrangianMotion<S>::strike(const S& t, S* x, const std::vector<S>& drifts_before) {
  const std::vector<S> drifts_now = drifts(t, x);
  feed(motion_, 0, true);
  factor();
  std::fill(right_.begin(), right_.end(), S(0.0));
  for (std::size_t r = 0; r < m_; ++r) {
    demand_[r] = -drifts_now[r];
    for (std::size_t i = 0; i < n_; ++i) demand_[r] -= rows_[r * n_ + i] * x[n_ + i];
  }
  saddle_.solve(right_.data(), demand_.data(), solution_.data(), lambda_.data());
  for (std::size_t i = 0; i < n_; ++i) x[n_ + i] += solution_[i];
  S work(0.0);
  for (std::size_t r = 0; r < m_; ++r) work -= lambda_[r] * S(0.5) * (drifts_before[r] + drifts_now[r]);
  return work;
}

template <class S>
void LagrangianMotion<S>::taylor(const S& t, const S* x, int order, S* c, std::size_t stride,
                                 std::size_t accounts) {
  reserve(order);
  last_order_ = order;
  if (accounts != kNoAccounts) std::copy_n(x + accounts, 2, c + accounts);
  begin(t, x);
  for (int k = 0;; ++k) {
    S* to = c + static_cast<std::size_t>(k) * stride;
    std::copy_n(row(q_, k), n_, to);
    std::copy_n(row(v_, k), n_, to + n_);
    if (k == order) return;
    advance(k);
    if (accounts != kNoAccounts) account(k, to + stride + accounts);
  }
}

template <class S>
void LagrangianMotion<S>::rhs(const S& t, const S* x, S* dx, std::size_t accounts) {
  const std::size_t stride = lanes(accounts);
  const int before = last_order_;
  taylor(t, x, 1, order_one_.data(), stride, accounts);
  last_order_ = before;
  std::copy_n(order_one_.data() + stride, stride, dx);
}

}  // namespace catena
