// Doubles as the decimals that people write.
#include "catena/math/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace catena {
namespace {

// A decimal times the power of ten behind its last digit is a whole number.
TEST(Decimal, IsTheNumberThatWasWritten) {
  const std::vector<std::pair<double, std::pair<double, double>>> table{
      {0.1, {10.0, 1.0}},
      {-0.1, {10.0, -1.0}},
      {9.81, {100.0, 981.0}},
      {0.7, {10.0, 7.0}},
      {123456789.12345, {1e5, 12345678912345.0}},
      {1e-7, {1e7, 1.0}},
      {2.5e-17, {1e18, 25.0}},
      {0.000123, {1e6, 123.0}},
  };
  for (const auto& [value, fraction] : table) {
    const auto& [below, above] = fraction;
    const DoubleDouble meant = decimal(value);
    EXPECT_EQ(meant.hi, value);
    EXPECT_LT(abs(meant * DoubleDouble(below) - DoubleDouble(above)), 1e-31 * std::fabs(above)) << value;
    EXPECT_NE(meant.lo, 0.0) << "no double is " << value;
  }
}

TEST(Decimal, LargePowersOfTenAreOnesToo) {
  const DoubleDouble large = decimal(6.02214076e23), small = decimal(1.602176634e-19);
  EXPECT_EQ(large.lo, 12976128.0) << "what the double is short of";
  EXPECT_EQ(decimal(1e22).lo, 0.0);
  EXPECT_EQ(decimal(123456789012345678000.0).hi, 123456789012345678000.0);
  EXPECT_LT(abs(small * decimal(1e28) - DoubleDouble(1602176634.0)), 1e-22);
}

TEST(Decimal, NumbersOfFewBinaryDigitsAreThemselves) {
  for (const double value : {0.0, 1.0, -2.5, 0.25, 1e15, 3.0, 1023.0625, 4096.0}) {
    EXPECT_EQ(decimal(value).hi, value);
    EXPECT_EQ(decimal(value).lo, 0.0) << value;
  }
}

TEST(Decimal, TheDoubleNextToPiIsPi) {
  EXPECT_EQ(decimal(3.141592653589793).lo, 1.2246467991473532e-16);
  EXPECT_EQ(decimal(-3.141592653589793).lo, -1.2246467991473532e-16);
}

TEST(Decimal, WhatIsNoNumberStaysSo) {
  EXPECT_TRUE(std::isnan(decimal(std::nan("")).hi));
  EXPECT_TRUE(std::isinf(decimal(INFINITY).hi));
  EXPECT_EQ(decimal(1e300).hi, 1e300);
  EXPECT_EQ(decimal(5e-324).hi, 5e-324);
}

}  // namespace
}  // namespace catena
