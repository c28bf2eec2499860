// Building: equal expressions are one node, and the rules of simplification.
#include "catena/expr/graph.h"

#include <set>

#include "catena/expr/expression.h"
#include "expr/support.h"

namespace catena::expr {
namespace {

using test::parsed;
using test::text_of;

TEST(Graph, CommonPartsAreOneNode) {
  Graph graph;
  const NodeId first = parsed(graph, "sin(x*y + 1)*exp(-t)");
  const std::size_t size = graph.size();
  EXPECT_EQ(parsed(graph, "sin(1 + y*x)*exp(-t)"), first) << "sums and products have no order";
  EXPECT_EQ(graph.size(), size);
  const Program program(graph, {parsed(graph, "sin(x*y + 1)^2 + cos(x*y + 1) + x*y")}, test::kVariables);
  EXPECT_EQ(program.operations(), 7u) << "x*y, +1, sin, cos, square, two sums";
}

TEST(Graph, OperandsStandBeforeWhatUsesThem) {
  Graph graph;
  parsed(graph, "sqrt((x + y)^2 + z^2)/(1 + tan(x)^3) - step(x)^-2.5*min(x, max(y, z))");
  for (NodeId id = 0; id < graph.size(); ++id) {
    for (const NodeId operand : graph[id].operands) {
      if (operand != kNone) {
        EXPECT_LT(operand, id);
      }
    }
  }
}

TEST(Graph, SimplifiesAsItBuilds) {
  const std::vector<std::pair<std::string, std::string>> rules{
      {"x + 0", "x"},
      {"0 + x", "x"},
      {"x - 0", "x"},
      {"0 - x", "-x"},
      {"x*1", "x"},
      {"1*x", "x"},
      {"x*0", "0"},
      {"0/x", "0"},
      {"x/1", "x"},
      {"x - x", "0"},
      {"--x", "x"},
      {"---x", "-x"},
      {"x^0", "1"},
      {"x^1", "x"},
      {"x*x", "x^2"},
      {"x^2*x", "x^3"},
      {"x^2^3", "x^8"},
      {"(x^2)^3", "x^6"},
      {"(x^4)^5", "x^20"},
      {"x^-2", "1/x^2"},
      {"(-x)^2", "x^2"},
      {"(-x)^3", "-x^3"},
      {"(2*x)^2", "4*x^2"},
      {"x + x", "2*x"},
      {"2*x + 3*x", "5*x"},
      {"3*x - 2*x", "x"},
      {"2*(3*x)", "6*x"},
      {"2*x*3*y", "6*x*y"},
      {"x/2", "0.5*x"},
      {"2*(1/x)", "2/x"},
      {"x + -y", "x - y"},
      {"x - -y", "x + y"},
      {"-x + y", "y - x"},
      {"-x - y", "-(x + y)"},
      {"-(x - y)", "y - x"},
      {"-x*-y", "x*y"},
      {"x/-y", "-x/y"},
      {"x^0.5", "sqrt(x)"},
      {"x^-0.5", "1/sqrt(x)"},
      {"sqrt(x^2)", "abs(x)"},
      {"sqrt(4*x^2)", "2*abs(x)"},
      {"sqrt(x^4)", "x^2"},
      {"sqrt(x^2 + y^2)", "norm(x, y)"},
      {"sqrt(x^2 + y^2 + z^2)", "norm(x, y, z)"},
      {"sqrt(x^2 + (y^2 + z^2))", "norm(x, y, z)"},
      {"sqrt((2*x)^2 + y^2)", "norm(2*x, y)"},
      {"sqrt(2*(x^2 + y^2))", "1.4142135623730951*norm(x, y)"},
      {"(x^2 + y^2)^1.5", "norm(x, y)^3"},
      {"(x^2 + y^2)^-1.5", "1/norm(x, y)^3"},
      {"norm(x, 0)", "abs(x)"},
      {"norm(x, 0, -y)", "norm(x, y)"},
      {"abs(-x)", "abs(x)"},
      {"abs(abs(x))", "abs(x)"},
      {"abs(exp(x))", "exp(x)"},
      {"sin(-x)", "-sin(x)"},
      {"cos(-x)", "cos(x)"},
      {"min(x, x)", "x"},
      {"choose(x, y, y)", "y"},
      {"choose(-1, x, y)", "y"},
      {"ratio(0, x)", "0"},
      {"2 + 3*4 - 1", "13"},
      {"sin(0) + exp(0)", "1"},
      {"1/0", "1/0"},
      {"log(-1)", "log(-1)"},
  };
  for (const auto& [formula, expected] : rules) {
    Graph graph;
    EXPECT_EQ(text_of(graph, parsed(graph, formula)), expected) << formula;
  }
}

TEST(Graph, ParametersKeepTheirNamesAndAreBoundInPrograms) {
  Graph graph;
  const NodeId node = parsed(graph, "k*x + m*k*x");
  EXPECT_EQ(text_of(graph, node), "k*x + m*k*x");
  const Program program(graph, {node}, test::kVariables);
  EXPECT_EQ(program.operations(), 1u) << "0.5*x + 1.5*x is 2*x";
  EXPECT_EQ(test::value(graph, node, {0, 5, 0, 0}), 10.0);
  EXPECT_NE(graph.parameter("k", 0.5), graph.parameter("k", 0.75));
}

TEST(Graph, ExpressionsReadLikeEquations) {
  Graph graph;
  const Expression x = variable(graph, test::kX), y = variable(graph, test::kY),
                   z = variable(graph, test::kZ);
  const Expression drag = -0.1 * x * norm(x, y, z) + 2.0 / (1.0 + pow(y, 2.0));
  EXPECT_EQ(drag.node, parsed(graph, "-0.1*x*norm(x, y, z) + 2/(1 + y^2)"));
}

TEST(Graph, TenThousandTermsWork) {
  std::string formula = "0";
  for (int i = 1; i <= 10'000; ++i) formula += " + sin(" + std::to_string(i) + "*x)";
  Graph graph;
  const NodeId sum = parsed(graph, formula);
  long double expected = 0.0L;
  for (int i = 1; i <= 10'000; ++i) expected += std::sin(static_cast<double>(i) * 0.7);
  EXPECT_NEAR(test::value(graph, sum), static_cast<double>(expected), 1e-11);
  const NodeId slope = derivative(graph, sum, test::kX);
  EXPECT_NEAR(test::series(graph, sum, {{}, {0.7, 1.0}}, 3)[1] / test::value(graph, slope), 1.0, 1e-12);
  EXPECT_EQ(parsed(graph, text_of(graph, sum)), sum);
  EXPECT_EQ(parsed(graph, text_of(graph, slope)), slope);
}

TEST(Graph, NestedFunctionsAndParenthesesOfAnyAllowedDepthWork) {
  for (const int depth : {1'000, 10'000}) {
    const std::size_t count = static_cast<std::size_t>(depth);
    Graph graph;
    EXPECT_EQ(parsed(graph, std::string(count, '(') + "x" + std::string(count, ')')),
              graph.variable(test::kX));
    std::string nested;
    for (int i = 0; i < depth; ++i) nested += "sin(";
    const NodeId node = parsed(graph, nested + "x" + std::string(count, ')'));
    double expected = 0.7;
    for (int i = 0; i < depth; ++i) expected = std::sin(expected);
    EXPECT_EQ(test::value(graph, node), expected);
    EXPECT_EQ(parsed(graph, text_of(graph, node)), node);
    const NodeId slope = derivative(graph, node, test::kX);
    EXPECT_NEAR(test::value(graph, slope) / test::series(graph, node, {{}, {0.7, 1.0}}, 1)[1], 1.0, 1e-10);
  }
}

TEST(Graph, DeepDifferencesPowersAndMinusesWork) {
  std::string differences(9'000, '('), towers = "x", minuses;
  differences += "x";
  for (int i = 0; i < 9'000; ++i) {
    differences += " - y)";
    minuses += "- ";
  }
  for (int i = 0; i < 5'000; ++i) towers += "^x";
  for (const std::string& formula : {differences, towers, minuses + "x"}) {
    Graph graph;
    const NodeId node = parsed(graph, formula);
    EXPECT_TRUE(std::isfinite(test::value(graph, node)));
    EXPECT_EQ(parsed(graph, text_of(graph, node)), node);
    const NodeId slope = derivative(graph, node, test::kX);
    EXPECT_LT(slope, graph.size());
  }
}

TEST(Graph, RefusesMoreNodesThanItsLimit) {
  Graph graph;
  const auto build = [&graph] {
    for (std::uint32_t i = 0; i <= kMostNodes; ++i) graph.variable(i);
  };
  EXPECT_THROW(build(), GraphTooLarge);
  EXPECT_EQ(graph.size(), kMostNodes);
  const Parsed result = parse(graph, "x + 17.25", {{"x"}, {}});
  ASSERT_EQ(result.mistakes.size(), 1u);
  EXPECT_EQ(result.mistakes[0].message,
            "the expressions are too large: more than 1000000 operations; split the formula or write it more "
            "shortly");
}

// Where constants stand for their decimals, those are merged whose result is a decimal of a double, too.
TEST(Graph, KeepsConstantsThatADoubleWouldRound) {
  Graph graph;
  graph.keep_decimals();
  const auto is_number = [&](const std::string& formula, double value) {
    return graph.is_constant(test::parsed(graph, formula), value);
  };
  EXPECT_TRUE(is_number("0.5*0.25", 0.125));
  EXPECT_TRUE(is_number("0.5 + 0.2", 0.7));
  EXPECT_TRUE(is_number("sqrt(6.25)", 2.5));
  EXPECT_TRUE(is_number("2^10 - 24", 1000));
  for (const char* rounded : {"1/3", "0.1 + 0.2", "sqrt(2)", "sin(1)", "0.1^3*0.3^5", "exp(0.5)"}) {
    EXPECT_FALSE(graph.is_constant(test::parsed(graph, rounded))) << rounded;
    Graph plain;
    EXPECT_TRUE(plain.is_constant(test::parsed(plain, rounded))) << rounded;
  }
}

TEST(Graph, TheLengthOfMultiplesOfOneNumberIsItsSize) {
  Graph graph;
  EXPECT_EQ(test::parsed(graph, "norm(3*x, -4*x)"), test::parsed(graph, "5*abs(x)"));
  EXPECT_EQ(test::parsed(graph, "norm(x - y, 2*(x - y), 2*(x - y))"), test::parsed(graph, "3*abs(x - y)"));
  EXPECT_NE(test::parsed(graph, "norm(3*x, 4*y)"), test::parsed(graph, "5*abs(x)"));
}

TEST(Graph, FunctionsDescribeThemselvesOnce) {
  std::set<std::string> seen;
  for (const Function& function : functions()) {
    EXPECT_TRUE(seen.insert(std::string(function.name)).second) << function.name;
    EXPECT_EQ(find_function(function.name), &function);
    EXPECT_EQ(function.usage.rfind(std::string(function.name) + "(", 0), 0u);
    EXPECT_FALSE(function.summary.empty());
    EXPECT_FALSE(function.domain.empty());
    EXPECT_GE(arity(function.op).fewest, 1);
  }
  EXPECT_EQ(seen.size(), 25u);
}

}  // namespace
}  // namespace catena::expr
