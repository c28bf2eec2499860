#include "catena/dynamics/chain/directions.h"

#include <algorithm>
#include <cmath>

#include "catena/math/compensated.h"
#include "catena/math/pack.h"

namespace catena {
namespace {

// As CompensatedSum, of several links at once and with its very roundings.
template <class Lanes>
struct CompensatedLanes {
  Lanes hi, lo;

  void add(const Lanes& value) {
    const Lanes sum = hi + value, part = sum - hi;
    lo += (hi - (sum - part)) + (value - part);
    hi = sum;
  }
  void add_product(const Lanes& a_hi, const Lanes& a_lo, const Lanes& b_hi, const Lanes& b_lo) {
    constexpr std::size_t kCount = sizeof(Lanes) / sizeof(double);
    const Lanes product = a_hi * b_hi;
    Lanes rest;
    for (std::size_t l = 0; l < kCount; ++l) rest[l] = two_product(a_hi[l], b_hi[l]).lo;
    add(product);
    lo += rest;
    lo += a_hi * b_lo + a_lo * (b_hi + b_lo);
  }
};

// |u|^2 - 1 and u . w for one link, from exact products.
struct Violation {
  double length;
  double tangency;
};

template <int D>
inline Violation violation(const double* hi, const double* lo, std::size_t n, std::size_t k) {
  CompensatedSum square, tangency;
  square.add(-1.0);
  for (int i = 0; i < D; ++i) {
    const std::size_t u = i * n + k, w = (D + i) * n + k;
    square.add_product(hi[u], lo[u], hi[u], lo[u]);
    tangency.add_product(hi[u], lo[u], hi[w], lo[w]);
  }
  return {square.hi() + square.lo(), tangency.hi() + tangency.lo()};
}

}  // namespace

namespace {

// Links k .. k + W - 1, each as it is done below.
template <int D, int W>
inline void project_lanes(std::size_t n, std::size_t k, const double* hi, double* lo) {
  using Lanes = Pack<double, W>;
  CompensatedLanes<Lanes> square{Lanes{} - 1.0, Lanes{}}, tangency{Lanes{}, Lanes{}};
  Lanes u[D], u_lo[D], w_lo[D];
#pragma GCC unroll 3
  for (std::size_t i = 0; i < D; ++i) {
    const Lanes w = load<W>(hi + (D + i) * n + k);
    u[i] = load<W>(hi + i * n + k);
    u_lo[i] = load<W>(lo + i * n + k);
    w_lo[i] = load<W>(lo + (D + i) * n + k);
    square.add_product(u[i], u_lo[i], u[i], u_lo[i]);
    tangency.add_product(u[i], u_lo[i], w, w_lo[i]);
  }
  const Lanes excess = square.hi + square.lo, along = tangency.hi + tangency.lo;
  const Lanes length = square_root(1.0 + excess);
  const Lanes shrink = excess / (length * (1.0 + length)), turned = along * (1.0 - shrink);
  Lanes shorter[D], across[D];
#pragma GCC unroll 3
  for (std::size_t i = 0; i < D; ++i) {
    shorter[i] = u_lo[i] - shrink * (u[i] + u_lo[i]);
    across[i] = w_lo[i] - turned * (u[i] + shorter[i]);
  }
  if constexpr (D == 2 && W == 2 && kNativeWidth == 4) {
    // As whole registers, which is how they are read next: two halves that were just stored would be waited
    // for.
    if (n == 2) {
      store<4>(lo, Pack<double, 4>(__builtin_shufflevector(shorter[0], shorter[1], 0, 1, 2, 3)));
      store<4>(lo + 4, Pack<double, 4>(__builtin_shufflevector(across[0], across[1], 0, 1, 2, 3)));
      return;
    }
  }
#pragma GCC unroll 3
  for (std::size_t i = 0; i < D; ++i) {
    store<W>(lo + i * n + k, shorter[i]);
    store<W>(lo + (D + i) * n + k, across[i]);
  }
}

}  // namespace

template <int D>
void project_directions(std::size_t n, const double* hi, double* lo) {
  std::size_t k = 0;
  for (; k + kNativeWidth <= n; k += kNativeWidth) project_lanes<D, kNativeWidth>(n, k, hi, lo);
  for (; kNativeWidth > 2 && k + 2 <= n; k += 2) project_lanes<D, 2>(n, k, hi, lo);
  for (; k < n; ++k) {
    const auto [excess, tangency] = violation<D>(hi, lo, n, k);
    const double length = std::sqrt(1.0 + excess);
    const double shrink = excess / (length * (1.0 + length));  // 1 - 1/|u|, without cancellation
    for (int i = 0; i < D; ++i) {
      const std::size_t u = i * n + k, w = (D + i) * n + k;
      lo[u] -= shrink * (hi[u] + lo[u]);
      lo[w] -= tangency * (1.0 - shrink) * (hi[u] + lo[u]);  // u . w of the shrunk u
    }
  }
}

template <int D>
double largest_violation(std::size_t n, const double* hi, const double* lo) {
  double largest = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const Violation v = violation<D>(hi, lo, n, k);
    largest = std::max({largest, 0.5 * std::fabs(v.length), std::fabs(v.tangency)});
  }
  return largest;
}

template void project_directions<2>(std::size_t, const double*, double*);
template void project_directions<3>(std::size_t, const double*, double*);
template double largest_violation<2>(std::size_t, const double*, const double*);
template double largest_violation<3>(std::size_t, const double*, const double*);

}  // namespace catena
