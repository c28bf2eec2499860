// What all lanes share, computed once: the parts of expressions that depend on some variables alone.
#pragma once

#include <cstdint>
#include <vector>

#include "catena/expr/graph.h"

namespace catena::expr {

struct Hoisted {
  std::vector<NodeId> shared;  // of the graph it came from: the largest parts without any other variable
  Graph rest;                  // variable first + i stands for shared[i]
  std::vector<NodeId> nodes;   // in `rest`
};

// `common[i]` says whether the variable with index i is the same in all lanes. A variable or a constant by
// itself is not worth a part.
Hoisted hoist(const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<char>& common,
              std::uint32_t first);

}  // namespace catena::expr
