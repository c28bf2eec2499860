// [lagrangian]: a small system given by formulas.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "catena/base/words.h"
#include "catena/expr/parse.h"
#include "catena/io/scene/parts.h"

namespace catena {
namespace {

constexpr const char* kLagrangianOwner = "lagrangian";

// Columns that every recording may have, and names with a meaning of their own.
const std::vector<std::string_view> kTakenFromCoordinates{
    "t",          "pi",   "all",     "total",        "kinetic",   "potential",        "elastic",
    "dissipated", "work", "balance", "energy_error", "step_size", "constraint_error", "energy"};

SharedPlace spot_of(const Node& node, const char* key) {
  const Node* value = node.find(key);
  return value != nullptr ? value->spot : node.spot;
}

Place formula_place(const Node& value) { return place_of(value.spot); }

class LagrangianReading {
 public:
  LagrangianReading(const Node& node, const LagrangianEntry& entry, Mistakes& mistakes)
      : node_(node), entry_(entry), mistakes_(mistakes) {
    for (const auto& [name, start] : entry.coordinates.values) names_.push_back(name);
  }

  Lagrangian take() {
    const std::size_t before = mistakes_.count();
    check_coordinates();
    check_parameters();
    check_energies();
    if (mistakes_.count() > before) return out_;  // formulas would complain of the same names again
    set_coordinates();
    set_rates();
    set_formulas();
    set_constraints();
    set_forces();
    set_independent();
    warn_of_unused_parameters();
    warn_of_lonely_keys(node_, kLagrangianOwner, {{"newton_tolerance", "independent"}}, mistakes_);
    out_.parameters = entry_.parameters;
    out_.newton_tolerance = entry_.newton_tolerance;
    out_.place = place_of(node_.spot);
    return out_;
  }

 private:
  void complain(const SharedPlace& spot, const std::string& what) {
    mistakes_.add(spot, fmt::format("{}: {}", kLagrangianOwner, what));
  }

  void check_coordinates() {
    const Node::Table& table = *node_.find("coordinates")->table();
    if (table.empty())
      complain(spot_of(node_, "coordinates"), "coordinates is empty; there must be at least one");
    if (table.size() > kMostCoordinates) {
      complain(
          spot_of(node_, "coordinates"),
          fmt::format("there are {} coordinates, at most {} are allowed: equations are derived as formulas; "
                      "use chains or bodies for larger systems",
                      table.size(), kMostCoordinates));
    }
    check_formula_names(table, kLagrangianOwner, "coordinate", kTakenFromCoordinates, mistakes_);
    for (const Entry& entry : table) {
      const std::string& name = entry.key;
      if (name.size() > 4 && name.ends_with("_dot") && is_coordinate(name.substr(0, name.size() - 4))) {
        complain(entry.spot, fmt::format("{} is the column of a rate; choose another name for the coordinate",
                                         in_quotes(name)));
      }
    }
  }

  bool is_coordinate(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

  void check_parameters() {
    const Node* node = node_.find("parameters");
    if (node == nullptr || node->table() == nullptr) return;
    catena::check_parameters(*node, kLagrangianOwner, lagrangian_variables(names_), mistakes_);
  }

  void check_energies() {
    const bool whole = node_.find("lagrangian") != nullptr, kinetic = node_.find("kinetic") != nullptr;
    if (!whole && !kinetic)
      complain(node_.spot, "its formula is missing: give lagrangian, or kinetic and potential");
    for (const char* key : {"kinetic", "potential"}) {
      if (whole && node_.find(key) != nullptr)
        complain(node_.find(key)->spot, fmt::format("give either lagrangian or {}, not both", key));
    }
  }

  void set_coordinates() {
    for (const auto& [name, start] : entry_.coordinates.values) {
      LagrangianCoordinate coordinate;
      coordinate.name = name;
      const Angle value = angle_of(start);
      coordinate.start = value.radians;
      coordinate.start_rest = value.rest;
      out_.coordinates.push_back(std::move(coordinate));
    }
  }

  // The coordinate of an entry in a table of rates or forces.
  LagrangianCoordinate* named(const std::string& name, const char* key, const char* remedy) {
    for (LagrangianCoordinate& coordinate : out_.coordinates) {
      if (coordinate.name == name) return &coordinate;
    }
    const std::string guess = did_you_mean(name, names_);
    complain(
        spot_of_entry(*node_.find(key), name),
        fmt::format("{}: there is no coordinate {}{}", key, in_quotes(name), guess.empty() ? remedy : guess));
    return nullptr;
  }

  void set_rates() {
    for (const auto& [name, rate] : entry_.rates.values) {
      auto* coordinate = named(name, "rates", "; give it a start value in coordinates");
      if (coordinate == nullptr) continue;
      const Angle value = angle_of(rate);
      coordinate->rate = value.radians;
      coordinate->rate_rest = value.rest;
    }
  }

  // Complains of the names in a formula that are none.
  void check(const Node& value, const std::string& name, bool holonomic) {
    FieldInfo field;
    field.name = name;
    field.kind = Kind::formula;
    field.variables = lagrangian_variables(names_);
    const std::size_t before = mistakes_.count();
    check_formula({value, field, kLagrangianOwner, mistakes_}, entry_.parameters);
    if (!holonomic || mistakes_.count() > before || value.text() == nullptr) return;
    expr::Graph graph;
    const expr::Parsed parsed = expr::parse(graph, *value.text(), {field.variables, entry_.parameters});
    const std::vector<char> needed = expr::reachable(graph, {parsed.node});
    for (expr::NodeId id = 0; id < graph.size(); ++id) {
      const expr::Node& node = graph[id];
      const bool is_rate =
          node.op == expr::Op::variable && node.index >= names_.size() && node.index < 2 * names_.size();
      if (!needed[id] || !is_rate) continue;
      complain(value.spot,
               fmt::format("{} uses the rate {}; constraints are formulas of coordinates and t alone", name,
                           in_quotes(field.variables[node.index])));
      return;
    }
  }

  PlacedFormula placed(const char* key, const Formula& formula) {
    const Node* value = node_.find(key);
    if (value == nullptr) return {};
    check(*value, key, false);
    return {formula, formula_place(*value)};
  }

  void set_formulas() {
    out_.lagrangian = placed("lagrangian", entry_.lagrangian);
    out_.kinetic = placed("kinetic", entry_.kinetic);
    out_.potential = placed("potential", entry_.potential);
    out_.dissipation = placed("dissipation", entry_.dissipation);
  }

  void set_constraints() {
    const Node* list = node_.find("constraints");
    for (std::size_t j = 0; j < entry_.constraints.size(); ++j) {
      const Node& value = (*list->list())[j];
      check(value, fmt::format("constraint {}", j + 1), true);
      out_.constraints.push_back({entry_.constraints[j], formula_place(value)});
    }
  }

  void set_forces() {
    for (const auto& [name, formula] : entry_.forces.values) {
      const Node& value = *node_.find("forces")->find(name);
      check(value, "forces." + name, false);
      if (auto* coordinate = named(name, "forces", "; forces act along coordinates"))
        coordinate->force = {formula, formula_place(value)};
    }
  }

  void warn_of_unused_parameters() {
    const Node* node = node_.find("parameters");
    if (node == nullptr) return;
    std::vector<std::string> formulas{entry_.lagrangian, entry_.kinetic, entry_.potential,
                                      entry_.dissipation};
    formulas.insert(formulas.end(), entry_.constraints.begin(), entry_.constraints.end());
    for (const auto& [name, formula] : entry_.forces.values) formulas.push_back(formula);
    warn_of_unused(*node, kLagrangianOwner, formulas, mistakes_);
  }

  void set_independent() {
    const Node* list = node_.find("independent");
    if (list == nullptr) return;
    out_.picks_coordinates = true;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < entry_.independent.size(); ++i) {
      const std::string& name = entry_.independent[i];
      if (auto* coordinate = named(name, "independent", "; known are those of coordinates")) {
        coordinate->independent = true;
        seen.insert(name);
      }
    }
    const std::size_t dependent = out_.coordinates.size() - seen.size();
    if (seen.size() == entry_.independent.size() && dependent != entry_.constraints.size()) {
      complain(
          list->spot,
          fmt::format(
              "independent names {} of {} coordinates, but {} would leave {}; every other coordinate must "
              "be determined by a constraint",
              seen.size(), out_.coordinates.size(),
              entry_.constraints.size() == 1 ? std::string("1 constraint")
                                             : fmt::format("{} constraints", entry_.constraints.size()),
              out_.coordinates.size() - std::min(out_.coordinates.size(), entry_.constraints.size())));
    }
  }

  const Node& node_;
  const LagrangianEntry& entry_;
  Mistakes& mistakes_;
  std::vector<std::string> names_;
  Lagrangian out_;
};

}  // namespace

Lagrangian read_lagrangian(const Node& scene, Mistakes& mistakes) {
  const Node* node = scene.find("lagrangian");
  if (node == nullptr) return {};
  for (const char* other : {"chain", "chains", "bodies", "joints", "forces"}) {
    if (const Node* found = scene.find(other)) {
      mistakes.add(found->spot, fmt::format("a scene has either [lagrangian] or {}, not both{}", other,
                                            std::string_view(other) == "forces"
                                                ? "; forces on coordinates are keys of [lagrangian]"
                                                : ""));
    }
  }
  LagrangianEntry entry;
  const std::size_t before = mistakes.count();
  read_fields(*node, kLagrangianOwner, lagrangian_fields(), {}, entry, mistakes);
  if (mistakes.count() > before) return {};
  return LagrangianReading(*node, entry, mistakes).take();
}

}  // namespace catena
