// A short chain's links in registers.
#pragma once

#include <cstddef>

#include "catena/math/pack.h"

namespace catena {

// A short chain's links side by side in packs, padded with zeros.
template <class S, int W, std::size_t Packs>
struct LinkLanes {
  Pack<S, W> packs[Packs];

  static LinkLanes load(const S* from) {
    LinkLanes out;
    for (std::size_t q = 0; q < Packs; ++q) out.packs[q] = catena::load<W>(from + q * W);
    return out;
  }
  // Built from registers: a vector loaded from N separate stores would stall.
  template <std::size_t N>
  static LinkLanes first(const S* from) {
    const auto value = [&](std::size_t k) { return k < N ? from[k] : S(0); };
    LinkLanes out;
    for (std::size_t q = 0; q < Packs; ++q) {
      if constexpr (W == 2) {
        out.packs[q] = Pack<S, W>{value(q * W), value(q * W + 1)};
      } else {
        out.packs[q] = Pack<S, W>{value(q * W), value(q * W + 1), value(q * W + 2), value(q * W + 3)};
      }
    }
    return out;
  }
  void store(S* to) const {
    for (std::size_t q = 0; q < Packs; ++q) catena::store<W>(to + q * W, packs[q]);
  }
  template <std::size_t N>
  void store_first(S* to) const {
    if constexpr (N == Packs * W) {
      store(to);
    } else {
      for (std::size_t k = 0; k < N; ++k) to[k] = packs[k / W][k % W];
    }
  }
  S operator[](std::size_t k) const { return packs[k / W][k % W]; }

  // Each link gets its next (previous) neighbour's value. What the last (first) one gets is meant to be
  // multiplied by zero.
  LinkLanes from_next() const {
    LinkLanes out;
    for (std::size_t q = 0; q < Packs; ++q) {
      const Pack<S, W> beyond = packs[(q + 1) % Packs];
      if constexpr (W == 2) {
        out.packs[q] = __builtin_shufflevector(packs[q], beyond, 1, 2);
      } else {
        out.packs[q] = __builtin_shufflevector(packs[q], beyond, 1, 2, 3, 4);
      }
    }
    return out;
  }
  LinkLanes from_previous() const {
    LinkLanes out;
    for (std::size_t q = 0; q < Packs; ++q) {
      const Pack<S, W> before = packs[(q + Packs - 1) % Packs];
      if constexpr (W == 2) {
        out.packs[q] = __builtin_shufflevector(before, packs[q], 1, 2);
      } else {
        out.packs[q] = __builtin_shufflevector(before, packs[q], 3, 4, 5, 6);
      }
    }
    return out;
  }

  LinkLanes& operator+=(const LinkLanes& other) {
    for (std::size_t q = 0; q < Packs; ++q) packs[q] += other.packs[q];
    return *this;
  }
  friend LinkLanes operator+(LinkLanes a, const LinkLanes& b) { return a += b; }
  friend LinkLanes operator-(LinkLanes a, const LinkLanes& b) {
    for (std::size_t q = 0; q < Packs; ++q) a.packs[q] -= b.packs[q];
    return a;
  }
  friend LinkLanes operator*(LinkLanes a, const LinkLanes& b) {
    for (std::size_t q = 0; q < Packs; ++q) a.packs[q] *= b.packs[q];
    return a;
  }
  friend LinkLanes operator*(LinkLanes a, const S& factor) {
    for (std::size_t q = 0; q < Packs; ++q) a.packs[q] *= factor;
    return a;
  }
};

// Numbers in registers, stored in whole vectors as far as they fill them.
template <std::size_t Count>
inline void store_lanes(const double* from, double* to) {
  constexpr std::size_t kWhole = Count / kNativeWidth * kNativeWidth;
#pragma GCC unroll 12
  for (std::size_t lane = 0; lane < kWhole; lane += kNativeWidth) {
    Pack<double, kNativeWidth> pack;
#pragma GCC unroll 4
    for (int q = 0; q < kNativeWidth; ++q) pack[q] = from[lane + q];
    store<kNativeWidth>(to + lane, pack);
  }
#pragma GCC unroll 3
  for (std::size_t lane = kWhole; lane < Count; ++lane) to[lane] = from[lane];
}

}  // namespace catena
