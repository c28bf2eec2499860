// Expressions of one graph rewritten in another: its variables replaced by expressions there.
#pragma once

#include <vector>

#include "catena/expr/graph.h"

namespace catena::expr {

// The nodes of `from` as nodes of `into`, with images[i] in place of the variable with index i. Throws
// std::out_of_range when a variable that is needed has no image.
std::vector<NodeId> substitute(const Graph& from, const std::vector<NodeId>& nodes, Graph& into,
                               const std::vector<NodeId>& images);

}  // namespace catena::expr
