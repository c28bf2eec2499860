#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/lab/lab.h"
#include "command.h"
#include "help.h"
#include "report.h"
#include "scene_arguments.h"

namespace catena::cli {
namespace {

struct CheckArguments {
  SceneArguments scene;
  bool json = false;
};

std::string planar_text(const World& world) {
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
  fmt::print("{}: valid\n{}", lab.scene().name,
             two_columns({
                 {"links", fmt::format("{}", link_count(lab.world()))},
                 {"degrees of freedom", fmt::format("{}", lab.world().degrees_of_freedom())},
                 {"motion", planar_text(lab.world())},
                 {"method", lab.settings()},
                 {"rows", fmt::format("{} of {} columns, to t = {} s; {}", schedule.count(), columns.width(),
                                      number_text(last), size_text(bytes))},
             }));
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
      {"tolerance", lab.method().adaptive ? nlohmann::ordered_json(lab.tolerance()) : nullptr},
      {"step", simulation.step ? nlohmann::ordered_json(*simulation.step) : nullptr},
      {"duration", simulation.duration},
      {"sample", simulation.sample},
      {"rows", schedule.count()},
      {"columns", columns.width()},
  };
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
      .declare =
          [arguments](CLI::App& parser) {
            arguments->scene.declare(parser);
            parser.add_flag("--json", arguments->json, "the answer as JSON");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
