// Packs of numbers with more digits than a double: pairs hi + lo in two vector registers, quads one by one.
// To be compiled without contraction of a * b + c: the errors of roundings are computed here, not avoided.
#pragma once

#include "catena/math/double_double.h"
#include "catena/math/pack.h"
#include "catena/math/quad.h"

#if defined(__AVX__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace catena {

inline DoubleDouble& operator*=(DoubleDouble& a, const DoubleDouble& b) { return a = a * b; }
inline DoubleDouble& operator/=(DoubleDouble& a, const DoubleDouble& b) { return a = a / b; }
inline bool operator==(const DoubleDouble& a, const DoubleDouble& b) { return a.hi == b.hi && a.lo == b.lo; }
inline bool operator>(const DoubleDouble& a, const DoubleDouble& b) {
  return a.hi > b.hi || (a.hi == b.hi && a.lo > b.lo);
}

template <int W>
struct DoubleDoublePack {
  Pack<double, W> hi, lo;
};

template <int W>
struct PackOf<DoubleDouble, W> {
  using type = DoubleDoublePack<W>;
};

// Pairs lie one behind the other. Which lane of the registers has which pair does not matter, as long as all
// packs do it the same way.
template <>
inline DoubleDoublePack<kNativeWidth> load<kNativeWidth, DoubleDouble>(const DoubleDouble* from) {
  constexpr int kW = kNativeWidth;
  const auto* numbers = reinterpret_cast<const double*>(from);
  const Pack<double, kW> a = load<kW>(numbers), b = load<kW>(numbers + kW);
#if defined(__AVX__)
  return {__builtin_shufflevector(a, b, 0, 4, 2, 6), __builtin_shufflevector(a, b, 1, 5, 3, 7)};
#else
  return {__builtin_shufflevector(a, b, 0, 2), __builtin_shufflevector(a, b, 1, 3)};
#endif
}

template <>
inline void store<kNativeWidth, DoubleDouble>(DoubleDouble* to, const DoubleDoublePack<kNativeWidth>& value) {
  constexpr int kW = kNativeWidth;
  auto* numbers = reinterpret_cast<double*>(to);
#if defined(__AVX__)
  store<kW>(numbers, __builtin_shufflevector(value.hi, value.lo, 0, 4, 2, 6));
  store<kW>(numbers + kW, __builtin_shufflevector(value.hi, value.lo, 1, 5, 3, 7));
#else
  store<kW>(numbers, __builtin_shufflevector(value.hi, value.lo, 0, 2));
  store<kW>(numbers + kW, __builtin_shufflevector(value.hi, value.lo, 1, 3));
#endif
}

template <int W>
inline DoubleDoublePack<W> fast_two_sum(const Pack<double, W>& a, const Pack<double, W>& b) {
  const Pack<double, W> sum = a + b;
  return {sum, b - (sum - a)};
}

// What rounding took from product = a b.
template <int W>
inline Pack<double, W> product_error(const Pack<double, W>& a, const Pack<double, W>& b,
                                     [[maybe_unused]] const Pack<double, W>& product) {
#if defined(__AVX__) && defined(__FMA__)
  if constexpr (W == 4) return _mm256_fmsub_pd(a, b, product);
#endif
  Pack<double, W> error;
  for (int i = 0; i < W; ++i) error[i] = two_product(a[i], b[i]).lo;
  return error;
}

// Right to 2^-105 of the larger operand, which is what long sums need.
template <int W>
inline DoubleDoublePack<W> operator+(const DoubleDoublePack<W>& a, const DoubleDoublePack<W>& b) {
  const Pack<double, W> sum = a.hi + b.hi;
  const Pack<double, W> part = sum - a.hi;
  const Pack<double, W> error = (a.hi - (sum - part)) + (b.hi - part);
  return fast_two_sum<W>(sum, error + (a.lo + b.lo));
}

template <int W>
inline DoubleDoublePack<W> operator-(const DoubleDoublePack<W>& a) {
  return {-a.hi, -a.lo};
}

template <int W>
inline DoubleDoublePack<W> operator-(const DoubleDoublePack<W>& a, const DoubleDoublePack<W>& b) {
  return a + (-b);
}

template <int W>
inline DoubleDoublePack<W> operator*(const DoubleDoublePack<W>& a, const DoubleDoublePack<W>& b) {
  const Pack<double, W> product = a.hi * b.hi;
  const Pack<double, W> error = product_error<W>(a.hi, b.hi, product);
  return fast_two_sum<W>(product, error + (a.hi * b.lo + a.lo * b.hi));
}

template <int W>
inline DoubleDoublePack<W> operator*(const DoubleDoublePack<W>& a, const DoubleDouble& b) {
  return a * DoubleDoublePack<W>{b.hi - Pack<double, W>{}, b.lo - Pack<double, W>{}};
}

template <int W>
inline DoubleDoublePack<W> operator/(const DoubleDoublePack<W>& a, const DoubleDoublePack<W>& b) {
  const Pack<double, W> first = a.hi / b.hi;
  const DoubleDoublePack<W> rest = a - b * DoubleDoublePack<W>{first, {}};
  return fast_two_sum<W>(first, rest.hi / b.hi);
}

template <int W>
inline DoubleDoublePack<W>& operator+=(DoubleDoublePack<W>& a, const DoubleDoublePack<W>& b) {
  return a = a + b;
}

template <int W>
inline DoubleDoublePack<W> square_root(const DoubleDoublePack<W>& a) {
  DoubleDoublePack<W> out;
  for (int i = 0; i < W; ++i) {
    const DoubleDouble root = square_root(DoubleDouble(a.hi[i], a.lo[i]));
    out.hi[i] = root.hi;
    out.lo[i] = root.lo;
  }
  return out;
}

#if CATENA_HAS_QUAD
template <int W>
struct QuadPack {
  Quad lanes[W];
};

template <int W>
struct PackOf<Quad, W> {
  using type = QuadPack<W>;
};

#define CATENA_QUAD_OPERATOR(op)                                        \
  template <int W>                                                      \
  inline QuadPack<W> operator op(QuadPack<W> a, const QuadPack<W>& b) { \
    for (int i = 0; i < W; ++i) a.lanes[i] = a.lanes[i] op b.lanes[i];  \
    return a;                                                           \
  }
CATENA_QUAD_OPERATOR(+)
CATENA_QUAD_OPERATOR(-)
CATENA_QUAD_OPERATOR(*)
CATENA_QUAD_OPERATOR(/)
#undef CATENA_QUAD_OPERATOR

template <int W>
inline QuadPack<W> operator*(QuadPack<W> a, Quad b) {
  for (int i = 0; i < W; ++i) a.lanes[i] *= b;
  return a;
}

template <int W>
inline QuadPack<W>& operator+=(QuadPack<W>& a, const QuadPack<W>& b) {
  return a = a + b;
}

template <int W>
inline QuadPack<W> square_root(QuadPack<W> a) {
  for (int i = 0; i < W; ++i) a.lanes[i] = square_root(a.lanes[i]);
  return a;
}
#endif

// A number from the pair of doubles that states are kept in, and back.
template <class S>
inline S from_pair(double hi, double lo) {
  return S(hi) + S(lo);
}
template <>
inline DoubleDouble from_pair<DoubleDouble>(double hi, double lo) {
  return fast_two_sum(hi, lo);
}

inline DoubleDouble to_pair(const DoubleDouble& value) { return value; }
#if CATENA_HAS_QUAD
inline DoubleDouble to_pair(Quad value) {
  const auto hi = static_cast<double>(value);
  return {hi, static_cast<double>(value - static_cast<Quad>(hi))};
}
#endif

}  // namespace catena
