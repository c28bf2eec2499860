// Programs that leave out what is zero or not asked for, against the same programs in full.
#include <gtest/gtest.h>

#include "catena/expr/taylor.h"
#include "catena/expr/values_digits.h"
#include "catena/expr/vector.h"

namespace catena::expr {
namespace {

constexpr int kInputs = 4;
constexpr int kOrder = 8;

// Sums, products and functions of four variables; the last one is steady.
std::vector<NodeId> outputs(Graph& g) {
  const Expression a = variable(g, 0), b = variable(g, 1), c = variable(g, 2), s = variable(g, 3);
  const Expression sum = a + c, difference = c - b, product = sum * difference;
  std::vector<NodeId> out;
  for (const Expression& e : {product + s * b, s - c, square(c) * a, sin(c) * b + s, (s + b) * (s - c),
                              product / (2.0 + square(sum)), -difference, b * c - a, cos(c)}) {
    out.push_back(e.node);
  }
  return out;
}

// Coefficients of the inputs: b is zero at order 0, c up to order `leaves - 1`.
double coefficient(int input, int order, int leaves) {
  if (input == 3) return order == 0 ? 0.75 : 0.0;
  if (input == 1 && order == 0) return 0.0;
  if (input == 2 && order < leaves) return 0.0;
  return 0.3 + 0.1 * input - 0.07 * order;
}

class PlannedSeries : public testing::TestWithParam<int> {};

TEST_P(PlannedSeries, WhatLeavesZeroLateIsMadeUpFor) {
  Graph g;
  const std::vector<NodeId> nodes = outputs(g);
  SeriesProgram whole(g, nodes, kInputs, 1), sparing(g, nodes, kInputs, 1);
  whole.reserve(3, kOrder);
  sparing.reserve(3, kOrder);
  sparing.compute_on_demand();
  for (int k = 0; k <= kOrder; ++k) {
    for (int i = 0; i < kInputs; ++i) {
      for (int lane = 0; lane < 3; ++lane) {
        const double value = (1.0 + lane) * coefficient(i, k, GetParam());
        whole.input(k, i)[lane] = sparing.input(k, i)[lane] = value;
      }
    }
    // Ever more of them are asked for.
    for (int o = 0; o < sparing.outputs() && o <= k; ++o) sparing.want(o);
    whole.advance(k);
    sparing.advance(k);
    for (int o = 0; o < whole.outputs(); ++o) {
      for (int order = 0; order <= (o <= k ? k : 0); ++order) {
        for (int lane = 0; lane < 3; ++lane) {
          const double coefficient = whole.output(order, o)[lane];
          EXPECT_EQ(sparing.output(order, o)[lane], coefficient)
              << "output " << o << ", order " << order << " of " << k;
          EXPECT_FALSE(order > 0 && coefficient != 0.0 && sparing.is_resting(o)) << o;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, PlannedSeries, testing::Values(0, 1, 2, 5, kOrder + 1));

TEST(PlannedValues, ExactValuesAreTheSame) {
  Graph g;
  const std::vector<NodeId> nodes = outputs(g);
  DigitsProgram whole(g, nodes, kInputs), sparing(g, nodes, kInputs);
  sparing.look_for_zeros();
  for (const int leaves : {9, 0, 9}) {
    std::vector<DoubleDouble> in, a(nodes.size()), b(nodes.size());
    for (int i = 0; i < kInputs; ++i) {
      const double hi = coefficient(i, 0, leaves);
      in.emplace_back(hi, 1e-20 * hi);
    }
    whole.evaluate(in.data(), a.data());
    sparing.evaluate(in.data(), b.data());
    for (std::size_t o = 0; o < nodes.size(); ++o) {
      EXPECT_EQ(a[o].hi, b[o].hi) << o;
      EXPECT_EQ(a[o].lo, b[o].lo) << o;
    }
  }
}

}  // namespace
}  // namespace catena::expr
