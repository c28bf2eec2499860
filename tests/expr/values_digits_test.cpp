// Values in twice the digits, and inputs that do not change with time.
#include "catena/expr/values_digits.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "catena/expr/digits_lanes.h"
#include "catena/expr/expression.h"
#include "catena/expr/taylor.h"
#include "catena/math/functions_digits.h"

namespace catena::expr {
namespace {

TEST(Exact, WhatIsLeftOfAnAlmostMetEquationHasItsDigits) {
  Graph g;
  const Expression x = variable(g, 0), y = variable(g, 1);
  DigitsProgram program(g, {(x * x + y * y - 1.0).node, (x / y).node, sqrt(x).node}, 2);
  // 3/5 and 4/5 are no doubles; hi + lo are right to 1e-33.
  const DoubleDouble in[2] = {DoubleDouble(3.0) / 5.0, DoubleDouble(4.0) / 5.0};
  DoubleDouble out[3];
  program.evaluate(in, out);
  EXPECT_LT(abs(out[0]), 1e-31);
  EXPECT_LT(abs(out[1] - DoubleDouble(0.75)), 1e-31);
  EXPECT_LT(abs(out[2] * out[2] - in[0]), 1e-31);
}

TEST(Exact, OtherFunctionsFollowTheLowerParts) {
  Graph g;
  DigitsProgram program(g, {sin(variable(g, 0)).node}, 1);
  const DoubleDouble in(1.0, 3e-17);
  DoubleDouble out;
  program.evaluate(&in, &out);
  EXPECT_EQ(out.hi, std::sin(1.0));
  EXPECT_NEAR(out.lo, std::cos(1.0) * 3e-17, 1e-25);
}

// As far out as doubles go: e^x e^-x = 1, and cosh, sinh are e^x / 2 there.
TEST(Digits, FunctionsFarOutHaveThemAll) {
  using digits::cosh, digits::exp, digits::sech_squared, digits::sinh;
  const DoubleDouble one(1.0), half(0.5);
  for (const double size : {250.0, 299.0, 301.0, 350.0, 500.0, 699.0, 701.0, 709.5}) {
    const DoubleDouble x(size), root = exp(x * half), grown = exp(x);
    EXPECT_LT(abs(root * root / grown - one), 1e-29) << size;
    EXPECT_LT(abs(root * exp(-x * half) - one), 1e-29) << size;
    EXPECT_LT(abs(cosh(x) / grown - half), 1e-29) << size;
    EXPECT_LT(abs(cosh(-x) / grown - half), 1e-29) << size;
    EXPECT_LT(abs(sinh(-x) / grown + half), 1e-29) << size;
    // Below 1e-290 the lower part of a pair has no room.
    const double room = size < 600.0 ? 1e-28 : 1e-14;
    EXPECT_LT(abs(sech_squared(x * half) * grown - DoubleDouble(4.0)), room + 32.0 * std::exp(-size)) << size;
    EXPECT_LT(abs(grown * exp(-x) - one), room) << size;
  }
  EXPECT_EQ(sech_squared(DoubleDouble(1e4)).hi, 0.0);
  EXPECT_EQ(exp(DoubleDouble(-1e4)).hi, 0.0);
  EXPECT_TRUE(std::isinf(cosh(DoubleDouble(-1e4)).hi));
  EXPECT_TRUE(std::isfinite(cosh(DoubleDouble(710.4)).hi + cosh(DoubleDouble(710.4)).lo));
}

// The same series whether an input is said to be steady or just is.
TEST(Steady, InputsThatDoNotChangeGiveTheSameSeries) {
  Graph g;
  const Expression x = variable(g, 0), a = variable(g, 1), b = variable(g, 2);
  const std::vector<NodeId> outputs{((a * x + b) * (b * x) + a * b).node, (a * b).node,
                                    (sin(x * a) / b).node};
  SeriesProgram plain(g, outputs, 3), steady(g, outputs, 3, 2);
  for (SeriesProgram* program : {&plain, &steady}) {
    program->reserve(3, 6);
    for (std::size_t lane = 0; lane < 3; ++lane) {
      for (int k = 0; k <= 6; ++k)
        program->input(k, 0)[lane] = 0.3 + 0.1 * static_cast<double>(lane) - 0.05 * k;
      program->input(0, 1)[lane] = 1.5 + static_cast<double>(lane);
      program->input(0, 2)[lane] = -0.7;
    }
    for (int k = 0; k <= 6; ++k) program->advance(k);
  }
  EXPECT_FALSE(steady.is_steady(0));
  EXPECT_TRUE(steady.is_steady(1));
  for (int o = 0; o < 3; ++o) {
    for (int k = 0; k <= 6; ++k) {
      for (std::size_t lane = 0; lane < 3; ++lane) {
        EXPECT_NEAR(steady.output(k, o)[lane], plain.output(k, o)[lane], 1e-15) << o << " order " << k;
      }
    }
  }
}

// Joints of one kind are measured side by side: each has the bits that it has alone.
TEST(DigitsLanes, HaveTheBitsOfOneAfterTheOther) {
  Graph g;
  const Expression x = variable(g, 0), y = variable(g, 1), z = variable(g, 2);
  const std::vector<NodeId> outputs{((x + y) * (x - y) / (x * x + y)).node, (3.0 - x * y + y / 7.0).node,
                                    (sqrt(x * x + y * y) * sin(x)).node, (z * x + y).node};
  DigitsProgram alone(g, outputs, 3);
  DigitsLanes lanes(g, outputs, 3);
  constexpr std::size_t kLanes = DigitsLanes::kLanes;
  for (int round = 1; round < 50; ++round) {
    std::vector<std::array<DoubleDouble, 3>> inputs(kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double number =
            1.3 + std::sin(1.0 * round + 10.0 * static_cast<double>(lane) + 3.0 * static_cast<double>(i));
        // The last one is zero for a while, and then no longer.
        inputs[lane][i] = i == 2 && round < 20 ? DoubleDouble() : DoubleDouble(number, 1e-17 * number / 3.0);
        lanes.hi(i)[lane] = inputs[lane][i].hi;
        lanes.lo(i)[lane] = inputs[lane][i].lo;
      }
    }
    lanes.evaluate(kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::array<DoubleDouble, 4> expected;
      alone.evaluate(inputs[lane].data(), expected.data());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(lanes.output_hi(i, lane), expected[i].hi) << i << " in round " << round;
        EXPECT_EQ(lanes.output_lo(i, lane), expected[i].lo) << i << " in round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace catena::expr
