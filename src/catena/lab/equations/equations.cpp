#include "catena/lab/equations/equations.h"

#include <fmt/format.h>

#include "catena/base/words.h"
#include "catena/dynamics/equations/equations_system.h"
#include "catena/dynamics/lagrangian/lagrangian_equations.h"
#include "catena/expr/derivative.h"
#include "catena/expr/expand.h"
#include "catena/lab/equations/chain_lagrangian.h"
#include "catena/lab/equations/mechanism_equations.h"

namespace catena {
namespace {

using expr::NodeId;

constexpr std::size_t kMostShown = 15;  // coordinates

std::string parameters_text(const expr::Parameters& parameters) {
  std::vector<std::string> out;
  for (const auto& [name, number] : parameters) {
    out.push_back(
        fmt::format("{} = {}", name, number.formula.empty() ? number_text(number) : number.formula));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

class LagrangianSheet {
 public:
  LagrangianSheet(const Lagrangian& given, const std::string& name, bool latex)
      : given_(given), equations_(derive(given)), n_(equations_.coordinates) {
    sheet_.title = name;
    sheet_.latex = latex;
    names_ = equations_.variables;
    for (const LagrangianCoordinate& one : given.coordinates) names_.push_back(one.name + "''");
    for (std::size_t r = 0; r < given.constraints.size(); ++r)
      names_.push_back(fmt::format("lambda_{}", r + 1));
  }

  EquationSheet take() {
    add_names();
    add_energies();
    add_mass();
    add_motion();
    add_constraints();
    return std::move(sheet_);
  }

 private:
  expr::Graph& graph() { return equations_.graph; }
  std::string expanded(NodeId node) { return written(expr::expanded(graph(), node)); }
  std::string written(NodeId node) const { return sheet_.written(equations_.graph, node, names_); }
  NodeId acceleration(std::size_t i) { return graph().variable(static_cast<std::uint32_t>(2 * n_ + 1 + i)); }
  NodeId multiplier(std::size_t r) { return graph().variable(static_cast<std::uint32_t>(3 * n_ + 1 + r)); }

  void add_names() {
    std::vector<std::string> coordinates;
    for (const LagrangianCoordinate& one : given_.coordinates) coordinates.push_back(one.name);
    sheet_.sections.push_back({"Coordinates", {}, fmt::format("{}", fmt::join(coordinates, ", "))});
    if (!given_.parameters.empty())
      sheet_.sections.push_back({"Parameters", {}, parameters_text(given_.parameters)});
  }

  void add_energies() {
    EquationSection section{"Energies", {}, ""};
    if (given_.lagrangian.text.empty()) {
      section.lines.push_back({"T", written(equations_.kinetic)});
      section.lines.push_back({"V", written(equations_.potential)});
    } else {
      section.lines.push_back({"L", written(equations_.lagrangian)});
    }
    if (equations_.dissipation != expr::kNone)
      section.lines.push_back({"D", written(equations_.dissipation)});
    sheet_.sections.push_back(std::move(section));
  }

  void add_mass() {
    EquationSection section{"Mass matrix", {}, "symmetric; entries that are not shown are zero"};
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i; j < n_; ++j) {
        const NodeId entry = equations_.mass[i * n_ + j];
        if (equations_.is_zero(entry)) continue;
        const std::string a = sheet_.name(names_[i]), b = sheet_.name(names_[j]);
        section.lines.push_back(
            {sheet_.latex ? fmt::format("M_{{{}\\,{}}}", a, b) : fmt::format("M[{}, {}]", a, b),
             expanded(entry)});
      }
    }
    sheet_.sections.push_back(std::move(section));
  }

  // d/dt dL/dq' - dL/dq = Q - dD/dq' + G^T lambda
  void add_motion() {
    EquationSection section{"Equations of motion", {}, ""};
    std::vector<NodeId> seeds(2 * n_ + 1, expr::kNone);
    for (std::size_t i = 0; i < n_; ++i) {
      seeds[i] = equations_.rate(i);
      seeds[n_ + i] = acceleration(i);
    }
    seeds[2 * n_] = graph().constant(1.0);
    const std::vector<NodeId> rates = expr::directional_derivatives(graph(), equations_.momenta, seeds);
    for (std::size_t i = 0; i < n_; ++i) {
      const NodeId slope = expr::derivative(graph(), equations_.lagrangian, static_cast<std::uint32_t>(i));
      NodeId right = equations_.applied[i];
      if (equations_.dissipation != expr::kNone) {
        const auto by = static_cast<std::uint32_t>(n_ + i);
        right = graph().subtract(right, expr::derivative(graph(), equations_.dissipation, by));
      }
      for (std::size_t r = 0; r < equations_.constraints.size(); ++r) {
        right = graph().add(right, graph().multiply(multiplier(r), equations_.jacobian[r * n_ + i]));
      }
      section.lines.push_back({expanded(graph().subtract(rates[i], slope)), expanded(right)});
    }
    sheet_.sections.push_back(std::move(section));
  }

  void add_constraints() {
    if (equations_.constraints.empty()) return;
    EquationSection section{"Constraints", {}, ""};
    for (const NodeId node : equations_.constraints) section.lines.push_back({written(node), "0"});
    sheet_.sections.push_back(std::move(section));
  }

  const Lagrangian& given_;
  LagrangianEquations equations_;
  std::size_t n_;
  EquationSheet sheet_;
  std::vector<std::string> names_;  // of variables, accelerations and multipliers
};

EquationSheet rates_sheet(const Scene& scene, bool latex) {
  const Equations& given = scene.equations;
  const EquationFormulas formulas(given, false);
  EquationSheet sheet;
  sheet.title = scene.name;
  sheet.latex = latex;
  const std::vector<std::string> names = given.variables();
  const std::vector<std::string> states(names.begin(), names.end() - 1);
  sheet.sections.push_back({"States", {}, fmt::format("{}", fmt::join(states, ", "))});
  if (!given.parameters.empty())
    sheet.sections.push_back({"Parameters", {}, parameters_text(given.parameters)});
  EquationSection motion{"Equations of motion", {}, ""}, kept{"Invariants", {}, ""};
  for (std::size_t i = 0; i < given.states.size(); ++i) {
    motion.lines.push_back(
        {sheet.name(given.states[i].name + "'"), sheet.written(formulas.graph, formulas.rates[i], names)});
  }
  for (std::size_t i = 0; i < given.invariants.size(); ++i) {
    kept.lines.push_back(
        {sheet.name(given.invariants[i].name), sheet.written(formulas.graph, formulas.invariants[i], names)});
  }
  sheet.sections.push_back(std::move(motion));
  if (!kept.lines.empty()) sheet.sections.push_back(std::move(kept));
  return sheet;
}

}  // namespace

EquationSheet equations_of(const Scene& scene, bool latex) {
  if (!scene.equations.states.empty()) return rates_sheet(scene, latex);
  if (!scene.mechanism.bodies.empty()) {
    if (!scene.chains.empty())
      throw InputError({scene.name}, "equations are printed for chains or for bodies, this scene has both");
    return mechanism_equations(scene, latex);
  }
  for (const Chain& chain : scene.chains) {
    if (chain.end)
      throw InputError({scene.name},
                       "equations are printed for chains with one free end, here `end` holds it");
  }
  const Lagrangian given = scene.chains.empty() ? scene.lagrangian : chain_lagrangian(scene);
  if (given.coordinates.size() > kMostShown) {
    throw InputError({scene.name},
                     fmt::format("the system has {} coordinates: equations are printed for {} at most",
                                 given.coordinates.size(), kMostShown));
  }
  return LagrangianSheet(given, scene.name, latex).take();
}

}  // namespace catena
