// TensionSolver's series, order by order; included by tension_definitions.h.
#pragma once

#include <algorithm>
#include <type_traits>

#include "catena/dynamics/chain/solvers/tension.h"
#include "catena/math/pack.h"

namespace catena {

// T_n from the factored matrix, then u_{n+2} from all pulls (T u)_n. One function for series in place and
// kept ones: of two, the compiler may fuse other products in each, and their bits would differ.
template <int D, class S>
void TensionSolver<D, S>::solve_order(int n) {
  const std::size_t stride = series_.stride();
  const Plain<S> half_rank(0.5 * (n + 2) * (n + 1));
  const S* __restrict square = series_.square();
  const S* __restrict own = inverse_mass_.data();
  const S* __restrict above = inverse_mass_above_.data();
  S* __restrict b = y_.data();
  if constexpr (is_lanes<S> || has_lane_rates<S>) {  // whole registers: one pass each way, link by link
    S* const next = series_.u(n + 2);
    const S* const u0 = series_.u(0);
    // By a constant of the chain; few directions change those.
    const auto by = [&](const S& constant, const S& number) {
      if constexpr (has_lane_rates<S>) {
        return constants_change_ ? constant * number : scaled(constant, number);
      } else {
        return constant * number;
      }
    };
    S y(0);
    for (std::size_t k = n_; k-- > 0;) {
      S along = half_rank * S(by(length_[k], square[k]));
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) {
        const S* const pull = series_.pull(i) + k;
        S known = by(own[k], pull[1] - pull[0]) + by(above[k], pull[-1] - pull[0]);
        if (loaded_) known += extra_[i * stride + k];
        next[i * stride + k] = known;
        along += u0[i * stride + k] * known;
      }
      y = along + coupling_[k] * y;
      b[k] = y;
    }
    S* const t = series_.t(n);
    substitute(n_, factors(), b, t);
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) {
      S before(0), now = t[0] * u0[i * stride];
      for (std::size_t k = 0; k < n_; ++k) {
        const S after = k + 1 < n_ ? S(t[k + 1] * u0[i * stride + k + 1]) : S(0);
        const S sum = next[i * stride + k] + by(own[k], after - now) + by(above[k], before - now);
        if constexpr (has_lane_rates<S>) {
          next[i * stride + k] = by(divisors_.hi(n)[k], sum);
        } else {
          next[i * stride + k] = divisors_.divided(n, k, sum);
        }
        before = now;
        now = after;
      }
    }
    return;
  }
  const std::size_t count = placed_ ? n_ : stride, apart = count;
  const S* const u0_rows = placed_ ? series_.template u<true>(0) : series_.u(0);
  S* const next_rows = placed_ ? series_.template u<true>(n + 2) : series_.u(n + 2);
  for (std::size_t k = 0; k < count; ++k) b[k] = half_rank * (length_[k] * square[k]);
  for (int i = 0; i < D; ++i) {
    const S* __restrict pull = series_.pull(i);
    const S* __restrict u0 = u0_rows + i * apart;
    for (std::size_t k = 0; k < count; ++k) {
      b[k] += u0[k] * (own[k] * (pull[k + 1] - pull[k]) + above[k] * (pull[k - 1] - pull[k]));
    }
  }
  for (int i = 0; loaded_ && i < D; ++i) {
    const S* __restrict u0 = u0_rows + i * apart;
    const S* __restrict extra = extra_.data() + i * stride;
    for (std::size_t k = 0; k < count; ++k) b[k] += u0[k] * extra[k];
  }
  S y(0);
  for (std::size_t k = n_; k-- > 0;) {
    y = b[k] + coupling_[k] * y;
    b[k] = y;
  }
  S* __restrict t = placed_ ? series_.template t<true>(n) : series_.t(n);
  substitute(n_, factors(), b, t);
  for (int i = 0; i < D; ++i) {
    S* __restrict pull = series_.pull(i);
    const S* __restrict u0 = u0_rows + i * apart;
    for (std::size_t k = 0; k < count; ++k) pull[k] += t[k] * u0[k];
    S* __restrict next = next_rows + i * apart;
    const S* __restrict extra = extra_.data() + i * stride;
    for (std::size_t k = 0; k < count; ++k) {
      next[k] = own[k] * (pull[k + 1] - pull[k]) + above[k] * (pull[k - 1] - pull[k]);
    }
    if (loaded_) {
      for (std::size_t k = 0; k < count; ++k) next[k] += extra[k];
    }
    if (!placed_) divisors_.divide(n, next);
  }
  if (placed_) divisors_.divide_anew(n, D, apart, next_rows);
}

// The state is read back from the series: at order 0 nothing else has it.
template <int D, class S>
void TensionSolver<D, S>::advance(int n, const Loads& loads) {
  take(&loads);
  if (n > 0) {
    series_.convolve(n);
    return solve_order(n);
  }
  state_.resize(2 * D * n_);
  series_.write(0, state_.data(), 0);
  solve_order_zero(state_.data());
  start_series(state_.data());
}

template <int D, class S>
template <bool Placed>
void TensionSolver<D, S>::start_series(const S* x) {
  std::copy_n(tension0_.data() + 1, n_, series_.template t<Placed>(0));
  acceleration_.resize(D * n_);
  accelerations(x, acceleration_.data());
  S* const second = series_.template u<Placed>(2);
  const std::size_t apart = series_.template component<Placed>();
  for (int i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < n_; ++k) second[i * apart + k] = Plain<S>(0.5) * acceleration_[i * n_ + k];
  }
}

template <int D, class S>
void TensionSolver<D, S>::start(const S* x) {
  take(nullptr);
  keep_series();
  reserve(2);
  solve_order_zero(x);
  series_.start(x);
  start_series(x);
}

template <int D, class S>
typename TensionSolver<D, S>::Inside TensionSolver<D, S>::inside() {
  // Rows of the kernel for few links.
  const std::size_t few = rounded_up(n_, n_ <= 2 ? 2 : kNativeWidth);
  return {length_.data(),
          inverse_mass_.data(),
          inverse_mass_above_.data(),
          coupling_.data(),
          inverse_pivot_.data(),
          tip_pivot_,
          series_.u(0),
          series_.t(0),
          std::is_same_v<S, double> && n_ <= kFewLinks ? few : series_.stride(),
          unit_};
}

template <int D, class S>
template <bool Placed>
void TensionSolver<D, S>::taylor_long(const S* x, int order, S* c) {
  reserve(order);
  if (order < 1) return static_cast<void>(std::copy_n(x, 2 * D * n_, c));
  if constexpr (Placed) series_.place(c, order);
  solve_order_zero(x);
  series_.template start<Placed>(x);
  start_series<Placed>(x);
  for (int n = 1; n < order; ++n) {
    series_.template convolve<Placed>(n);
    solve_order(n);
  }
  series_.template write<Placed>(order, c, 2 * D * n_);
}

template <int D, class S>
void TensionSolver<D, S>::keep_series() {
  if (!placed_) return;
  placed_ = false;
  reserve(order_);
}

template <int D, class S>
void TensionSolver<D, S>::reserve(int order) {
  order_ = std::max(order_, order);
  if (placed_) return;
  series_.reserve(order);
  divisors_.reserve(order);
  if constexpr (kTwoLinks) {
    if (n_ == 2) reserve_ranks(order);
  }
}

template <int D, class S>
void TensionSolver<D, S>::taylor(const S* x, int order, S* c) {
  take(nullptr);
  if constexpr (is_lanes<S>) {
    switch (n_) {
      case 1:
        return taylor_in_lanes<1>(x, order, c);
      case 2:
        return taylor_in_lanes<2>(x, order, c);
      case 3:
        return taylor_in_lanes<3>(x, order, c);
    }
  }
  if (std::is_same_v<S, double> && n_ <= kFewLinks) return taylor_short(x, order, c);
  if constexpr (std::is_same_v<S, double>) {
    if (placed_) return taylor_long<true>(x, order, c);
  }
  taylor_long(x, order, c);
}

}  // namespace catena
