// Numbers that carry second derivatives: a tangent of a tangent. A number with its rates in some directions,
// and how all of that changes along one more: in what is computed with them, the rates of this change are
// products of the matrix of second derivatives with that direction.
#pragma once

#include <cmath>
#include <utility>

#include "catena/math/tangent.h"

namespace catena {

struct Bends {
  // Rates in all: in the directions, along, and those of the rate along, in the directions.
  static constexpr int kDirections = 2 * Rates::kDirections + 1;
  static constexpr int kAlong = Rates::kDirections + 1;  // the part that is the rate along
  static constexpr int kSecond = kAlong + 1;             // the first part that is a second derivative

  Bends() = default;
  Bends(double value) : base(value) {}  // NOLINT: a double is one that does not change
  Bends(const Rates& number, const Rates& change) : base(number), along(change) {}
  explicit operator double() const { return base.value(); }

  double value() const { return base.value(); }
  // Part 0 is the value, then its rates, then the rate along and the rates of that.
  double part(int j) const { return j < kAlong ? base.part(j) : along.part(j - kAlong); }
  void set_part(int j, double to) { j < kAlong ? base.set_part(j, to) : along.set_part(j - kAlong, to); }
  double rate(int j) const { return part(j + 1); }
  void set_rate(int j, double to) { set_part(j + 1, to); }

  Bends& operator+=(const Bends& b) {
    base += b.base;
    along += b.along;
    return *this;
  }
  Bends& operator-=(const Bends& b) {
    base -= b.base;
    along -= b.along;
    return *this;
  }
  Bends& operator*=(const Bends& b) { return *this = *this * b; }
  Bends& operator/=(const Bends& b) { return *this = *this / b; }

  friend Bends operator+(Bends a, const Bends& b) { return a += b; }
  friend Bends operator-(Bends a, const Bends& b) { return a -= b; }
  friend Bends operator-(const Bends& a) { return {-a.base, -a.along}; }
  friend Bends operator*(const Bends& a, const Bends& b) {
    return {a.base * b.base, multiply_add(a.along, b.base, a.base * b.along)};
  }
  friend Bends operator*(const Bends& a, double b) { return {a.base * b, a.along * b}; }
  friend Bends operator*(double a, const Bends& b) { return b * a; }
  friend Bends operator/(const Bends& a, const Bends& b) {
    const Rates quotient = a.base / b.base;
    return {quotient, (a.along - quotient * b.along) / b.base};
  }
  friend Bends operator/(const Bends& a, double b) { return {a.base / b, a.along / b}; }
  friend Bends multiply_add(const Bends& a, const Bends& b, const Bends& c) { return a * b + c; }
  friend bool operator==(const Bends& a, const Bends& b) { return a.base == b.base && a.along == b.along; }
  friend bool operator>(const Bends& a, const Bends& b) { return a.value() > b.value(); }

  Rates base, along;
};

template <>
struct IsTangent<Bends> : std::true_type {};
template <>
inline constexpr int kParts<Bends> = Bends::kDirections + 1;
template <>
struct PackOf<Bends, 1> {
  using type = Bends;
};
template <>
inline constexpr int kPackWidth<Bends> = 1;

inline DoubleDouble to_pair(const Bends& x) { return {x.value(), 0.0}; }

// (a b) and its change along, a' b + a b', in three sums.
template <>
class SumOfProducts<Bends> {
 public:
  void add(const Bends& a, const Bends& b) {
    value_.add(a.base, b.base);
    change_.add(a.along, b.base);
    change_.add(a.base, b.along);
  }
  Bends times(double factor) const { return {value_.times(factor), change_.times(factor)}; }

 private:
  SumOfProducts<Rates> value_, change_;
};

// A function of x, by its value, slope and second derivative there. What does not change has no rate, however
// steep the function.
inline Bends composed(const Bends& x, double value, double slope, double bend) {
  const Rates steepness = composed(x.base, slope, bend);
  const auto times = [](double factor, double change) { return change == 0.0 ? 0.0 : factor * change; };
  Bends out(composed(x.base, value, slope), Rates(times(slope, x.along.value())));
  for (int j = 0; j < Rates::kDirections; ++j) {
    out.along.set_rate(j, times(slope, x.along.rate(j)) +
                              (x.base.rate(j) == 0.0 ? 0.0 : times(steepness.rate(j), x.along.value())));
  }
  return out;
}

inline Bends square_root(const Bends& x) {
  const double root = std::sqrt(x.value()), slope = 0.5 / root;
  return composed(x, root, slope, -0.5 * slope / x.value());
}

}  // namespace catena
