#include "catena/model/equations.h"

#include "catena/model/fields.h"

namespace catena {

std::vector<std::string> Equations::variables() const {
  std::vector<std::string> names;
  for (const EquationState& state : states) names.push_back(state.name);
  names.emplace_back("t");
  return names;
}

const std::vector<Field<EquationsEntry>>& equations_fields() {
  using E = EquationsEntry;
  static const std::vector<Field<E>> fields = {
      field("states", &E::states, "", "names of the states and their start values").needed().within(kNotHuge),
      field("parameters", &E::parameters, "", "names for numbers that the formulas use"),
      field("dot", &E::dot, "", "of each state its rate: a formula of states, t and parameters").needed(),
      field("invariants", &E::invariants, "",
            "formulas that the motion keeps: each is a column, with its change since the start beside it"),
  };
  return fields;
}

}  // namespace catena
