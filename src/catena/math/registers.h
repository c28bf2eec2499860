// One number, or four side by side in a vector register: the operations that both have, each rounded as it is
// written, so that a number's bits do not depend on who is beside it. Branches are choices between values
// (`choose`). To be compiled without contraction of a * b + c.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "catena/math/pack.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

// Processors that round a b + c once. The others, and whoever says so, do with two roundings; their functions
// have another name for the linker, since they have other bits.
#if !defined(CATENA_TWO_ROUNDINGS)
#if defined(__FMA__) || defined(__aarch64__) || defined(__CUDA_ARCH__)
#define CATENA_TWO_ROUNDINGS 0
#else
#define CATENA_TWO_ROUNDINGS 1
#endif
#endif

namespace catena {
#if CATENA_TWO_ROUNDINGS
inline namespace two_roundings {
inline constexpr bool kFuses = false;
#else
inline namespace one_rounding {
inline constexpr bool kFuses = true;
#endif

using Four = Pack<double, 4>;
typedef std::uint64_t FourWords __attribute__((vector_size(32)));
using FourChoices = decltype(Four{} < Four{});  // all bits of a lane, or none

template <class P>
struct RegisterOf;
template <>
struct RegisterOf<double> {
  using Words = std::uint64_t;
  using Choices = bool;
};
template <>
struct RegisterOf<Four> {
  using Words = FourWords;
  using Choices = FourChoices;
};
template <class P>
using Words = typename RegisterOf<P>::Words;
template <class P>
using Choices = typename RegisterOf<P>::Choices;

template <class P>
inline P all_of(double value) {
  if constexpr (sizeof(P) == sizeof(double)) {
    return value;
  } else {
    return P{value, value, value, value};
  }
}

template <class To, class From>
inline To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
template <class P>
inline Words<P> words_of(const P& x) {
  return same_bits<Words<P>>(x);
}

// a b + c
inline double fused(double a, double b, double c) {
  if constexpr (kFuses) return __builtin_fma(a, b, c);
  return a * b + c;
}
inline Four fused(const Four& a, const Four& b, const Four& c) {
#if !CATENA_TWO_ROUNDINGS && defined(__AVX__)
  return (Four)_mm256_fmadd_pd(a, b, c);
#else
  Four out;
  for (int i = 0; i < 4; ++i) out[i] = fused(a[i], b[i], c[i]);
  return out;
#endif
}

inline double choose(bool first, double a, double b) { return first ? a : b; }
inline Four choose(const FourChoices& first, const Four& a, const Four& b) {
#if defined(__AVX__)
  return (Four)_mm256_blendv_pd(b, a, (Four)first);
#else
  return first ? a : b;
#endif
}
inline bool both(bool a, bool b) { return a && b; }
inline FourChoices both(const FourChoices& a, const FourChoices& b) { return a & b; }
inline bool either(bool a, bool b) { return a || b; }
inline FourChoices either(const FourChoices& a, const FourChoices& b) { return a | b; }
inline bool opposite(bool a) { return !a; }
inline FourChoices opposite(const FourChoices& a) { return ~a; }

inline bool any(bool a) { return a; }
inline bool any(const FourChoices& a) {
#if defined(__AVX__)
  return _mm256_movemask_pd((Four)a) != 0;
#else
  return (a[0] | a[1] | a[2] | a[3]) != 0;
#endif
}

inline double root_of(double x) { return __builtin_sqrt(x); }
inline Four root_of(const Four& x) {
#if defined(__AVX__)
  return (Four)_mm256_sqrt_pd(x);
#else
  Four out;
  for (int i = 0; i < 4; ++i) out[i] = __builtin_sqrt(x[i]);
  return out;
#endif
}

// a if it is larger, else b: b where a is no number.
inline double larger_of(double a, double b) { return a > b ? a : b; }
inline Four larger_of(const Four& a, const Four& b) {
#if defined(__AVX__)
  return (Four)_mm256_max_pd(a, b);
#else
  return choose(a > b, a, b);
#endif
}

inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

template <class P>
inline P size_of_number(const P& x) {
  return same_bits<P>(Words<P>(words_of(x) & ~kSignBit));
}
// |x| with the sign of `like`.
template <class P>
inline P signed_like(const P& x, const P& like) {
  return same_bits<P>(Words<P>((words_of(x) & ~kSignBit) | (words_of(like) & kSignBit)));
}
// x, or -x where `like` is negative.
template <class P>
inline P turned_like(const P& x, const P& like) {
  return same_bits<P>(Words<P>(words_of(x) ^ (words_of(like) & kSignBit)));
}

// A number as a sum of two registers, lo far smaller than hi.
template <class P>
struct Pair {
  P hi, lo;
};

template <class P>
inline Pair<P> exact_sum(const P& a, const P& b) {
  const P sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
// Where |a| >= |b|, or a = 0.
template <class P>
inline Pair<P> exact_sum_of_ordered(const P& a, const P& b) {
  const P sum = a + b;
  return {sum, b - (sum - a)};
}
// a b, without a fused operation for factors below 1e300 only.
template <class P>
inline Pair<P> exact_product(const P& a, const P& b) {
  const P product = a * b;
  if constexpr (kFuses) return {product, fused(a, b, -product)};
  const auto upper = [](const P& x) {
    const P scaled = all_of<P>(134217729.0) * x;  // 2^27 + 1
    return P(scaled - (scaled - x));
  };
  const P ah = upper(a), al = a - ah, bh = upper(b), bl = b - bh;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}
// a b - c, exact as far as the difference is small.
template <class P>
inline P remainder_of(const P& a, const P& b, const P& c) {
  if constexpr (kFuses) return fused(a, b, -c);
  const Pair<P> product = exact_product(a, b);
  return (product.hi - c) + product.lo;
}

// c[0] + c[1] x + .. by two sums that do not wait for one another.
template <class P, int N>
inline P polynomial(const P& x, const double (&c)[N]) {
  const P square = x * x;
  P even = all_of<P>(c[(N - 1) / 2 * 2]), odd = all_of<P>(c[N / 2 * 2 - 1]);
#pragma GCC unroll 16
  for (int k = (N - 1) / 2 * 2 - 2; k >= 0; k -= 2) even = fused(even, square, all_of<P>(c[k]));
#pragma GCC unroll 16
  for (int k = N / 2 * 2 - 3; k >= 1; k -= 2) odd = fused(odd, square, all_of<P>(c[k]));
  return fused(odd, x, even);
}

}  // namespace
}  // namespace catena
