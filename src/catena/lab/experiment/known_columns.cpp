#include "catena/lab/experiment/known_columns.h"

#include <fmt/format.h>

#include "catena/base/mistake.h"

namespace catena {
namespace {

bool is_known(const World& world, const std::string& word) {
  try {
    const Columns columns(world, {word});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string column_shape(const World& world) {
  std::string out = world.extended() ? "extended" : "double";
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

std::unique_ptr<Columns> known_columns(const World& world, const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const std::string& word : words) {
    if (is_known(world, word)) known.push_back(word);
  }
  if (known.empty()) known.push_back("t");
  return std::make_unique<Columns>(world, known);
}

}  // namespace catena
