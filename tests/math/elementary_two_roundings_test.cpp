// The elementary functions as processors without a fused a b + c compute them, beside those of the library.
#define CATENA_TWO_ROUNDINGS 1
#include <gtest/gtest.h>

#include "catena/math/elementary.h"
#include "catena/math/elementary_definitions.h"
#include "math/elementary_cases.h"

namespace catena {
namespace {

// In units of the last place.
double apart(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
  if (!std::isfinite(a) || !std::isfinite(b)) return 1e9;
  return std::fabs(a - b) / std::ldexp(1.0, std::max(std::ilogb(b) - 52, -1074));
}

// Both are within a unit of the exact value or a little more: at most two units apart.
constexpr double kFarthest = 2.0;

TEST(ElementaryInTwoRoundings, FunctionsAgreeToTwoUnitsOfTheLastPlace) {
#define CATENA_COMPARE(name)                                                              \
  {                                                                                       \
    double worst = 0.0, at = 0.0;                                                         \
    for (const double x : elementary_cases::arguments(-5, 5, 40000)) {                    \
      const double off = apart(elementary_kernels::name<double>(x), elementary::name(x)); \
      if (off > worst) worst = off, at = x;                                               \
    }                                                                                     \
    EXPECT_LE(worst, kFarthest) << #name << " of " << std::hexfloat << at;                \
    RecordProperty(#name, std::to_string(worst));                                         \
  }
  CATENA_ELEMENTARY(CATENA_COMPARE)
#undef CATENA_COMPARE
  double worst_power = 0.0, worst_angle = 0.0;
  for (const auto& [x, y] : elementary_cases::argument_pairs(40000)) {
    worst_power = std::max(worst_power, apart(elementary_kernels::pow<double>(x, y), elementary::pow(x, y)));
    worst_angle =
        std::max(worst_angle, apart(elementary_kernels::atan2<double>(x, y), elementary::atan2(x, y)));
  }
  EXPECT_LE(worst_power, kFarthest);
  EXPECT_LE(worst_angle, kFarthest);
}

TEST(ElementaryInTwoRoundings, FourNumbersHaveTheBitsOfOne) {
  for (const double x : elementary_cases::arguments(-5, 5, 5000)) {
#define CATENA_COMPARE(name)                                                                  \
  {                                                                                           \
    const Four four = elementary_kernels::name<Four>(Four{1.5, x, -0.25, x});                 \
    const double one = elementary_kernels::name<double>(x), second = four[1], last = four[3]; \
    ASSERT_EQ(std::memcmp(&one, &second, sizeof one), 0) << #name << " of " << x;             \
    ASSERT_EQ(std::memcmp(&one, &last, sizeof one), 0) << #name << " of " << x;               \
  }
    CATENA_ELEMENTARY(CATENA_COMPARE)
#undef CATENA_COMPARE
  }
}

}  // namespace
}  // namespace catena
