// Taylor series of a chain's directions u and tensions T, order by order with the links contiguous, and the
// two convolutions that every order needs.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "catena/math/aligned.h"
#include "catena/math/pack.h"

namespace catena {

// Division by a constant without bias, for two multiplications. A reciprocal rounded once errs the same way
// in every step, and the energy drifts with the number of steps instead of its square root. Here the
// reciprocal is hi + lo with only 24 bits in hi, so that value * hi + value * lo is right whether or not the
// compiler fuses it, and either way.
struct Reciprocal {
  explicit Reciprocal(double divisor)  // whole and below 2^29, so that hi * divisor is exact
      : hi(static_cast<float>(1.0 / divisor)), lo((1.0 - hi * divisor) / divisor) {}

  template <class Number>
  Number times(const Number& value) const {
    return value * hi + value * lo;
  }

  double hi;
  double lo;
};

template <int D, class S>
class ChainSeries {
 public:
  static constexpr std::size_t kWidth = 8;  // links per block

  explicit ChainSeries(std::size_t links)
      : n_(links),
        stride_(rounded_up(links, kWidth)),
        pull_(D * (stride_ + 2 * kWidth), S(0)),
        square_(stride_, S(0)) {}

  std::size_t stride() const { return stride_; }  // links rounded up to whole blocks, padded with zeros
  S* u(int order) { return u_.data() + order * D * stride_; }  // [component][stride]
  S* t(int order) { return t_.data() + order * stride_; }      // [link]
  S* pull(int i) {
    return pull_.data() + i * (stride_ + 2 * kWidth) + kWidth;
  }  // zero at [-1] and behind the tip
  const S* square() const { return square_.data(); }

  void reserve(int order) {
    const std::size_t rows = static_cast<std::size_t>(order) + 2;
    if (u_.size() >= rows * D * stride_) return;
    u_.assign(rows * D * stride_, S(0));
    t_.assign(rows * stride_, S(0));
  }

  // Orders 0 and 1 of u from a state [u, w][component][link].
  void start(const S* x) {
    for (int order = 0; order < 2; ++order) {
      for (int i = 0; i < D; ++i) {
        const S* from = x + (order * D + i) * n_;
        for (std::size_t k = 0; k < n_; ++k) u(order)[i * stride_ + k] = from[k];
      }
    }
  }

  // pull = sum_{j=0..n-1} T_j u_{n-j},   square = sum_{j=1..n+1} u_j . u_{n+2-j}
  void convolve(int n) {
    for (std::size_t k = 0; k < n_; k += kWidth) convolve_block(n, k);
  }

  // Coefficients of the state, w_k = (k + 1) u_{k+1}, from u up to order + 1; orders are `row` apart in c.
  void write(int order, S* c, std::size_t row) {
    for (int k = 0; k <= order; ++k) {
      const S* now = u(k);
      const S* next = u(k + 1);
      const S rank = S(k + 1.0);
      S* out = c + k * row;
      for (int i = 0; i < D; ++i) {
        for (std::size_t link = 0; link < n_; ++link) out[i * n_ + link] = now[i * stride_ + link];
        for (std::size_t link = 0; link < n_; ++link) {
          out[(D + i) * n_ + link] = rank * next[i * stride_ + link];
        }
      }
    }
  }

 private:
  void convolve_block(int n, std::size_t k) {
    constexpr int kPacks = kWidth / kNativeWidth;
    using Packs = Pack<S, kNativeWidth>;
    const auto pack = [](const S* lanes, int q) { return load<kNativeWidth>(lanes + q * kNativeWidth); };
    const std::size_t row = D * stride_;
    Packs pulled[D][kPacks] = {};
    const S* t_low = t(0) + k;
    const S* u_high = u(n) + k;
    for (int j = 0; j < n; ++j, t_low += stride_, u_high -= row) {
      for (int q = 0; q < kPacks; ++q) {
        const Packs tension = pack(t_low, q);
        for (int i = 0; i < D; ++i) pulled[i][q] += tension * pack(u_high + i * stride_, q);
      }
    }
    Packs squared[kPacks] = {};
    const S* low = u(1) + k;
    const S* high = u(n + 1) + k;
    for (; low < high; low += row, high -= row) {
      for (int q = 0; q < kPacks; ++q) {
        for (int i = 0; i < D; ++i) squared[q] += pack(low + i * stride_, q) * pack(high + i * stride_, q);
      }
    }
    for (int q = 0; q < kPacks; ++q) {
      squared[q] += squared[q];
      if (low == high) {
        for (int i = 0; i < D; ++i) squared[q] += pack(low + i * stride_, q) * pack(low + i * stride_, q);
      }
      for (int i = 0; i < D; ++i) store<kNativeWidth>(pull(i) + k + q * kNativeWidth, pulled[i][q]);
      store<kNativeWidth>(square_.data() + k + q * kNativeWidth, squared[q]);
    }
  }

  std::size_t n_;
  std::size_t stride_;
  AlignedVector<S> u_, t_, pull_, square_;
};

}  // namespace catena
