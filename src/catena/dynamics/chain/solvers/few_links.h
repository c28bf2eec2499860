// The series of few links in lanes, in registers.
#pragma once

#include <cstddef>

#include "catena/math/lane_kinds.h"
#include "catena/math/pack.h"

namespace catena {

// In lanes, of few links. Two orders at a time, n and n + 1, whose convolutions take the same coefficients
// but for the newest ones: each that is loaded is used twice, and sums need not wait for their own last
// terms. Of wide lanes one register comes after the other.
template <int D, class R, std::size_t N>
struct FewLinks {
  static constexpr std::size_t kRow = D * N;
  R own[N], above[N], length[N], coupling[N], inverse_pivot[N], tip_hi, tip_lo;
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

  // Pulls and half squares of orders n and n + 1, n odd, from all that is known; numbers are `B` apart.
  template <std::size_t B>
  [[gnu::always_inline]] void convolve(int n, const R* u, const R* t) {
    R sum[D][N], next[D][N], high[D][N];
    const R* from = u + static_cast<std::size_t>(n + 1) * kRow * B;
    each([&](std::size_t i, std::size_t k) {
      sum[i][k] = next[i][k] = R(0);
      high[i][k] = from[(i * N + k) * B];
    });
    const R* tension = t;
    for (int j = 0; j < n; ++j, tension += N * B) {
      from -= kRow * B;
      R now[N];
#pragma GCC unroll 4
      for (std::size_t k = 0; k < N; ++k) now[k] = in_register(tension[k * B]);
      each([&](std::size_t i, std::size_t k) {
        next[i][k] += now[k] * high[i][k];
        high[i][k] = from[(i * N + k) * B];
        sum[i][k] += now[k] * high[i][k];
      });
    }
    each([&](std::size_t i, std::size_t k) {
      pull[i][k] = sum[i][k];
      pull_next[i][k] = next[i][k];
    });
    from = u + static_cast<std::size_t>(n + 1) * kRow * B;
    each([&](std::size_t i, std::size_t k) {
      sum[i][k] = next[i][k] = R(0);
      high[i][k] = from[(i * N + k) * B];
    });
    const int pairs = (n + 1) / 2;
    const R* low = u + 2 * kRow * B;
    for (int j = 2; j <= pairs; ++j, low += kRow * B) {
      from -= kRow * B;
      each([&](std::size_t i, std::size_t k) {
        const R first = in_register(low[(i * N + k) * B]);
        next[i][k] += first * high[i][k];
        high[i][k] = from[(i * N + k) * B];
        sum[i][k] += first * high[i][k];
      });
    }
    const R* const middle = u + static_cast<std::size_t>(pairs + 1) * kRow * B;
    each([&](std::size_t i, std::size_t k) {
      const R half = R(0.5) * middle[(i * N + k) * B];
      const R with_middle = half * middle[(i * N + k) * B] + next[i][k];
      square[k] = i == 0 ? sum[i][k] : square[k] + sum[i][k];
      square_next[k] = i == 0 ? with_middle : square_next[k] + with_middle;
    });
  }

  // Order n of the tensions and n + 2 of u, and of what the state has of them.
  template <std::size_t B>
  [[gnu::always_inline]] void solve(int n, const R (&pulls)[D][N], const R (&squares)[N], const R* hi,
                                    const R* lo, R* u, R* t, R* c) const {
    const R rank((n + 2.0) * (n + 1.0)), rate(n + 2.0);
    const R* const newest = u + static_cast<std::size_t>(n + 1) * kRow * B;
    R known[D][N], b[N], tensions[N];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < N; ++k) {
      R along(0), squared = squares[k];
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
        R sum = -own[k] * pulls[i][k];
        if (k + 1 < N) sum += own[k] * pulls[i][(k + 1) % N];
        if (k > 0) sum += above[k] * (pulls[i][(k + N - 1) % N] - pulls[i][k]);
        known[i][k] = sum;
        along += u0[i][k] * sum;
        squared += u1[i][k] * newest[(i * N + k) * B];
      }
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
    R* const next = u + static_cast<std::size_t>(n + 2) * kRow * B;
    R* const out = c + static_cast<std::size_t>(n + 1) * 2 * kRow * B;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < N; ++k) {
      t[(static_cast<std::size_t>(n) * N + k) * B] = tensions[k];
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
        R sum = known[i][k] + by_own[i][k] * tensions[k];
        if (k + 1 < N) sum += by_next[i][k] * tensions[(k + 1) % N];
        if (k > 0) sum += by_previous[i][k] * tensions[(k + N - 1) % N];
        const R last = sum * hi[k * B] + sum * lo[k * B];
        out[(i * N + k) * B] = newest[(i * N + k) * B];
        next[(i * N + k) * B] = last;
        out[(kRow + i * N + k) * B] = rate * last;
      }
    }
  }
};

}  // namespace catena
