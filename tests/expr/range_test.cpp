// Ranges hold what the operations make of numbers inside them, and surprises are what one look cannot tell.
#include <gtest/gtest.h>

#include <random>

#include "catena/expr/derivative.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/function_rows.h"
#include "catena/expr/parse.h"
#include "catena/expr/surprise.h"
#include "catena/expr/values.h"

namespace catena::expr {
namespace {

TEST(Ranges, HoldEveryValueOfAFunctionOverThem) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const Function& function : functions()) {
    const Op op = function.op;
    const FunctionRow* row = function_row(op);
    if (row == nullptr) continue;
    for (int i = 0; i < 400; ++i) {
      const double scale = std::pow(10.0, 4.0 * unit(random) - 3.0);
      const double low = scale * (2.0 * unit(random) - 1.0), high = low + scale * unit(random);
      const Range out = result_of({.code = row->code, .op = op}, {low, high}, {}, {});
      for (int k = 0; k <= 50; ++k) {
        const double value = value_of(op, std::min(high, low + (high - low) * k / 50));
        if (std::isnan(value)) continue;
        EXPECT_LE(out.low, value) << function.name << " [" << low << ", " << high << "]";
        EXPECT_GE(out.high, value) << function.name << " [" << low << ", " << high << "]";
        const double slope = row->slope(std::min(high, low + (high - low) * k / 50), value);
        if (std::isfinite(slope)) {
          EXPECT_GE(row->steepest({low, high}) * (1 + 1e-14), std::fabs(slope)) << function.name;
        }
      }
    }
  }
}

TEST(Ranges, HoldProductsQuotientsAndAngles) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const std::vector<std::pair<Code, Op>> binary{
      {Code::add, Op::add},       {Code::subtract, Op::subtract}, {Code::multiply, Op::multiply},
      {Code::divide, Op::divide}, {Code::atan2, Op::atan2},       {Code::min, Op::min},
      {Code::max, Op::max},       {Code::norm, Op::norm}};
  for (const auto& [code, op] : binary) {
    for (int i = 0; i < 400; ++i) {
      const Range a{unit(random) - 0.5, unit(random) + 1.5}, b{unit(random) - 0.5, unit(random) + 1.5};
      const Range out = result_of({.code = code}, a, b, {});
      for (int k = 0; k < 50; ++k) {
        const double x = a.low + a.width() * std::fabs(unit(random)),
                     y = b.low + b.width() * std::fabs(unit(random));
        const double value = value_of(op, x, y);
        EXPECT_LE(out.low, value) << static_cast<int>(op);
        EXPECT_GE(out.high, value) << static_cast<int>(op);
      }
    }
  }
}

TEST(Surprises, AreFarTailsNot) {
  EXPECT_EQ(unexpected({.code = Code::exp}, {-1000.0, -900.0}, {}), 0.0);
  EXPECT_EQ(unexpected({.code = Code::exp}, {-1000.0, 0.0}, {}), 1.0);
  EXPECT_EQ(unexpected({.code = Code::exp}, {-2.0, 1.0}, {}), 0.0);
  EXPECT_LT(unexpected({.code = Code::tanh}, {20.0, 400.0}, {}), 1e-16);
  EXPECT_NEAR(unexpected({.code = Code::tanh}, {-400.0, 400.0}, {}), 2.0, 1e-15);
  EXPECT_TRUE(std::isinf(unexpected({.code = Code::over, .value = 1.0}, {-1.0, 1.0}, {})));
  EXPECT_EQ(unexpected({.code = Code::over, .value = 1.0}, {1.0, 3.0}, {}), 0.0);
}

// exp(-(100 (t - 1/2))^2), looked at from t = 0: nothing to see up to 0.4, and never beyond the pulse.
TEST(Surprises, EndSeriesBeforeAPulse) {
  Graph graph;
  const NodeId node = parse(graph, "exp(-(100*(t - 0.5))^2)", {{"t"}, {}}).node;
  SeriesProgram series(graph, {node}, 1);
  series.reserve(1, 20);
  for (int k = 0; k <= 20; ++k) {
    *series.input(k, 0) = k == 1 ? 1.0 : 0.0;
    series.advance(k);
  }
  EXPECT_TRUE(may_surprise(series));
  EXPECT_EQ(known_until(series, 20, 0.1, 1e-15), 0.1);
  const double until = known_until(series, 20, 10.0, 1e-15);
  EXPECT_LT(until, 0.5);
  EXPECT_GT(until, 0.05);
}

// Each factor is zero, to the last bit, where the other is looked at from.
TEST(Surprises, OfProductsCountWhatTheOtherFactorCanBe) {
  Graph graph;
  const NodeId node = parse(graph, "exp(-(100*(t - 3))^2)*exp(-(90*(t - 3.001))^2)", {{"t"}, {}}).node;
  SeriesProgram series(graph, {node}, 1);
  series.reserve(1, 20);
  for (int k = 0; k <= 20; ++k) {
    *series.input(k, 0) = k == 1 ? 1.0 : 0.0;
    series.advance(k);
  }
  EXPECT_LT(known_until(series, 20, 6.0, 1e-15), 3.0);
}

TEST(Surprises, BetweenSamplesAreFoundWhereverTheyAre) {
  Graph graph;
  const NodeId node = parse(graph, "exp(-(1e6*(t - c))^2)", {{"t", "c"}, {}}).node;
  SampledFormulas formulas(graph, {node}, 2, 1, 0);
  ASSERT_FALSE(formulas.empty());
  for (const double center : {0.1, 0.25, 0.5, 0.987654321}) {
    for (int i = 0; i < 5; ++i) {
      const double inputs[] = {0.25 * i, center};
      formulas.note(i, inputs, 1);
    }
    EXPECT_NEAR(formulas.unseen(), 1.0, 1e-12) << center;
  }
  for (int i = 0; i < 5; ++i) {
    const double inputs[] = {0.25 * i, 1.1};
    formulas.note(i, inputs, 1);
  }
  EXPECT_EQ(formulas.unseen(), 0.0);
}

// What exp, cosh and tanh make of large arguments stays in range, in values, slopes and series.
TEST(FarOut, FunctionsSaturateInsteadOfOverflowing) {
  for (const char* text : {"tanh(x)", "logistic(x)", "softplus(x)", "log(1 + exp(x))", "1/(1 + exp(-x))"}) {
    Graph graph;
    const NodeId node = parse(graph, text, {{"x"}, {}}).node;
    const NodeId slope = derivative(graph, node, 0), bend = derivative(graph, slope, 0);
    SeriesProgram series(graph, {node, slope, bend}, 1);
    series.reserve(1, 12);
    for (const double at : {-1e308, -1e5, -800.0, -40.0, 0.0, 40.0, 800.0, 1e5, 1e308}) {
      for (int k = 0; k <= 12; ++k) {
        *series.input(k, 0) = k == 0 ? at : k == 1 ? 1.0 : 0.0;
        series.advance(k);
        for (int o = 0; o < 3; ++o) EXPECT_TRUE(std::isfinite(*series.output(k, o))) << text << " at " << at;
      }
    }
  }
}

TEST(FarOut, SlopesOfTanhKeepTheirDigits) {
  Graph graph;
  const NodeId slope = derivative(graph, parse(graph, "tanh(x)", {{"x"}, {}}).node, 0);
  Program program(graph, {slope}, 1);
  for (const double x : {0.0, 0.3, 5.0, 20.0, 100.0, 300.0}) {
    double out = 0.0;
    program.evaluate(&x, 1, &out);
    const double exact = 4.0 * std::exp(-2.0 * x) / std::pow(1.0 + std::exp(-2.0 * x), 2.0);
    EXPECT_NEAR(out, exact, 1e-15 * exact) << x;
  }
}

}  // namespace
}  // namespace catena::expr
