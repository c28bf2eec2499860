// Numbers that carry derivatives: a value and its rates of change in K directions at once. What is computed
// with them comes out with its exact derivatives, by the rules of differentiation alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "catena/math/double_double.h"
#include "catena/math/pack.h"

namespace catena {

// The value and the rates lie side by side in vector registers, the value first.
template <int K>
struct Tangent {
  static constexpr int kDirections = K;
  static constexpr int kWidth = 4;
  static constexpr int kPacks = (K + 1) / kWidth;
  static_assert((K + 1) % kWidth == 0, "the value and its rates fill whole packs");
  using Lanes = Pack<double, kWidth>;

  Lanes packs[kPacks] = {};

  Tangent() = default;
  Tangent(double value) { packs[0][0] = value; }  // NOLINT: a double is one that does not change
  explicit operator double() const { return value(); }

  double value() const { return packs[0][0]; }
  double rate(int direction) const { return packs[(direction + 1) / kWidth][(direction + 1) % kWidth]; }
  // Part 0 is the value, part j the rate of direction j - 1.
  double part(int j) const { return packs[j / kWidth][j % kWidth]; }
  void set_part(int j, double to) { packs[j / kWidth][j % kWidth] = to; }
  void set_rate(int direction, double to) { set_part(direction + 1, to); }

  Tangent& operator+=(const Tangent& b) {
    for (int q = 0; q < kPacks; ++q) packs[q] += b.packs[q];
    return *this;
  }
  Tangent& operator-=(const Tangent& b) {
    for (int q = 0; q < kPacks; ++q) packs[q] -= b.packs[q];
    return *this;
  }
  Tangent& operator*=(const Tangent& b) { return *this = *this * b; }
  Tangent& operator/=(const Tangent& b) { return *this = *this / b; }

  friend Tangent operator+(Tangent a, const Tangent& b) { return a += b; }
  friend Tangent operator-(Tangent a, const Tangent& b) { return a -= b; }
  friend Tangent operator-(Tangent a) {
    for (int q = 0; q < kPacks; ++q) a.packs[q] = -a.packs[q];
    return a;
  }
  // (a b)' = a' b + a b'
  friend Tangent operator*(const Tangent& a, const Tangent& b) {
    const double va = a.value(), vb = b.value();
    Tangent out;
    for (int q = 0; q < kPacks; ++q) {
      Lanes rates = b.packs[q];
      if (q == 0) rates[0] = 0.0;
      out.packs[q] = a.packs[q] * vb + rates * va;
    }
    return out;
  }
  // (a / b)' = (a' - (a / b) b') / b
  friend Tangent operator/(const Tangent& a, const Tangent& b) {
    const double quotient = a.value() / b.value(), inverse = 1.0 / b.value();
    Tangent out;
    for (int q = 0; q < kPacks; ++q) out.packs[q] = (a.packs[q] - b.packs[q] * quotient) * inverse;
    out.packs[0][0] = quotient;
    return out;
  }
  // Of all parts: what is zero may have rates that are not.
  friend bool operator==(const Tangent& a, const Tangent& b) {
    for (int j = 0; j <= K; ++j) {
      if (a.part(j) != b.part(j)) return false;
    }
    return true;
  }
  friend bool operator>(const Tangent& a, const Tangent& b) { return a.value() > b.value(); }
};

template <class S>
struct IsTangent : std::false_type {};
template <int K>
struct IsTangent<Tangent<K>> : std::true_type {};
template <class S>
inline constexpr bool is_tangent = IsTangent<S>::value;

// A function of x, by its value and slope there. What does not change has no rate, however steep the
// function.
template <int K>
Tangent<K> composed(const Tangent<K>& x, double value, double slope) {
  Tangent<K> out(value);
  for (int j = 1; j <= K; ++j) out.set_part(j, x.part(j) == 0.0 ? 0.0 : slope * x.part(j));
  return out;
}

template <int K>
Tangent<K> square_root(const Tangent<K>& x) {
  const double root = std::sqrt(x.value());
  return composed(x, root, 0.5 / root);
}

// As of numbers with more digits.
template <int K>
DoubleDouble to_pair(const Tangent<K>& x) {
  return {x.value(), 0.0};
}

// How many directions go through the equations at once: with the value they fill two registers.
inline constexpr int kDirections = 7;
using Rates = Tangent<kDirections>;

// Parts of a number that linear equations are solved for one by one: a number with more digits has its
// leading one alone, a tangent its value and its rates.
template <class S>
inline constexpr int kParts = 1;
template <int K>
inline constexpr int kParts<Tangent<K>> = K + 1;

template <class S>
double part_of(const S& number, int j) {
  if constexpr (is_tangent<S>) {
    return number.part(j);
  } else {
    return static_cast<double>(number);
  }
}
template <class S>
void add_part(S& number, int j, double change) {
  if constexpr (is_tangent<S>) {
    number.set_part(j, number.part(j) + change);
  } else {
    number = number + S(change);
  }
}

// They go one by one: their lanes are the directions.
template <int K>
struct PackOf<Tangent<K>, 1> {
  using type = Tangent<K>;
};
template <int K>
inline constexpr int kPackWidth<Tangent<K>> = 1;

}  // namespace catena
