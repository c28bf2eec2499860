#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/lab.h"
#include "commands/command.h"
#include "commands/help.h"
#include "commands/report.h"
#include "lists.h"
#include "recording/scene_arguments.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

struct CheckArguments {
  SceneArguments scene;
  bool json = false;
};

// "rank 17 of 20 equations; redundant: 3 of joint 'pivot'"
std::string joints_text(const MechanismFacts& mechanism) {
  std::vector<std::string> redundant, open;
  for (const JointFacts& joint : mechanism.joints) {
    if (joint.redundant > 0) redundant.push_back(fmt::format("{} of '{}'", joint.redundant, joint.name));
    if (!joint.unique) open.push_back(fmt::format("'{}'", joint.name));
  }
  const std::string rank =
      fmt::format("{}, rank {}", counted(mechanism.equations, "equation"), mechanism.rank);
  if (redundant.empty()) return rank + ", none redundant";
  return fmt::format("{}; {} redundant (harmless): {}; reactions not unique: {}", rank,
                     mechanism.equations - mechanism.rank, fmt::join(redundant, ", "), fmt::join(open, ", "));
}

// "2 constraints, rank 1; redundant (harmless): 2"
std::string constraints_text(const LagrangianFacts& given) {
  std::vector<std::string> redundant;
  for (const std::size_t j : given.redundant) redundant.push_back(std::to_string(j + 1));
  const std::string rank = fmt::format("{}, rank {}", counted(given.constraints, "constraint"), given.rank);
  if (redundant.empty()) return rank + ", none redundant";
  return fmt::format("{}; redundant (harmless): {}", rank, fmt::join(redundant, ", "));
}

std::string start_text(const LagrangianFacts& given) {
  if (given.start_change < 1e-12) return "as given";
  return fmt::format("start values changed by up to {:.3g} to meet the constraints", given.start_change);
}

// What assembly did to the drawing.
std::string assembly_text(const MechanismFacts& mechanism) {
  constexpr double kRoundoff = 1e-12;
  std::vector<std::string> changes;
  const auto tell = [&](const AssemblyFact& change, const char* what, const char* unit) {
    if (change.size <= kRoundoff) return;
    changes.push_back(fmt::format("{} by up to {:.3g} {} ('{}')", what, change.size, unit, change.body));
  };
  tell(mechanism.move, "places", "m");
  tell(mechanism.turn, "orientations", "rad");
  tell(mechanism.velocity, "velocities", "m/s");
  tell(mechanism.spin, "angular velocities", "rad/s");
  return changes.empty() ? "as drawn" : fmt::format("changed {}", fmt::join(changes, ", "));
}

std::string planar_text(const std::vector<ChainFacts>& chains) {
  if (chains.empty()) return "spatial";
  std::size_t planar = 0;
  for (const ChainFacts& chain : chains) planar += chain.planar ? 1 : 0;
  const std::size_t all = chains.size();
  if (planar == all)
    return all == 1 ? "planar: it stays in one vertical plane" : "planar: each chain in its plane";
  return planar == 0 ? "spatial" : fmt::format("{} of {} chains planar, the others spatial", planar, all);
}

void print_text(const Lab& lab, const Schedule& schedule, const Columns& columns) {
  const double bytes = recording_bytes(schedule, columns);
  const double last = schedule.count() > 0 ? schedule.time(schedule.count() - 1) : 0.0;
  const WorldFacts facts = lab.facts();
  std::vector<HelpRow> rows{{"parts", parts_text(facts)}};
  if (!facts.equations) rows.push_back({"degrees of freedom", fmt::format("{}", facts.degrees_of_freedom)});
  if (facts.mechanism) {
    rows.push_back({"joints", joints_text(*facts.mechanism)});
    rows.push_back({"assembly", assembly_text(*facts.mechanism)});
  }
  if (!facts.lagrangian && !facts.equations) rows.push_back({"motion", planar_text(facts.chains)});
  if (facts.lagrangian && facts.lagrangian->constraints > 0) {
    rows.push_back({"constraints", constraints_text(*facts.lagrangian)});
    rows.push_back({"start", start_text(*facts.lagrangian)});
  }
  rows.push_back({"method", lab.settings()});
  rows.push_back(
      {"rows", fmt::format("{} of {}, to t = {} s; {}", schedule.count(), counted(columns.width(), "column"),
                           time_text(last), size_text(bytes))});
  fmt::print("{}: valid\n{}", lab.scene().name, two_columns(rows));
}

void print_json(const Lab& lab, const Schedule& schedule, const Columns& columns) {
  const WorldFacts facts = lab.facts();
  nlohmann::ordered_json chains = nlohmann::ordered_json::array();
  for (const ChainFacts& chain : facts.chains) {
    chains.push_back({{"name", chain.name},
                      {"kind", chain.elastic ? "elastic" : "rigid"},
                      {"links", chain.links()},
                      {"planar", chain.planar}});
  }
  const Simulation& simulation = lab.scene().simulation;
  nlohmann::ordered_json out = {
      {"scene", lab.scene().name},
      {"links", facts.links()},
      {"degrees_of_freedom", facts.degrees_of_freedom},
      {"chains", chains},
      {"method", lab.method().name},
      {"order", lab.order()},
      {"tolerance",
       lab.adaptive() && lab.tolerance() > 0.0 ? nlohmann::ordered_json(lab.tolerance()) : nullptr},
      {"step", simulation.step ? nlohmann::ordered_json(*simulation.step) : nullptr},
      {"duration", simulation.duration},
      {"sample", simulation.sample},
      {"rows", schedule.count()},
      {"columns", columns.width()},
  };
  if (const auto& mechanism = facts.mechanism) {
    out["bodies"] = mechanism->shown_bodies;
    out["joints"] = mechanism->shown_joints;
    out["constraints"] = constraints_json(*mechanism);
    out["assembly"] = nlohmann::ordered_json::parse(assembly_json(*mechanism));
  }
  if (const auto& given = facts.lagrangian) {
    nlohmann::ordered_json redundant = nlohmann::ordered_json::array();
    for (const std::size_t j : given->redundant) redundant.push_back(j + 1);
    out["coordinates"] = given->coordinates.size();
    out["constraints"] = {{"equations", given->constraints}, {"rank", given->rank}, {"redundant", redundant}};
    out["start_change"] = given->start_change;
  }
  if (const auto& given = facts.equations) {
    out["states"] = given->states.size();
    out["invariants"] = given->invariants;
  }
  out["warnings"] = nlohmann::ordered_json::array();
  for (const Warning& warning : lab.warnings()) out["warnings"].push_back(text(warning));
  fmt::print("{}\n", out.dump(2));
}

int perform(const CheckArguments& arguments) {
  if (!arguments.scene.scene)
    throw InputError({}, "`catena check` needs a scene: catena check double-pendulum");
  const Scene scene = scene_of(find_scene(*arguments.scene.scene), arguments.scene);
  Lab lab(scene);
  const EventWatch events(lab, scene.events);  // refuses names that are no columns
  const Schedule schedule = planned_schedule(scene, arguments.scene);
  const Columns columns = lab.columns(split_list(arguments.scene.quantities));
  print_warnings(lab.warnings());
  (arguments.json ? print_json : print_text)(lab, schedule, columns);
  return kDone;
}

}  // namespace

Command check_command() {
  const auto arguments = std::make_shared<CheckArguments>();
  return {
      .name = "check",
      .summary = "validate a scene without running it",
      .usage = "catena check SCENE [options]",
      .examples = {{"catena check swing.toml", "is it valid, and what would run?"},
                   {"catena check tree --method rk4 --step 1e-3", "with settings as for `catena run`"},
                   {"catena check - --json < swing.toml", "from standard input, for programs"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            arguments->scene.declare(options);
            options.flag("--json", arguments->json, "the answer as JSON");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
