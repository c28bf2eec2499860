// Tangents in lanes: numbers of four trajectories side by side, each with its rates of change in four
// directions. Every operation is rounded as it is written, as in LanesOf: rates have the same bits whoever is
// beside them. To be compiled without contraction.
#pragma once

#include <type_traits>

#include "catena/math/lanes.h"
#include "catena/math/tangent.h"

namespace catena {

struct LaneRates {
  using Lanes = LanesOf<4>;
  static constexpr int kDirections = 4;

  Lanes value, rates[kDirections];

  LaneRates() = default;
  LaneRates(double number) : LaneRates(Lanes(number)) {}  // NOLINT: a double is one that does not change
  explicit LaneRates(const Lanes& number) : value(number) {
    for (Lanes& rate : rates) rate = Lanes(0.0);
  }
  template <class F>
  static LaneRates made(const Lanes& number, const F& rate) {
    LaneRates out;
    out.value = number;
    for (int j = 0; j < kDirections; ++j) out.rates[j] = rate(j);
    return out;
  }
  bool changes() const {
    bool out = false;
    for (const Lanes& rate : rates) out = out || (size_of(rate) > Lanes(0.0)).any();
    return out;
  }
  // c x, where c does not change.
  friend LaneRates scaled(const LaneRates& c, const LaneRates& x) {
    return made(Lanes(c.value * x.value), [&](int j) { return Lanes(x.rates[j] * c.value); });
  }
  // From a tape: its numbers and their rates, [lane][number, its rates].
  void set_tape_part(int part, double to) {
    const int lane = part / (kDirections + 1), at = part % (kDirections + 1);
    (at == 0 ? value : rates[at - 1]).set_lane(lane, to);
  }
  // Of the first lane: for who asks for a number of all of them.
  explicit operator double() const { return value.lane(0); }

  friend LaneRates operator+(const LaneRates& a, const LaneRates& b) {
    return made(a.value + b.value, [&](int j) { return a.rates[j] + b.rates[j]; });
  }
  friend LaneRates operator-(const LaneRates& a, const LaneRates& b) {
    return made(a.value - b.value, [&](int j) { return a.rates[j] - b.rates[j]; });
  }
  friend LaneRates operator-(const LaneRates& a) {
    return made(-a.value, [&](int j) { return -a.rates[j]; });
  }
  friend LaneRates operator*(const LaneRates& a, const LaneRates& b) {
    return made(Lanes(a.value * b.value),
                [&](int j) { return b.rates[j] * a.value + Lanes(a.rates[j] * b.value); });
  }
  friend LaneRates operator*(const LaneRates& a, double factor) {
    const Lanes b(factor);
    return made(Lanes(a.value * b), [&](int j) { return Lanes(a.rates[j] * b); });
  }
  friend LaneRates operator*(double factor, const LaneRates& a) { return a * factor; }
  // (a / b)' = (a' - (a / b) b') / b
  friend LaneRates operator/(const LaneRates& a, const LaneRates& b) {
    const Lanes quotient = a.value / b.value, inverse = Lanes(1.0) / b.value;
    return made(quotient, [&](int j) { return Lanes(Lanes(a.rates[j] - b.rates[j] * quotient) * inverse); });
  }
  friend LaneRates operator/(const LaneRates& a, double divisor) {
    const Lanes b(divisor), inverse(1.0 / divisor);
    return made(a.value / b, [&](int j) { return Lanes(a.rates[j] * inverse); });
  }
  // a b + c
  friend LaneRates multiply_add(const LaneRates& a, const LaneRates& b, const LaneRates& c) {
    return made(fused(a.value, b.value, c.value),
                [&](int j) { return fused(b.rates[j], a.value, fused(a.rates[j], b.value, c.rates[j])); });
  }
  LaneRates& operator+=(const LaneRates& b) { return *this = *this + b; }
  LaneRates& operator-=(const LaneRates& b) { return *this = *this - b; }
  LaneRates& operator*=(const LaneRates& b) { return *this = *this * b; }
  LaneRates& operator/=(const LaneRates& b) { return *this = *this / b; }
  // Of all lanes and all rates: whether a term that is zero may be left out.
  friend bool operator==(const LaneRates& a, const LaneRates& b) {
    bool same = a.value == b.value;
    for (int j = 0; j < kDirections; ++j) same = same && a.rates[j] == b.rates[j];
    return same;
  }
};

template <>
struct IsTangent<LaneRates> : std::true_type {};
template <>
inline constexpr bool has_lane_rates<LaneRates> = true;
template <>
struct PackOf<LaneRates, 1> {
  using type = LaneRates;
};
template <>
inline constexpr int kPackWidth<LaneRates> = 1;

// One sum for each part: there are enough of them that none waits for its own last term. They have names, so
// that compilers keep them in registers.
template <>
class SumOfProducts<LaneRates> {
 public:
  using Lanes = LaneRates::Lanes;
  [[gnu::always_inline]] void add(const LaneRates& a, const LaneRates& b) {
    const Lanes x = in_register(a.value), y = in_register(b.value);
    value_ += x * y;
    first_ += a.rates[0] * y;
    second_ += a.rates[1] * y;
    third_ += a.rates[2] * y;
    fourth_ += a.rates[3] * y;
    first_ += b.rates[0] * x;
    second_ += b.rates[1] * x;
    third_ += b.rates[2] * x;
    fourth_ += b.rates[3] * x;
  }
  LaneRates times(double factor) const {
    LaneRates sum;
    sum.value = value_;
    sum.rates[0] = first_;
    sum.rates[1] = second_;
    sum.rates[2] = third_;
    sum.rates[3] = fourth_;
    return factor == 1.0 ? sum : sum * factor;
  }

 private:
  static_assert(LaneRates::kDirections == 4);
  Lanes value_{0.0}, first_{0.0}, second_{0.0}, third_{0.0}, fourth_{0.0};
};

// A function of x, by its value and slope there. What does not change has no rate, however steep the
// function.
inline LaneRates composed(const LaneRates& x, const LaneRates::Lanes& value, const LaneRates::Lanes& slope) {
  const LaneRates::Lanes none(0.0);
  return LaneRates::made(value, [&](int j) {
    const LaneRates::Lanes& rate = x.rates[j];
    return choose(size_of(rate) > none, LaneRates::Lanes(slope * rate), rate);
  });
}

inline LaneRates square_root(const LaneRates& x) {
  const LaneRates::Lanes root = square_root(x.value);
  return composed(x, root, LaneRates::Lanes(0.5) / root);
}

// In each lane: x where a > b.
inline LaneRates where_larger(const LaneRates& a, const LaneRates& b, const LaneRates& x,
                              const LaneRates& y) {
  const auto first = a.value > b.value;
  return LaneRates::made(choose(first, x.value, y.value),
                         [&](int j) { return choose(first, x.rates[j], y.rates[j]); });
}

}  // namespace catena
