// What the tests of expressions share: formulas of t, x, y, z, their values and their series.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "catena/expr/derivative.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/parse.h"
#include "catena/expr/print.h"
#include "catena/expr/taylor.h"

namespace catena::expr::test {

constexpr std::uint32_t kX = 1, kY = 2, kZ = 3;  // 0 is t
constexpr int kVariables = 4;

inline const Names& names() {
  static const Names known{{"t", "x", "y", "z"}, {{"k", 0.5}, {"omega", 2.0}, {"m", 3.0}}};
  return known;
}

inline std::string text_of(const Graph& graph, NodeId node) {
  return text(graph, node, {.variables = names().variables});
}

inline NodeId parsed(Graph& graph, const std::string& formula) {
  const Parsed result = parse(graph, formula, names());
  for (const FormulaMistake& mistake : result.mistakes)
    ADD_FAILURE() << formula << " at " << mistake.offset << ": " << mistake.message;
  return result ? result.node : graph.constant(std::nan(""));
}

using Point = std::vector<double>;  // t, x, y, z

inline double value(const Graph& graph, NodeId node, const Point& at = {0.3, 0.7, -0.4, 1.3}) {
  double out = 0.0;
  Program(graph, {node}, kVariables).evaluate(at.data(), 1, &out);
  return out;
}

inline double value(const std::string& formula, const Point& at = {0.3, 0.7, -0.4, 1.3}) {
  Graph graph;
  const NodeId node = parsed(graph, formula);
  return value(graph, node, at);
}

// Coefficients of the formula when t, x, y, z have these (missing ones are zero).
using Curves = std::vector<std::vector<double>>;

inline std::vector<double> series(const Graph& graph, NodeId node, const Curves& inputs, int order,
                                  double zero_size = 0.0) {
  SeriesProgram program(graph, {node}, kVariables);
  program.reserve(1, order);
  program.treat_as_zero_below(zero_size);
  std::vector<double> out;
  for (int k = 0; k <= order; ++k) {
    for (int i = 0; i < kVariables; ++i) {
      const bool given = i < static_cast<int>(inputs.size()) && k < static_cast<int>(inputs[i].size());
      *program.input(k, i) = given ? inputs[i][k] : 0.0;
    }
    program.advance(k);
    out.push_back(*program.output(k, 0));
  }
  return out;
}

inline std::vector<double> series(const std::string& formula, const Curves& inputs, int order,
                                  double zero_size = 0.0) {
  Graph graph;
  const NodeId node = parsed(graph, formula);
  return series(graph, node, inputs, order, zero_size);
}

inline double polynomial(const std::vector<double>& c, double t) {
  double sum = 0.0;
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * t + c[k];
  return sum;
}

}  // namespace catena::expr::test
