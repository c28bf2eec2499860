#include "catena/draw/plot/run_columns.h"

#include <set>

#include "catena/draw/label.h"

namespace catena::draw {
namespace {

struct Known {
  const QuantityName* name = nullptr;
  std::string owner;  // chain, body or joint
};

// "x_left" is x of left, "px_total" is itself, "theta_dot" is not theta of dot: the longest name wins.
Known known_quantity(const Stem& stem) {
  const bool alone = stem.labels.empty();
  if (const QuantityName* exact = find_quantity(stem.name, alone)) return {exact, ""};
  // The rate of joint elbow's angle is called angle_elbow_dot.
  for (const std::string coordinate : {"angle", "travel"}) {
    if (stem.name.starts_with(coordinate + "_") && stem.name.ends_with("_dot")) {
      const std::size_t first = coordinate.size() + 1;
      return {find_quantity(coordinate + "_dot", false),
              stem.name.substr(first, stem.name.size() - first - 4)};
    }
  }
  Known best;
  for (const QuantityName& name : quantity_names()) {
    const std::string prefix = name.stem + "_";
    if (name.total || stem.name.size() <= prefix.size() || !stem.name.starts_with(prefix)) continue;
    if (best.name == nullptr || name.stem.size() > best.name->stem.size()) {
      best = {&name, stem.name.substr(prefix.size())};
    }
  }
  return best;
}

QuantityName unknown(const std::string& stem) { return {stem, stem, stem, "", plain_label(stem), "", true}; }

// Coordinates of Lagrangian systems: single columns beside those of their rates, whatever their names.
std::set<std::string> coordinates_in(const std::vector<Stem>& stems) {
  std::set<std::string> alone, out;
  for (const Stem& stem : stems) {
    const bool of_joint = stem.name.starts_with("angle_") || stem.name.starts_with("travel_");
    if (stem.labels.empty() && !of_joint) alone.insert(stem.name);
  }
  for (const std::string& name : alone) {
    if (alone.contains(name + "_dot")) out.insert(name);
  }
  return out;
}

// States of [equations], and their invariants: where nothing is numbered, the columns whose names mean
// nothing else.
std::set<std::string> states_in(const std::vector<Stem>& stems) {
  std::set<std::string> out;
  for (const Stem& stem : stems) {
    if (!stem.labels.empty()) return {};
    const bool of_joint = stem.name.starts_with("angle_") || stem.name.starts_with("travel_");
    if (!of_joint && stem.name != "t" && !stem.name.starts_with("lo_") &&
        find_quantity(stem.name, true) == nullptr)
      out.insert(stem.name);
  }
  return out;
}

QuantityName state(const std::string& stem, const std::set<std::string>& all) {
  constexpr std::string_view kChange = "_error";
  const bool is_change =
      stem.ends_with(kChange) && all.contains(stem.substr(0, stem.size() - kChange.size()));
  const bool is_kept = all.contains(stem + std::string(kChange));
  return {stem,
          is_change ? "invariant-errors" : is_kept ? "invariants" : "states",
          stem,
          "",
          plain_label(stem),
          "",
          true};
}

QuantityName coordinate(const std::string& stem) {
  return {stem, "coordinates", stem, "", plain_label(stem), "", true};
}

QuantityName coordinate_rate(const std::string& stem, const std::string& of) {
  return {stem, "coordinate-rates", stem, "", plain_label(of) + "'", "", true};
}

}  // namespace

RunColumns::RunColumns(const std::vector<Stem>& stems) {
  const std::set<std::string> coordinates = coordinates_in(stems);
  const std::set<std::string> states = coordinates.empty() ? states_in(stems) : std::set<std::string>{};
  for (const Stem& stem : stems) {
    const bool is_rate = stem.labels.empty() && stem.name.ends_with("_dot") &&
                         coordinates.contains(stem.name.substr(0, stem.name.size() - 4));
    const bool is_coordinate = stem.labels.empty() && coordinates.contains(stem.name);
    const bool is_state = states.contains(stem.name);
    const Known known = is_rate || is_coordinate || is_state ? Known{} : known_quantity(stem);
    const QuantityName name = is_rate ? coordinate_rate(stem.name, stem.name.substr(0, stem.name.size() - 4))
                              : is_coordinate         ? coordinate(stem.name)
                              : is_state              ? state(stem.name, states)
                              : known.name != nullptr ? *known.name
                                                      : unknown(stem.name);
    RunColumn column{0, stem.name, "", name.stem, known.owner, name};
    const auto add = [&] {
      column.index = all_.size();
      places_.emplace(std::pair(column.quantity, column.item), all_.size());
      all_.push_back(column);
    };
    if (stem.labels.empty()) add();
    for (const std::string& label : stem.labels) {
      column.label = label;
      column.item = known.owner.empty() ? label : known.owner + "_" + label;
      add();
    }
  }
}

const RunColumn* RunColumns::find(const std::string& quantity, const std::string& item) const {
  const auto found = places_.find({quantity, item});
  return found == places_.end() ? nullptr : &all_[found->second];
}

std::vector<std::string> RunColumns::items_with(const std::string& quantity) const {
  std::vector<std::string> items;
  for (const RunColumn& column : all_) {
    if (column.quantity == quantity && !column.item.empty()) items.push_back(column.item);
  }
  return items;
}

}  // namespace catena::draw
