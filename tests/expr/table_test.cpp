// Tables in formulas: splines made of operations that there are.
#include "catena/expr/table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"

namespace catena::expr {
namespace {

double value_of_formula(const std::string& text, double x) {
  Graph graph;
  const Parsed parsed = parse(graph, text, {{"x"}, {}});
  EXPECT_TRUE(parsed) << (parsed.mistakes.empty() ? "" : parsed.mistakes.front().message);
  Program program(graph, {parsed.node}, 1);
  double out = 0.0;
  program.evaluate(&x, 1, &out);
  return out;
}

std::string mistake_of(const std::string& text) {
  Graph graph;
  const Parsed parsed = parse(graph, text, {{"x"}, {}});
  return parsed.mistakes.empty() ? "" : parsed.mistakes.front().message;
}

TEST(Tables, PolynomialsOfThirdDegreeAreMetExactly) {
  const auto cubic = [](double x) { return ((0.3 * x - 1.0) * x + 0.7) * x - 2.0; };
  std::vector<double> x, y;
  for (const double at : {-1.0, -0.2, 0.1, 1.3, 2.0, 3.5}) {
    x.push_back(at);
    y.push_back(cubic(at));
  }
  const std::vector<SplinePiece> pieces = spline_through(x, y);
  ASSERT_EQ(pieces.size(), x.size() - 1);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (const double part : {0.0, 0.3, 1.0}) {
      const double s = part * (x[i + 1] - x[i]);
      const SplinePiece& p = pieces[i];
      EXPECT_NEAR(p.a + s * (p.b + s * (p.c + s * p.d)), cubic(x[i] + s),
                  1e-14 * (1 + std::fabs(cubic(x[i] + s))))
          << i;
    }
  }
}

TEST(Tables, TwoRowsAreALineAndThreeAParabola) {
  EXPECT_DOUBLE_EQ(value_of_formula("table(\"0 1; 2 5\", x)", 0.5), 2.0);
  EXPECT_DOUBLE_EQ(value_of_formula("table('0, 0\n1, 1\n3, 9', x)", 2.0), 4.0);
}

TEST(Tables, OutsideOfItsRowsATableKeepsItsEnds) {
  EXPECT_EQ(value_of_formula("table(\"0 1; 1 2; 2 5; 3 4\", x)", -7.0), 1.0);
  EXPECT_DOUBLE_EQ(value_of_formula("table(\"0 1; 1 2; 2 5; 3 4\", x)", 9.0), 4.0);
}

TEST(Tables, TheyStandWhereFunctionsDo) {
  EXPECT_DOUBLE_EQ(value_of_formula("2*table(\"0 1; 2 5\", max(x, 1))^2 - 1", 0.0), 2 * 9.0 - 1);
  EXPECT_DOUBLE_EQ(value_of_formula("table('0 0; 1 2', table('0 0; 1 1', x))", 0.25), 0.5);
}

TEST(Tables, ASecondDerivativeHasNoJumps) {
  const std::vector<double> x{0.0, 0.4, 1.1, 1.5, 2.5}, y{0.0, 0.9, 0.2, -1.0, 0.3};
  const std::vector<SplinePiece> pieces = spline_through(x, y);
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    const double s = x[i + 1] - x[i];
    EXPECT_NEAR(pieces[i].b + s * (2 * pieces[i].c + 3 * s * pieces[i].d), pieces[i + 1].b, 1e-13);
    EXPECT_NEAR(2 * pieces[i].c + 6 * s * pieces[i].d, 2 * pieces[i + 1].c, 1e-12);
  }
}

TEST(Tables, MistakesSayWhatWouldBeRight) {
  EXPECT_NE(mistake_of("table(x)").find("begins with a text in quotes: write table(\"file.csv\", x)"),
            std::string::npos);
  EXPECT_NE(mistake_of("table(\"0 1; 1 2\")").find("takes a text and what it is looked up by"),
            std::string::npos);
  EXPECT_NE(mistake_of("table(\"0 1; 0 2\", x)").find("row 2: x must grow, 0 comes behind 0"),
            std::string::npos);
  EXPECT_NE(mistake_of("table(\"0 1; 1\", x)").find("row 2: a row has two numbers, x and y, got 1"),
            std::string::npos);
  EXPECT_NE(mistake_of("table(\"0 1; 1 y\", x)").find("row 2: 'y' is no number"), std::string::npos);
  EXPECT_NE(mistake_of("table(\"0 1\", x)").find("two rows at least"), std::string::npos);
  EXPECT_NE(mistake_of("table(\"0 1; 1 2\", x, 3)").find("looked up by one value, got 2"), std::string::npos);
  EXPECT_NE(mistake_of("table(\"0 1; 1 2\", )").find("missing argument"), std::string::npos);
}

}  // namespace
}  // namespace catena::expr
