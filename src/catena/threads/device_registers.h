// What catena/math/registers.h has for one number, for compilers of GPUs, which have no registers of four: kernels
// include it in its place. Tests compare the bits of both.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#define __builtin_fma fma
#define __builtin_sqrt sqrt
#define __builtin_inf() __builtin_bit_cast(double, 0x7ff0000000000000ull)
#define __builtin_nan(text) __builtin_bit_cast(double, 0x7ff8000000000000ull)

namespace catena {
inline namespace one_rounding {
inline constexpr bool kFuses = true;

template <class P>
struct RegisterOf;
template <>
struct RegisterOf<double> {
  using Words = std::uint64_t;
  using Choices = bool;
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

inline double choose(bool first, double a, double b) { return first ? a : b; }
inline bool both(bool a, bool b) { return a && b; }
inline bool either(bool a, bool b) { return a || b; }
inline bool opposite(bool a) { return !a; }

inline bool any(bool a) { return a; }

inline double root_of(double x) { return __builtin_sqrt(x); }

// a if it is larger, else b: b where a is no number.
inline double larger_of(double a, double b) { return a > b ? a : b; }

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
#pragma unroll
  for (int k = (N - 1) / 2 * 2 - 2; k >= 0; k -= 2) even = fused(even, square, all_of<P>(c[k]));
#pragma unroll
  for (int k = N / 2 * 2 - 3; k >= 1; k -= 2) odd = fused(odd, square, all_of<P>(c[k]));
  return fused(odd, x, even);
}

}  // namespace
}  // namespace catena
