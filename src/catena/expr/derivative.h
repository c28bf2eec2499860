// Symbolic differentiation: a walk along the tape that writes each node's derivative into the same graph.
//
// Where a function has no derivative it gets one that keeps evaluation finite:
//   abs' = sign, which is 0 at 0;   norm' = ratio(a a' + b b' + c c', norm), which is 0 at 0;   sign' = 0;
//   min, max and choose differentiate the branch that is taken, the first where both are equal.
#pragma once

#include <vector>

#include "catena/expr/graph.h"

namespace catena::expr {

// The derivative of `node` by the variable with this index.
NodeId derivative(Graph& graph, NodeId node, std::uint32_t variable);

// Those of several nodes by one variable: what they share is differentiated once.
std::vector<NodeId> derivatives(Graph& graph, const std::vector<NodeId>& nodes, std::uint32_t variable);

// sum over variables i of (d node / d x_i) seeds[i]: the rate of change when x_i changes at the rate
// seeds[i]. Variables without a seed (kNone, or beyond the end) stay fixed.
std::vector<NodeId> directional_derivatives(Graph& graph, const std::vector<NodeId>& nodes,
                                            const std::vector<NodeId>& seeds);

}  // namespace catena::expr
