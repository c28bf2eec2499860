// Random expressions (fixed seeds): derivative, tangent, series, text and values must agree with each other.
#include <random>

#include "catena/expr/values.h"
#include "expr/support.h"

namespace catena::expr {
namespace {

using Random = std::mt19937;

double uniform(Random& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
}

// Grown bottom-up from a pool, so that parts are shared. Smooth and defined for arguments of any size.
NodeId random_node(Graph& graph, Random& random, bool tame) {
  std::vector<NodeId> pool;
  for (std::uint32_t i = 0; i < test::kVariables; ++i) pool.push_back(graph.variable(i));
  pool.push_back(graph.parameter("k", 0.5));
  pool.push_back(graph.parameter("omega", 2.0));
  const int size = 3 + static_cast<int>(random() % 12);
  const auto any = [&] { return pool[random() % pool.size()]; };
  const auto positive = [&](NodeId a) { return graph.add(graph.constant(1.5), graph.power(a, 2.0)); };
  for (int i = 0; i < size; ++i) {
    const NodeId a = any(), b = any(), c = any();
    const NodeId bounded = tame ? graph.apply(Op::sin, a) : a;
    switch (random() % 26) {
      case 0:
        pool.push_back(graph.add(a, b));
        break;
      case 1:
        pool.push_back(graph.subtract(a, b));
        break;
      case 2:
        pool.push_back(graph.multiply(bounded, b));
        break;
      case 3:
        pool.push_back(graph.divide(a, tame ? positive(b) : b));
        break;
      case 4:
        pool.push_back(graph.negate(a));
        break;
      case 5:
        pool.push_back(graph.power(bounded, static_cast<double>(random() % 7) - (tame ? 0.0 : 3.0)));
        break;
      case 6:
        pool.push_back(graph.power(tame ? positive(bounded) : a, uniform(random, -2.5, 2.5)));
        break;
      case 7:
        pool.push_back(graph.power(tame ? positive(bounded) : a, tame ? graph.apply(Op::cos, b) : b));
        break;
      case 8:
        pool.push_back(graph.sqrt(tame ? positive(a) : a));
        break;
      case 9:
        pool.push_back(graph.apply(Op::exp, bounded));
        break;
      case 10:
        pool.push_back(graph.apply(Op::log, tame ? positive(a) : a));
        break;
      case 11:
        pool.push_back(graph.apply(Op::sin, a));
        break;
      case 12:
        pool.push_back(graph.apply(Op::cos, a));
        break;
      case 13:
        pool.push_back(graph.apply(Op::tan, bounded));
        break;
      case 14:
        pool.push_back(graph.apply(Op::asin, tame ? graph.multiply(graph.constant(0.6), bounded) : a));
        break;
      case 15:
        pool.push_back(graph.apply(Op::acos, tame ? graph.multiply(graph.constant(0.6), bounded) : a));
        break;
      case 16:
        pool.push_back(graph.apply(Op::atan, a));
        break;
      case 17:
        pool.push_back(graph.apply(Op::atan2, a, tame ? positive(b) : b));
        break;
      case 18:
        pool.push_back(graph.apply(random() % 2 ? Op::sinh : Op::cosh, bounded));
        break;
      case 19:
        pool.push_back(graph.apply(Op::tanh, a));
        break;
      case 20:
        pool.push_back(graph.apply(random() % 2 ? Op::abs : Op::sign, tame ? positive(a) : a));
        break;
      case 21:
        pool.push_back(
            graph.apply(random() % 2 ? Op::min : Op::max, a, tame ? graph.add(a, positive(b)) : b));
        break;
      case 22:
        pool.push_back(
            graph.apply(Op::step, tame ? graph.multiply(graph.constant(0.2), positive(bounded)) : a));
        break;
      case 23:
        pool.push_back(graph.norm(a, tame ? positive(b) : b, random() % 2 ? c : kNone));
        break;
      case 24:
        pool.push_back(graph.ratio(a, tame ? positive(b) : b));
        break;
      default:
        pool.push_back(graph.choose(tame ? positive(a) : a, b, c));
        break;
    }
    if (random() % 6 == 0) pool.push_back(graph.constant(std::round(uniform(random, -40, 40)) / 8));
    if (random() % 6 == 0) pool.push_back(graph.multiply(graph.constant(uniform(random, -2, 2)), any()));
  }
  return pool.back();
}

test::Point random_point(Random& random) {
  test::Point out;
  for (int i = 0; i < test::kVariables; ++i) out.push_back(uniform(random, -1.2, 1.2));
  return out;
}

TEST(Fuzz, TextReadsBackAsTheSameNode) {
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    Graph graph;
    const NodeId node = random_node(graph, random, i % 2 == 0);
    const std::string text = test::text_of(graph, node);
    if (text.size() > 100'000) continue;
    const Parsed back = parse(graph, text, test::names());
    ASSERT_TRUE(back) << text << ": " << back.mistakes[0].message;
    ASSERT_EQ(back.node, node) << text << "\n" << test::text_of(graph, back.node);
    EXPECT_FALSE(latex(graph, node).empty());
  }
}

TEST(Fuzz, SymbolicDerivativesTangentsAndSeriesAgree) {
  Random random(2);
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    Graph graph;
    const NodeId node = random_node(graph, random, true);
    const test::Point at = random_point(random);
    for (std::uint32_t v = 0; v < test::kVariables; ++v) {
      const double symbolic = test::value(graph, derivative(graph, node, v), at);
      test::Point rates(test::kVariables, 0.0);
      rates[v] = 1.0;
      double out = 0.0, tangent = 0.0;
      Program(graph, {node}, test::kVariables).tangent(at.data(), rates.data(), 1, &out, &tangent);
      test::Curves curves;
      for (int j = 0; j < test::kVariables; ++j) curves.push_back({at[j], rates[j]});
      const double first = test::series(graph, node, curves, 1)[1];
      const double scale = 1.0 + std::fabs(symbolic) + std::fabs(out);
      if (!(scale < 1e8)) continue;
      ++compared;
      ASSERT_NEAR(tangent, symbolic, 1e-11 * scale) << test::text_of(graph, node);
      ASSERT_NEAR(first, symbolic, 1e-11 * scale) << test::text_of(graph, node);
    }
  }
  EXPECT_GT(compared, 7000);
}

// Central differences lose half of the digits; a wrong rule is off by much more.
TEST(Fuzz, DerivativesAgreeWithCentralDifferences) {
  Random random(3);
  int compared = 0;
  for (int i = 0; i < 1000; ++i) {
    Graph graph;
    const NodeId node = random_node(graph, random, true);
    test::Point at = random_point(random);
    const double slope = test::value(graph, derivative(graph, node, test::kX), at);
    const double second =
        test::value(graph, derivative(graph, derivative(graph, node, test::kX), test::kX), at);
    const double size = std::fabs(test::value(graph, node, at)) + std::fabs(slope) + std::fabs(second);
    if (!(size < 100.0)) continue;
    const double h = 1e-5, x = at[test::kX];
    at[test::kX] = x + h;
    const double above = test::value(graph, node, at);
    at[test::kX] = x - h;
    const double below = test::value(graph, node, at);
    ++compared;
    ASSERT_NEAR((above - below) / (2 * h), slope, 1e-6 * (1.0 + size)) << test::text_of(graph, node);
  }
  EXPECT_GT(compared, 500);
}

TEST(Fuzz, SeriesSumUpToTheValues) {
  Random random(4);
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    Graph graph;
    const NodeId node = random_node(graph, random, true);
    test::Curves curves;
    for (int j = 0; j < test::kVariables; ++j)
      curves.push_back({uniform(random, -1.2, 1.2), uniform(random, -1, 1), uniform(random, -1, 1)});
    const std::vector<double> c = test::series(graph, node, curves, 24);
    const double h = 0.02;
    double size = 0.0, power = 1.0;
    for (const double term : c) size += std::fabs(term) * power, power *= h;
    // The tail must be small for the sum to say anything.
    if (!(size < 1e6) || std::fabs(c[24]) * std::pow(h, 24) > 1e-17 * size) continue;
    test::Point at;
    for (const auto& curve : curves) at.push_back(test::polynomial(curve, h));
    ++compared;
    ASSERT_NEAR(test::polynomial(c, h), test::value(graph, node, at), 1e-12 * (1.0 + size))
        << test::text_of(graph, node);
  }
  EXPECT_GT(compared, 1000);
}

// The same tape applied to plain numbers, node by node, without a program.
TEST(Fuzz, ProgramsComputeWhatTheirNodesMean) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    Graph graph;
    const NodeId node = random_node(graph, random, true);
    const test::Point at = random_point(random);
    std::vector<double> values(graph.size());
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& n = graph[id];
      const auto operand = [&](int k) { return n.operands[k] == kNone ? 0.0 : values[n.operands[k]]; };
      const bool leaf = n.op == Op::constant || n.op == Op::parameter;
      values[id] = n.op == Op::variable ? at[n.index]
                   : leaf               ? n.value
                                        : value_of(n.op, operand(0), operand(1), operand(2));
    }
    const double got = test::value(graph, node, at);
    if (std::isnan(values[node]) || std::fabs(values[node]) > 1e100) continue;
    // Binding parameters merges constants, which rounds differently.
    ASSERT_NEAR(got, values[node], 1e-11 * (1.0 + std::fabs(got))) << test::text_of(graph, node);
  }
}

TEST(Fuzz, NoTextCrashesTheParser) {
  Random random(6);
  const std::string alphabet = std::string("xyzt0123456789.e+-*/^(),' \tsincoabqrtmk_$\xc3\xa4") + '\0';
  int good = 0;
  for (int i = 0; i < 20000; ++i) {
    Graph graph;
    std::string text = test::text_of(graph, random_node(graph, random, false)).substr(0, 300);
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int c = 0; c < changes; ++c) {
      const std::size_t at = random() % (text.size() + 1);
      const std::size_t kind = random() % 3;
      if (kind == 0 || text.empty()) text.insert(at, 1, alphabet[random() % alphabet.size()]);
      if (kind == 1 && at < text.size()) text[at] = alphabet[random() % alphabet.size()];
      if (kind == 2 && at < text.size()) text.erase(at, 1 + random() % 3);
    }
    const Parsed result = parse(graph, text, test::names());
    ASSERT_EQ(static_cast<bool>(result), result.mistakes.empty());
    for (const FormulaMistake& mistake : result.mistakes) {
      ASSERT_LE(mistake.offset, text.size());
      ASSERT_FALSE(mistake.message.empty());
    }
    if (!result) continue;
    ++good;
    ASSERT_EQ(parse(graph, test::text_of(graph, result.node), test::names()).node, result.node) << text;
  }
  EXPECT_GT(good, 1000);
  EXPECT_LT(good, 15000);
}

}  // namespace
}  // namespace catena::expr
