// The core as the page sees it: one experiment, commands as JSON, rows as numbers in memory. What the page
// can do to a motion, it does through Experiment.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "answer.h"
#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/experiment/experiment.h"
#include "catena/lab/experiment/undo.h"
#include "lists.h"
#include "recording.h"
#include "session.h"
#include "stage.h"
#include "things.h"

namespace catena::web {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kQuantities = {
    "position",   "velocity",       "theta",      "phi",       "theta_dot",        "phi_dot",
    "strain",     "kinetic",        "potential",  "elastic",   "energy",           "work",
    "dissipated", "energy_error",   "balance",    "step_size", "orientation",      "angle",
    "angle_dot",  "travel",         "travel_dot", "tension",   "constraint_error", "state",
    "invariant",  "invariant_error"};
const std::vector<std::string> kGhostColumns = {"position",    "velocity", "kinetic",    "potential",
                                                "elastic",     "energy",   "dissipated", "energy_error",
                                                "orientation", "state"};

std::optional<Experiment> experiment;
std::vector<double> rows;  // of the last advance, one behind the other
bool redone = false;       // the last advance made a change again: ask for the description
bool failed = false;       // the last advance could not go on
Undo undone;               // what can be undone, and done again
std::string reply;         // of the last call; lives until the next one
// Of the last answer, what is JSON text already: it goes in as it is. To read it only to write it again took
// an eighth of an edit.
std::vector<std::pair<const char*, std::string>> written;

Experiment& running() {
  if (!experiment) throw InputError(Place{}, "no scene is loaded");
  return *experiment;
}

Scene scene_from(const Json& request) {
  return scene_of(request.at("text").get<std::string>(), request.value("name", "scene"),
                  request.value("source", "<scene>"));
}

// Does something that can be undone. What one gesture does (a slider on its way) is undone at once.
template <typename Act>
Json undoable(const Json& request, Act act) {
  const std::int64_t gesture = request.value("gesture", std::int64_t{0});
  const bool automatic = request.value("automatic", false);  // the page did it by itself
  if (!experiment || automatic || undone.continues(gesture)) return act();
  Memory before = experiment->memory();
  Json out = act();
  undone.add(std::move(before), gesture, request.value("look", ""));
  return out;
}

Json stems_of(const Columns& columns) {
  Json out = Json::array();
  for (const Stem& stem : columns.stems()) {
    out.push_back({{"name", stem.name}, {"labels", std::vector<std::string>(stem.labels)}});
  }
  return out;
}

Json invariants_of(const Equations& equations) {
  Json out = Json::array();
  for (const Invariant& one : equations.invariants) out.push_back(one.name);
  return out;
}

// Names for numbers in the formulas of a system that is given by them.
Json parameters_of(const Scene& scene) {
  Json out = Json::array();
  for (const expr::Parameters* some : {&scene.lagrangian.parameters, &scene.equations.parameters}) {
    for (const auto& [name, number] : *some) out.push_back({{"name", name}, {"value", number.value}});
  }
  return out;
}

// What there is of a scene given by formulas; nothing of others.
void put_formulas(const Scene& scene, Json& out) {
  out["coordinates"] = coordinates_json(scene);
  out["first_order"] = !scene.equations.states.empty();
  out["invariants"] = invariants_of(scene.equations);
  out["parameters"] = parameters_of(scene);
}

// What `catena check` says of it besides: how its joints hold it, what is hardly meant.
void put_facts(const Lab& lab, const WorldFacts& facts, Json& out) {
  if (facts.mechanism) out["constraints"] = constraints_json(*facts.mechanism);
  Json warnings = Json::array();
  for (const Warning& warning : lab.warnings()) warnings.push_back(text(warning));
  out["warnings"] = warnings;
}

// What only a change can change: the page asks for it after each.
Json description() {
  const Experiment& of = running();
  const WorldFacts facts = of.lab().facts();
  Json ghosts = Json::array();
  for (const GhostSettings& ghost : of.ghosts()) ghosts.push_back(json_of(ghost));
  Json out = Json::object();  // filled by moves: a list of pairs would copy all of it, and so would growing
  out.get_ref<Json::object_t&>().reserve(40);
  out["name"] = of.scene().name;
  out["chains"] = chains_json(of.scene(), facts.chains);
  out["bodies"] = bodies_json(of.scene().mechanism);
  out["joints"] = placed_joints_json(of.scene().mechanism);
  out["columns"] = stems_of(of.columns());
  out["ghost_columns"] = stems_of(of.ghost_columns());
  out["ghosts"] = std::move(ghosts);
  out["degrees_of_freedom"] = facts.degrees_of_freedom;
  out["method"] = of.lab().method().name;
  out["order"] = of.lab().order();
  out["settings"] = of.lab().settings();
  out["weight_scale"] = facts.weight_scale;
  out["tick_seconds"] = of.tick_seconds();
  put_formulas(of.scene(), out);
  put_facts(of.lab(), facts, out);
  written = {{"scene", of.scene().json}, {"drawing", drawing_json(of.scene())}};
  return out;
}

// What lasts for a part of a second is looked at in slow motion: rows come as close as that needs.
double fitting_tick(const Scene& scene) {
  const double duration = scene.simulation.duration;
  return duration < 1.0 ? duration / 600 : 1.0 / 120;
}

ExperimentOptions options_with(double tick) { return {tick, kQuantities, kGhostColumns}; }

void show_present_row() { rows = running().row(); }

// ---- commands
// -----------------------------------------------------------------------------------------------

// Another experiment takes the place of the one before; plots go on watching what they watched.
void begin(Experiment fresh) {
  if (experiment) fresh.watch(experiment->watched());
  experiment.emplace(std::move(fresh));
}

Json info(const Json&) {
  ListJson methods_here = ListJson::array();
  for (const ListJson& method : methods_json()) {
    if (!method.at("library").get<bool>()) methods_here.push_back(method);
  }
  return {{"version", std::string(this_version())},
          {"methods", methods_here},
          {"quantities", quantities_json()},
          {"forces", forces_json()},
          {"joints", joints_json()},
          {"shapes", shapes_json()},
          {"functions", functions_json()},
          {"schema", Json::parse(scene_schema())}};
}

// The whole run of the scene shown, from its start.
Json record(const Json& request) {
  const auto quantities = request.value("quantities", std::vector<std::string>{});
  const Recording recording = recording_of(running().scene(), quantities);
  return {{"csv", recording.csv}, {"summary", Json::parse(recording.summary)}};
}

Json describe(const Json&) { return description(); }

Json load(const Json& request) {
  return undoable(request, [&] {
    Scene scene = scene_from(request);
    const double tick = fitting_tick(scene);
    begin(Experiment(std::move(scene), options_with(tick)));
    return description();
  });
}

// Reads a scene without setting it in motion: what it says, and what there is to see of it.
Json check(const Json& request) {
  const Scene scene = scene_from(request);
  Json out = {{"chains", chains_json(scene, facts_of(scene).chains)},
              {"bodies", bodies_json(scene.mechanism)},
              {"joints", placed_joints_json(scene.mechanism)}};
  written = {{"scene", scene.json}, {"drawing", drawing_json(scene)}};
  put_formulas(scene, out);
  return out;
}

Json change(const Json& request) {
  return undoable(request, [&] {
    if (running().held()) running().let_go();
    const EnergyChange energy = running().change(scene_from(request));
    Json out = description();
    out["energy_before"] = energy.before;
    out["energy_after"] = energy.after;
    out["restarted"] = energy.restarted;
    return out;
  });
}

bool is_planar(const Json& request) {
  return running().lab().is_planar(request.at("chain").get<std::size_t>());
}

Json drag(const Json& request) {
  return undoable(request, [&]() -> Json {
    if (request.contains("body")) {
      running().drag_body(request.at("body"), request.at("point").get<Vec3>(),
                          request.at("target").get<Vec3>());
      return Json::object();
    }
    const bool planar_before = is_planar(request);
    running().drag(request.at("chain"), request.at("link"), request.at("target").get<Vec3>(),
                   request.value("may_leave_plane", false));
    return is_planar(request) == planar_before ? Json::object() : description();
  });
}

// A hand in the motion that goes on. `pivot`: it holds the chain's pivot.
Json hold(const Json& request) {
  return undoable(request, [&]() -> Json {
    Grip grip;
    if (request.contains("body")) {
      grip.body = request.at("body");
      grip.point = request.at("point").get<Vec3>();
    } else {
      grip.chain = request.at("chain");
      grip.link = request.value("pivot", false) ? -1 : request.at("link").get<int>();
    }
    const bool held = running().hold(grip, request.at("target").get<Vec3>());
    Json out = description();
    out["held"] = held;
    return out;
  });
}

Json pull(const Json& request) {
  running().pull(request.at("target").get<Vec3>());
  return Json::object();
}

Json let_go(const Json&) {
  const bool pivot = running().holds_pivot();
  const EnergyChange energy = running().let_go();
  // A pivot comes to rest by formulas, which the scene says from now on.
  if (pivot) running().change(with_written_pivots(running().scene()));
  Json out = description();
  out["energy_before"] = energy.before;
  out["energy_after"] = energy.after;
  return out;
}

Json ghosts(const Json& request) {
  return undoable(request, [&] {
    running().set_ghosts(ghosts_from(request.at("ghosts")));
    return description();
  });
}

Json reset(const Json& request) {
  return undoable(request, [&] {
    running().restart(request.value("as_dragged", true));
    return description();
  });
}

Json go(const Json& request) {
  const Scene* before = &running().scene();
  running().go_to(request.at("tick").get<std::int64_t>());
  return before == &running().scene() ? Json::object() : description();
}

// `look`: how the page looked at it there.
Json stepped(const std::optional<std::string>& look) {
  Json out = description();
  out["done"] = look.has_value();
  out["look"] = look.value_or("");
  return out;
}

Json undo(const Json& request) { return stepped(undone.undo(running(), request.value("look", ""))); }
Json redo(const Json&) { return stepped(undone.redo(running())); }

// ---- plots

// All columns that this scene can tell, as `catena run` names them.
Json columns(const Json&) { return {{"columns", stems_of(running().lab().columns({"all"}))}}; }

Json watch(const Json& request) {
  running().watch(request.at("columns").get<std::vector<std::string>>());
  return Json::object();
}

// Values of some of what is watched, in `rows`: the tick and the values, row by row.
Json plot(const Json& request) {
  const Experiment::Plotted found =
      running().plotted(request.at("first"), request.at("last"), request.at("points"),
                        request.value("envelope", true), request.value("most_ticks", std::int64_t{0}));
  const auto asked = request.at("columns").get<std::vector<std::string>>();
  const std::vector<std::string>& watched = running().watched();
  std::vector<std::size_t> places{0};
  for (const std::string& name : asked) {
    const auto found_at = std::find(watched.begin(), watched.end(), name);
    if (found_at == watched.end()) throw InputError(Place{}, fmt::format("'{}' is not watched", name));
    places.push_back(static_cast<std::size_t>(found_at - watched.begin()) + 1);
  }
  rows.clear();
  for (std::size_t row = 0; row < found.rows.size(); row += watched.size() + 1) {
    for (const std::size_t place : places) rows.push_back(found.rows[row + place]);
  }
  return {{"stride", found.stride}, {"complete", found.complete}, {"width", places.size()}};
}

// The rows of a past stretch in full, in the columns of now; nan where the scene had other ones then.
Json table(const Json& request) {
  const std::vector<std::string> names = column_names(running().columns());
  rows = past_rows(running(), request.at("first"), request.at("last"), names);
  return {{"width", names.size()}};
}

// ---- to go on elsewhere

Json save(const Json&) { return moment_json(running()); }

// All of it, with its past; with what can be undone, too, unless the page knows that version of it.
Json session(const Json& request) {
  Json out = {{"saved", session_json(running().memory())}, {"undo_version", undone.version()}};
  if (request.contains("undo_known") && request["undo_known"] != out["undo_version"]) {
    out["undo"] = undo_json(undone);
  }
  return out;
}

// Takes up a moment or a session. What was saved comes from anywhere: whatever is wrong with it, it is
// damaged.
Experiment restored(const Json& request, std::optional<Undo>& steps) {
  try {
    const Memory memory = memory_from(request.at("saved"));
    if (request.contains("undo")) steps = undo_from(request["undo"]);
    Experiment fresh(*memory.present.scene, options_with(memory.tick_seconds));
    fresh.recall(memory, 0);
    return fresh;
  } catch (const InputError&) {
    throw;
  } catch (const std::exception&) {
    throw InputError(Place{}, "the link is damaged");
  }
}

Json restore(const Json& request) {
  return undoable(request, [&] {
    std::optional<Undo> steps;
    begin(restored(request, steps));
    if (steps) undone = std::move(*steps);
    return description();
  });
}

Json sight(const Json& request) {
  return sight_json(running(), request.at("quantities").get<std::vector<std::string>>());
}

Json fields(const Json& request) {
  return fields_json(running().scene(), running().time(), request.at("places").get<std::vector<Vec3>>());
}

Json equations(const Json&) { return equations_json(running().scene()); }

struct Command {
  const char* name;
  Json (*perform)(const Json&);
};
constexpr Command kCommands[] = {
    {"info", info},          {"describe", describe}, {"load", load},       {"check", check},
    {"change", change},      {"drag", drag},         {"hold", hold},       {"pull", pull},
    {"let_go", let_go},      {"ghosts", ghosts},     {"reset", reset},     {"go", go},
    {"undo", undo},          {"redo", redo},         {"columns", columns}, {"watch", watch},
    {"plot", plot},          {"table", table},       {"save", save},       {"session", session},
    {"restore", restore},    {"record", record},     {"sight", sight},     {"fields", fields},
    {"equations", equations}};

// Their answers have rows of their own.
bool answers_with_rows(const std::string& command) { return command == "plot" || command == "table"; }

Json perform(const Json& request) {
  const std::string name = request.at("do");
  for (const Command& command : kCommands) {
    if (name == command.name) return command.perform(request);
  }
  throw InputError(Place{}, fmt::format("there is no command '{}'", name));
}

Json answer(const Json& request) {
  Json out = perform(request);
  if (!experiment) return out;
  out["tick"] = experiment->tick();
  out["begin"] = experiment->begin();
  out["end"] = experiment->end();
  out["can_undo"] = undone.can_undo();
  out["can_redo"] = undone.can_redo();
  if (!answers_with_rows(request.at("do"))) show_present_row();
  return out;
}

}  // namespace

const char* call(const char* request) {
  written.clear();
  bool is_done = false;
  reply = answered(request, [&](const Json& asked) {
    Json out = answer(asked);
    is_done = true;
    return out;
  });
  if (!is_done) return reply.c_str();
  for (const auto& [key, text] : written) {
    reply.back() = ',';
    reply.append("\"").append(key).append("\":").append(text).append("}");
  }
  return reply.c_str();
}

// Forward by up to `ticks`; the rows of those done stand in `rows`. Less when the motion failed. A change
// that is made again is a batch of its own, since its columns may be others.
int advance(int ticks) {
  rows.clear();
  redone = failed = false;
  if (!experiment) return 0;
  for (int done = 0; done < ticks; ++done) {
    redone = experiment->change_ahead();
    if (redone && done > 0) return redone = false, done;
    failed = experiment->forward() != StepStatus::done;
    if (failed) return done;
    rows.insert(rows.end(), experiment->row().begin(), experiment->row().end());
    if (redone) return 1;
  }
  return ticks;
}

const double* row_data() { return rows.data(); }
int row_count() { return static_cast<int>(rows.size()); }
int status() { return failed ? 2 : redone ? 1 : 0; }
double tick() { return experiment ? static_cast<double>(experiment->tick()) : 0.0; }

}  // namespace catena::web

extern "C" {
const char* catena_call(const char* request) { return catena::web::call(request); }
int catena_advance(int ticks) { return catena::web::advance(ticks); }
const double* catena_rows() { return catena::web::row_data(); }
int catena_row_values() { return catena::web::row_count(); }
int catena_status() { return catena::web::status(); }
double catena_tick() { return catena::web::tick(); }
}
