// Numbers of W trajectories side by side, in the lanes of vector registers. Every operation is done in each
// lane by itself and rounded as it is written, so that a trajectory has the same bits whoever is beside it,
// and the same in LanesOf<1>, LanesOf<4> and LanesOf<8>. A product that a sum takes at once is fused with it:
// a * b + c is rounded once, and which products those are, the source says (`Product`), not the compiler. To
// be compiled without contraction.
#pragma once

#include <type_traits>

#include "catena/math/double_double.h"
#include "catena/math/elementary.h"
#include "catena/math/lane_kinds.h"
#include "catena/math/registers.h"

namespace catena {

template <int W>
struct LanesOf {
  static_assert(W == 1 || W % 4 == 0);
  static constexpr int kWidth = W;
  static constexpr int kRegisters = W == 1 ? 1 : W / 4;
  using Register = std::conditional_t<W == 1, double, Four>;

  // a b, not rounded yet.
  struct Product {
    LanesOf a, b;
    friend Product operator-(const Product& p) { return {-p.a, p.b}; }
  };
  // A decision of each lane.
  struct Mask {
    Choices<Register> parts[kRegisters];
    bool lane(int l) const {
      if constexpr (W == 1) {
        return parts[0];
      } else {
        return parts[l / 4][l % 4] != 0;
      }
    }
    bool any() const {
      bool out = false;
      for (int q = 0; q < kRegisters; ++q) out = out || catena::any(parts[q]);
      return out;
    }
    friend Mask operator&(const Mask& a, const Mask& b) {
      return LanesOf::decided([&](int q) { return both(a.parts[q], b.parts[q]); });
    }
    friend Mask operator|(const Mask& a, const Mask& b) {
      return LanesOf::decided([&](int q) { return either(a.parts[q], b.parts[q]); });
    }
    friend Mask operator!(const Mask& a) {
      return LanesOf::decided([&](int q) { return opposite(a.parts[q]); });
    }
  };

  Register parts[kRegisters];

  LanesOf() = default;
  LanesOf(double value) {  // NOLINT: a double is the same in all lanes
    for (int q = 0; q < kRegisters; ++q) parts[q] = all_of<Register>(value);
  }
  LanesOf(const Product& p) {
    *this = made([&](int q) { return Register(p.a.parts[q] * p.b.parts[q]); });
  }  // NOLINT

  template <int V>
  requires(V == 1 && W != 1) LanesOf(const LanesOf<V>& one)
      : LanesOf(one.lane(0)) {}  // NOLINT: as of a double

  double lane(int l) const {
    if constexpr (W == 1) {
      return parts[0];
    } else {
      return parts[l / 4][l % 4];
    }
  }
  void set_lane(int l, double to) {
    if constexpr (W == 1) {
      parts[0] = to;
    } else {
      parts[l / 4][l % 4] = to;
    }
  }

  template <class F>
  static LanesOf made(const F& part) {
    LanesOf out;
    for (int q = 0; q < kRegisters; ++q) out.parts[q] = part(q);
    return out;
  }
  template <class F>
  static Mask decided(const F& part) {
    Mask out;
    for (int q = 0; q < kRegisters; ++q) out.parts[q] = part(q);
    return out;
  }

  friend LanesOf operator+(const LanesOf& a, const LanesOf& b) {
    return made([&](int q) { return Register(a.parts[q] + b.parts[q]); });
  }
  friend LanesOf operator-(const LanesOf& a, const LanesOf& b) {
    return made([&](int q) { return Register(a.parts[q] - b.parts[q]); });
  }
  friend LanesOf operator/(const LanesOf& a, const LanesOf& b) {
    return made([&](int q) { return Register(a.parts[q] / b.parts[q]); });
  }
  friend LanesOf operator-(const LanesOf& a) {
    return made([&](int q) { return Register(-a.parts[q]); });
  }
  friend Product operator*(const LanesOf& a, const LanesOf& b) { return {a, b}; }

  friend LanesOf fused(const LanesOf& a, const LanesOf& b, const LanesOf& c) {
    return made([&](int q) { return catena::fused(a.parts[q], b.parts[q], c.parts[q]); });
  }
  friend LanesOf operator+(const Product& p, const LanesOf& c) { return fused(p.a, p.b, c); }
  friend LanesOf operator+(const LanesOf& c, const Product& p) { return fused(p.a, p.b, c); }
  friend LanesOf operator+(const Product& p, const Product& q) { return fused(p.a, p.b, LanesOf(q)); }
  friend LanesOf operator-(const Product& p, const LanesOf& c) { return fused(p.a, p.b, -c); }
  friend LanesOf operator-(const LanesOf& c, const Product& p) { return fused(-p.a, p.b, c); }
  friend LanesOf operator-(const Product& p, const Product& q) { return fused(p.a, p.b, -LanesOf(q)); }

  LanesOf& operator+=(const LanesOf& b) { return *this = *this + b; }
  LanesOf& operator-=(const LanesOf& b) { return *this = *this - b; }
  LanesOf& operator+=(const Product& p) { return *this = *this + p; }
  LanesOf& operator-=(const Product& p) { return *this = *this - p; }
  LanesOf& operator*=(const LanesOf& b) { return *this = *this * b; }
  LanesOf& operator/=(const LanesOf& b) { return *this = *this / b; }

  friend Mask operator<(const LanesOf& a, const LanesOf& b) {
    return decided([&](int q) { return a.parts[q] < b.parts[q]; });
  }
  friend Mask operator<=(const LanesOf& a, const LanesOf& b) {
    return decided([&](int q) { return a.parts[q] <= b.parts[q]; });
  }
  friend Mask operator>(const LanesOf& a, const LanesOf& b) { return b < a; }
  friend Mask operator>=(const LanesOf& a, const LanesOf& b) { return b <= a; }
  // Of all lanes: whether a term that is zero may be left out.
  friend bool operator==(const LanesOf& a, const LanesOf& b) {
    return !decided([&](int q) { return a.parts[q] != b.parts[q]; }).any();
  }
  friend LanesOf choose(const Mask& first, const LanesOf& a, const LanesOf& b) {
    return made([&](int q) { return catena::choose(first.parts[q], a.parts[q], b.parts[q]); });
  }
  friend LanesOf size_of(const LanesOf& a) {
    return made([&](int q) { return size_of_number(a.parts[q]); });
  }
  friend LanesOf square_root(const LanesOf& a) {
    return made([&](int q) { return root_of(a.parts[q]); });
  }
  // The larger one; infinite once there was no number.
  friend LanesOf larger(const LanesOf& a, const LanesOf& b) {
    const LanesOf number = choose(b <= b, b, LanesOf(__builtin_inf()));
    return choose(number <= a, a, number);
  }
  friend LanesOf smaller(const LanesOf& a, const LanesOf& b) { return choose(b < a, b, a); }
};

// The same number, loaded once: compilers would load it again for each use.
template <int W>
[[gnu::always_inline]] inline LanesOf<W> in_register(LanesOf<W> x) {
#if defined(__GNUC__) && defined(__AVX__)
  if constexpr (W == 4) asm("" : "+x"(x.parts[0]));
#endif
  return x;
}

// Exact sums in lanes.
template <int W>
struct LanePairs {
  LanesOf<W> hi, lo;
};
template <int W>
inline LanePairs<W> two_sum(const LanesOf<W>& a, const LanesOf<W>& b) {
  const LanesOf<W> sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
template <int W>
inline LanePairs<W> fast_two_sum(const LanesOf<W>& a, const LanesOf<W>& b) {
  const LanesOf<W> sum = a + b;
  return {sum, b - (sum - a)};
}
template <int W>
inline LanePairs<W> two_product(const LanesOf<W>& a, const LanesOf<W>& b) {
  LanePairs<W> out;
  for (int q = 0; q < LanesOf<W>::kRegisters; ++q) {
    const auto pair = exact_product(a.parts[q], b.parts[q]);
    out.hi.parts[q] = pair.hi;
    out.lo.parts[q] = pair.lo;
  }
  return out;
}

// Elementary functions, whose bits are pinned too.
#define CATENA_OF_LANES(name)                                                     \
  template <int W>                                                                \
  inline LanesOf<W> name##_of(const LanesOf<W>& x) {                              \
    LanesOf<W> out;                                                               \
    if constexpr (W == 1) {                                                       \
      out.parts[0] = elementary::name(x.parts[0]);                                \
    } else {                                                                      \
      for (int q = 0; q < W / 4; ++q) elementary::name(x.parts[q], out.parts[q]); \
    }                                                                             \
    return out;                                                                   \
  }
CATENA_ELEMENTARY(CATENA_OF_LANES)
#undef CATENA_OF_LANES
#define CATENA_OF_LANES(name)                                                                 \
  template <int W>                                                                            \
  inline LanesOf<W> name##_of(const LanesOf<W>& x, const LanesOf<W>& y) {                     \
    LanesOf<W> out;                                                                           \
    if constexpr (W == 1) {                                                                   \
      out.parts[0] = elementary::name(x.parts[0], y.parts[0]);                                \
    } else {                                                                                  \
      for (int q = 0; q < W / 4; ++q) elementary::name(x.parts[q], y.parts[q], out.parts[q]); \
    }                                                                                         \
    return out;                                                                               \
  }
CATENA_OF_LANES(atan2)
CATENA_OF_LANES(pow)
#undef CATENA_OF_LANES

// Constants with twice the digits, of each lane.
template <int W>
struct LanesDigits {
  DoubleDouble lane[W];

  LanesDigits() = default;
  explicit LanesDigits(double value) {
    for (DoubleDouble& one : lane) one = value;
  }
  explicit LanesDigits(const LanesOf<W>& values) {
    for (int l = 0; l < W; ++l) lane[l] = values.lane(l);
  }
  template <class F>
  static LanesDigits made(const F& one) {
    LanesDigits out;
    for (int l = 0; l < W; ++l) out.lane[l] = one(l);
    return out;
  }
  friend LanesDigits operator+(const LanesDigits& a, const LanesDigits& b) {
    return made([&](int l) { return a.lane[l] + b.lane[l]; });
  }
  friend LanesDigits operator*(const LanesDigits& a, const LanesDigits& b) {
    return made([&](int l) { return a.lane[l] * b.lane[l]; });
  }
  friend LanesDigits operator/(const LanesDigits& a, const LanesDigits& b) {
    return made([&](int l) { return a.lane[l] / b.lane[l]; });
  }
};

// They go one by one: their lanes are the trajectories.
template <int W>
struct PackOf<LanesOf<W>, 1> {
  using type = LanesOf<W>;
};
template <int W>
inline constexpr int kPackWidth<LanesOf<W>> = 1;

}  // namespace catena
