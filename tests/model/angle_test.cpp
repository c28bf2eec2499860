#include <gtest/gtest.h>

#include <cmath>

#include "catena/model/entries.h"
#include "catena/model/scene.h"

namespace catena {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST(Angle, has_exact_sines_and_cosines_at_all_quarter_turns) {
  const double sines[] = {0.0, 1.0, 0.0, -1.0};
  for (int quarter = -41; quarter <= 41; ++quarter) {
    const int k = ((quarter % 4) + 4) % 4;
    for (const Angle& angle : {Angle::from_degrees(90.0 * quarter), Angle::from_half_turns(0.5 * quarter)}) {
      EXPECT_EQ(angle.sine, sines[k]) << quarter;
      EXPECT_EQ(angle.cosine, sines[(k + 1) % 4]) << quarter;
      EXPECT_FALSE(std::signbit(angle.sine) && angle.sine == 0.0) << quarter;
    }
  }
}

TEST(Angle, is_exact_at_quarter_turns_of_huge_angles) {
  EXPECT_EQ(Angle::from_degrees(360e12 + 90.0).sine, 1.0);
  EXPECT_EQ(Angle::from_half_turns(std::ldexp(1.0, 900)).cosine, 1.0);
}

TEST(Angle, has_a_sine_of_one_half_at_thirty_degrees) {
  EXPECT_EQ(Angle::from_degrees(30.0).sine, 0.5);
  EXPECT_EQ(Angle::from_degrees(60.0).cosine, 0.5);
  EXPECT_EQ(Angle::from_degrees(-210.0).sine, 0.5);
  EXPECT_EQ(Angle::from_degrees(45.0).sine, Angle::from_half_turns(0.25).sine);
}

TEST(Angle, is_not_reduced_to_one_turn) {
  EXPECT_DOUBLE_EQ(Angle::from_degrees(450.0).radians, 2.5 * kPi);
  EXPECT_DOUBLE_EQ(Angle::from_half_turns(-7.0).radians, -7.0 * kPi);
  EXPECT_EQ(Angle::from_radians(100.0).radians, 100.0);
  EXPECT_EQ(Angle::from_degrees(180.0).radians, kPi);
}

// long double's sine is the witness: 11 bits more than the double that it checks.
TEST(Angle, agrees_with_extended_precision_within_one_rounding) {
  const long double pi = 3.14159265358979323846264338327950288L;
  for (int i = -2000; i <= 2000; ++i) {
    const double degrees = 0.37 * i;
    const Angle angle = Angle::from_degrees(degrees);
    const long double radians = static_cast<long double>(degrees) * pi / 180.0L;
    EXPECT_NEAR(angle.sine, static_cast<double>(std::sin(radians)), 1.2e-16) << degrees;
    EXPECT_NEAR(angle.cosine, static_cast<double>(std::cos(radians)), 1.2e-16) << degrees;
    EXPECT_DOUBLE_EQ(angle.radians, static_cast<double>(radians));
  }
}

TEST(Angle, steps_are_rounded_once) {
  const WrittenAngle start{0.3, AngleUnit::radians};
  for (int k = 1; k <= 100; ++k) EXPECT_EQ(stepped(start, k - 1, start).value, 0.3 * k) << k;
}

TEST(Angle, steps_in_degrees_reach_exact_quarter_turns) {
  const WrittenAngle step{30.0, AngleUnit::degrees};
  EXPECT_EQ(angle_of(stepped({0.0, AngleUnit::radians}, 3, step)).cosine, 0.0);
  EXPECT_EQ(angle_of(stepped({60.0, AngleUnit::degrees}, 1, step)).sine, 1.0);
  EXPECT_DOUBLE_EQ(angle_of(stepped({1.0, AngleUnit::radians}, 6, step)).radians, 1.0 + kPi);
}

}  // namespace
}  // namespace catena
