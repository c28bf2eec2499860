// The series of few links in lanes, in registers.
#pragma once

#include <cstddef>

#include "catena/math/lane_kinds.h"
#include "catena/math/pack.h"

namespace catena {

// In lanes, of few links. Two orders at a time, n and n + 1, whose convolutions take the same coefficients
// but for the newest ones: each that is loaded is used twice, and sums need not wait for their own last
// terms. What the order before gave enters them last, so that they need not wait for it, either.
//
// u_n is the first half of the state's coefficient n; rows of these are 2 D N numbers.
template <int D, class R, std::size_t N>
struct FewLinks {
  static constexpr std::size_t kRow = D * N;
  R own[N], above[N], coupling[N], inverse_pivot[N], tip_hi, tip_lo, length[N];
  R u0[D][N], u1[D][N], by_own[D][N], by_next[D][N],
      by_previous[D][N];  // L u'' from the parts T_n u_0 of pulls
  R pull[D][N], pull_next[D][N], square[N], square_next[N];

  template <class Visit>
  [[gnu::always_inline]] static void each(const Visit& visit) {
#pragma GCC unroll 3
    for (std::size_t i = 0; i < D; ++i) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < N; ++k) visit(i, k);
    }
  }

  void prepare() {
    each([&](std::size_t i, std::size_t k) {
      by_own[i][k] = -(own[k] + above[k]) * u0[i][k];
      by_next[i][k] = k + 1 < N ? R(own[k] * u0[i][(k + 1) % N]) : R(0);
      by_previous[i][k] = k > 0 ? R(above[k] * u0[i][(k + N - 1) % N]) : R(0);
    });
  }

  // Pulls and half squares of orders n and n + 1, n odd, from all that is known.
  [[gnu::always_inline]] void convolve(int n, const R* c, const R* t) {
    constexpr std::size_t kApart = 2 * kRow;
    R sum[D][N], next[D][N], high[D][N], now[N];
    const R* const newest = c + static_cast<std::size_t>(n + 1) * kApart;
    const R* from = newest - kApart;
    const auto take = [&](const R* tension) __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < N; ++k) now[k] = in_register(tension[k]);
    };
    each([&](std::size_t i, std::size_t k) {
      sum[i][k] = next[i][k] = R(0);
      high[i][k] = from[i * N + k];
    });
    const R* tension = t + N;
    const R* const last = t + static_cast<std::size_t>(n > 1 ? n - 1 : 1) * N;
#pragma GCC unroll 2
    for (; tension != last; tension += N) {
      from -= kApart;
      take(tension);
      each([&](std::size_t i, std::size_t k) {
        next[i][k] += now[k] * high[i][k];
        high[i][k] = from[i * N + k];
        sum[i][k] += now[k] * high[i][k];
      });
    }
    take(t);
    each([&](std::size_t i, std::size_t k) {
      sum[i][k] += now[k] * newest[i * N + k - kApart];
      next[i][k] += now[k] * newest[i * N + k];
    });
    if (n > 1) {
      take(tension);
      each([&](std::size_t i, std::size_t k) {
        sum[i][k] += now[k] * u1[i][k];
        next[i][k] += now[k] * c[2 * kApart + i * N + k];
      });
    }
    each([&](std::size_t i, std::size_t k) {
      pull[i][k] = sum[i][k];
      pull_next[i][k] = next[i][k];
    });
    const int pairs = (n + 1) / 2;
    const R* const second = c + 2 * kApart;
    from = newest - kApart;
    each([&](std::size_t i, std::size_t k) {
      high[i][k] = from[i * N + k];
      next[i][k] = R(0);
      sum[i][k] = pairs > 1 ? R(second[i * N + k] * high[i][k]) : R(0);
    });
    const R* const middle = c + static_cast<std::size_t>(pairs + 1) * kApart;
#pragma GCC unroll 2
    for (const R* low = second + kApart; low < middle; low += kApart) {
      from -= kApart;
      each([&](std::size_t i, std::size_t k) {
        const R first = in_register(low[i * N + k]);
        next[i][k] += first * high[i][k];
        high[i][k] = from[i * N + k];
        sum[i][k] += first * high[i][k];
      });
    }
    each([&](std::size_t i, std::size_t k) {
      const R half = R(0.5) * middle[i * N + k];
      R with_middle = half * middle[i * N + k] + next[i][k];
      if (pairs > 1) with_middle += second[i * N + k] * newest[i * N + k];
      square[k] = i == 0 ? sum[i][k] : square[k] + sum[i][k];
      square_next[k] = i == 0 ? with_middle : square_next[k] + with_middle;
    });
  }

  // Order n of the tensions and n + 2 of u, and of what the state has of them. From u_{n+1} to u_{n+2} is
  // the way on which everything waits: what does not depend on it is ready.
  [[gnu::always_inline]] void solve(int n, bool is_last, const R (&pulls)[D][N], const R (&squares)[N],
                                    const R* hi, const R* lo, R* t, R* c) const {
    constexpr std::size_t kApart = 2 * kRow;
    const R rank((n + 2.0) * (n + 1.0)), rate(n + 2.0);
    const R* const newest = c + static_cast<std::size_t>(n + 1) * kApart;
    R known[D][N], b[N], tensions[N];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < N; ++k) {
      R along(0);
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
        // Of differences, which neighbours share.
        R sum = k + 1 < N ? R(own[k] * (pulls[i][(k + 1) % N] - pulls[i][k])) : R(-own[k] * pulls[i][k]);
        if (k > 0) sum += above[k] * (pulls[i][(k + N - 1) % N] - pulls[i][k]);
        known[i][k] = sum;
        along += u0[i][k] * sum;
      }
      R squared = squares[k];
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) squared += u1[i][k] * newest[i * N + k];
      b[k] = along + rank * length[k] * squared;
    }
    const R tip = b[N - 1] * tip_hi + b[N - 1] * tip_lo;
#pragma GCC unroll 4
    for (std::size_t k = 1; k < N; ++k) b[N - 1 - k] += coupling[N - 1 - k] * b[N - k];
    tensions[0] = N > 1 ? R(b[0] * inverse_pivot[0]) : tip;
#pragma GCC unroll 4
    for (std::size_t k = 1; k < N; ++k) {
      const R alone = k + 1 < N ? R(b[k] * inverse_pivot[k]) : tip;
      tensions[k] = alone + coupling[k - 1] * tensions[k - 1];
    }
    R* const next = c + static_cast<std::size_t>(n + 2) * kApart;
    R* const out = c + static_cast<std::size_t>(n + 1) * kApart + kRow;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < N; ++k) {
      t[static_cast<std::size_t>(n) * N + k] = tensions[k];
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
        R sum = known[i][k];
        if (k > 0) sum += by_previous[i][k] * tensions[(k + N - 1) % N];
        sum += by_own[i][k] * tensions[k];
        if (k + 1 < N) sum += by_next[i][k] * tensions[(k + 1) % N];
        const R last = sum * hi[k] + sum * lo[k];
        if (!is_last) next[i * N + k] = last;
        out[i * N + k] = rate * last;
      }
    }
  }
};

}  // namespace catena
