#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/lab.h"
#include "commands/command.h"
#include "commands/help.h"
#include "commands/report.h"
#include "recording/scene_arguments.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

struct CheckArguments {
  SceneArguments scene;
  bool json = false;
};

// "rank 17 of 20 equations; redundant: 3 of joint 'pivot'"
std::string joints_text(const World& world) {
  const Mobility& mobility = world.mobility();
  const std::vector<Joint>& joints = world.mechanism()->mechanism().joints;
  std::vector<std::string> redundant;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (mobility.redundant[j] > 0)
      redundant.push_back(fmt::format("{} of '{}'", mobility.redundant[j], joints[j].name));
  }
  const std::string rank = fmt::format("{}, rank {}", counted(mobility.equations, "equation"), mobility.rank);
  if (redundant.empty()) return rank + ", none redundant";
  std::vector<std::string> open;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!mobility.unique[j]) open.push_back(fmt::format("'{}'", joints[j].name));
  }
  return fmt::format("{}; {} redundant (harmless): {}; reactions not unique: {}", rank,
                     mobility.equations - mobility.rank, fmt::join(redundant, ", "), fmt::join(open, ", "));
}

// "2 constraints, rank 1; redundant (harmless): 2"
std::string constraints_text(const LagrangianSystem& system) {
  std::vector<std::string> redundant;
  for (const std::size_t j : system.redundant()) redundant.push_back(std::to_string(j + 1));
  const std::string rank =
      fmt::format("{}, rank {}", counted(system.constraints(), "constraint"), system.rank());
  if (redundant.empty()) return rank + ", none redundant";
  return fmt::format("{}; redundant (harmless): {}", rank, fmt::join(redundant, ", "));
}

std::string start_text(const LagrangianSystem& system) {
  if (system.start_change() < 1e-12) return "as given";
  return fmt::format("start values changed by up to {:.3g} to meet the constraints", system.start_change());
}

// What assembly did to the drawing.
std::string assembly_text(const World& world) {
  const Assembly& made = world.assembly();
  constexpr double kRoundoff = 1e-12;
  std::vector<std::string> changes;
  const auto tell = [&](const AssemblyChange& change, const char* what, const char* unit) {
    if (change.size <= kRoundoff) return;
    changes.push_back(fmt::format("{} by up to {:.3g} {} ('{}')", what, change.size, unit,
                                  world.mechanism()->mechanism().bodies[change.body].name));
  };
  tell(made.move, "places", "m");
  tell(made.turn, "orientations", "rad");
  tell(made.velocity, "velocities", "m/s");
  tell(made.spin, "angular velocities", "rad/s");
  return changes.empty() ? "as drawn" : fmt::format("changed {}", fmt::join(changes, ", "));
}

std::string planar_text(const World& world) {
  if (world.chains().empty()) return "spatial";
  std::size_t planar = 0;
  for (const ChainUnit& unit : world.chains()) planar += unit.planar() ? 1 : 0;
  const std::size_t all = world.chains().size();
  if (planar == all)
    return all == 1 ? "planar: it stays in one vertical plane" : "planar: each chain in its plane";
  return planar == 0 ? "spatial" : fmt::format("{} of {} chains planar, the others spatial", planar, all);
}

void print_text(const Lab& lab, const Schedule& schedule, const Columns& columns) {
  const double bytes = recording_bytes(schedule, columns);
  const double last = schedule.count() > 0 ? schedule.time(schedule.count() - 1) : 0.0;
  std::vector<HelpRow> rows{{"parts", parts_text(lab.world())},
                            {"degrees of freedom", fmt::format("{}", lab.world().degrees_of_freedom())}};
  if (lab.world().mechanism() != nullptr) {
    rows.push_back({"joints", joints_text(lab.world())});
    rows.push_back({"assembly", assembly_text(lab.world())});
  }
  if (const LagrangianSystem* system = lab.world().lagrangian()) {
    if (system->constraints() > 0) {
      rows.push_back({"constraints", constraints_text(*system)});
      rows.push_back({"start", start_text(*system)});
    }
  } else {
    rows.push_back({"motion", planar_text(lab.world())});
  }
  rows.push_back({"method", lab.settings()});
  rows.push_back(
      {"rows", fmt::format("{} of {}, to t = {} s; {}", schedule.count(), counted(columns.width(), "column"),
                           time_text(last), size_text(bytes))});
  fmt::print("{}: valid\n{}", lab.scene().name, two_columns(rows));
}

nlohmann::ordered_json joints_json(const World& world) {
  nlohmann::ordered_json redundant = nlohmann::ordered_json::object();
  const std::vector<Joint>& joints = world.mechanism()->mechanism().joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (world.mobility().redundant[j] > 0) redundant[joints[j].name] = world.mobility().redundant[j];
  }
  nlohmann::ordered_json open = nlohmann::ordered_json::array();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!world.mobility().unique[j]) open.push_back(joints[j].name);
  }
  return {{"equations", world.mobility().equations},
          {"rank", world.mobility().rank},
          {"redundant", redundant},
          {"reactions_not_unique", open}};
}

void print_json(const Lab& lab, const Schedule& schedule, const Columns& columns) {
  nlohmann::ordered_json chains = nlohmann::ordered_json::array();
  for (const ChainUnit& unit : lab.world().chains()) {
    chains.push_back({{"name", unit.name},
                      {"kind", unit.elastic() ? "elastic" : "rigid"},
                      {"links", unit.links()},
                      {"planar", unit.planar()}});
  }
  const Simulation& simulation = lab.scene().simulation;
  nlohmann::ordered_json out = {
      {"scene", lab.scene().name},
      {"links", link_count(lab.world())},
      {"degrees_of_freedom", lab.world().degrees_of_freedom()},
      {"chains", chains},
      {"method", lab.method().name},
      {"order", lab.stepper().order()},
      {"tolerance",
       lab.adaptive() && lab.tolerance() > 0.0 ? nlohmann::ordered_json(lab.tolerance()) : nullptr},
      {"step", simulation.step ? nlohmann::ordered_json(*simulation.step) : nullptr},
      {"duration", simulation.duration},
      {"sample", simulation.sample},
      {"rows", schedule.count()},
      {"columns", columns.width()},
  };
  if (const Multibody* mechanism = lab.world().mechanism()) {
    out["bodies"] = mechanism->mechanism().shown_bodies();
    out["joints"] = mechanism->mechanism().shown_joints();
    out["constraints"] = joints_json(lab.world());
    out["assembly"] = nlohmann::ordered_json::parse(assembly_json(lab.world()));
  }
  if (const LagrangianSystem* system = lab.world().lagrangian()) {
    nlohmann::ordered_json redundant = nlohmann::ordered_json::array();
    for (const std::size_t j : system->redundant()) redundant.push_back(j + 1);
    out["coordinates"] = system->coordinates();
    out["constraints"] = {
        {"equations", system->constraints()}, {"rank", system->rank()}, {"redundant", redundant}};
    out["start_change"] = system->start_change();
  }
  out["warnings"] = nlohmann::ordered_json::array();
  for (const Warning& warning : lab.warnings()) out["warnings"].push_back(text(warning));
  fmt::print("{}\n", out.dump(2));
}

int perform(const CheckArguments& arguments) {
  if (!arguments.scene.scene)
    throw InputError({}, "`catena check` needs a scene: catena check double-pendulum");
  const Scene scene = read_scene(find_scene(*arguments.scene.scene), arguments.scene);
  Lab lab(scene);
  const EventWatch events(lab, scene.events);  // refuses names that are no columns
  const Schedule schedule = planned_schedule(scene, arguments.scene);
  const Columns columns(lab.world(), split_list(arguments.scene.quantities));
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
          [arguments](CLI::App& parser) {
            arguments->scene.declare(parser);
            parser.add_flag("--json", arguments->json, "the answer as JSON");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
