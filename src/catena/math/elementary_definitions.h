// What the elementary functions do, for one number or for four (P): for the files that compile them, without
// contraction. Plain C++ over registers.h, so that other compilers of the same source give the same bits.
#pragma once

#include "catena/math/elementary_tables.h"
#include "catena/math/registers.h"

// Parts of functions stand where they are used: called, they would hand their results over in memory.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define CATENA_FLAT [[gnu::always_inline]] inline
#else
#define CATENA_FLAT inline
#endif

namespace catena {
#if CATENA_TWO_ROUNDINGS
inline namespace two_roundings {
#else
inline namespace one_rounding {
#endif
namespace elementary_kernels {

using namespace elementary;

inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kNoNumber = __builtin_nan("");
// Adding it to a number far smaller leaves the nearest whole number in the last bits.
inline constexpr double kRounder = 0x1.8p52;

template <class P>
CATENA_FLAT P constant(double value) {
  return all_of<P>(value);
}
template <class P>
CATENA_FLAT P tidied(const P& x) {
  return choose(x == x, x, constant<P>(kNoNumber));
}
template <class P>
CATENA_FLAT P nearest_whole(const P& x) {
  return (x + kRounder) - kRounder;
}
// 2^k for whole k from -1022 to 1023.
template <class P>
CATENA_FLAT P two_to(const P& k) {
  return same_bits<P>(Words<P>(words_of(P(k + (kRounder + 1023.0))) << 52));
}
// x 2^k, in two steps, so that the result may be subnormal or overflow.
template <class P>
CATENA_FLAT P scaled(const P& x, const P& k) {
  if (!any(size_of_number(k) > 1000.0)) return x * two_to(k);
  const P half = nearest_whole(P(k * 0.5));
  return x * two_to(half) * two_to(P(k - half));
}
template <class C>
CATENA_FLAT bool all(const C& chosen) {
  return !any(opposite(chosen));
}
// f(a, b) for those numbers that are chosen, one by one.
template <class P, class F>
CATENA_FLAT P replaced(const Choices<P>& chosen, const P& by_all, const P& a, const P& b, const F& f) {
  if constexpr (sizeof(P) == sizeof(double)) {
    return chosen ? f(a, b) : by_all;
  } else {
    P out = by_all;
    for (int i = 0; i < 4; ++i) {
      if (chosen[i]) out[i] = f(a[i], b[i]);
    }
    return out;
  }
}
// n / d, to all digits of the quotient.
template <class P>
CATENA_FLAT P quotient(const Pair<P>& n, const Pair<P>& d) {
  const P inverse = 1.0 / d.hi, first = n.hi * inverse;
  return first + inverse * ((n.lo - first * d.lo) - remainder_of(first, d.hi, n.hi));
}

// ---- exponentials -----------------------------------------------------------------------------------------

// x = k ln 2 + r + rest, |r| <= ln 2 / 2
template <class P>
struct Reduced {
  P k, r, rest;
};
template <class P>
CATENA_FLAT Reduced<P> reduced(const P& x) {
  const P k = fused(x, constant<P>(kLog2E[0]), constant<P>(kRounder)) - kRounder;
  const P high = x - k * kLn2[0], low = k * kLn2[1];  // the first product is exact
  const P r = high - low;
  return {k, r, (high - r) - low};
}

// exp(x) = 2^k (1 + r + c), |r| <= ln 2 / 2
template <class P>
struct Exponential {
  P k, r, c;
  Pair<P> sum() const {
    const Pair<P> one = exact_sum_of_ordered(constant<P>(1.0), r);
    return exact_sum_of_ordered(one.hi, P(one.lo + c));
  }
};

template <class P>
CATENA_FLAT Exponential<P> exponential(const P& x) {
  const Reduced<P> of = reduced(x);
  const P r = of.r, c = fused(P(r * r), polynomial(r, kExp), fused(r, of.rest, of.rest));
  return {of.k, r, c};
}
// exp(x + x_lo)
template <class P>
CATENA_FLAT Exponential<P> exponential(const P& x, const P& x_lo) {
  const P k = fused(x, constant<P>(kLog2E[0]), constant<P>(kRounder)) - kRounder;
  const P high = x - k * kLn2[0], low = k * kLn2[1];  // the first product is exact
  const P near = high - low, r = near + x_lo;
  const P rest = ((near - r) + x_lo) + ((high - near) - low);
  const P c = fused(P(r * r), polynomial(r, kExp), fused(r, rest, rest));
  return {k, r, c};
}

template <class P>
CATENA_FLAT P limited(const P& x, double lowest, double highest) {
  const P above = choose(x > lowest, x, constant<P>(lowest));
  return choose(above < highest, above, constant<P>(highest));
}

template <class P>
P exp(const P& x) {
  const bool is_usual = all(size_of_number(x) < 690.0);  // 2^k is a number, and so is the result
  const Exponential<P> of = exponential(is_usual ? x : limited(x, -746.0, 710.0));
  const Pair<P> one = exact_sum_of_ordered(constant<P>(1.0), of.r);
  const P sum = one.hi + (one.lo + of.c);
  if (is_usual) return sum * two_to(of.k);
  return choose(x == x, scaled(sum, of.k), constant<P>(kNoNumber));
}

template <class P>
P exp2(const P& x) {
  const P inside = limited(x, -1076.0, 1025.0);
  const P k = nearest_whole(inside), r = inside - k;
  const Pair<P> product = exact_product(r, constant<P>(kFullLn2[0]));
  const P c = fused(P(r * r), polynomial(r, kExp2), fused(r, constant<P>(kFullLn2[1]), product.lo));
  const Pair<P> one = exact_sum_of_ordered(constant<P>(1.0), product.hi);
  const P result = scaled(P(one.hi + (one.lo + c)), k);
  return choose(x == x, result, constant<P>(kNoNumber));
}

// ---- hyperbolic functions ---------------------------------------------------------------------------------

// e^x and e^-x over 2^k, of x >= 0.
template <class P>
struct UpAndDown {
  P k;
  Pair<P> up, down;
};
template <class P>
CATENA_FLAT UpAndDown<P> up_and_down(const P& size) {
  const Exponential<P> of = exponential(size);
  const Pair<P> up = of.sum();
  const P inverse = 1.0 / up.hi;
  const P rest = -(remainder_of(inverse, up.hi, constant<P>(1.0)) + inverse * up.lo) * inverse;
  const P part = two_to(P(-2.0 * choose(of.k < 64.0, of.k, constant<P>(64.0))));
  return {of.k, up, {inverse * part, rest * part}};
}
// Sizes whose results are far from the largest number.
template <class P>
CATENA_FLAT bool is_usual_size(const P& size) {
  return all(size < 690.0);
}

template <class P>
P sinh(const P& x) {
  const P size = size_of_number(x);
  const bool is_usual = is_usual_size(size);
  const UpAndDown<P> of = up_and_down(is_usual ? size : limited(size, 0.0, 712.0));
  const Pair<P> d = exact_sum_of_ordered(of.up.hi, P(-of.down.hi));
  const P sum = d.hi + (d.lo + (of.up.lo - of.down.lo)), k = of.k - 1.0;
  const P far = is_usual ? P(sum * two_to(k)) : scaled(sum, k);
  const P z = size * size;
  const P near = size + size * z * polynomial(z, kSinh);
  return tidied(turned_like(choose(size < 0.35, near, choose(x == x, far, x)), x));
}

// e^x = 2^k e^r: cosh x = 2^(k-1) ((1 + 2^-2k) cosh r + (1 - 2^-2k) sinh r). `even`: 1 + 2^-2k.
template <class P>
CATENA_FLAT P cosh_of(const Reduced<P>& of, const P& down, const Pair<P>& even) {
  const P odd = 1.0 - down, z = of.r * of.r;
  const P cosine = fused(P(z * z), polynomial(z, kCosh), P(0.5 * z));
  const P sine = fused(P(of.r * z), polynomial(z, kSinh), of.rest);  // beyond r
  const Pair<P> line = exact_product(odd, of.r), d = exact_sum_of_ordered(even.hi, line.hi);
  return d.hi + (d.lo + fused(even.hi, cosine, fused(odd, sine, P(line.lo + even.lo))));
}
template <class P>
P cosh(const P& x) {
  const P size = size_of_number(x), one = constant<P>(1.0);
  if (all(size < 17.0)) {  // 1 + 2^-2k is a number
    const Reduced<P> of = reduced(size);
    const P down = two_to(P(-2.0 * of.k));
    return cosh_of(of, down, {P(one + down), constant<P>(0.0)}) * two_to(P(of.k - 1.0));
  }
  const Reduced<P> of = reduced(limited(size, 0.0, 712.0));
  const P down = two_to(P(-2.0 * choose(of.k < 64.0, of.k, constant<P>(64.0))));
  const P result = scaled(cosh_of(of, down, exact_sum_of_ordered(one, down)), P(of.k - 1.0));
  return choose(x == x, result, constant<P>(kNoNumber));
}

// (e^2x - 1) / (e^2x + 1)
template <class P>
P tanh(const P& x) {
  const Exponential<P> of = exponential(P(2.0 * limited(size_of_number(x), 0.0, 22.0)));
  const Pair<P> sum = of.sum();
  const P power = two_to(of.k);
  const Pair<P> less = exact_sum(P(sum.hi * power), constant<P>(-1.0));
  const Choices<P> small = of.k == 0.0;
  const Pair<P> top =
      exact_sum_of_ordered(choose(small, of.r, less.hi), choose(small, of.c, P(less.lo + sum.lo * power)));
  const Pair<P> bottom = exact_sum(constant<P>(2.0), top.hi);
  const P result = quotient(top, {bottom.hi, P(bottom.lo + top.lo)});
  return choose(x == x, turned_like(result, x), constant<P>(kNoNumber));
}

// ---- logarithms -------------------------------------------------------------------------------------------

inline constexpr double kSmallestNormal = 0x1p-1022;
inline constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // sqrt(1/2)

// x = 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2); of x > 0 that is finite.
template <class P>
struct Mantissa {
  P k, f;
};
template <class P>
CATENA_FLAT Mantissa<P> mantissa_of_normal(const P& x) {
  const Words<P> words = words_of(x) + (0x3ff0000000000000 - kRootHalf);
  const P exponent = same_bits<P>(Words<P>((words >> 52) | 0x4330000000000000)) - (0x1p52 + 1023.0);
  const P m = same_bits<P>(Words<P>((words & 0x000fffffffffffff) + kRootHalf));
  return {exponent, m - 1.0};
}
// Normal numbers above zero, that are finite.
template <class P>
CATENA_FLAT bool is_usual_mantissa(const P& x) {
  if constexpr (sizeof(P) == sizeof(double)) {
    return words_of(x) - 0x0010000000000000 < 0x7fe0000000000000;
  } else {
    return all(both(x >= kSmallestNormal, x < kInfinity));
  }
}
template <class P>
CATENA_FLAT Mantissa<P> mantissa(const P& x) {
  if (is_usual_mantissa(x)) return mantissa_of_normal(x);
  const Choices<P> tiny = x < kSmallestNormal;
  const P normal = choose(tiny, P(x * 0x1p54), x);
  const Mantissa<P> of = mantissa_of_normal(normal);
  return {choose(tiny, P(of.k - 54.0), of.k), of.f};
}

// What logarithms are at 0, below and at infinity.
template <class P>
CATENA_FLAT P log_or_else(const P& x, const P& result) {
  if (is_usual_mantissa(x)) return result;
  const Choices<P> usual = both(x > 0.0, x < kInfinity);
  if (!any(opposite(usual))) return result;
  const P none = choose(x == kInfinity, x, constant<P>(kNoNumber));
  return choose(usual, result, choose(x == 0.0, constant<P>(-kInfinity), none));
}

// log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)), s = f / (2 + f), as in fdlibm, with the exact f^2.
template <class P>
P log(const P& x) {
  const Mantissa<P> of = mantissa(x);
  const P f = of.f, s = f / (2.0 + f), z = s * s;
  const Pair<P> half_square = exact_product(P(0.5 * f), f);
  const P bend = s * fused(z, polynomial(z, kLog), half_square.hi);
  const Pair<P> d = exact_sum_of_ordered(f, P(-half_square.hi));
  const Pair<P> sum = exact_sum_of_ordered(P(of.k * kLn2[0]), d.hi);
  const P low = fused(of.k, constant<P>(kLn2[1]), P((d.lo - half_square.lo) + bend));
  return log_or_else(x, P(sum.hi + (sum.lo + low)));
}

// x = 2^k m, and with c next to 1/m, log2 m = -log2 c + log2(1 + r), where r = c m - 1 is exact.
template <class P>
P log2(const P& x) {
  const Mantissa<P> of = mantissa(x);
  const P m = 1.0 + of.f;
  const Words<P> at = ((words_of(m) - kRootHalf) >> 44) & 0xff;
  P inverse, high, low;
  if constexpr (sizeof(P) == sizeof(double)) {
    const double* row = kLog2Of[at];
    inverse = row[0], high = row[1], low = row[2];
  } else {
    for (int i = 0; i < 4; ++i) {
      const double* row = kLog2Of[at[i]];
      inverse[i] = row[0], high[i] = row[1], low[i] = row[2];
    }
  }
  const P r = remainder_of(m, inverse, constant<P>(1.0));
  const Pair<P> line = exact_product(r, constant<P>(kLog2E[0]));
  const P bend = fused(P(r * r), polynomial(r, kLog2OneMore), low);
  const Pair<P> sum = exact_sum_of_ordered(P(of.k + high), line.hi);
  const P rest = bend + fused(r, constant<P>(kLog2E[1]), line.lo);
  return log_or_else(x, P(sum.hi + (sum.lo + rest)));
}

// The logarithm to some 68 bits: x = 2^k m, and with j/256 next to 1/m, log m = log(256/j) + log(1 + r),
// where r = m j/256 - 1 is exact: it has 53 bits.
template <class P>
CATENA_FLAT Pair<P> log_in_two_parts(const P& x) {
  const Mantissa<P> of = mantissa(x);
  constexpr double kTo256ths = 0x1.8p44;
  const P m = 1.0 + of.f, rounding = 1.0 / m + kTo256ths, inverse = rounding - kTo256ths;
  const Words<P> at = (words_of(rounding) & 0xffff) - kFirstInverse;
  Pair<P> table;
  if constexpr (sizeof(P) == sizeof(double)) {
    table = {kLogOfInverse[at][0], kLogOfInverse[at][1]};
  } else {
    for (int i = 0; i < 4; ++i) {
      table.hi[i] = kLogOfInverse[at[i]][0];
      table.lo[i] = kLogOfInverse[at[i]][1];
    }
  }
  const P r = remainder_of(m, inverse, constant<P>(1.0));
  const Pair<P> half_square = exact_product(P(-0.5 * r), r);
  const P bend = r * (r * r) * polynomial(r, kLog1p);
  const Pair<P> a = exact_sum_of_ordered(P(of.k * kLn2[0]), table.hi);
  const Pair<P> b = exact_sum_of_ordered(a.hi, r);
  const Pair<P> c = exact_sum_of_ordered(b.hi, half_square.hi);
  const P low = fused(of.k, constant<P>(kLn2[1]), table.lo) + (half_square.lo + bend);
  return exact_sum_of_ordered(c.hi, P((a.lo + b.lo) + (c.lo + low)));
}

// ---- powers -----------------------------------------------------------------------------------------------

// x^y for x > 0 and y, both finite.
template <class P>
CATENA_FLAT P usual_power(const P& x, const P& y) {
  const Pair<P> log = log_in_two_parts(x);
  const P size = size_of_number(y);
  const P exponent =
      all(size < 0x1p65) ? y : limited(y, -0x1p65, 0x1p65);  // beyond it it is 0, 1 or infinite
  const Pair<P> p = exact_product(exponent, log.hi);
  if (all(size_of_number(p.hi) < 690.0)) {
    const Exponential<P> usual = exponential(p.hi, fused(exponent, log.lo, p.lo));
    const Pair<P> one = exact_sum_of_ordered(constant<P>(1.0), usual.r);
    return (one.hi + (one.lo + usual.c)) * two_to(usual.k);
  }
  const P inside = limited(p.hi, -746.0, 710.0);
  const P rest = choose(inside == p.hi, fused(exponent, log.lo, p.lo), constant<P>(0.0));
  const Exponential<P> result = exponential(inside, rest);
  const Pair<P> one = exact_sum_of_ordered(constant<P>(1.0), result.r);
  return scaled(P(one.hi + (one.lo + result.c)), result.k);
}

// The rest, as C has it.
inline double rare_power(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return kNoNumber;
  const double size = size_of_number(x), y_size = size_of_number(y);
  if (y_size == kInfinity) {
    if (size == 1.0) return 1.0;
    return (size > 1.0) == (y > 0.0) ? kInfinity : 0.0;
  }
  const auto is_whole = [](double z) { return z >= 0x1p52 || (z + 0x1p52) - 0x1p52 == z; };  // z >= 0
  const bool whole = is_whole(y_size), odd = whole && y_size < 0x1p53 && !is_whole(0.5 * y_size);
  const bool negative = odd && words_of(x) >> 63 != 0;
  double result;
  if (size == 0.0 || size == kInfinity) {
    result = (size == 0.0) == (y < 0.0) ? kInfinity : 0.0;
  } else if (x < 0.0 && !whole) {
    return kNoNumber;
  } else {
    result = usual_power(size, y);
  }
  return negative ? -result : result;
}

template <class P>
P pow(const P& x, const P& y) {
  if (is_usual_mantissa(x) && all(size_of_number(y) < 0x1p65)) return usual_power(x, y);
  const Choices<P> usual = both(both(x > 0.0, x < kInfinity), size_of_number(y) < kInfinity);
  const P result = usual_power(x, y);
  if (!any(opposite(usual))) return result;
  return replaced<P>(opposite(usual), result, x, y, [](double a, double b) { return rare_power(a, b); });
}

// ---- circular functions -----------------------------------------------------------------------------------

// x = (quarters + 4 n) pi/2 + r, |r| <= pi/4 and a little
template <class P>
struct Quarters {
  Words<P> quarters;  // its last two bits
  Pair<P> r;
};

// Beyond it multiples of pi/2 in three parts have too few digits.
inline constexpr double kLargestByParts = 0x1p20;

// M. H. Payne, R. N. Hanek (1983): x 2/pi modulo 4, from those 192 bits of 2/pi that matter, so that 75 are
// right of the closest that a double comes to a multiple of pi/2.
inline Quarters<double> quarters_of_large(double x) {
  const std::uint64_t words = words_of(x);
  const std::uint64_t whole = (words & 0x000fffffffffffff) | 0x0010000000000000;
  const int first = static_cast<int>(words >> 52 & 0x7ff) - 1075 - 2 + 64;  // bit of kTwoOverPi
  const std::uint64_t factor[2] = {whole & 0xffffffff, whole >> 32};
  std::uint64_t product[6] = {};  // the last word first
  for (int i = 0; i < 6; ++i) {
    const int at = first / 32 + 5 - i, shift = first % 32;
    const std::uint64_t both_words = std::uint64_t{kTwoOverPi[at]} << 32 | kTwoOverPi[at + 1];
    const std::uint64_t word = both_words >> (32 - shift) & 0xffffffff;
    std::uint64_t carry = 0;
    for (int j = 0; j < 2 && i + j < 6; ++j) {
      const std::uint64_t sum = word * factor[j] + product[i + j] + carry;
      product[i + j] = sum & 0xffffffff;
      carry = sum >> 32;
    }
    for (int j = i + 2; j < 6 && carry != 0; ++j) {
      const std::uint64_t sum = product[j] + carry;
      product[j] = sum & 0xffffffff;
      carry = sum >> 32;
    }
  }
  std::uint64_t quarters = product[5] >> 30;
  product[5] &= 0x3fffffff;
  const bool down = product[5] >> 29 != 0;  // the fraction is a half or more: count one quarter more
  if (down) {
    ++quarters;
    std::uint64_t borrow = 1;  // two's complement
    for (int i = 0; i < 6; ++i) {
      const std::uint64_t sum = (~product[i] & 0xffffffff) + borrow;
      product[i] = sum & 0xffffffff;
      borrow = sum >> 32;
    }
    product[5] &= 0x3fffffff;
  }
  Pair<double> fraction = {0.0, 0.0};
  double unit = 0x1p-30;
  for (int i = 5; i >= 0; --i, unit *= 0x1p-32) {
    const Pair<double> sum = exact_sum(fraction.hi, static_cast<double>(product[i]) * unit);
    fraction = exact_sum_of_ordered(sum.hi, sum.lo + fraction.lo);
  }
  const double half_pi = 2.0 * kQuarterPi[0], half_pi_lo = 2.0 * kQuarterPi[1];
  const Pair<double> p = exact_product(fraction.hi, half_pi);
  const double low = p.lo + fused(fraction.hi, half_pi_lo, fraction.lo * half_pi);
  Pair<double> r = exact_sum_of_ordered(p.hi, low);
  const bool negative = words >> 63 != 0;
  if (negative) quarters = 4 - (quarters & 3);
  if (down != negative) r = {-r.hi, -r.lo};
  return {quarters, r};
}

template <class P>
CATENA_FLAT Quarters<P> quarters_of(const P& x) {
  const P k = fused(x, constant<P>(0x1.45f306dc9c883p-1), constant<P>(kRounder)) - kRounder;
  const P first = x - k * kHalfPi[0];  // exact
  const Pair<P> second = exact_product(k, constant<P>(kHalfPi[1]));
  const Pair<P> d = exact_sum(first, P(-second.hi));
  const P low = d.lo - fused(k, constant<P>(kHalfPi[2]), second.lo);
  Quarters<P> out{words_of(P(k + kRounder)), exact_sum_of_ordered(d.hi, low)};
  const Choices<P> large = size_of_number(x) > kLargestByParts;
  if (!any(large)) return out;
  if constexpr (sizeof(P) == sizeof(double)) {
    if (x == x && size_of_number(x) < kInfinity) return quarters_of_large(x);
    return {0, {kNoNumber, kNoNumber}};
  } else {
    for (int i = 0; i < 4; ++i) {
      if (!large[i]) continue;
      const Quarters<double> one = quarters_of(static_cast<double>(x[i]));
      out.quarters[i] = one.quarters;
      out.r.hi[i] = one.r.hi;
      out.r.lo[i] = one.r.lo;
    }
    return out;
  }
}

// Sine and cosine of r, each as a sum of two.
template <class P>
CATENA_FLAT Pair<P> sine(const Pair<P>& r) {
  const P z = r.hi * r.hi;
  const P bend = r.hi * z * polynomial(z, kSin);
  return {r.hi, bend + fused(P(-0.5 * z), r.lo, r.lo)};
}
template <class P>
CATENA_FLAT Pair<P> cosine(const Pair<P>& r) {
  const Pair<P> z = exact_product(r.hi, r.hi);
  const Pair<P> one = exact_sum_of_ordered(constant<P>(1.0), P(-0.5 * z.hi));
  const P bend = z.hi * z.hi * polynomial(z.hi, kCos) - fused(constant<P>(0.5), z.lo, P(r.hi * r.lo));
  return {one.hi, one.lo + bend};
}

template <class P>
CATENA_FLAT Choices<P> bit_is_set(const Words<P>& words, std::uint64_t bit) {
  return (words & bit) != 0;
}

// The sine of r + quarters pi/2.
template <class P>
CATENA_FLAT P sine_in_quarter(const Quarters<P>& of) {
  const Choices<P> odd = bit_is_set<P>(of.quarters, 1), turned = bit_is_set<P>(of.quarters, 2);
  Pair<P> chosen;
  if constexpr (sizeof(P) == sizeof(double)) {
    chosen = odd ? cosine(of.r) : sine(of.r);
  } else {
    const Pair<P> s = sine(of.r), c = cosine(of.r);
    chosen = {choose(odd, c.hi, s.hi), choose(odd, c.lo, s.lo)};
  }
  const P result = chosen.hi + chosen.lo;
  return tidied(choose(turned, P(-result), result));
}

template <class P>
P sin(const P& x) {
  return choose(x == 0.0, x, sine_in_quarter(quarters_of(x)));
}
template <class P>
P cos(const P& x) {
  Quarters<P> of = quarters_of(x);
  of.quarters = of.quarters + 1;
  return sine_in_quarter(of);
}
template <class P>
P tan(const P& x) {
  const Quarters<P> of = quarters_of(x);
  const Choices<P> odd = bit_is_set<P>(of.quarters, 1);
  const Pair<P> s = sine(of.r), c = cosine(of.r);
  const Pair<P> top = exact_sum_of_ordered(choose(odd, P(-c.hi), s.hi), choose(odd, P(-c.lo), s.lo));
  const Pair<P> bottom = exact_sum_of_ordered(choose(odd, s.hi, c.hi), choose(odd, s.lo, c.lo));
  return tidied(choose(x == 0.0, x, quotient(top, bottom)));
}

// ---- their inverses ---------------------------------------------------------------------------------------

// The angle of the point (x, y), y >= 0 and x >= 0, from 0 to pi/2, or pi less it where `behind`. Sizes from
// 1e-150 to 1e150, or y / x so small that it is the angle.
template <class P>
CATENA_FLAT P angle(const Pair<P>& y, const Pair<P>& x, const Choices<P>& behind) {
  const Choices<P> steep = y.hi > x.hi;
  const Pair<P> a = {choose(steep, x.hi, y.hi), choose(steep, x.lo, y.lo)};
  const Pair<P> b = {choose(steep, y.hi, x.hi), choose(steep, y.lo, x.lo)};
  // beyond pi/8, from pi/4: (a - b) / (a + b)
  const Choices<P> wide = a.hi > 0.41421356237309503 * b.hi;
  const Pair<P> less = exact_sum(a.hi, P(-b.hi)), more = exact_sum_of_ordered(b.hi, a.hi);
  const P n = choose(wide, less.hi, a.hi), n_lo = choose(wide, P(less.lo + (a.lo - b.lo)), a.lo);
  const P d = choose(wide, more.hi, b.hi), d_lo = choose(wide, P(more.lo + (a.lo + b.lo)), b.lo);
  const P s = n / d, z = s * s;
  const P rest = ((n_lo - s * d_lo) - remainder_of(s, d, n)) / d;
  const P s_lo = choose(a.hi < 0x1p-60 * b.hi, constant<P>(0.0), fused(P(-z), rest, rest));
  const P bend = fused(P(s * z), polynomial(z, kAtan), s_lo);
  const P none = constant<P>(0.0);
  const P eighth = choose(wide, constant<P>(kQuarterPi[0]), none);
  const Pair<P> sum = exact_sum_of_ordered(eighth, s);
  const P low = sum.lo + (choose(wide, constant<P>(kQuarterPi[1]), none) + bend);
  // steep: pi/2 - it; behind: pi - it; both: pi/2 + it
  const P turns = choose(steep, constant<P>(2.0), choose(behind, constant<P>(4.0), none));
  const P sign = choose(steep, choose(behind, constant<P>(1.0), constant<P>(-1.0)),
                        choose(behind, constant<P>(-1.0), constant<P>(1.0)));
  const Pair<P> whole = exact_sum_of_ordered(P(turns * kQuarterPi[0]), P(sign * sum.hi));
  return whole.hi + (whole.lo + fused(turns, constant<P>(kQuarterPi[1]), P(sign * low)));
}

template <class P>
P atan(const P& x) {
  const P none = constant<P>(0.0), size = limited(size_of_number(x), 0.0, 0x1p400);
  const P result = angle<P>({size, none}, {constant<P>(1.0), none}, constant<P>(0.0) > 1.0);
  return choose(x == x, turned_like(result, x), constant<P>(kNoNumber));
}

template <class P>
P atan2(const P& y, const P& x) {
  const P none = constant<P>(0.0), one = constant<P>(1.0);
  P across = size_of_number(y), along = size_of_number(x);
  const Choices<P> behind = bit_is_set<P>(words_of(x), kSignBit);
  const P larger = choose(across > along, across, along), smaller = choose(across > along, along, across);
  const Choices<P> usual = both(larger > 0x1p-500, larger < 0x1p500);
  if (!any(opposite(usual))) {
    const P result = turned_like(angle<P>({across, none}, {along, none}, behind), y);
    return choose(either(x != x, y != y), constant<P>(kNoNumber), result);
  }
  // Both zero: the angle of (1, 0); both infinite: of (1, 1).
  const Choices<P> nothing = larger == 0.0, endless = smaller == kInfinity;
  const P factor = choose(larger > 1.0, constant<P>(0x1p-600), constant<P>(0x1p600));
  const P shrink = choose(usual, one, factor);
  across = choose(endless, one, P(across * shrink));
  along = choose(endless, one, choose(nothing, one, P(along * shrink)));
  P result = angle<P>({across, none}, {along, none}, behind);
  // Shrunk, the smaller one may have lost digits: the angle is the quotient.
  const P plain = size_of_number(y) / size_of_number(x);
  const Choices<P> flat = both(both(larger > 1.0, opposite(behind)), plain < 0x1p-60);
  result = choose(both(flat, opposite(usual)), plain, result);
  return choose(either(x != x, y != y), constant<P>(kNoNumber), turned_like(result, y));
}

// asin of |x| up to 1/2, and beyond it the asin of sqrt((1 - |x|) / 2), half of acos |x|.
template <class P>
struct Arc {
  Choices<P> near;
  Pair<P> sine_arc;
};
template <class P>
CATENA_FLAT Arc<P> arc(const P& size) {
  const Choices<P> near = size <= 0.5;
  const P rest = 0.5 * (1.0 - size);  // exact beyond 1/2
  const P z = choose(near, P(size * size), rest), root = root_of(rest);
  const P s = choose(near, size, root);
  const P root_lo = -remainder_of(root, root, rest) / (root + root);
  const P s_lo = choose(either(near, root == 0.0), constant<P>(0.0), root_lo);
  return {near, {s, fused(P(s * z), polynomial(z, kAsin), s_lo)}};
}

// turns pi/4 + factor arc
template <class P>
CATENA_FLAT P turned_arc(const P& turns, const P& factor, const Pair<P>& arc) {
  const Pair<P> sum = exact_sum_of_ordered(P(turns * kQuarterPi[0]), P(factor * arc.hi));
  return sum.hi + (sum.lo + fused(turns, constant<P>(kQuarterPi[1]), P(factor * arc.lo)));
}

// Up to 1/2 the rest would add zeros.
template <class P>
CATENA_FLAT P near_arc(const P& x) {
  const P z = x * x;
  return x + P(P(x * z) * polynomial(z, kAsin));
}

template <class P>
P asin(const P& x) {
  const P size = size_of_number(x);
  if (all(size <= 0.5)) return near_arc(x);
  const Arc<P> of = arc(size);
  const P result = turned_arc(choose(of.near, constant<P>(0.0), constant<P>(2.0)),
                              choose(of.near, constant<P>(1.0), constant<P>(-2.0)), of.sine_arc);
  return choose(size <= 1.0, turned_like(result, x), constant<P>(kNoNumber));
}
template <class P>
P acos(const P& x) {
  const P size = size_of_number(x);
  const Arc<P> of = arc(size);
  const Choices<P> behind = x < 0.0;
  const P one = constant<P>(1.0), two = constant<P>(2.0);
  const P turns = choose(of.near, two, choose(behind, constant<P>(4.0), constant<P>(0.0)));
  const P sign = choose(behind, one, P(-one));
  const P result = turned_arc(turns, choose(of.near, sign, P(-2.0 * sign)), of.sine_arc);
  return choose(size <= 1.0, result, constant<P>(kNoNumber));
}

}  // namespace elementary_kernels
}  // namespace
}  // namespace catena
