// What all lanes share is found, and the split expressions have the same values.
#include "catena/expr/hoist.h"

#include <gtest/gtest.h>

#include <random>

#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"

namespace catena::expr {
namespace {

TEST(Hoist, SplitsOffWhatDependsOnTimeAlone) {
  Graph graph;
  const std::vector<NodeId> nodes{parse(graph, "x*sin(t)^2 + exp(-t)*(y + t)", {{"t", "x", "y"}, {}}).node,
                                  parse(graph, "cos(t) + 1", {{"t", "x", "y"}, {}}).node,
                                  parse(graph, "x - y", {{"t", "x", "y"}, {}}).node};
  const Hoisted split = hoist(graph, nodes, {1, 0, 0}, 3);
  EXPECT_EQ(split.shared.size(), 3u);  // sin(t)^2, exp(-t), cos(t) + 1
  for (const NodeId id : split.shared) EXPECT_NE(graph[id].op, Op::variable);
  Program whole(graph, nodes, 3), shared(graph, split.shared, 3), rest(split.rest, split.nodes, 6);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20; ++i) {
    double in[6] = {normal(random), normal(random), normal(random)}, expected[3], got[3];
    whole.evaluate(in, 1, expected);
    shared.evaluate(in, 1, in + 3);
    rest.evaluate(in, 1, got);
    for (int o = 0; o < 3; ++o) EXPECT_EQ(got[o], expected[o]);
  }
}

TEST(Hoist, LeavesExpressionsWithoutSharedPartsAlone) {
  Graph graph;
  const NodeId node = parse(graph, "t*x + 2", {{"t", "x"}, {}}).node;
  const Hoisted split = hoist(graph, {node}, {1, 0}, 2);
  EXPECT_TRUE(split.shared.empty());
  EXPECT_EQ(Program(split.rest, split.nodes, 2).operations(), Program(graph, {node}, 2).operations());
}

}  // namespace
}  // namespace catena::expr
