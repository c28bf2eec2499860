// Formulas as text into nodes of a graph.
//
//   2*x, -x^2 (minus the square), 2^3^2 (from right to left), sin(omega*t), .5, 1.5e-3, x' (a rate)
//
// The functions are those of functions.h. The name `pi` is known everywhere, unless the caller gives it
// another meaning.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/expr/graph.h"
#include "catena/expr/parameters.h"

namespace catena::expr {

constexpr std::size_t kLongestFormula = 1'000'000;  // characters
constexpr std::size_t kDeepestNesting = 10'000;     // parentheses inside parentheses

// The names that a formula may use.
struct Names {
  std::vector<std::string> variables;  // name i is the variable with index i
  Parameters parameters;               // these win over `pi`, variables win over these
  // Names for nodes that the graph has already, instead of variables. They win over all others.
  std::vector<std::pair<std::string, NodeId>> meanings = {};
};

struct FormulaMistake {
  std::size_t offset;   // in the text, from 0
  std::string message;  // what is wrong and what would be right, one line
};

struct Parsed {
  NodeId node = kNone;                   // kNone if there are mistakes
  std::vector<FormulaMistake> mistakes;  // in the order of the text

  explicit operator bool() const { return node != kNone; }
};

// All names that are wrong, or up to the first place where the text is no formula. Never throws on any text.
Parsed parse(Graph& graph, std::string_view text, const Names& names);

}  // namespace catena::expr
