// Formulas that vanish as formulas, and those that only seem to.
#include "catena/expr/identity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/expr/parse.h"

namespace catena::expr {
namespace {

bool vanishes(const std::string& text) {
  Graph graph;
  const NodeId node = parse(graph, text, {{"t", "x", "y"}, {}}).node;
  return NormalForms(graph).vanishes({{1.0, node}});
}

TEST(Identity, WhatCancelsAsAFormulaVanishes) {
  EXPECT_TRUE(vanishes("(x + y)^2 - x^2 - 2*x*y - y^2"));
  EXPECT_TRUE(vanishes("(x + y)*(x - y)*sin(t) - x^2*sin(t) + y*y*sin(t)"));
  EXPECT_TRUE(vanishes("exp(x*y)/(x + y)*t - t*exp(y*x)/(y + x)"));
  EXPECT_TRUE(vanishes("choose(t - 1, x, y) - choose(t - 1, x - y, 0) - y"));
  EXPECT_TRUE(vanishes("x/(t*x*y) - 1/(t*y)"));
}

// Nothing is sampled: however small or late, what does not cancel is there.
TEST(Identity, WhatIsSmallOrLateDoesNotVanish) {
  EXPECT_FALSE(vanishes("1 + tanh(200*(t - 10))"));
  EXPECT_FALSE(vanishes("exp(-(1e6*(t - 3))^2)"));
  EXPECT_FALSE(vanishes("1e-30*x"));
  EXPECT_FALSE(vanishes("choose(t - 1e6, x, 0)"));
  EXPECT_FALSE(vanishes("max(t - 5, 0)"));
  EXPECT_FALSE(vanishes("x + 1e-20*y - x"));
}

// A vector along (cosine, sine) has no component across, but for the roundoff of these two.
TEST(Identity, ComponentsAcrossADirectionVanish) {
  for (const double angle : {0.0, 0.3, 1.5707963267948966, 2.5, 4.0}) {
    const double c = std::cos(angle), s = std::sin(angle);
    Graph graph;
    const NodeId size = parse(graph, "exp(sin(3*x) - y^2)*(1 + t)", {{"t", "x", "y"}, {}}).node;
    const NodeId x = graph.multiply(graph.constant(c), size), y = graph.multiply(graph.constant(s), size);
    EXPECT_TRUE(NormalForms(graph).vanishes({{c, y}, {-s, x}})) << angle;
    EXPECT_FALSE(NormalForms(graph).vanishes({{c, x}, {s, y}})) << angle;
    const NodeId aside = graph.add(y, graph.multiply(graph.constant(1e-9), size));
    EXPECT_EQ(NormalForms(graph).vanishes({{c, aside}, {-s, x}}), std::fabs(c) < 1e-5) << angle;
  }
}

TEST(Identity, VariablesMayStandForOthers) {
  Graph graph;
  const NodeId node = parse(graph, "x*x + y*y - t*t", {{"t", "x", "y"}, {}}).node;
  NormalForms forms(graph);  // x = 0.6 t, y = 0.8 t
  forms.set(0, {0.0, {{1.0, 7}}});
  forms.set(1, {0.0, {{0.6, 7}}});
  forms.set(2, {0.0, {{0.8, 7}}});
  EXPECT_TRUE(forms.vanishes({{1.0, node}}));
  EXPECT_FALSE(NormalForms(graph).vanishes({{1.0, node}}));
  NormalForms shifted(graph);
  shifted.set(1, {2.0, {{1.0, 1}}});
  EXPECT_FALSE(shifted.is_constant({{1.0, node}}));
}

// Sums that are too long to be written out are taken as they stand: equal ones still cancel.
TEST(Identity, LongSumsCancelAsAWhole) {
  std::string sum = "sin(x)";
  for (int i = 2; i < 60; ++i) sum += " + sin(" + std::to_string(i) + "*x + y)";
  const std::string product = "((" + sum + ")*(" + sum + "))";
  EXPECT_TRUE(vanishes("t*" + product + " + x*" + product + " - (x + t)*" + product));
  EXPECT_FALSE(vanishes("t*" + product + " - x*" + product));
}

}  // namespace
}  // namespace catena::expr
