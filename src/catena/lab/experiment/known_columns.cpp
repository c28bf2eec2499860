#include "catena/lab/experiment/known_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "catena/base/mistake.h"

namespace catena {

std::string column_shape(const World& world) {
  std::string out = world.has_more_digits() ? "digits" : "double";
  for (const ChainUnit& unit : world.chains()) {
    out += fmt::format("|{} {} {} {}", unit.name, unit.links(), unit.elastic(), unit.chain.index());
  }
  if (world.mechanism() != nullptr) {
    const Mechanism& mechanism = world.mechanism()->mechanism();
    for (std::size_t b = 0; b < mechanism.shown_bodies(); ++b) out += "|body " + mechanism.bodies[b].name;
    for (std::size_t j = 0; j < mechanism.shown_joints(); ++j) {
      const Joint& joint = mechanism.joints[j];
      out += fmt::format("|joint {} {}", joint.name, static_cast<int>(joint.kind));
    }
  }
  if (world.lagrangian() != nullptr) {
    out += fmt::format("|{} constraints", world.lagrangian()->constraints());
    for (const LagrangianCoordinate& one : world.lagrangian()->given().coordinates) out += "|" + one.name;
  }
  if (const EquationsSystem* system = world.equations()) {
    for (const EquationState& one : system->given().states) out += "|" + one.name;
    for (const Invariant& one : system->given().invariants) out += "|invariant " + one.name;
  }
  return out;
}

namespace {

bool is_known(const World& world, const std::string& word) {
  try {
    const Columns columns(world, {word});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// A scene that is drawn anew with every move of a hand has the columns it had before: what was found for a
// world of this shape is kept.
template <class Find>
std::unique_ptr<Columns> kept_or(const World& world, const std::string& what,
                                 const std::vector<std::string>& words, Find find) {
  constexpr std::size_t kMost = 16;
  thread_local std::unordered_map<std::string, Columns> kept;
  std::string key = what + column_shape(world);
  for (const std::string& word : words) key += '\n' + word;
  const auto before = kept.find(key);
  if (before != kept.end()) return std::make_unique<Columns>(before->second);
  auto out = std::make_unique<Columns>(world, find());
  if (kept.size() >= kMost) kept.clear();
  kept.emplace(std::move(key), *out);
  return out;
}

}  // namespace

std::unique_ptr<Columns> known_columns(const World& world, const std::vector<std::string>& words) {
  return kept_or(world, "words ", words, [&] {
    std::vector<std::string> known{"t"};
    std::copy_if(words.begin(), words.end(), std::back_inserter(known),
                 [&](const std::string& word) { return is_known(world, word); });
    return known;
  });
}

// Asked for one by one they would take long in worlds of many columns.
std::unique_ptr<Columns> columns_named(const World& world, const std::vector<std::string>& names) {
  return kept_or(world, "names ", names, [&] {
    std::unordered_set<std::string> all;
    if (!names.empty()) {
      const Columns every(world, {"all"});
      for (const Stem& stem : every.stems()) {
        if (stem.labels.empty()) all.insert(stem.name);
        for (const std::string& label : stem.labels) all.insert(stem.name + "_" + label);
      }
    }
    std::vector<std::string> known{"t"};
    std::copy_if(names.begin(), names.end(), std::back_inserter(known),
                 [&](const std::string& name) { return all.count(name) > 0; });
    return known;
  });
}

}  // namespace catena
