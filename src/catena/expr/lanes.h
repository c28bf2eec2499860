// Loops over lanes: several vector registers at a time, then one at a time, always the same arithmetic, so
// that a lane's result does not depend on how many others there are.
#pragma once

#include <cstddef>

#include "catena/math/pack.h"

#if defined(__AVX__) && defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace catena::expr {

constexpr std::size_t kWidth = kNativeWidth;

// P vector registers of lanes. Halves instead of an array: compilers keep them in registers.
template <int P>
struct Lanes {
  static constexpr int kRegisters = P;
  Lanes<P / 2> low, high;
};
template <>
struct Lanes<1> {
  static constexpr int kRegisters = 1;
  Pack<double, kNativeWidth> pack;
};

template <int P>
inline Lanes<P> read(const double* from) {
  if constexpr (P == 1) {
    return {load<kNativeWidth>(from)};
  } else {
    return {read<P / 2>(from), read<P / 2>(from + P / 2 * kWidth)};
  }
}

template <int P>
inline void write(double* to, const Lanes<P>& lanes) {
  if constexpr (P == 1) {
    store<kNativeWidth>(to, lanes.pack);
  } else {
    write<P / 2>(to, lanes.low);
    write<P / 2>(to + P / 2 * kWidth, lanes.high);
  }
}

template <int P>
inline Lanes<P> same(double value) {
  if constexpr (P == 1) {
    return {value - Pack<double, kNativeWidth>{}};  // value - 0, since 0 + -0 is not -0
  } else {
    return {same<P / 2>(value), same<P / 2>(value)};
  }
}

template <int P>
inline Lanes<P> zero() {
  return same<P>(0.0);
}

#define CATENA_LANES_OPERATOR(op)                                     \
  template <int P>                                                    \
  inline Lanes<P> operator op(const Lanes<P>& a, const Lanes<P>& b) { \
    if constexpr (P == 1) {                                           \
      return {a.pack op b.pack};                                      \
    } else {                                                          \
      return {a.low op b.low, a.high op b.high};                      \
    }                                                                 \
  }                                                                   \
  template <int P>                                                    \
  inline Lanes<P> operator op(const Lanes<P>& a, double b) {          \
    return a op same<P>(b);                                           \
  }                                                                   \
  template <int P>                                                    \
  inline Lanes<P> operator op(double a, const Lanes<P>& b) {          \
    return same<P>(a) op b;                                           \
  }
CATENA_LANES_OPERATOR(+)
CATENA_LANES_OPERATOR(-)
CATENA_LANES_OPERATOR(*)
CATENA_LANES_OPERATOR(/)
#undef CATENA_LANES_OPERATOR

template <int P>
inline Lanes<P> operator-(const Lanes<P>& a) {
  if constexpr (P == 1) {
    return {-a.pack};
  } else {
    return {-a.low, -a.high};
  }
}

// a b + c, rounded once where the machine can. Said explicitly, since compilers fuse here and not there as
// they see fit, and then the bits would depend on the number of lanes.
template <int P>
inline Lanes<P> multiply_add(const Lanes<P>& a, const Lanes<P>& b, const Lanes<P>& c) {
  if constexpr (P == 1) {
#if defined(__AVX__) && defined(__FMA__)
    return {_mm256_fmadd_pd(a.pack, b.pack, c.pack)};
#elif defined(__aarch64__)
    const float64x2_t sum = vfmaq_f64((float64x2_t)c.pack, (float64x2_t)a.pack, (float64x2_t)b.pack);
    return {(Pack<double, kNativeWidth>)sum};
#else
    return {a.pack * b.pack + c.pack};
#endif
  } else {
    return {multiply_add(a.low, b.low, c.low), multiply_add(a.high, b.high, c.high)};
  }
}

// How many registers at a time, as a type.
template <int P>
struct Registers {
  static constexpr int kCount = P;
};

// kernel(Registers<P>, first lane) for all lanes; their number is a multiple of kWidth.
template <class Kernel>
inline void over_lanes(std::size_t lanes, Kernel kernel) {
  std::size_t lane = 0;
  for (; lane + 4 * kWidth <= lanes; lane += 4 * kWidth) kernel(Registers<4>{}, lane);
  for (; lane < lanes; lane += kWidth) kernel(Registers<1>{}, lane);
}

}  // namespace catena::expr
