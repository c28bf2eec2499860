// Lagrange's equations, derived from a system's formulas:
//
//     M q'' = f + G^T lambda        G q' = -dg/dt        M = d2L/dq'dq',   G = dg/dq
//     f = dL/dq - (d/dt at fixed q') dL/dq' - dD/dq' + Q
#pragma once

#include <string>
#include <vector>

#include "catena/expr/graph.h"
#include "catena/model/lagrangian.h"

namespace catena {

struct LagrangianEquations {
  expr::Graph graph;
  std::size_t coordinates = 0;         // n; variables are q (n), q' (n), t
  std::vector<std::string> variables;  // their names
  expr::NodeId kinetic = expr::kNone, potential = expr::kNone, lagrangian = expr::kNone;
  expr::NodeId dissipation = expr::kNone;  // kNone: there is none
  std::vector<expr::NodeId> momenta;       // dL/dq'
  std::vector<expr::NodeId> mass;          // row by row
  std::vector<expr::NodeId> force;         // f
  std::vector<expr::NodeId> applied;       // Q
  std::vector<expr::NodeId> constraints;   // g
  std::vector<expr::NodeId> jacobian;      // G, row by row
  std::vector<expr::NodeId> drift;         // dg/dt at fixed q
  std::vector<expr::NodeId> gap_rates;     // G q' + dg/dt
  // What changes the energy kinetic + potential: the loss q' dD/dq', and the power q' Q - dL/dt plus the rate
  // of `excess` less lambda dg/dt. The excess is what kinetic + potential has over q' dL/dq' - L, in systems
  // whose kinetic energy has parts that are not quadratic in the rates.
  expr::NodeId loss = expr::kNone, power = expr::kNone, excess = expr::kNone;

  expr::NodeId q(std::size_t i) { return graph.variable(static_cast<std::uint32_t>(i)); }
  expr::NodeId rate(std::size_t i) { return graph.variable(static_cast<std::uint32_t>(coordinates + i)); }
  std::uint32_t time() const { return static_cast<std::uint32_t>(2 * coordinates); }
  int inputs() const { return static_cast<int>(2 * coordinates + 1); }
  bool is_zero(expr::NodeId node) const { return graph.is_constant(node, 0.0); }
  // Whether one of the nodes depends on a variable from `first` to `last`.
  bool depends(const std::vector<expr::NodeId>& nodes, std::uint32_t first, std::uint32_t last) const;
};

// Throws InputError when the equations are too large to derive.
// `decimals`: numbers stand for their decimals, see expr::Graph::keep_decimals.
LagrangianEquations derive(const Lagrangian& given, bool decimals = false);

}  // namespace catena
