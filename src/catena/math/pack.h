// A few numbers side by side, computed as one: the compiler's vector types where the scalar has them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

namespace catena {

// Doubles per vector register. Wider packs are legal, but compilers put them into memory.
#if defined(__AVX__)
constexpr int kNativeWidth = 4;
#else
constexpr int kNativeWidth = 2;
#endif

template <class S, int W>
struct PackOf;

template <int W>
struct PackOf<double, W> {
  typedef double type __attribute__((vector_size(W * sizeof(double))));
};

template <class S, int W>
using Pack = typename PackOf<S, W>::type;

// Loads and stores need no alignment.
template <int W, class S>
inline Pack<S, W> load(const S* from) {
  Pack<S, W> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <int W, class S>
inline void store(S* to, const Pack<S, W>& value) {
  std::memcpy(to, &value, sizeof value);
}

template <class Packed>
inline Packed square_root(Packed value) {
  constexpr int kWidth = sizeof(Packed) / sizeof(value[0]);
  for (int i = 0; i < kWidth; ++i) value[i] = std::sqrt(value[i]);
  return value;
}

// How many numbers of a kind go side by side.
template <class S>
inline constexpr int kPackWidth = kNativeWidth;

constexpr std::size_t rounded_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace catena
