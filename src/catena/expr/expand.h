// Expressions as sums of products, like terms collected: how people write equations.
#pragma once

#include "catena/expr/graph.h"

namespace catena::expr {

// The same value, multiplied out: m*(2*r*r'*w + r^2*w') becomes 2*m*r*r'*w + m*r^2*w'. Sums of parameters
// alone, (m_1 + m_2), stay together, and so does what would have more than kMostTerms terms. For reading, not
// for computing: rounding differs.
constexpr std::size_t kMostTerms = 200;
NodeId expanded(Graph& graph, NodeId node);

}  // namespace catena::expr
