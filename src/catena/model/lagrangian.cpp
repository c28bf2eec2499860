#include "catena/model/lagrangian.h"

#include "catena/model/fields.h"

namespace catena {

std::vector<std::string> lagrangian_variables(const std::vector<std::string>& coordinates) {
  std::vector<std::string> names = coordinates;
  for (const std::string& name : coordinates) names.push_back(name + "'");
  names.emplace_back("t");
  return names;
}

const std::vector<Field<LagrangianEntry>>& lagrangian_fields() {
  using L = LagrangianEntry;
  static const std::vector<Field<L>> fields = {
      field("coordinates", &L::coordinates, "", "names of the coordinates and their start values")
          .needed()
          .within(kNotHuge),
      field("rates", &L::rates, "", "their rates at the start; those left out are 0")
          .within(kNotHuge)
          .written_as(Kind::start_rates),
      field("parameters", &L::parameters, "", "names for numbers that the formulas use"),
      field("lagrangian", &L::lagrangian, "J",
            "formula of coordinates, rates (x' is the rate of x), t and parameters")
          .written_as(Kind::formula),
      field("kinetic", &L::kinetic, "J", "instead of lagrangian: the kinetic energy, likewise")
          .written_as(Kind::formula),
      field("potential", &L::potential, "J", "with kinetic: the potential energy; left out: 0")
          .written_as(Kind::formula),
      field("constraints", &L::constraints, "", "formulas of coordinates and t that stay zero")
          .written_as(Kind::formula_list),
      field("dissipation", &L::dissipation, "W",
            "Rayleigh's function of rates: minus its derivative by a rate acts on that coordinate")
          .written_as(Kind::formula),
      field("forces", &L::forces, "", "formulas of forces along coordinates, each by its coordinate's name"),
      field("independent", &L::independent, "",
            "with constraints: coordinates that are integrated; Newton-Raphson restores the others"),
      field("newton_tolerance", &L::newton_tolerance, "",
            "Newton-Raphson onto the constraints stops when its correction is below")
          .within(kSize),
  };
  return fields;
}

}  // namespace catena
