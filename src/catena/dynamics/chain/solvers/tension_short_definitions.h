// TensionSolver's series of chains with few links; included by tension_definitions.h.
#pragma once

#include <algorithm>
#include <type_traits>

#include "catena/dynamics/chain/solvers/few_links.h"
#include "catena/dynamics/chain/solvers/link_lanes.h"
#include "catena/dynamics/chain/solvers/tension.h"
#include "catena/dynamics/chain/solvers/two_links.h"

namespace catena {

// Few links: the time goes into waiting for results, so the way from one order to the next is kept short:
// links stay in registers, one pack (or two) for each component; constants are multiplied beforehand; the
// newest coefficients enter last. Loops over components are unrolled, or their arrays would live in memory.
template <int D, class S>
template <std::size_t N>
void TensionSolver<D, S>::taylor_of(const S* x, int order, S* c) {
  constexpr int kPack = N <= 2 ? 2 : kNativeWidth;
  constexpr std::size_t kPacks = (N + kPack - 1) / kPack;
  constexpr std::size_t kRow = kPacks * kPack;
  using Lanes = LinkLanes<S, kPack, kPacks>;
  reserve(order);
  solve_order_zero(x);
  S* const u_rows = series_.u(0);
  S* const t_rows = series_.t(0);
  const auto constant = [](const std::vector<S>& values) { return Lanes::template first<N>(values.data()); };
  const Lanes own = constant(inverse_mass_), above = constant(inverse_mass_above_);
  const Lanes length = constant(length_);
  Lanes below = own;
  below.packs[(N - 1) / kPack][(N - 1) % kPack] = S(0);  // nothing hangs from the tip
  S coupling[N], inverse_pivot[N];
  std::copy_n(coupling_.data(), N, coupling);
  std::copy_n(inverse_pivot_.data(), N, inverse_pivot);

  // c = (u, w), row by row; newest is u_{n+1}.
  std::copy_n(x, 2 * D * N, c);
  S* out = c + 2 * D * N;
  std::copy_n(x + D * N, D * N, out);
  accelerations(x, out + D * N);
  Lanes tension = Lanes::template first<N>(tension0_.data() + 1);
  tension.store(t_rows);
  Lanes u0[D], u1[D], u1_length[D], newest[D], by_own[D], by_next[D], by_previous[D];
#pragma GCC unroll 3
  for (int i = 0; i < D; ++i) {
    u0[i] = Lanes::template first<N>(x + i * N);
    u1[i] = Lanes::template first<N>(x + (D + i) * N);
    u1_length[i] = u1[i] * length;
    newest[i] = Lanes::template first<N>(out + (D + i) * N) * S(0.5);
    u0[i].store(u_rows + i * kRow);
    u1[i].store(u_rows + (D + i) * kRow);
    newest[i].store(u_rows + (2 * D + i) * kRow);
    // L u''_k from the parts T_n u_0 of the pulls.
    by_own[i] = (own * u0[i] + above * u0[i]) * S(-1);
    by_next[i] = below * u0[i].from_next();
    by_previous[i] = above * u0[i].from_previous();
  }
  for (int n = 1; n < order; ++n) {
    // Each sum in two halves: one sum would wait for its own last term.
    Lanes pull[D] = {}, pull_half[D] = {}, squares[D] = {}, squares_half[D] = {};
    const auto add_pull = [&](Lanes(&sum)[D], int j) {
      const Lanes older = Lanes::load(t_rows + j * kRow);
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) sum[i] += older * Lanes::load(u_rows + ((n - j) * D + i) * kRow);
    };
    const auto add_square = [&](Lanes(&sum)[D], int j) {
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) {
        sum[i] +=
            Lanes::load(u_rows + (j * D + i) * kRow) * Lanes::load(u_rows + ((n + 2 - j) * D + i) * kRow);
      }
    };
    if (n % 2 == 0) {
      add_square(squares, n / 2 + 1);
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) squares[i] = squares[i] * S(0.5);
      add_pull(pull, n - 2);
    }
    for (int j = 0; j + 2 < n; j += 2) {
      add_pull(pull, j);
      add_pull(pull_half, j + 1);
    }
    const int pairs = (n + 1) / 2;
    for (int j = 2; j < pairs; j += 2) {
      add_square(squares, j);
      add_square(squares_half, j + 1);
    }
    if (pairs % 2 == 0) add_square(squares, pairs);
    Lanes square = {};
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) {
      pull[i] += pull_half[i];
      square += squares[i] + squares_half[i];
    }
    const S rank = S((n + 2.0) * (n + 1.0));
    Lanes known[D], along = {};
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) {
      pull[i] += tension * u1[i];
      known[i] = below * pull[i].from_next() - own * pull[i] + above * (pull[i].from_previous() - pull[i]);
      along += u0[i] * known[i];
    }
    square = square * length;
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) square += u1_length[i] * newest[i];
    const Lanes right = along + square * rank;
    S b[N];
    for (std::size_t k = 0; k < N; ++k) b[k] = right[k];
    for (std::size_t k = N - 1; k-- > 0;) b[k] += coupling[k] * b[k + 1];
    const S tip = tip_pivot_.times(right[N - 1]);
    if (N > 1) b[0] *= inverse_pivot[0];
    for (std::size_t k = 1; k + 1 < N; ++k) b[k] = b[k] * inverse_pivot[k] + coupling[k - 1] * b[k - 1];
    b[N - 1] = N > 1 ? tip + coupling[N - 2] * b[N - 2] : tip;
    tension = Lanes::template first<N>(b);
    tension.store(t_rows + n * kRow);
    const Lanes tension_next = tension.from_next(), tension_previous = tension.from_previous();
    const Lanes inverse_hi = Lanes::load(divisors_.hi(n)), inverse_lo = Lanes::load(divisors_.lo(n));
    out += 2 * D * N;
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) {
      const Lanes sum =
          (known[i] + by_own[i] * tension) + (by_next[i] * tension_next + by_previous[i] * tension_previous);
      newest[i].template store_first<N>(out + i * N);
      newest[i] = sum * inverse_hi + sum * inverse_lo;
      newest[i].store(u_rows + ((n + 2) * D + i) * kRow);
      (newest[i] * S(n + 2.0)).template store_first<N>(out + (D + i) * N);
    }
  }
}

// Two links have a kernel of their own.
template <int D, class S>
void TensionSolver<D, S>::reserve_ranks(int order) {
  if constexpr (kTwoLinks) {
    using Links = TwoLinks<D>;
    const std::size_t rows = static_cast<std::size_t>(order) + 1;
    if (ranks_.size() >= rows * Links::kRank) return;
    divisors_.reserve(order);
    ranks_.assign(rows * Links::kRank, 0.0);
    for (int n = 0; n <= order; ++n) {
      Links::fill_rank(n, divisors_.hi(n), divisors_.lo(n),
                       ranks_.data() + static_cast<std::size_t>(n) * Links::kRank);
    }
    twice_.assign(4 * rows, 0.0);
  }
}

template <int D, class S>
void TensionSolver<D, S>::taylor_of_two(const S* x, int order, S* c) {
  if constexpr (kTwoLinks) {
    reserve(order);
    S y[2], tension[2];
    solve(x, std::integral_constant<std::size_t, 2>{}, {coupling_.data(), inverse_pivot_.data(), y, tension});
    TwoLinks<D>::expand({inverse_mass_[0], inverse_mass_[1], length_.data(), tip_pivot_, ranks_.data(),
                         TwoLinks<D>::gravity(gravity_), coupling_[0], inverse_pivot_[0]},
                        x, tension, order, series_.u(0), series_.t(0), twice_.data(), c);
  }
}

template <int D, class S>
void TensionSolver<D, S>::rhs_of_two(const S* x, S* dx) const {
  if constexpr (kTwoLinks) {
    const auto [dot, cross] = bend_at(x, std::integral_constant<std::size_t, 2>{}, 0);
    const S p = (tip_bend_.hi * cross + tip_straight_.hi) + (tip_bend_.lo * cross + tip_straight_.lo);
    typename TwoLinks<D>::Row free;
    if (loaded_) {
      S rows[2 * D];
      for (std::size_t i = 0; i < D; ++i)
        store<2>(rows + 2 * i, load<2>(extra_.data() + i * series_.stride()));
      free = TwoLinks<D>::Row::at(rows);
    } else {
      free = TwoLinks<D>::gravity(gravity_);
    }
    TwoLinks<D>::rates({inverse_mass_[0], inverse_mass_[1], length_.data(), tip_pivot_, ranks_.data(), free,
                        tip_pivot_.times(dot * inverse_mass_above_[1]), S(1) / p},
                       x, dx);
  }
}

template <int D, class S>
void TensionSolver<D, S>::taylor_short(const S* x, int order, S* c) {
  if constexpr (std::is_same_v<S, double>) {
    switch (n_) {
      case 1:
        return taylor_of<1>(x, order, c);
      case 2:
        if constexpr (kTwoLinks)
          return taylor_of_two(x, order, c);
        else
          return taylor_of<2>(x, order, c);
      case 3:
        return taylor_of<3>(x, order, c);
      case 4:
        return taylor_of<4>(x, order, c);
      case 5:
        return taylor_of<5>(x, order, c);
      case 6:
        return taylor_of<6>(x, order, c);
      case 7:
        return taylor_of<7>(x, order, c);
      case 8:
        return taylor_of<8>(x, order, c);
    }
  }
}

// The same in lanes.
template <int D, class S>
template <std::size_t N>
void TensionSolver<D, S>::taylor_in_lanes(const S* x, int order, S* c) {
  constexpr std::size_t kRow = D * N;
  reserve(order);
  solve_order_zero(x);
  S* const t = series_.t(0);
  std::copy_n(tension0_.data() + 1, N, t);
  std::copy_n(x, 2 * kRow, c);
  std::copy_n(x + kRow, kRow, c + 2 * kRow);
  accelerations(x, c + 3 * kRow);
  for (std::size_t i = 0; order > 1 && i < kRow; ++i) c[4 * kRow + i] = S(0.5) * c[3 * kRow + i];
  FewLinks<D, S, N> links;
  std::copy_n(inverse_mass_.data(), N, links.own);
  std::copy_n(inverse_mass_above_.data(), N, links.above);
  std::copy_n(length_.data(), N, links.length);
  std::copy_n(coupling_.data(), N, links.coupling);
  std::copy_n(inverse_pivot_.data(), N, links.inverse_pivot);
  links.tip_hi = tip_pivot_.hi;
  links.tip_lo = tip_pivot_.lo;
  links.each([&](std::size_t i, std::size_t k) {
    links.u0[i][k] = c[i * N + k];
    links.u1[i][k] = c[kRow + i * N + k];
  });
  links.prepare();
  const auto solve = [&](int n, const S(&pulls)[D][N], const S(&squares)[N]) __attribute__((always_inline)) {
    links.solve(n, n + 1 == order, pulls, squares, divisors_.hi(n), divisors_.lo(n), t, c);
  };
  for (int n = 1; n < order; n += 2) {
    links.convolve(n, c, t);
    solve(n, links.pull, links.square);
    if (n + 1 == order) break;
    links.each([&](std::size_t i, std::size_t k) {
      links.pull_next[i][k] += t[static_cast<std::size_t>(n) * N + k] * links.u1[i][k];
    });
    solve(n + 1, links.pull_next, links.square_next);
  }
}

}  // namespace catena
