// Writing: minimal parentheses, LaTeX, and texts that read back as the same node.
#include "catena/expr/print.h"

#include "expr/support.h"

namespace catena::expr {
namespace {

using test::parsed;
using test::text_of;

TEST(Print, WritesNoMoreParenthesesThanNeeded) {
  for (const std::string formula : {"x - (y - z)",
                                    "x - y - z",
                                    "x*y*z",
                                    "x*(y*z)",
                                    "x/y/z",
                                    "x/(y*z)",
                                    "x/(y/z)",
                                    "x*y/z",
                                    "(x + y)*z",
                                    "x^y^z",
                                    "(x^y)^z",
                                    "x^-2.7",
                                    "x^(-y)",
                                    "(-x)^y",
                                    "-x^2",
                                    "-(x + y)",
                                    "-x*y",
                                    "2*x*y",
                                    "-2*x/y",
                                    "x + 2*y - 3*z",
                                    "sin(x)^2 + cos(x)^2",
                                    "(x + y)^3",
                                    "2^x",
                                    "(x*y)^2.5",
                                    "1/x^2",
                                    "1/(x + y)",
                                    "atan2(y, -x)",
                                    "3*(x + y)",
                                    "1e-15*x",
                                    "x + (y + z)",
                                    "k*x' - omega^2*pi"}) {
    Graph graph;
    Names names = test::names();
    names.variables.push_back("x'");
    const Parsed result = parse(graph, formula, names);
    ASSERT_TRUE(result) << formula;
    EXPECT_EQ(text(graph, result.node, {.variables = names.variables}), formula);
  }
}

TEST(Print, WritesLatex) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"2*x*y", "2 x y"},
      {"x/(y + 1)", "\\frac{x}{y + 1}"},
      {"sin(x)^2", "\\sin^{2}\\left(x\\right)"},
      {"(x + y)^2", "\\left(x + y\\right)^{2}"},
      {"(x/y)^z", "\\left(\\frac{x}{y}\\right)^{z}"},
      {"omega*t", "\\omega t"},
      {"sqrt(x + 1)", "\\sqrt{x + 1}"},
      {"abs(x)*norm(x, y)", "\\left|x\\right|\\left\\|x, y\\right\\|"},
      {"1.5e-9*x", "1.5 \\cdot 10^{-9} x"},
      {"2*3^x", "2 \\cdot 3^{x}"},
      {"log(x)", "\\ln\\left(x\\right)"},
      {"theta_1'*x", "\\dot{\\theta}_{\\mathrm{1}} x"},
      {"theta1*m2", "\\theta_{\\mathrm{1}} m_{\\mathrm{2}}"},
      {"l1_rest", "l_{\\mathrm{1,rest}}"},
      {"Upsilon*iota", "\\Upsilon\\iota"},
      {"-k*mass", "-k\\mathrm{mass}"},
  };
  const Names names{{"t", "x", "y", "z", "theta_1'"},
                    {{"omega", 1},
                     {"k", 1},
                     {"mass", 1},
                     {"theta1", 1},
                     {"m2", 1},
                     {"l1_rest", 1},
                     {"Upsilon", 1},
                     {"iota", 1}}};
  for (const auto& [formula, expected] : table) {
    Graph graph;
    const Parsed result = parse(graph, formula, names);
    ASSERT_TRUE(result) << formula;
    EXPECT_EQ(latex(graph, result.node, {.variables = names.variables}), expected);
  }
}

TEST(Print, CutsTextsThatWouldExplode) {
  Graph graph;
  NodeId node = graph.variable(0);
  for (int i = 0; i < 200; ++i) node = graph.apply(Op::sin, graph.add(node, graph.apply(Op::cos, node)));
  const std::string cut = text(graph, node, {.variables = {}, .longest = 1000});
  EXPECT_EQ(cut.size(), 1004u);
  EXPECT_EQ(cut.substr(1000), " ...");
}

TEST(Print, WritesConstantsSoThatTheyReadBack) {
  for (const double number : {0.1, 1.0 / 3.0, 1e-300, 6.02214076e23, 123456789.0}) {
    Graph graph;
    const NodeId node = graph.add(graph.variable(test::kX), graph.constant(number));
    EXPECT_EQ(parsed(graph, text_of(graph, node)), node) << number;
  }
}

}  // namespace
}  // namespace catena::expr
