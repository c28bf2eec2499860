// A number of one trajectory whose operations are written down while they are done: LanesOf<1>, and beside
// its value the place of what gave it in the active recording (catena/math/recording.h). What follows from
// constants alone is a constant. To be compiled as lanes are.
#pragma once

#include "catena/math/lanes.h"
#include "catena/math/recording.h"

namespace catena {

// Instead of a width.
inline constexpr int kRecorded = -1;

template <>
struct OneOfNumber<LanesOf<kRecorded>> {
  using type = LanesOf<kRecorded>;
  static constexpr int kBeside = 1;
};

template <>
struct LanesOf<kRecorded> {
  static constexpr int kWidth = 1;
  static constexpr int kRegisters = 1;
  static constexpr Operand kConstant = 0;  // in place of 1 + its node: zeros are constants

  // a b, not rounded yet.
  struct Product {
    double first, second;
    Operand first_at, second_at;
    LanesOf a() const { return {first, first_at}; }
    LanesOf b() const { return {second, second_at}; }
    friend Product operator-(const Product& p) { return -p.a() * p.b(); }
  };
  // A decision, 1 or 0 as a number. Who asks for it goes one way, which the recording keeps by a guard.
  struct Mask {
    double value;
    Operand at;
    bool lane(int) const {
      if (at != kConstant) Recorder::active()->guard(at - 1, value);
      return value != 0.0;
    }
    bool any() const { return lane(0); }
    friend Mask operator&(const Mask& a, const Mask& b) { return decided(RecordedOp::both, a.is(), b.is()); }
    friend Mask operator|(const Mask& a, const Mask& b) {
      return decided(RecordedOp::either, a.is(), b.is());
    }
    friend Mask operator!(const Mask& a) { return decided(RecordedOp::opposite, a.is(), a.is()); }
    LanesOf is() const { return LanesOf(value, at); }
  };

  double value;
  Operand at;

  LanesOf() = default;
  LanesOf(double constant) : value(constant), at(kConstant) {}  // NOLINT: as LanesOf<1>
  LanesOf(double now, Operand place) : value(now), at(place) {}
  LanesOf(const Product& p) { *this = made(RecordedOp::multiply, p.a(), p.b()); }  // NOLINT

  // A number of the scene: the next one that differs from case to case, or a constant.
  static LanesOf of_scene(double value) {
    Recorder* recorder = Recorder::active();
    if (recorder == nullptr || !recorder->takes_numbers()) return LanesOf(value);
    return {value, recorder->number(value) + 1};
  }
  // The next input of what is being recorded, with what it is like.
  static LanesOf input(double like) { return {like, Recorder::active()->input() + 1}; }
  Operand operand() const { return at == kConstant ? Recorder::active()->constant(value) : at - 1; }
  bool is_constant() const { return at == kConstant; }

  // Whoever takes the number itself does something that is not written down.
  double lane(int) const {
    if (at != kConstant) Recorder::active()->refuse("a part of this scene is not computed in such numbers");
    return value;
  }
  void set_lane(int, double to) { *this = LanesOf(to); }
  // For decisions by its sign.
  double decisive() const {
    if (at == kConstant) return value;
    Recorder& recorder = *Recorder::active();
    recorder.guard(recorder.node(RecordedOp::band, at - 1),
                   recorded_value(RecordedOp::band, value, 0.0, 0.0));
    return value;
  }

  static LanesOf made(RecordedOp op, const LanesOf& a) { return recorded(op, a, a, a, 1); }
  static LanesOf made(RecordedOp op, const LanesOf& a, const LanesOf& b) { return recorded(op, a, b, b, 2); }
  static LanesOf made(RecordedOp op, const LanesOf& a, const LanesOf& b, const LanesOf& c) {
    return recorded(op, a, b, c, 3);
  }
  static Mask decided(RecordedOp op, const LanesOf& a, const LanesOf& b) {
    const LanesOf out = op == RecordedOp::opposite ? made(op, a) : made(op, a, b);
    return {out.value, out.at};
  }

  friend LanesOf operator+(const LanesOf& a, const LanesOf& b) { return made(RecordedOp::add, a, b); }
  friend LanesOf operator-(const LanesOf& a, const LanesOf& b) { return made(RecordedOp::subtract, a, b); }
  friend LanesOf operator/(const LanesOf& a, const LanesOf& b) { return made(RecordedOp::divide, a, b); }
  friend LanesOf operator-(const LanesOf& a) { return made(RecordedOp::negate, a); }
  friend Product operator*(const LanesOf& a, const LanesOf& b) { return {a.value, b.value, a.at, b.at}; }

  friend LanesOf fused(const LanesOf& a, const LanesOf& b, const LanesOf& c) {
    return made(RecordedOp::fused, a, b, c);
  }
  friend LanesOf operator+(const Product& p, const LanesOf& c) { return fused(p.a(), p.b(), c); }
  friend LanesOf operator+(const LanesOf& c, const Product& p) { return fused(p.a(), p.b(), c); }
  friend LanesOf operator+(const Product& p, const Product& q) { return fused(p.a(), p.b(), LanesOf(q)); }
  friend LanesOf operator-(const Product& p, const LanesOf& c) { return fused(p.a(), p.b(), -c); }
  friend LanesOf operator-(const LanesOf& c, const Product& p) { return fused(-p.a(), p.b(), c); }
  friend LanesOf operator-(const Product& p, const Product& q) { return fused(p.a(), p.b(), -LanesOf(q)); }

  LanesOf& operator+=(const LanesOf& b) { return *this = *this + b; }
  LanesOf& operator-=(const LanesOf& b) { return *this = *this - b; }
  LanesOf& operator+=(const Product& p) { return *this = *this + p; }
  LanesOf& operator-=(const Product& p) { return *this = *this - p; }
  LanesOf& operator*=(const LanesOf& b) { return *this = *this * b; }
  LanesOf& operator/=(const LanesOf& b) { return *this = *this / b; }

  friend Mask operator<(const LanesOf& a, const LanesOf& b) { return decided(RecordedOp::less, a, b); }
  friend Mask operator<=(const LanesOf& a, const LanesOf& b) { return decided(RecordedOp::less_equal, a, b); }
  friend Mask operator>(const LanesOf& a, const LanesOf& b) { return b < a; }
  friend Mask operator>=(const LanesOf& a, const LanesOf& b) { return b <= a; }
  friend bool operator==(const LanesOf& a, const LanesOf& b) {
    return decided(RecordedOp::equal, a, b).lane(0);
  }
  friend LanesOf choose(const Mask& first, const LanesOf& a, const LanesOf& b) {
    return made(RecordedOp::choose, first.is(), a, b);
  }
  friend LanesOf size_of(const LanesOf& a) { return made(RecordedOp::size, a); }
  friend LanesOf square_root(const LanesOf& a) { return made(RecordedOp::root, a); }
  friend LanesOf larger(const LanesOf& a, const LanesOf& b) {
    const LanesOf number = choose(b <= b, b, LanesOf(__builtin_inf()));
    return choose(number <= a, a, number);
  }
  friend LanesOf smaller(const LanesOf& a, const LanesOf& b) { return choose(b < a, b, a); }

 private:
  static LanesOf recorded(RecordedOp op, const LanesOf& a, const LanesOf& b, const LanesOf& c, int count) {
    LanesOf out(recorded_value(op, a.value, b.value, c.value));
    if (a.is_constant() && (count < 2 || b.is_constant()) && (count < 3 || c.is_constant())) return out;
    out.at = 1 + Recorder::active()->node(op, a.operand(), count > 1 ? b.operand() : 0,
                                          count > 2 ? c.operand() : 0);
    return out;
  }
};

using Recorded = LanesOf<kRecorded>;

template <>
inline LanePairs<kRecorded> two_product(const Recorded& a, const Recorded& b) {
  const Recorded product = a * b;
  return {product, fused(a, b, -product)};
}

#define CATENA_OF_RECORDED(name)                 \
  template <>                                    \
  inline Recorded name##_of(const Recorded& x) { \
    return Recorded::made(RecordedOp::name, x);  \
  }
CATENA_ELEMENTARY(CATENA_OF_RECORDED)
#undef CATENA_OF_RECORDED
template <>
inline Recorded atan2_of(const Recorded& y, const Recorded& x) {
  return Recorded::made(RecordedOp::atan2, y, x);
}
template <>
inline Recorded pow_of(const Recorded& x, const Recorded& y) {
  return Recorded::made(RecordedOp::pow, x, y);
}

// Constants with twice the digits.
template <>
struct LanesDigits<kRecorded> {
  Recorded hi, lo;

  LanesDigits() = default;
  explicit LanesDigits(double value) : hi(value), lo(0.0) {}
  explicit LanesDigits(const Recorded& value) : hi(value), lo(0.0) {}
  LanesDigits(const Recorded& high, const Recorded& low) : hi(high), lo(low) {}

  // As DoubleDouble has them, operation by operation.
  static LanesDigits two_sum(const Recorded& a, const Recorded& b) {
    const Recorded sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  static LanesDigits fast_two_sum(const Recorded& a, const Recorded& b) {
    const Recorded sum = a + b;
    return {sum, b - (sum - a)};
  }
  friend LanesDigits operator+(const LanesDigits& a, const LanesDigits& b) {
    const LanesDigits high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo),
                      partial = fast_two_sum(high.hi, high.lo + low.hi);
    return fast_two_sum(partial.hi, low.lo + partial.lo);
  }
  friend LanesDigits operator*(const LanesDigits& a, const LanesDigits& b) {
    const Recorded product = a.hi * b.hi, rest = fused(a.hi, b.hi, -product), least = a.lo * b.lo;
    const Recorded cross = fused(a.hi, b.lo, fused(a.lo, b.hi, least));
    return fast_two_sum(product, rest + cross);
  }
  friend LanesDigits operator/(const LanesDigits& a, const LanesDigits& b) {
    const Recorded first = a.hi / b.hi;
    const LanesDigits taken = LanesDigits(first) * b, rest = a + LanesDigits(-taken.hi, -taken.lo);
    return fast_two_sum(first, rest.hi / b.hi);
  }
  // As TwoPartFactor has them.
  void in_two_parts(Recorded& high, Recorded& low) const {
    high = Recorded::made(RecordedOp::head, hi);
    low = (hi - high) + lo;
  }
};

}  // namespace catena
