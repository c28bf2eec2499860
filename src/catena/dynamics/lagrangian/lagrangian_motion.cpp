#include "catena/dynamics/lagrangian/lagrangian_motion_definitions.h"

namespace catena {

std::vector<expr::NodeId> motion_outputs(const LagrangianEquations& equations) {
  std::vector<expr::NodeId> outputs;
  const std::size_t n = equations.coordinates;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) outputs.push_back(equations.mass[i * n + j]);
  }
  outputs.insert(outputs.end(), equations.force.begin(), equations.force.end());
  outputs.push_back(equations.loss);
  outputs.push_back(equations.power);
  return outputs;
}

std::vector<expr::NodeId> tie_outputs(const LagrangianEquations& equations) {
  std::vector<expr::NodeId> outputs = equations.jacobian;
  outputs.insert(outputs.end(), equations.drift.begin(), equations.drift.end());
  return outputs;
}

template class LagrangianMotion<double>;

}  // namespace catena
