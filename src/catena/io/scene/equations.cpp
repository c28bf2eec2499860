// [equations]: any first-order system, given by formulas of its rates.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"

namespace catena {
namespace {

constexpr const char* kEquationsOwner = "equations";

// Columns that every recording may have, and names with a meaning of their own.
const std::vector<std::string_view> kTakenFromStates{"t", "pi", "all", "step_size"};

class EquationsReading {
 public:
  EquationsReading(const Node& node, const EquationsEntry& entry, Mistakes& mistakes)
      : node_(node), entry_(entry), mistakes_(mistakes) {
    for (const auto& [name, start] : entry.states.values) names_.push_back(name);
    variables_ = names_;
    variables_.emplace_back("t");
  }

  Equations take() {
    const std::size_t before = mistakes_.count();
    check_states();
    if (const Node* parameters = node_.find("parameters"))
      check_parameters(*parameters, kEquationsOwner, variables_, mistakes_);
    if (mistakes_.count() > before) return out_;  // formulas would complain of the same names again
    set_states();
    set_rates();
    set_invariants();
    warn_of_unused_parameters();
    out_.parameters = entry_.parameters;
    out_.place = place_of(node_.spot);
    return out_;
  }

 private:
  void complain(const SharedPlace& spot, const std::string& what) {
    mistakes_.add(spot, fmt::format("{}: {}", kEquationsOwner, what));
  }

  void check_states() {
    const Node& states = *node_.find("states");
    const std::size_t count = states.table()->size();
    if (count == 0) complain(states.spot, "states is empty; there must be at least one");
    if (count > kMostStates)
      complain(states.spot, fmt::format("there are {} states, at most {} are allowed", count, kMostStates));
    check_formula_names(*states.table(), kEquationsOwner, "state", kTakenFromStates, mistakes_);
  }

  void set_states() {
    for (const auto& [name, start] : entry_.states.values) {
      const Angle value = angle_of(start);
      out_.states.push_back({name, value.radians, value.rest, {}});
    }
  }

  PlacedFormula placed(const char* table, const std::string& name, const Formula& formula) {
    const Node& value = *node_.find(table)->find(name);
    FieldInfo field;
    field.name = fmt::format("{}.{}", table, name);
    field.kind = Kind::formula;
    field.variables = variables_;
    check_formula({value, field, kEquationsOwner, mistakes_}, entry_.parameters);
    return {formula, place_of(value.spot)};
  }

  void set_rates() {
    const Node& dot = *node_.find("dot");
    for (const auto& [name, formula] : entry_.dot.values) {
      const auto state = std::find(names_.begin(), names_.end(), name);
      if (state == names_.end()) {
        const std::string guess = did_you_mean(name, names_);
        complain(spot_of_entry(dot, name),
                 fmt::format("dot: there is no state {}{}", in_quotes(name),
                             guess.empty() ? "; give it a start value in states" : guess));
        continue;
      }
      out_.states[static_cast<std::size_t>(state - names_.begin())].rate = placed("dot", name, formula);
    }
    for (const EquationState& state : out_.states) {
      if (!state.rate.text.empty()) continue;
      complain(spot_of_entry(*node_.find("states"), state.name),
               fmt::format("state {} has no rate; give it one in dot, such as dot = {{ {} = \"0\" }}",
                           in_quotes(state.name), state.name));
    }
  }

  void set_invariants() {
    const Node* table = node_.find("invariants");
    if (table == nullptr) return;
    check_formula_names(*table->table(), kEquationsOwner, "invariant", kTakenFromStates, mistakes_);
    for (const auto& [name, formula] : entry_.invariants.values) {
      if (std::find(names_.begin(), names_.end(), name) != names_.end())
        complain(spot_of_entry(*table, name),
                 fmt::format("the invariant {} has the name of a state; choose another", in_quotes(name)));
      out_.invariants.push_back({name, placed("invariants", name, formula)});
    }
  }

  void warn_of_unused_parameters() {
    const Node* node = node_.find("parameters");
    if (node == nullptr) return;
    std::vector<std::string> formulas;
    for (const WrittenFormulas* table : {&entry_.dot, &entry_.invariants}) {
      for (const auto& [name, formula] : table->values) formulas.push_back(formula);
    }
    warn_of_unused(*node, kEquationsOwner, formulas, mistakes_);
  }

  const Node& node_;
  const EquationsEntry& entry_;
  Mistakes& mistakes_;
  std::vector<std::string> names_, variables_;
  Equations out_;
};

}  // namespace

Equations read_equations(const Node& scene, Mistakes& mistakes) {
  const Node* node = scene.find("equations");
  if (node == nullptr) return {};
  for (const char* other : {"chain", "chains", "bodies", "joints", "lagrangian", "forces"}) {
    if (const Node* found = scene.find(other)) {
      mistakes.add(
          found->spot,
          fmt::format("a scene has either [equations] or {}, not both; what acts is in the formulas of "
                      "dot",
                      other));
    }
  }
  if (const Node* simulation = scene.find("simulation");
      simulation != nullptr && simulation->table() != nullptr) {
    if (const Node* gravity = simulation->find("gravity"))
      mistakes.add(
          gravity->spot,
          "simulation: [equations] know no gravity; leave it out, and put it into the formulas of dot");
  }
  EquationsEntry entry;
  const std::size_t before = mistakes.count();
  read_fields(*node, kEquationsOwner, equations_fields(), {}, entry, mistakes);
  if (mistakes.count() > before) return {};
  return EquationsReading(*node, entry, mistakes).take();
}

}  // namespace catena
