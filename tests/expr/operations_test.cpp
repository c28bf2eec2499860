// Every operation against 120-digit references: values, Taylor coefficients to order 30, and derivatives
// three ways.
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "expr/support.h"

namespace catena::expr {
namespace {

struct Reference {
  std::string name, formula;
  test::Curves inputs;  // of t, x, y, z
  std::vector<double> coefficients;
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> all = [] {
    std::vector<Reference> out;
    std::ifstream file(std::string(CATENA_SOURCE_DIR) + "/tests/expr/references.json");
    for (const auto& row : nlohmann::json::parse(file)) {
      Reference reference{row["name"], row["formula"], {{}}, {}};
      for (const auto& input : row["inputs"]) reference.inputs.push_back(input.get<std::vector<double>>());
      for (const std::string text : row["coefficients"]) reference.coefficients.push_back(std::stod(text));
      out.push_back(std::move(reference));
    }
    return out;
  }();
  return all;
}

test::Point start_of(const Reference& reference) {
  return {0.0, reference.inputs[1][0], reference.inputs[2][0], reference.inputs[3][0]};
}

TEST(Operations, TheReferencesCoverEveryOperation) {
  std::set<Op> covered;
  for (const Reference& reference : references()) {
    Graph graph;
    test::parsed(graph, reference.formula);
    for (NodeId id = 0; id < graph.size(); ++id) covered.insert(graph[id].op);
  }
  for (int op = 0; op < static_cast<int>(Op::count); ++op) {
    if (static_cast<Op>(op) == Op::parameter) continue;
    EXPECT_TRUE(covered.count(static_cast<Op>(op))) << "operation " << op;
  }
}

// The mathematical library is exact to about one unit in the last place; the mixed formulas have ten
// operations.
TEST(Operations, ValuesAgreeWithReferences) {
  for (const Reference& reference : references()) {
    const double got = test::value(reference.formula, start_of(reference));
    EXPECT_NEAR(got, reference.coefficients[0], 1e-15 * std::fabs(reference.coefficients[0]))
        << reference.name;
  }
}

// Relative to the neighbouring coefficients: one that happens to vanish has the roundoff of those. Roundoff
// grows with the order like k eps, times a few.
TEST(Operations, TaylorCoefficientsAgreeWithReferencesToOrder30) {
  for (const Reference& reference : references()) {
    const std::vector<double>& exact = reference.coefficients;
    const std::vector<double> got = test::series(reference.formula, reference.inputs, 30);
    for (int k = 0; k <= 30; ++k) {
      double scale = 0.0;
      for (int j = std::max(0, k - 2); j <= std::min(30, k + 2); ++j)
        scale = std::max(scale, std::fabs(exact[j]));
      EXPECT_NEAR(got[k], exact[k], 1e-13 * scale) << reference.name << " order " << k;
    }
  }
}

// d/dt along the inputs' slopes: by symbolic derivatives, by tangents, by the series' first coefficient.
TEST(Operations, DerivativesAgreeThreeWays) {
  for (const Reference& reference : references()) {
    Graph graph;
    const NodeId node = test::parsed(graph, reference.formula);
    const test::Point at = start_of(reference);
    double symbolic = 0.0, size = 0.0;
    test::Point rates{0.0};
    for (std::uint32_t i = 1; i < test::kVariables; ++i) {
      rates.push_back(reference.inputs[i][1]);
      const double part = test::value(graph, derivative(graph, node, i), at) * rates[i];
      symbolic += part;
      size += std::fabs(part);
    }
    double out = 0.0, tangent = 0.0;
    Program(graph, {node}, test::kVariables).tangent(at.data(), rates.data(), 1, &out, &tangent);
    const double first = test::series(graph, node, reference.inputs, 1)[1];
    EXPECT_EQ(out, test::value(graph, node, at)) << reference.name;
    EXPECT_NEAR(symbolic, reference.coefficients[1], 1e-14 * size) << reference.name;
    EXPECT_NEAR(tangent, reference.coefficients[1], 1e-14 * size) << reference.name;
    EXPECT_NEAR(first, reference.coefficients[1], 1e-14 * size) << reference.name;
  }
}

TEST(Operations, DirectionalDerivativesFollowTheSeeds) {
  Graph graph;
  const NodeId node = test::parsed(graph, "x^2*sin(y) + z");
  const NodeId rate =
      directional_derivatives(graph, {node}, {kNone, test::parsed(graph, "y"), test::parsed(graph, "3")})[0];
  EXPECT_EQ(rate, test::parsed(graph, "2*x*y*sin(y) + x^2*(3*cos(y))")) << test::text_of(graph, rate);
}

TEST(Operations, SecondDerivativesAgreeWithTheSeries) {
  for (const Reference& reference : references()) {
    Graph graph;
    const NodeId node = test::parsed(graph, reference.formula);
    const NodeId second = derivative(graph, derivative(graph, node, test::kX), test::kX);
    test::Curves inputs{
        {}, {reference.inputs[1][0], 1.0}, {reference.inputs[2][0]}, {reference.inputs[3][0]}};
    const std::vector<double> c = test::series(graph, node, inputs, 2);
    const double got = test::value(graph, second, start_of(reference));
    EXPECT_NEAR(got, 2.0 * c[2], 1e-13 * (std::fabs(c[0]) + std::fabs(c[1]) + std::fabs(got)))
        << reference.name;
  }
}

// At a kink: what derivative.h promises, by symbolic derivatives and by tangents.
TEST(Operations, DerivativesAtKinksKeepToTheConventions) {
  const std::vector<std::pair<std::string, double>> table{
      {"abs(x)", 0.0},        {"norm(x, y)", 0.0},      {"norm(x, y, z)", 0.0},
      {"sign(x)", 0.0},       {"x*norm(x, y, z)", 0.0}, {"norm(x, y)^3", 0.0},
      {"max(2*x, 3*x)", 2.0}, {"min(2*x, 3*x)", 2.0},   {"choose(x, 5*x, y)", 5.0},
      {"step(x)", 0.0},       {"ratio(x*y, y)", 0.0},
  };
  const test::Point at{0, 0, 0, 0}, rates{0, 1, 0, 0};
  for (const auto& [formula, expected] : table) {
    Graph graph;
    const NodeId node = test::parsed(graph, formula);
    double out = 0.0, tangent = 0.0;
    Program(graph, {node}, test::kVariables).tangent(at.data(), rates.data(), 1, &out, &tangent);
    EXPECT_EQ(test::value(graph, derivative(graph, node, test::kX), at), expected) << formula;
    EXPECT_EQ(tangent, expected) << formula;
  }
}

// The drag force as the derivative of its dissipation |v|^3 / 3 is |v| v, with a series at rest.
TEST(Operations, TheDerivativeOfACubedNormHasASeriesAtRest) {
  Graph graph;
  const NodeId slope = derivative(graph, test::parsed(graph, "norm(x, y, z)^3/3"), test::kX);
  const std::vector<double> c = test::series(graph, slope, {{}, {0, -3}, {0, 4}, {0}}, 3);
  EXPECT_EQ(c, (std::vector<double>{0, 0, -15, 0})) << test::text_of(graph, slope);
}

TEST(Operations, NormNeitherOverflowsNorUnderflows) {
  EXPECT_DOUBLE_EQ(test::value("norm(x, y)", {0, 3e200, 4e200, 0}), 5e200);
  EXPECT_DOUBLE_EQ(test::value("norm(x, y, z)", {0, 2e-200, 3e-200, 6e-200}), 7e-200);
  EXPECT_EQ(test::value("norm(x, y)", {0, 0, 0, 0}), 0.0);
  EXPECT_EQ(test::value("norm(x, y)", {0, INFINITY, 1, 0}), INFINITY);
  EXPECT_TRUE(std::isnan(test::value("norm(x, y)", {0, NAN, 0, 0})));
}

TEST(Operations, NanGoesThroughEveryFunction) {
  for (const Function& function : functions()) {
    const int count = arity(function.op).fewest;
    const std::string arguments = count == 1 ? "(x)" : (count == 2 ? "(x, y)" : "(x, y, z)");
    EXPECT_TRUE(std::isnan(test::value(std::string(function.name) + arguments, {0, NAN, 1, 2})))
        << function.name;
    EXPECT_TRUE(std::isnan(test::series(std::string(function.name) + arguments, {{}, {NAN}, {1}, {2}}, 2)[2]))
        << function.name;
  }
  for (const std::string formula : {"max(x, y)", "max(y, x)", "min(x, y)", "min(y, x)", "norm(y, x)"})
    EXPECT_TRUE(std::isnan(test::value(formula, {0, NAN, 1, 2}))) << formula;
}

}  // namespace
}  // namespace catena::expr
