// Expressions as people write them.
#pragma once

#include <string>
#include <vector>

#include "catena/expr/graph.h"

namespace catena::expr {

struct PrintOptions {
  std::vector<std::string> variables;  // their names; further ones are x0, x1, .. by index
  std::size_t longest = 1'000'000;     // characters; a longer text is cut and ends with " ..."
};

// "2*x + sin(omega*t)^2", with no more parentheses than needed: reading it gives the same node.
std::string text(const Graph& graph, NodeId node, const PrintOptions& options = {});

// For LaTeX's math mode: "2 x + \sin^{2}\left(\omega t\right)". Greek names become letters, x_1 a subscript,
// and a rate x' a dot.
std::string latex(const Graph& graph, NodeId node, const PrintOptions& options = {});

}  // namespace catena::expr
