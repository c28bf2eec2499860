#include "catena/math/elementary.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <string>

#include "math/elementary_cases.h"

namespace catena {
namespace {

using elementary_cases::argument_pairs;
using elementary_cases::arguments;
using Four = Pack<double, 4>;

struct OfOne {
  std::string name;
  double (*one)(double);
  void (*four)(const Four&, Four&);
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  double low, high;
};
#define CATENA_ROW(name, low, high) \
  { #name, elementary::name, elementary::name, mpfr_##name, low, high }
const OfOne kOfOne[] = {
    CATENA_ROW(sin, -10, 10),   CATENA_ROW(cos, -10, 10),      CATENA_ROW(tan, -10, 10),
    CATENA_ROW(asin, -1, 1),    CATENA_ROW(acos, -1, 1),       CATENA_ROW(atan, -5, 5),
    CATENA_ROW(exp, -745, 710), CATENA_ROW(exp2, -1075, 1024), CATENA_ROW(log, 0, 10),
    CATENA_ROW(log2, 0, 10),    CATENA_ROW(sinh, -711, 711),   CATENA_ROW(cosh, -711, 711),
    CATENA_ROW(tanh, -3, 3)};
#undef CATENA_ROW

struct OfTwo {
  std::string name;
  double (*one)(double, double);
  void (*four)(const Four&, const Four&, Four&);
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
};
const OfTwo kOfTwo[] = {{"atan2", elementary::atan2, elementary::atan2, mpfr_atan2},
                        {"pow", elementary::pow, elementary::pow, mpfr_pow}};

std::uint64_t bits(double x) {
  std::uint64_t out;
  std::memcpy(&out, &x, sizeof out);
  return out;
}

class Exact {
 public:
  Exact() { mpfr_inits2(53, x_, y_, nullptr), mpfr_inits2(200, value_, difference_, nullptr); }
  ~Exact() { mpfr_clears(x_, y_, value_, difference_, nullptr); }

  // How far `got` is from the exact value, in units of the last place of the double next to it.
  double error(const OfOne& f, double x, double got) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    f.exact(value_, x_, MPFR_RNDN);
    return off(got);
  }
  double error(const OfTwo& f, double x, double y, double got) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_set_d(y_, y, MPFR_RNDN);
    f.exact(value_, x_, y_, MPFR_RNDN);
    return off(got);
  }

 private:
  double off(double got) {
    const double nearest = mpfr_get_d(value_, MPFR_RNDN);
    if (std::isnan(nearest)) return bits(got) == 0x7ff8000000000000 ? 0.0 : 1e9;  // the one NaN
    if (nearest == 0.0 || std::isinf(nearest)) return bits(got) == bits(nearest) ? 0.0 : 1e9;
    mpfr_sub_d(difference_, value_, got, MPFR_RNDN);
    mpfr_mul_2si(difference_, difference_, -std::max(std::ilogb(nearest) - 52, -1074), MPFR_RNDN);
    const double out = std::fabs(mpfr_get_d(difference_, MPFR_RNDN));
    return std::isnan(out) ? 1e9 : out;
  }
  mpfr_t x_, y_, value_, difference_;
};

// Next to the largest double an infinite result may be a unit away from the exact value; none of the cases is
// there.
TEST(Elementary, FunctionsAreWithinAUnitOfTheLastPlace) {
  Exact exact;
  for (const OfOne& f : kOfOne) {
    double worst = 0.0, at = 0.0;
    for (const double x : arguments(f.low, f.high, 40000)) {
      const double error = exact.error(f, x, f.one(x));
      if (error > worst) worst = error, at = x;
    }
    EXPECT_LE(worst, 1.0) << f.name << " of " << std::hexfloat << at;
    RecordProperty(f.name, std::to_string(worst));
  }
}

TEST(Elementary, FunctionsOfTwoNumbersAreWithinAUnitOfTheLastPlace) {
  Exact exact;
  for (const OfTwo& f : kOfTwo) {
    double worst = 0.0;
    std::pair<double, double> at;
    for (const auto& [x, y] : argument_pairs(40000)) {
      const double error = exact.error(f, x, y, f.one(x, y));
      if (error > worst) worst = error, at = {x, y};
    }
    EXPECT_LE(worst, 1.0) << f.name << " of " << std::hexfloat << at.first << ", " << at.second;
    RecordProperty(f.name, std::to_string(worst));
  }
}

// Each place of the four, beside whatever numbers.
TEST(Elementary, FourNumbersHaveTheBitsOfOne) {
  for (const OfOne& f : kOfOne) {
    const std::vector<double> x = arguments(f.low, f.high, 10000);
    for (std::size_t i = 0; i < x.size(); ++i) {
      Four in, out;
      for (std::size_t l = 0; l < 4; ++l)
        in[l] = x[(i * (l == i % 4 ? 1 : 7 + l) + (l == i % 4 ? 0 : l)) % x.size()];
      f.four(in, out);
      for (int l = 0; l < 4; ++l) ASSERT_EQ(bits(out[l]), bits(f.one(in[l]))) << f.name << " of " << in[l];
    }
  }
  for (const OfTwo& f : kOfTwo) {
    const auto x = argument_pairs(10000);
    for (std::size_t i = 0; i + 4 <= x.size(); ++i) {
      Four a, b, out;
      for (std::size_t l = 0; l < 4; ++l) a[l] = x[i + l].first, b[l] = x[i + l].second;
      f.four(a, b, out);
      for (int l = 0; l < 4; ++l)
        ASSERT_EQ(bits(out[l]), bits(f.one(a[l], b[l]))) << f.name << " of " << a[l] << ", " << b[l];
    }
  }
}

TEST(Elementary, SymmetriesAreExact) {
  for (const double x : arguments(-10, 10, 5000)) {
    if (std::isnan(x)) continue;
    for (const OfOne& f : kOfOne) {
      const bool odd = f.one(-1.0) == -f.one(1.0);
      if (!odd || std::isnan(f.one(x))) continue;
      ASSERT_EQ(bits(f.one(-x)), bits(-f.one(x))) << f.name << " of " << x;
    }
    if (std::isfinite(x)) {
      ASSERT_EQ(elementary::cos(-x), elementary::cos(x));
    }
    ASSERT_EQ(elementary::cosh(-x), elementary::cosh(x));
  }
}

// The promise of the same bits everywhere, in one number for each function.
TEST(Elementary, BitsAreThoseOfEveryMachineThatFuses) {
#if !defined(__FMA__) && !defined(__aarch64__)
  GTEST_SKIP() << "this build rounds a b + c twice";
#endif
  const auto mixed = [](std::uint64_t hash, double x) { return (hash ^ bits(x)) * 0x100000001b3; };
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const OfOne& f : kOfOne) {
    for (const double x : arguments(f.low, f.high, 20000)) hash = mixed(hash, f.one(x));
  }
  for (const OfTwo& f : kOfTwo) {
    for (const auto& [x, y] : argument_pairs(20000)) hash = mixed(hash, f.one(x, y));
  }
  EXPECT_EQ(hash, 12148728054107165324u);
}

}  // namespace
}  // namespace catena
