// The core as the page sees it: one experiment, commands as JSON, rows as numbers in memory. What the page
// can do to a motion, it does through Experiment.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base64.h"
#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/experiment/experiment.h"
#include "lists.h"
#include "recording.h"
#include "stage.h"

namespace catena::web {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kQuantities = {
    "position",   "velocity",     "theta",      "phi",       "theta_dot",       "phi_dot",
    "strain",     "kinetic",      "potential",  "elastic",   "energy",          "work",
    "dissipated", "energy_error", "balance",    "step_size", "orientation",     "angle",
    "angle_dot",  "travel",       "travel_dot", "tension",   "constraint_error"};
const std::vector<std::string> kGhostColumns = {"position",   "velocity",     "kinetic",
                                                "potential",  "elastic",      "energy",
                                                "dissipated", "energy_error", "orientation"};

std::optional<Experiment> experiment;
std::vector<double> rows;  // of the last advance, one behind the other
bool redone = false;       // the last advance made a change again: ask for the description
bool failed = false;       // the last advance could not go on
double tick_seconds = 1.0 / 120;
std::string reply;  // of the last call; lives until the next one

Experiment& running() {
  if (!experiment) throw InputError(Place{}, "no scene is loaded");
  return *experiment;
}

Scene scene_from(const Json& request) {
  SceneOptions options;
  options.source = request.value("source", "<scene>");
  options.name = request.value("name", "scene");
  options.methods = method_names();
  options.refusal = settings_refusal;
  return read_scene(request.at("text").get<std::string>(), options);
}

Json stems_of(const Columns& columns) {
  Json out = Json::array();
  for (const Stem& stem : columns.stems()) {
    out.push_back({{"name", stem.name}, {"labels", stem.labels}});
  }
  return out;
}

Json chains_of(const World& world) {
  Json out = Json::array();
  for (const ChainUnit& unit : world.chains()) {
    const ChainLinks& links = unit.parameters();
    out.push_back({{"name", unit.name},
                   {"elastic", unit.elastic()},
                   {"planar", unit.planar()},
                   {"azimuth", unit.plane.azimuth},
                   {"pivot", unit.pivot},
                   {"moving", unit.pivot_motion.has_value() || unit.bodies() != nullptr},
                   {"length", links.length},
                   {"mass", links.mass},
                   {"parent", links.parent},
                   {"stiffness", links.stiffness}});
  }
  return out;
}

Json bodies_of(const Mechanism& mechanism) {
  Json out = Json::array();
  for (const Body& body : mechanism.bodies) {
    out.push_back({{"name", body.name},
                   {"shape", body.point ? "point" : body.shape},
                   {"size", body.size},
                   {"mass", body.mass},
                   {"fixed", body.fixed},
                   {"position", body.position},
                   {"orientation", body.orientation}});
  }
  return out;
}

Json joints_of(const Mechanism& mechanism) {
  Json out = Json::array();
  for (const Joint& joint : mechanism.joints) {
    out.push_back({{"name", joint.name},
                   {"a", joint.a},
                   {"b", joint.b},
                   {"in_a", joint.in_a.point},
                   {"in_b", joint.in_b.point},
                   {"ties", joint.first >= 0}});
  }
  return out;
}

Json coordinates_of(const Lagrangian& lagrangian) {
  Json out = Json::array();
  for (const LagrangianCoordinate& coordinate : lagrangian.coordinates) {
    out.push_back({{"name", coordinate.name}, {"start", coordinate.start}});
  }
  return out;
}

Json json_of(const GhostSettings& ghost) {
  Json out = {{"offset", ghost.offset}, {"method", ghost.method}};
  if (ghost.tolerance) out["tolerance"] = *ghost.tolerance;
  if (ghost.step) out["step"] = *ghost.step;
  if (ghost.order) out["order"] = *ghost.order;
  return out;
}

std::vector<GhostSettings> ghosts_from(const Json& list) {
  std::vector<GhostSettings> out;
  for (const Json& item : list) {
    GhostSettings& ghost = out.emplace_back();
    ghost.offset = item.value("offset", 1e-3);
    ghost.method = item.value("method", "");
    if (item.contains("tolerance")) ghost.tolerance = item["tolerance"].get<double>();
    if (item.contains("step")) ghost.step = item["step"].get<double>();
    if (item.contains("order")) ghost.order = item["order"].get<int>();
  }
  return out;
}

// What only a change can change: the page asks for it after each.
Json description() {
  const Experiment& of = running();
  Json ghosts = Json::array();
  for (const GhostSettings& ghost : of.ghosts()) ghosts.push_back(json_of(ghost));
  return {{"name", of.scene().name},
          {"scene", Json::parse(of.scene().json)},
          {"chains", chains_of(of.lab().world())},
          {"bodies", bodies_of(of.scene().mechanism)},
          {"joints", joints_of(of.scene().mechanism)},
          {"coordinates", coordinates_of(of.scene().lagrangian)},
          {"drawing", Json::parse(drawing_json(of.scene()))},
          {"columns", stems_of(of.columns())},
          {"ghost_columns", stems_of(of.ghost_columns())},
          {"ghosts", ghosts},
          {"degrees_of_freedom", of.lab().world().degrees_of_freedom()},
          {"method", of.lab().method().name},
          {"order", of.lab().stepper().order()},
          {"settings", of.lab().settings()},
          {"weight_scale", of.lab().world().weight_scale()},
          {"tick_seconds", tick_seconds}};
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

Json info(const Json&) {
  ListJson methods_here = ListJson::array();
  for (const ListJson& method : methods_json()) {
    if (!method.at("library").get<bool>()) methods_here.push_back(method);
  }
  return {{"version", CATENA_VERSION},       {"methods", methods_here},
          {"quantities", quantities_json()}, {"forces", forces_json()},
          {"joints", joints_json()},         {"shapes", shapes_json()},
          {"functions", functions_json()},   {"schema", Json::parse(scene_schema())}};
}

// The whole run of the scene shown, from its start.
Json record(const Json& request) {
  const auto quantities = request.value("quantities", std::vector<std::string>{});
  const Recording recording = recording_of(running().scene(), quantities);
  return {{"csv", recording.csv}, {"summary", Json::parse(recording.summary)}};
}

Json describe(const Json&) { return description(); }

Json load(const Json& request) {
  Scene scene = scene_from(request);
  const double tick = fitting_tick(scene);
  experiment.emplace(std::move(scene), options_with(tick));
  tick_seconds = tick;
  return description();
}

// Reads a scene without setting it in motion: what it says, and what there is to see of it.
Json check(const Json& request) {
  const Scene scene = scene_from(request);
  const World world(scene);
  return {{"scene", Json::parse(scene.json)},
          {"chains", chains_of(world)},
          {"bodies", bodies_of(scene.mechanism)},
          {"joints", joints_of(scene.mechanism)},
          {"coordinates", coordinates_of(scene.lagrangian)},
          {"drawing", Json::parse(drawing_json(scene))}};
}

Json change(const Json& request) {
  const EnergyChange energy = running().change(scene_from(request));
  Json out = description();
  out["energy_before"] = energy.before;
  out["energy_after"] = energy.after;
  out["restarted"] = energy.restarted;
  return out;
}

Json drag(const Json& request) {
  if (request.contains("body")) {
    running().drag_body(request.at("body"), request.at("point").get<Vec3>(),
                        request.at("target").get<Vec3>());
    return Json::object();
  }
  const bool planar_before = running().lab().world().chains().at(request.at("chain")).planar();
  running().drag(request.at("chain"), request.at("link"), request.at("target").get<Vec3>(),
                 request.value("may_leave_plane", false));
  const bool planar = running().lab().world().chains().at(request.at("chain")).planar();
  return planar == planar_before ? Json::object() : description();
}

Json ghosts(const Json& request) {
  running().set_ghosts(ghosts_from(request.at("ghosts")));
  return description();
}

Json reset(const Json& request) {
  running().restart(request.value("as_dragged", true));
  return description();
}

Json go(const Json& request) {
  const Scene* before = &running().scene();
  running().go_to(request.at("tick").get<std::int64_t>());
  return before == &running().scene() ? Json::object() : description();
}

// All that another page needs to show the same motion at the same instant and go on with the same bits.
Json save(const Json&) {
  const Bookmark bookmark = running().bookmark();
  Json ghost_motions = Json::array();
  for (const std::string& motion : bookmark.snapshot.ghost_motions) {
    ghost_motions.push_back(to_base64(motion));
  }
  Json ghost_settings = Json::array();
  for (const GhostSettings& ghost : running().ghosts()) ghost_settings.push_back(json_of(ghost));
  Json spatial = Json::array();
  for (const Chain& chain : running().scene().chains) spatial.push_back(!chain.plane_allowed);
  return {{"name", running().scene().name},
          {"scene", running().scene().json},
          {"spatial", spatial},
          {"tick", bookmark.tick},
          {"tick_seconds", tick_seconds},
          {"motion", to_base64(bookmark.snapshot.motion)},
          {"ghosts", ghost_settings},
          {"ghost_motions", ghost_motions}};
}

Json restore(const Json& request) {
  const Json& saved = request.at("saved");
  Scene scene = scene_from({{"text", saved.at("scene")}, {"name", saved.at("name")}});
  const Json& spatial = saved.at("spatial");
  for (std::size_t c = 0; c < scene.chains.size() && c < spatial.size(); ++c) {
    if (spatial[c].get<bool>()) scene.chains[c].plane_allowed = false;
  }
  const double tick = saved.value("tick_seconds", 1.0 / 120);
  if (!(tick > 1e-9) || !(tick < 1.0)) throw InputError(Place{}, "the link is damaged");
  Experiment fresh(scene, options_with(tick));
  Bookmark bookmark;
  bookmark.tick = saved.at("tick").get<std::int64_t>();
  bookmark.snapshot.scene = std::make_shared<const Scene>(std::move(scene));
  bookmark.snapshot.ghosts =
      std::make_shared<const std::vector<GhostSettings>>(ghosts_from(saved.at("ghosts")));
  bookmark.snapshot.motion = from_base64(saved.at("motion").get<std::string>());
  for (const Json& motion : saved.at("ghost_motions")) {
    bookmark.snapshot.ghost_motions.push_back(from_base64(motion.get<std::string>()));
  }
  if (bookmark.snapshot.ghost_motions.size() != bookmark.snapshot.ghosts->size() || bookmark.tick < 0) {
    throw InputError(Place{}, "the link is damaged");
  }
  fresh.take_up(bookmark);
  experiment.emplace(std::move(fresh));
  tick_seconds = tick;
  return description();
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
constexpr Command kCommands[] = {{"info", info},     {"describe", describe}, {"load", load},
                                 {"check", check},   {"change", change},     {"drag", drag},
                                 {"ghosts", ghosts}, {"reset", reset},       {"go", go},
                                 {"save", save},     {"restore", restore},   {"record", record},
                                 {"sight", sight},   {"fields", fields},     {"equations", equations}};

Json mistakes_json(const InputError& error) {
  Json list = Json::array();
  for (const Mistake& mistake : error.mistakes()) list.push_back(text(mistake));
  return {{"mistakes", list}};
}

Json perform(const Json& request) {
  const std::string name = request.at("do");
  for (const Command& command : kCommands) {
    if (name == command.name) return command.perform(request);
  }
  throw InputError(Place{}, fmt::format("there is no command '{}'", name));
}

Json answer(const char* request) {
  try {
    Json out = perform(Json::parse(request));
    if (experiment) {
      out["tick"] = experiment->tick();
      out["begin"] = experiment->begin();
      out["end"] = experiment->end();
      show_present_row();
    }
    return out;
  } catch (const InputError& error) {
    return mistakes_json(error);
  } catch (const std::exception& error) {
    return {{"mistakes", {std::string("inside the engine: ") + error.what()}}};
  }
}

}  // namespace

const char* call(const char* request) {
  reply = answer(request).dump();
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

}  // namespace catena::web

extern "C" {
const char* catena_call(const char* request) { return catena::web::call(request); }
int catena_advance(int ticks) { return catena::web::advance(ticks); }
const double* catena_rows() { return catena::web::row_data(); }
int catena_row_values() { return catena::web::row_count(); }
int catena_status() { return catena::web::status(); }
}
