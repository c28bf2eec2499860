// Taylor series of a chain's directions u and tensions T, order by order with the links contiguous, and the
// two convolutions that every order needs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "catena/math/aligned.h"
#include "catena/math/double_double.h"
#include "catena/math/lane_kinds.h"
#include "catena/math/pack.h"
#include "catena/math/tangent.h"

namespace catena {

// A constant factor without bias, for two multiplications. Rounded once it would err the same way in every
// step, and the energy would drift with the number of steps instead of its square root. Here it is hi + lo
// with only 24 bits in hi, so that value * hi + value * lo is right whether or not the compiler fuses it, and
// either way. Scalars of more digits than a double have them to spare: lo is 0.
template <class S>
struct DigitsOf {
  using type = S;
  static constexpr bool kInTwoParts = false;
};
template <>
struct DigitsOf<double> {
  using type = DoubleDouble;
  static constexpr bool kInTwoParts = true;
};
template <int W>
struct DigitsOf<LanesOf<W>> {
  using type = LanesDigits<W>;
  static constexpr bool kInTwoParts = true;
};

template <class S>
struct TwoPartFactor {
  using Digits = typename DigitsOf<S>::type;

  TwoPartFactor() = default;
  explicit TwoPartFactor(const Digits& value) {
    if constexpr (std::is_same_v<S, double>) {
      std::uint64_t bits;
      std::memcpy(&bits, &value.hi, sizeof bits);
      bits &= ~((std::uint64_t{1} << 29) - 1);
      std::memcpy(&hi, &bits, sizeof bits);
      lo = (value.hi - hi) + value.lo;
    } else if constexpr (requires { value.in_two_parts(hi, lo); }) {
      value.in_two_parts(hi, lo);
    } else if constexpr (is_lanes<S>) {
      for (int l = 0; l < S::kWidth; ++l) {
        const TwoPartFactor<double> one(value.lane[l]);
        hi.set_lane(l, one.hi);
        lo.set_lane(l, one.lo);
      }
    } else {
      hi = value;
    }
  }
  static TwoPartFactor reciprocal(double divisor) { return TwoPartFactor(Digits(1.0) / Digits(divisor)); }

  template <class Number>
  auto times(const Number& value) const {
    if constexpr (is_lanes<S>) {
      const S number = value;
      return number * hi + number * lo;
    } else if constexpr (DigitsOf<S>::kInTwoParts) {
      return value * hi + value * lo;
    } else {
      return value * hi;
    }
  }

  S hi{};
  S lo{};
};

// Division of order n + 2 of a chain's directions by (n + 2)(n + 1) L_k, for two multiplications and without
// bias: each reciprocal is hi + lo as above.
template <class S>
class LinkDivisors {
 public:
  LinkDivisors(std::vector<S> length, std::size_t stride) : length_(std::move(length)), stride_(stride) {
    one_.resize(2 * stride_);
    fill(1.0, one_.data());
  }

  void reserve(int order) {
    const std::size_t rows = static_cast<std::size_t>(order) + 1;
    if (rows_.size() >= 2 * rows * stride_) return;
    rows_.assign(2 * rows * stride_, S(0));
    for (std::size_t n = 0; n < rows; ++n) fill(rank(n), rows_.data() + 2 * n * stride_);
  }

  const S* hi(int n) const { return rows_.data() + 2 * static_cast<std::size_t>(n) * stride_; }
  const S* lo(int n) const { return hi(n) + stride_; }

  void divide(int n, S* __restrict value) const {
    const S* __restrict high = hi(n);
    const S* __restrict low = lo(n);
    for (std::size_t k = 0; k < stride_; ++k) value[k] = times(value[k], high[k], low[k]);
  }
  // Of `components` rows, `apart` from one to the next, with the same bits and without a row of reciprocals:
  // they are computed anew.
  void divide_anew(int n, std::size_t components, std::size_t apart, S* value) const {
    constexpr std::size_t kSome = 64;
    S high[kSome], low[kSome];
    const double divisor = rank(static_cast<std::size_t>(n));
    for (std::size_t first = 0; first < length_.size(); first += kSome) {
      const std::size_t count = std::min(kSome, length_.size() - first);
      for (std::size_t k = 0; k < count; ++k) {
        const TwoPartFactor<S> factor = reciprocal(divisor, length_[first + k]);
        high[k] = factor.hi;
        low[k] = factor.lo;
      }
      for (std::size_t i = 0; i < components; ++i) {
        S* __restrict some = value + i * apart + first;
        for (std::size_t k = 0; k < count; ++k) some[k] = times(some[k], high[k], low[k]);
      }
    }
  }
  S divided(int n, std::size_t k, const S& value) const { return times(value, hi(n)[k], lo(n)[k]); }
  S over_length(std::size_t k, const S& value) const { return times(value, one_[k], one_[stride_ + k]); }

 private:
  static S times(const S& value, const S& high, const S& low) {
    if constexpr (DigitsOf<S>::kInTwoParts) return value * high + value * low;
    return value * high;
  }

  static double rank(std::size_t n) { return static_cast<double>((n + 2) * (n + 1)); }
  static TwoPartFactor<S> reciprocal(double rank, const S& length) {
    using Digits = typename TwoPartFactor<S>::Digits;
    return TwoPartFactor<S>(Digits(1.0) / (Digits(rank) * Digits(length)));
  }

  void fill(double rank, S* high) const {
    for (std::size_t k = 0; k < length_.size(); ++k) {
      const TwoPartFactor<S> factor = reciprocal(rank, length_[k]);
      high[k] = factor.hi;
      high[stride_ + k] = factor.lo;
    }
  }

  std::vector<S> length_;
  std::size_t stride_;
  AlignedVector<S> one_, rows_;  // [order][hi, lo][link]
};

template <int D, class S>
class ChainSeries {
 public:
  static constexpr std::size_t kWidth = std::is_same_v<S, double> ? 8 : kPackWidth<S>;  // links per block

  explicit ChainSeries(std::size_t links)
      : n_(links),
        stride_(rounded_up(links, kWidth)),
        pull_(D * (stride_ + 2 * kWidth), S(0)),
        square_(stride_, S(0)) {}

  std::size_t stride() const { return stride_; }  // links rounded up to whole blocks, padded with zeros
  // [component][link], component() from one component to the next, and [link]. Where they are is known when
  // this is compiled, so that rows of a series' own cost no look at it: in them, or `Placed`, where place()
  // said.
  template <bool Placed = false>
  S* u(int order) {
    if constexpr (!Placed) return u_.data() + order * D * stride_;
    return order <= top_ ? place_ + order * 2 * D * n_ : place_ + top_ * 2 * D * n_ + D * n_;
  }
  template <bool Placed = false>
  S* t(int order) {
    return Placed ? place_ + order * 2 * D * n_ + D * n_ : t_.data() + order * stride_;
  }
  template <bool Placed = false>
  std::size_t component() const {  // and of links to compute, padding among them
    return Placed ? n_ : stride_;
  }

  // Where the coefficients of the state will be, [u, w][component][link] for each order up to `order`: u in
  // its own lanes, T in those of w until write() puts w there, u_{order + 1} in the last of them. Of whole
  // blocks or more.
  void place(S* c, int order) {
    place_ = c;
    top_ = order;
  }
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
  template <bool Placed = false>
  void start(const S* x) {
    for (int order = 0; order < 2; ++order) {
      for (int i = 0; i < D; ++i) {
        const S* from = x + (order * D + i) * n_;
        for (std::size_t k = 0; k < n_; ++k) u<Placed>(order)[i * component<Placed>() + k] = from[k];
      }
    }
  }

  // pull = sum_{j=0..n-1} T_j u_{n-j},   square = sum_{j=1..n+1} u_j . u_{n+2-j}
  template <bool Placed = false>
  void convolve(int n) {
    if constexpr (is_lanes<S>) {
      convolve_in_lanes(n);
    } else if constexpr (has_lane_rates<S>) {
      for (std::size_t k = 0; k < n_; ++k) convolve_lane_rates(n, k);
    } else if constexpr (is_tangent<S>) {
      for (std::size_t k = 0; k < n_; ++k) convolve_tangents(n, k);
    } else {
      std::size_t k = 0;
      for (; k + kWidth <= component<Placed>(); k += kWidth) convolve_block<Placed>(n, k);
      if (Placed && k < n_) convolve_block<Placed>(n, n_ - kWidth);  // some links again, to the same
    }
  }

  // Coefficients of the state, w_k = (k + 1) u_{k+1}, from u up to order + 1; orders are `row` apart in c.
  template <bool Placed = false>
  void write(int order, S* c, std::size_t row) {
    for (int k = 0; k <= order; ++k) {
      const S* now = u<Placed>(k);
      const S* next = u<Placed>(k + 1);
      const Plain<S> rank(k + 1.0);
      S* out = c + k * row;
      for (int i = 0; i < D; ++i) {
        for (std::size_t link = 0; !Placed && link < n_; ++link) {
          out[i * n_ + link] = now[i * stride_ + link];
        }
        for (std::size_t link = 0; link < n_; ++link) {
          out[(D + i) * n_ + link] = rank * next[i * component<Placed>() + link];
        }
      }
    }
  }

 private:
  // A few links at a time, so that sums need not wait for their own last terms.
  void convolve_in_lanes(int n) {
    std::size_t k = 0;
    for (; k + 4 <= n_; k += 4) convolve_links<4>(n, k);
    for (; k + 2 <= n_; k += 2) convolve_links<2>(n, k);
    for (; k < n_; ++k) convolve_links<1>(n, k);
  }
  template <std::size_t L>
  void convolve_links(int n, std::size_t k) {
    const auto each = [](const auto& visit) __attribute__((always_inline)) {
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
#pragma GCC unroll 4
        for (std::size_t l = 0; l < L; ++l) visit(i, l);
      }
    };
    const std::size_t row = D * stride_;
    S sum[D][L];
    each([&](std::size_t i, std::size_t l) { sum[i][l] = S(0); });
    const S* tension = t(0) + k;
    const S* high = u(n) + k;
    for (int j = 0; j < n; ++j, tension += stride_, high -= row) {
      S now[L];
#pragma GCC unroll 4
      for (std::size_t l = 0; l < L; ++l) now[l] = in_register(tension[l]);
      each([&](std::size_t i, std::size_t l) { sum[i][l] += now[l] * high[i * stride_ + l]; });
    }
    each([&](std::size_t i, std::size_t l) {
      (pull(static_cast<int>(i)) + k)[l] = sum[i][l];
      sum[i][l] = S(0);
    });
    const S* low = u(1) + k;
    high = u(n + 1) + k;
    for (; low < high; low += row, high -= row)
      each([&](std::size_t i, std::size_t l) { sum[i][l] += low[i * stride_ + l] * high[i * stride_ + l]; });
    const bool has_middle = low == high;
#pragma GCC unroll 4
    for (std::size_t l = 0; l < L; ++l) {
      S all = sum[0][l];
      for (std::size_t i = 1; i < D; ++i) all += sum[i][l];
      all += all;
      for (std::size_t i = 0; has_middle && i < D; ++i) all += low[i * stride_ + l] * low[i * stride_ + l];
      square_[k + l] = all;
    }
  }

  template <bool Placed>
  void convolve_block(int n, std::size_t k) {
    constexpr int kPacks = kWidth / kPackWidth<S>;
    using Packs = Pack<S, kPackWidth<S>>;
    const auto pack = [](const S* lanes, int q) { return load<kPackWidth<S>>(lanes + q * kPackWidth<S>); };
    const std::size_t apart = component<Placed>();
    const std::size_t row = (Placed ? 2 : 1) * D * apart, t_row = Placed ? row : stride_;
    Packs pulled[D][kPacks] = {};
    const S* t_low = t<Placed>(0) + k;
    const S* u_high = u<Placed>(n) + k;
    for (int j = 0; j < n; ++j, t_low += t_row, u_high -= row) {
      for (int q = 0; q < kPacks; ++q) {
        const Packs tension = pack(t_low, q);
        for (int i = 0; i < D; ++i) pulled[i][q] += tension * pack(u_high + i * apart, q);
      }
    }
    Packs squared[kPacks] = {};
    const S* low = u<Placed>(1) + k;
    const S* high = u<Placed>(n + 1) + k;
    for (; low < high; low += row, high -= row) {
      for (int q = 0; q < kPacks; ++q) {
        for (int i = 0; i < D; ++i) squared[q] += pack(low + i * apart, q) * pack(high + i * apart, q);
      }
    }
    for (int q = 0; q < kPacks; ++q) {
      squared[q] += squared[q];
      if (low == high) {
        for (int i = 0; i < D; ++i) squared[q] += pack(low + i * apart, q) * pack(low + i * apart, q);
      }
      for (int i = 0; i < D; ++i) store<kPackWidth<S>>(pull(i) + k + q * kPackWidth<S>, pulled[i][q]);
      store<kPackWidth<S>>(square_.data() + k + q * kPackWidth<S>, squared[q]);
    }
  }

  // Of tangents in lanes one sum fills the registers.
  void convolve_lane_rates(int n, std::size_t k) {
    const std::size_t row = D * stride_;
    SumOfProducts<S> squared;
    for (int i = 0; i < D; ++i) {
      SumOfProducts<S> pulled;
      const S* t_low = t(0) + k;
      const S* u_high = u(n) + i * stride_ + k;
      for (int j = 0; j < n; ++j, t_low += stride_, u_high -= row) pulled.add(*t_low, *u_high);
      pull(i)[k] = pulled.times(1.0);
      const S* low = u(1) + i * stride_ + k;
      const S* high = u(n + 1) + i * stride_ + k;
      for (; low < high; low += row, high -= row) squared.add(*low, *high);
    }
    square_[k] = squared.times(2.0);
    const S* middle = u(n / 2 + 1) + k;
    for (int i = 0; n % 2 == 0 && i < D; ++i)
      square_[k] = multiply_add(middle[i * stride_], middle[i * stride_], square_[k]);
  }

  void convolve_tangents(int n, std::size_t k) {
    const std::size_t row = D * stride_;
    SumOfProducts<S> pulled[D], squared;
    const S* t_low = t(0) + k;
    const S* u_high = u(n) + k;
    for (int j = 0; j < n; ++j, t_low += stride_, u_high -= row) {
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) pulled[i].add(*t_low, u_high[i * stride_]);
    }
    for (int i = 0; i < D; ++i) pull(i)[k] = pulled[i].times(1.0);
    const S* low = u(1) + k;
    const S* high = u(n + 1) + k;
    for (; low < high; low += row, high -= row) {
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) squared.add(low[i * stride_], high[i * stride_]);
    }
    square_[k] = squared.times(2.0);
    for (int i = 0; low == high && i < D; ++i) square_[k] += low[i * stride_] * low[i * stride_];
  }

  std::size_t n_;
  std::size_t stride_;
  S* place_ = nullptr;
  int top_ = 0;
  AlignedVector<S> u_, t_, pull_, square_;
};

}  // namespace catena
