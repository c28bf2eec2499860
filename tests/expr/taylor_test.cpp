// Series: identities order by order, awkward points, switches.
#include "catena/expr/taylor.h"

#include <algorithm>

#include "expr/support.h"

namespace catena::expr {
namespace {

using test::series;
constexpr int kHighest = 30;

// Series of inputs that converge on the unit disc, with no special values.
test::Curves inputs(double x, double y) {
  test::Curves curves{{0.3, 1.0}, {x}, {y}, {1.3}};
  for (int k = 1; k <= kHighest; ++k) {
    curves[1].push_back(0.3 * std::sin(1.7 * k + 0.4) / k);
    curves[2].push_back(0.2 * std::cos(2.3 * k) / k);
    curves[3].push_back(0.1 * std::sin(k) / k);
  }
  return curves;
}

TEST(Taylor, IdentitiesHoldOrderByOrder) {
  const std::vector<std::pair<std::string, std::string>> identities{
      {"sin(x)^2 + cos(x)^2", "1"},
      {"cosh(x)^2 - sinh(x)^2", "1"},
      {"exp(log(x))", "x"},
      {"log(exp(y))", "y"},
      {"sqrt(x)^2", "x"},
      {"x/y*y", "x"},
      {"(2.5/x)*x", "2.5"},
      {"tan(y)*cos(y)", "sin(y)"},
      {"tanh(x)*cosh(x)", "sinh(x)"},
      {"sin(asin(y))", "y"},
      {"cos(acos(y))", "y"},
      {"asin(y) + acos(y)", "pi/2"},
      {"tan(atan(x))", "x"},
      {"norm(x, y)*sin(atan2(y, x))", "y"},
      {"norm(x, y)*cos(atan2(y, x))", "x"},
      {"norm(x, y, z)^2", "x^2 + y^2 + z^2"},
      {"x^2.7*x^-1.7", "x"},
      {"(x^1.5)^2", "x^3"},
      {"x^y", "exp(y*log(x))"},
      {"x^20", "(x^10)*(x^10)"},
      {"y/x^3*x^3", "y"},
      {"min(x, y) + max(x, y)", "x + y"},
      {"abs(y)", "sign(y)*y"},
      {"max(x, -x)", "abs(x)"},
      {"choose(y, x, z)", "z"},
      {"step(x)", "3*x^2 - 2*x^3"},
      {"ratio(x, z)", "x/z"},
  };
  for (const auto& [left, right] : identities) {
    const std::vector<double> a = series(left, inputs(0.8, -0.35), kHighest);
    const std::vector<double> b = series(right, inputs(0.8, -0.35), kHighest);
    for (int k = 0; k <= kHighest; ++k) {
      // Coefficients of the parts grow like the inverse of their radius of convergence, about 2.3 at worst.
      const double scale = std::pow(2.3, k) + std::fabs(b[k]);
      EXPECT_NEAR(a[k], b[k], 2e-14 * scale) << left << " = " << right << ", order " << k;
    }
  }
}

// exp(t) at 0: all coefficients 1/k!, and 1/k is divided, not multiplied by a rounded reciprocal.
TEST(Taylor, ClosedFormsAreExactToTheLastDigits) {
  const std::vector<double> e = series("exp(t)", {{0.0, 1.0}}, kHighest);
  const std::vector<double> s = series("sin(t)", {{0.0, 1.0}}, kHighest);
  const std::vector<double> l = series("log(1 + t)", {{0.0, 1.0}}, kHighest);
  const std::vector<double> g = series("1/(1 - t)", {{0.0, 1.0}}, kHighest);
  const std::vector<double> a = series("atan(t)", {{0.0, 1.0}}, kHighest);
  long double factorial = 1.0L;
  for (int k = 1; k <= kHighest; ++k) {
    factorial *= k;
    EXPECT_NEAR(e[k] * static_cast<double>(factorial), 1.0, 2e-15 * k);
    const double sine = k % 2 == 0 ? 0.0 : (k % 4 == 1 ? 1.0 : -1.0);
    EXPECT_NEAR(s[k] * static_cast<double>(factorial), sine, 2e-15 * k);
    EXPECT_NEAR(l[k] * k, k % 2 == 1 ? 1.0 : -1.0, 2e-15);
    EXPECT_EQ(g[k], 1.0);
    EXPECT_NEAR(a[k] * k, sine, 2e-15 * k);
  }
}

using Row = std::vector<double>;

void expect_series(const std::string& formula, const test::Curves& at, const Row& expected) {
  const Row got = series(formula, at, static_cast<int>(expected.size()) - 1);
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(got[k], expected[k], 4e-16 * std::fabs(expected[k])) << formula << " order " << k;
}

TEST(Taylor, AbsTakesTheSignOfTheFirstCoefficientThatIsNotZero) {
  expect_series("abs(t)", {{0, -2, 5}}, {0, 2, -5});
  expect_series("abs(t)", {{0, 0, 0, -1, 4}}, {0, 0, 0, 1, -4});
  expect_series("abs(t)", {{0, 3, -1}}, {0, 3, -1});
  expect_series("abs(t)", {{-1, 3, -1}}, {1, -3, 1});
  expect_series("sqrt(t^2)", {{0, -2, 5}}, {0, 2, -5});
  expect_series("t*abs(t)", {{0, -1, 1}}, {0, 0, -1, 2, -1});
}

TEST(Taylor, MinAndMaxChooseByTheFirstCoefficientThatDiffers) {
  const test::Curves at{{}, {1, 2, 3, 4}, {1, 2, 5, 0}};
  expect_series("max(x, y)", at, {1, 2, 5, 0});
  expect_series("min(x, y)", at, {1, 2, 3, 4});
  expect_series("max(t, 0)", {{0, -1, 7}}, {0, 0, 0});
  expect_series("max(t, 0)", {{0, 1, 7}}, {0, 1, 7});
}

TEST(Taylor, NormStartsFromZeroByItsLeastValuation) {
  // norm(3t, 4t) = 5t;  norm(t^2, t^3) = t^2 sqrt(1 + t^2)
  expect_series("norm(x, y)", {{}, {0, 3}, {0, 4}}, {0, 5, 0, 0});
  expect_series("norm(x, y)", {{}, {0, 0, 1}, {0, 0, 0, 1}}, {0, 0, 1, 0, 0.5, 0, -0.125, 0, 0.0625});
  expect_series("norm(x, y, z)", {{}, {0, 2}, {0, -3}, {0, 6}}, {0, 7, 0});
  expect_series("sqrt(x^2 + y^2)", {{}, {0, -3}, {0, 4}}, {0, 5, 0});
  expect_series("norm(x, y)", {{}, {0}, {0}}, {0, 0, 0, 0});
  expect_series("-x*norm(x, y, z)", {{}, {0, -2}, {0}, {0}}, {0, 0, 4, 0});
}

TEST(Taylor, NormFromZeroIsTheShiftedNorm) {
  test::Curves at{{}, {0.0, 0.0, 0.4}, {0.0, 0.0, -0.7}, {0.0, 0.0, 0.3}};
  for (int k = 3; k <= kHighest; ++k) {
    at[1].push_back(0.3 * std::sin(1.7 * k) / k);
    at[2].push_back(0.2 * std::cos(2.3 * k) / k);
    at[3].push_back(0.1 * std::sin(k) / k);
  }
  test::Curves shifted = at;
  for (auto& curve : shifted)
    curve.erase(curve.begin(), curve.begin() + static_cast<long>(std::min<std::size_t>(curve.size(), 2)));
  const Row got = series("norm(x, y, z)", at, kHighest),
            expected = series("norm(x, y, z)", shifted, kHighest - 2);
  for (int k = 0; k + 2 <= kHighest; ++k) EXPECT_NEAR(got[k + 2], expected[k], 1e-14 * std::pow(1.5, k)) << k;
}

TEST(Taylor, PowersOfASeriesThatStartsWithZero) {
  expect_series("t^2", {{0, 1, 1}}, {0, 0, 1, 2, 1});
  expect_series("t^3", {{0, 1, 1}}, {0, 0, 0, 1, 3, 3, 1, 0});
  Row expected(24, 0.0);
  expected[20] = 1048576, expected[21] = 20 * 524288;  // (2t + t^2)^20
  expected[22] = 190 * 262144, expected[23] = 1140 * 131072;
  expect_series("t^20", {{0, 2, 1}}, expected);
  expected.assign(8, 0.0);  // (4 t^2 + 4 t^3 + t^4)^1.5 = (2t + t^2)^3
  expected[3] = 8, expected[4] = 12, expected[5] = 6, expected[6] = 1;
  expect_series("t^1.5", {{0, 0, 4, 4, 1}}, expected);
  expect_series("t^2.5", {{0}}, {0, 0, 0});
}

TEST(Taylor, WhatHasNoPowerSeriesIsNotFinite) {
  const auto is_finite = [](double c) { return std::isfinite(c); };
  for (const std::string formula : {"sqrt(t)", "t^0.25", "t^1.5", "ratio(t, t)", "atan2(t, t)"}) {
    const Row c = series(formula, {{0, 1, 1}}, 3);
    EXPECT_EQ(c[0], 0.0) << formula << ": order 0 is right";
    EXPECT_FALSE(std::all_of(c.begin(), c.end(), is_finite)) << formula;
  }
  for (const std::string formula : {"1/t", "t^-2", "t^-20", "log(t)", "t^(-0.3)", "t/t"})
    EXPECT_FALSE(is_finite(series(formula, {{0, 1, 1}}, 1)[0])) << formula;
  EXPECT_TRUE(std::isnan(series("t^2.5", {{-1, 1}}, 1)[0]));
  EXPECT_TRUE(std::isnan(series("t^1.5", {{0, 0, -4}}, 3)[3])) << "the root of -4 t^2";
}

// A root or a broken power of what is zero all along is zero; of what leaves zero, it has no series.
TEST(Taylor, RootsOfWhatStaysZeroAreZero) {
  const test::Curves resting{{0.5, 1.0}, {0.0}, {1.0}, {1.0}},
      leaving{{0.5, 1.0}, {0.0, 0.0, 0.0, 1.0}, {1.0}, {1.0}};
  for (const char* root : {"sqrt(x)", "x^0.5", "x^(1/7)", "max(0, -y - t)^0.3", "sqrt(max(0, t - 2))"}) {
    for (const double coefficient : series(root, resting, 12)) EXPECT_EQ(coefficient, 0.0) << root;
  }
  for (const char* root : {"sqrt(x)", "x^0.5", "x^(1/7)"})
    EXPECT_FALSE(std::isfinite(series(root, leaving, 12)[3])) << root;
}

TEST(Taylor, TheSmoothStepIsSmoothOverItsEdges) {
  expect_series("step(t)", {{0, 1}}, {0, 0, 3, -2, 0});
  expect_series("step(t)", {{0, -1}}, {0, 0, 0, 0, 0});
  expect_series("step(t)", {{1, 1}}, {1, 0, 0, 0, 0});
  expect_series("step(t)", {{1, -1}}, {1, 0, -3, 2, 0});
  expect_series("step(t)", {{-3, 1}}, {0, 0, 0});
  expect_series("step(t)", {{4, 1}}, {1, 0, 0});
}

TEST(Taylor, PowersNearZeroKeepTheirDigits) {
  // Products do not divide by the tiny start value; the power's recurrence would.
  const Row c = series("t^20", {{1e-9, 1.0}}, 30);
  EXPECT_NEAR(c[20], 1.0, 1e-15);
  for (int k = 21; k <= 30; ++k) EXPECT_EQ(c[k], 0.0);
}

TEST(Taylor, SwitchesAreWhatTheSeriesHangsOn) {
  Graph graph;
  const NodeId node = test::parsed(
      graph, "abs(x - k) + max(x, 2*y) + step(z) + norm(x, y) + sign(t) + choose(y, 1, 2) + abs(x - k)");
  SeriesProgram program(graph, {node}, test::kVariables);
  program.reserve(1, 1);
  const double at[2][4] = {{0.3, 0.7, -0.4, 1.3}, {1.0, 0.5, 0.25, 2.0}};
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 4; ++i) *program.input(k, i) = at[k][i];
    program.advance(k);
  }
  const auto near = [](double a, double b) { return std::fabs(a - b) < 1e-15; };
  // value, rate, and how often
  struct Expected {
    Op op;
    SwitchKind kind;
    double value, rate;
  };
  const std::vector<Expected> expected{
      {Op::abs, SwitchKind::sign_change, 0.2, 0.5},     {Op::max, SwitchKind::sign_change, 1.5, 0.0},
      {Op::step, SwitchKind::sign_change, 1.3, 2.0},    {Op::step, SwitchKind::sign_change, 0.3, 2.0},
      {Op::norm, SwitchKind::touches_zero, 0.65, 0.5},  {Op::sign, SwitchKind::sign_change, 0.3, 1.0},
      {Op::choose, SwitchKind::sign_change, -0.4, 0.25}};
  ASSERT_EQ(program.switches().size(), expected.size());
  for (const Expected& e : expected) {
    int found = 0;
    for (int s = 0; s < static_cast<int>(expected.size()); ++s) {
      const Switch& have = program.switches()[s];
      found += have.op == e.op && have.kind == e.kind && near(*program.switch_row(0, s), e.value) &&
               near(*program.switch_row(1, s), e.rate);
    }
    EXPECT_EQ(found, 1) << static_cast<int>(e.op) << " " << e.value;
  }
}

TEST(Taylor, ConstantConditionsAreNoSwitches) {
  Graph graph;
  const NodeId node = test::parsed(graph, "abs(k - 1)*x + max(k, m) + norm(k, m)");
  EXPECT_TRUE(SeriesProgram(graph, {node}, test::kVariables).switches().empty());
}

TEST(Taylor, RoundoffAtARestartCountsAsZeroWhenAsked) {
  // At a turning point the velocity is 1e-17 instead of 0, of the wrong sign.
  const Row exact{0, 2, -5, 1};
  for (const std::string formula : {"abs(x)", "norm(x, y)", "max(x, -x)"}) {
    const Row got = series(formula, {{}, {1e-17, -2, 5, -1}, {0}}, 3, 1e-15);
    for (int k = 0; k <= 3; ++k) EXPECT_NEAR(got[k], exact[k], 1e-15) << formula << " order " << k;
  }
  EXPECT_EQ(series("abs(x)", {{}, {1e-17, -2}}, 1)[1], -2.0) << "not when not asked";
}

// x' = y, y' = -sin x: outputs feed back into the inputs' next order. Energy is constant order by order.
TEST(Taylor, OutputsMayFeedBackIntoInputs) {
  Graph graph;
  const std::vector<NodeId> outputs{test::parsed(graph, "y"), test::parsed(graph, "-sin(x)"),
                                    test::parsed(graph, "y^2/2 - cos(x)")};
  SeriesProgram program(graph, outputs, test::kVariables);
  program.reserve(1, kHighest);
  *program.input(0, test::kX) = 1.1;
  *program.input(0, test::kY) = 0.4;
  for (int k = 0; k <= kHighest; ++k) {
    program.advance(k);
    const double energy_rate = k > 0 ? *program.output(k, 2) : 0.0;
    EXPECT_NEAR(energy_rate, 0.0, 1e-15) << k;
    if (k == kHighest) break;
    *program.input(k + 1, test::kX) = *program.output(k, 0) / (k + 1);
    *program.input(k + 1, test::kY) = *program.output(k, 1) / (k + 1);
  }
}

}  // namespace
}  // namespace catena::expr
