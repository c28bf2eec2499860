// Numbers that carry derivatives: a value and its rates of change in K directions at once. What is computed
// with them comes out with its exact derivatives, by the rules of differentiation alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "catena/math/double_double.h"
#include "catena/math/pack.h"

namespace catena {

// The value, and behind it the rates side by side in vector registers. (a b)' = a' b + a b' takes two fused
// operations a register, with the values spread over all lanes.
template <int K>
struct Tangent {
  static constexpr int kDirections = K;
  static constexpr int kWidth = 4;
  static constexpr int kPacks = K / kWidth;
  static_assert(K % kWidth == 0, "rates fill whole packs");
  // Not aligned to its size: half of a number with four directions would be padding.
  typedef double Lanes __attribute__((vector_size(kWidth * sizeof(double)), aligned(alignof(double))));

  Tangent() = default;
  Tangent(double value) : value_(value) {}  // NOLINT: a double is one that does not change
  explicit operator double() const { return value_; }

  double value() const { return value_; }
  double rate(int direction) const { return rates_[direction / kWidth][direction % kWidth]; }
  void set_value(double to) { value_ = to; }
  void set_rate(int direction, double to) { rates_[direction / kWidth][direction % kWidth] = to; }
  // Part 0 is the value, part j the rate of direction j - 1.
  double part(int j) const { return j == 0 ? value_ : rate(j - 1); }
  void set_part(int j, double to) { j == 0 ? set_value(to) : set_rate(j - 1, to); }
  // The rates as they lie, from the first on.
  const Lanes& rates(int pack) const { return rates_[pack]; }
  Lanes& rates(int pack) { return rates_[pack]; }

  Tangent& operator+=(const Tangent& b) {
    value_ += b.value_;
    for (int q = 0; q < kPacks; ++q) rates_[q] += b.rates_[q];
    return *this;
  }
  Tangent& operator-=(const Tangent& b) {
    value_ -= b.value_;
    for (int q = 0; q < kPacks; ++q) rates_[q] -= b.rates_[q];
    return *this;
  }
  Tangent& operator*=(const Tangent& b) { return *this = *this * b; }
  Tangent& operator/=(const Tangent& b) { return *this = *this / b; }

  friend Tangent operator+(Tangent a, const Tangent& b) { return a += b; }
  friend Tangent operator-(Tangent a, const Tangent& b) { return a -= b; }
  friend Tangent operator-(Tangent a) {
    a.value_ = -a.value_;
    for (int q = 0; q < kPacks; ++q) a.rates_[q] = -a.rates_[q];
    return a;
  }
  friend Tangent operator*(const Tangent& a, const Tangent& b) {
    Tangent out(a.value_ * b.value_);
    for (int q = 0; q < kPacks; ++q) out.rates_[q] = a.rates_[q] * b.value_ + b.rates_[q] * a.value_;
    return out;
  }
  // By a number that does not change.
  friend Tangent operator*(Tangent a, double b) {
    a.value_ *= b;
    for (int q = 0; q < kPacks; ++q) a.rates_[q] *= b;
    return a;
  }
  friend Tangent operator*(double a, const Tangent& b) { return b * a; }
  // a b + c
  friend Tangent multiply_add(const Tangent& a, const Tangent& b, Tangent c) {
    c.value_ += a.value_ * b.value_;
    for (int q = 0; q < kPacks; ++q) {
      c.rates_[q] += a.rates_[q] * b.value_;
      c.rates_[q] += b.rates_[q] * a.value_;
    }
    return c;
  }
  // (a / b)' = (a' - (a / b) b') / b
  friend Tangent operator/(const Tangent& a, const Tangent& b) {
    const double quotient = a.value_ / b.value_, inverse = 1.0 / b.value_;
    Tangent out(quotient);
    for (int q = 0; q < kPacks; ++q) out.rates_[q] = (a.rates_[q] - b.rates_[q] * quotient) * inverse;
    return out;
  }
  friend Tangent operator/(const Tangent& a, double b) {
    Tangent out(a.value_ / b);
    const double inverse = 1.0 / b;
    for (int q = 0; q < kPacks; ++q) out.rates_[q] = a.rates_[q] * inverse;
    return out;
  }
  // Of all parts: what is zero may have rates that are not.
  friend bool operator==(const Tangent& a, const Tangent& b) {
    for (int j = 0; j <= K; ++j) {
      if (a.part(j) != b.part(j)) return false;
    }
    return true;
  }
  friend bool operator>(const Tangent& a, const Tangent& b) { return a.value_ > b.value_; }

 private:
  double value_ = 0.0;
  Lanes rates_[kPacks] = {};
};

// a b + c, of any numbers.
template <class S>
S multiply_add(const S& a, const S& b, const S& c) {
  return a * b + c;
}

// Sums of many products: (a b)' in two sums, a' b and a b', that need not wait for each other.
template <class S>
class SumOfProducts {
 public:
  [[gnu::always_inline]] void add(const S& a, const S& b) {
    value_ += a.value() * b.value();
#pragma GCC unroll 4
    for (int q = 0; q < S::kPacks; ++q) {
      left_[q] += a.rates(q) * b.value();
      right_[q] += b.rates(q) * a.value();
    }
  }
  S times(double factor) const {
    S out(factor * value_);
    for (int q = 0; q < S::kPacks; ++q) out.rates(q) = (left_[q] + right_[q]) * factor;
    return out;
  }

 private:
  double value_ = 0.0;
  typename S::Lanes left_[S::kPacks] = {}, right_[S::kPacks] = {};
};

template <class S>
struct IsTangent : std::false_type {};
template <int K>
struct IsTangent<Tangent<K>> : std::true_type {};
template <class S>
inline constexpr bool is_tangent = IsTangent<S>::value;

// A factor that does not change: of tangents a double, which spares them the products with its rates.
template <class S>
using Plain = std::conditional_t<is_tangent<S>, double, S>;

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

// How many directions go through the equations at once.
inline constexpr int kDirections = 4;
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
