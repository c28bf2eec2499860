// Formulas with kinks in time, piece by piece.
#include "catena/expr/pieces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catena/expr/derivative.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"

namespace catena::expr {
namespace {

struct Value {
  double place, rate;
};

Value value(Graph& graph, NodeId node, double t) {
  double out[2];
  Program(graph, {node, derivative(graph, node, 0)}, 1).evaluate(&t, 1, out);
  return {out[0], out[1]};
}

TEST(Pieces, EachIsTheFormulaWhereItHoldsAndGoesOnBeyond) {
  Graph graph;
  const NodeId ramp = parse(graph, "min(t, 1) + abs(t - 3)", {{"t"}, {}}).node;
  const NodeId first = piece_at(graph, ramp, 0, 0.5), second = piece_at(graph, ramp, 0, 2.0),
               third = piece_at(graph, ramp, 0, 5.0);
  for (const double t : {0.2, 0.9, 1.5, 2.5, 3.5, 7.0}) {
    EXPECT_EQ(value(graph, first, t).place, t + (3 - t));
    EXPECT_EQ(value(graph, second, t).place, 1 + (3 - t));
    EXPECT_EQ(value(graph, third, t).place, 1 + (t - 3));
    EXPECT_EQ(value(graph, second, t).rate, -1.0);
  }
}

// What decides and is not time stays.
TEST(Pieces, OnlyTimeIsDecided) {
  Graph graph;
  const NodeId formula = parse(graph, "choose(t - 1, abs(x), x) + max(x, t)", {{"t", "x"}, {}}).node;
  const NodeId late = piece_at(graph, formula, 0, 2.0);
  const double at[2] = {2.0, -3.0};
  double out = 0.0;
  Program(graph, {late}, 2).evaluate(at, 1, &out);
  EXPECT_EQ(out, 3.0 + 2.0);
}

std::vector<double> kinks(const std::string& text, double until, double step) {
  Graph graph;
  TimeKinks all;
  all.add(graph, parse(graph, text, {{"t"}, {}}).node, 0, "it");
  std::vector<double> out;
  if (all.empty()) return out;
  all.enter(0.0);
  double t = 0.0;
  while (t < until) {
    if (all.is_over(t)) all.enter(t);
    const double end = std::min(until, t + step), found = all.next(t, end);
    if (std::isinf(found)) {
      t = end;
    } else {
      out.push_back(t = found);
    }
  }
  return out;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-14 * (1 + expected[i]));
}

TEST(Pieces, KinksAreFoundWhereverStepsEnd) {
  const double pi = std::acos(-1.0);
  for (const double step : {0.01, 0.1, 0.25, 0.5, 1.0, 3.0}) {
    expect_near(kinks("min(t, 1)", 10, step), {1.0});
    expect_near(kinks("abs(t - 1) + max(2*t - 3, 0) + step(t - 4)", 10, step), {1.0, 1.5, 4.0, 5.0});
    expect_near(kinks("abs(sin(t))", 10, step), {pi, 2 * pi, 3 * pi});
    expect_near(kinks("min(abs(t - 2), 0.5)", 10, step), {1.5, 2.0, 2.5});
    expect_near(kinks("choose(2 - t, t, 2) + sign(t - 2)", 10, step), {2.0});
    expect_near(kinks("max(1 - exp(-t), 0.5)", 10, step), {std::log(2.0)});
  }
  EXPECT_TRUE(kinks("sin(t) + t^2", 10, 0.1).empty());
  EXPECT_TRUE(kinks("abs(3)*t + max(1, 2)", 10, 0.1).empty());
  EXPECT_TRUE(kinks("abs(t + 1)", 10, 0.1).empty());
}

TEST(Pieces, AStartOnAKinkTakesWhatFollows) {
  Graph graph;
  const NodeId node = parse(graph, "max(t, 0) + abs(t)", {{"t"}, {}}).node;
  TimeKinks all;
  all.add(graph, node, 0, "it");
  const double moment = all.enter(0.0);
  EXPECT_EQ(value(graph, piece_at(graph, node, 0, moment), 0.0).rate, 2.0);
  EXPECT_TRUE(std::isinf(all.next(0.0, 5.0)));
}

}  // namespace
}  // namespace catena::expr
