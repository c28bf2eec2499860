// Expressions multiplied out.
#include "catena/expr/expand.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"
#include "catena/expr/print.h"

namespace catena::expr {
namespace {

const Names kNames{{"x", "y", "z"}, {{"a", 1.5}, {"b", -0.7}}};

std::string after(const std::string& formula) {
  Graph graph;
  const NodeId node = expanded(graph, parse(graph, formula, kNames).node);
  PrintOptions options;
  options.variables = kNames.variables;
  return text(graph, node, options);
}

TEST(Expand, SumsOfProductsWithLikeTermsCollected) {
  EXPECT_EQ(after("a*(2*x*y + x^2*z)"), "2*a*x*y + a*x^2*z");
  EXPECT_EQ(after("(x + y)*(x - y)"), "x^2 - y^2");
  EXPECT_EQ(after("a*x - (b*y - a*x)"), "2*a*x - b*y");
  EXPECT_EQ(after("x*sin(y) - sin(y)*x"), "0");
  EXPECT_EQ(after("-x + y"), "y - x");
  EXPECT_EQ(after("(x^2 + x*y)/x"), "x + y");
}

TEST(Expand, ParametersStayTogether) { EXPECT_EQ(after("(a + b)*x*(y + 1)"), "(a + b)*x*y + (a + b)*x"); }

TEST(Expand, ValuesStay) {
  for (const char* formula : {"(x + 2*y)^3 - a*(x - z)*(y + b)", "x/(y + z) + (x - y)/(a*z)",
                              "cos(x - y)*(x - (y - z))", "-(x*(y - (z - a)))/(2*x)"}) {
    Graph graph;
    const NodeId node = parse(graph, formula, kNames).node;
    Program program(graph, {node, expanded(graph, node)}, 3);
    const double at[3] = {0.3, -1.2, 0.8};
    double out[2];
    program.evaluate(at, 1, out);
    EXPECT_NEAR(out[0], out[1], 1e-14 * (1 + std::fabs(out[0]))) << formula;
  }
}

}  // namespace
}  // namespace catena::expr
