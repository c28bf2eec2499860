#include "catena/dynamics/joints/joint_programs.h"

#include <algorithm>

#include "catena/expr/derivative.h"

namespace catena {
namespace {

using expr::Graph;
using expr::NodeId;

std::vector<NodeId> nodes_of(const std::vector<expr::Expression>& expressions) {
  std::vector<NodeId> out;
  for (const expr::Expression& e : expressions) out.push_back(e.node);
  return out;
}

}  // namespace

JacobianNodes jacobian_nodes(const JointVariables& variables, const EquationMaker& equations,
                             const std::vector<JointLane>& lanes, Folding folding, Graph& run) {
  JacobianNodes out;
  Graph g;
  g.keep_decimals(run.keeps_decimals());
  const std::vector<NodeId> gaps = nodes_of(equations(variables.symbols(g)));
  out.rows = static_cast<int>(gaps.size());
  const auto is_zero = [&](NodeId node) { return g.is_constant(node, 0.0); };
  std::vector<NodeId> outputs;
  for (std::size_t motion = 0; motion < variables.moving() * kMotion; ++motion) {
    const std::vector<NodeId> column =
        directional_derivatives(g, gaps, variables.unit_motion(g, motion / kMotion, motion % kMotion));
    for (int row = 0; row < out.rows; ++row) {
      if (is_zero(column[row])) continue;
      out.entries.push_back({row, motion, static_cast<int>(outputs.size())});
      outputs.push_back(column[row]);
    }
  }
  const std::vector<NodeId> driven = derivatives(g, gaps, static_cast<std::uint32_t>(variables.time()));
  for (int row = 0; row < out.rows; ++row) {
    out.drive.push_back(is_zero(driven[row]) ? -1 : static_cast<int>(outputs.size()));
    if (out.drive.back() >= 0) outputs.push_back(g.negate(driven[row]));
  }
  out.outputs = with_quaternions(g, outputs, variables, lanes, folding, run);
  const auto vanishes = [&](const JacobianEntry& entry) {
    return run.is_constant(out.outputs[static_cast<std::size_t>(entry.output)], 0.0);
  };
  out.entries.erase(std::remove_if(out.entries.begin(), out.entries.end(), vanishes), out.entries.end());
  return out;
}

std::vector<NodeId> gap_nodes(const JointVariables& variables, const EquationMaker& equations,
                              const std::vector<JointLane>& lanes, Graph& run) {
  Graph g;
  g.keep_decimals(run.keeps_decimals());
  std::vector<NodeId> gaps = nodes_of(equations(variables.symbols(g)));
  const std::vector<NodeId> rates = directional_derivatives(g, gaps, variables.whole_motion(g));
  gaps.insert(gaps.end(), rates.begin(), rates.end());
  return with_quaternions(g, gaps, variables, lanes, Folding::exact, run);
}

}  // namespace catena
