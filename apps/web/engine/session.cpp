#include "session.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "base64.h"
#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"
#include "lists.h"

namespace catena::web {
namespace {

constexpr std::size_t kPastBudget = std::size_t{512} << 10;  // of a session's snapshots, in bytes
constexpr std::int64_t kMostTicks = std::int64_t{1} << 40;

[[noreturn]] void refuse() { throw InputError(Place{}, "the link is damaged"); }

// ---- scenes, with what only the engine put into them

Json formulas_json(const Formulas& formulas) { return {formulas[0], formulas[1], formulas[2]}; }

// A hand that pulls, which the scene's text does not know.
Json hand_json(const Scene& scene) {
  for (const ForceEntry& force : scene.forces) {
    if (force.parameters.empty() || force.parameters[0].first != kHandParameter) continue;
    Json out = {{"stiffness", force.parameters[0].second}, {"damping", force.parameters[1].second}};
    out["force"] = formulas_json(force.force);
    if (force.on.empty()) {
      out["body"] = force.on_bodies.at(0);
      out["point"] = force.point.value_or(Vec3{});
    } else {
      out["chain"] = force.on[0].chain;
      out["link"] = force.on[0].link;
    }
    return out;
  }
  return nullptr;
}

Json scene_json(const Scene& scene) {
  Json spatial = Json::array(), pivots = Json::array();
  for (const Chain& chain : scene.chains) {
    spatial.push_back(!chain.plane_allowed);
    pivots.push_back(given(chain.pivot_motion)
                         ? Json{{"formulas", formulas_json(chain.pivot_motion)}, {"start", chain.pivot}}
                         : Json(nullptr));
  }
  Json out = {{"name", scene.name}, {"text", scene.json}, {"spatial", spatial}, {"pivots", pivots}};
  if (Json hand = hand_json(scene); !hand.is_null()) out["hand"] = std::move(hand);
  return out;
}

void keep_in_space(Scene& scene, const Json& spatial) {
  for (std::size_t c = 0; c < scene.chains.size() && c < spatial.size(); ++c) {
    if (spatial[c].get<bool>()) scene.chains[c].plane_allowed = false;
  }
}

void add_hand(Scene& scene, const Json& hand) {
  ForceEntry pull;
  pull.kind = "formula";
  pull.parameters = {{kHandParameter, hand.at("stiffness")}, {kHandDamping, hand.at("damping")}};
  pull.force = hand.at("force").get<Formulas>();
  const auto inside = [](int index, std::size_t count) {
    if (index < 0 || index >= static_cast<int>(count)) refuse();
    return index;
  };
  if (hand.contains("body")) {
    pull.on_bodies = {inside(hand.at("body"), scene.mechanism.bodies.size())};
    pull.point = hand.at("point").get<Vec3>();
  } else {
    const int chain = inside(hand.at("chain"), scene.chains.size());
    pull.on = {{chain, inside(hand.at("link"), scene.chains[static_cast<std::size_t>(chain)].links.size())}};
  }
  scene.forces.push_back(std::move(pull));
}

std::shared_ptr<const Scene> scene_from(const Json& saved) {
  Scene scene = scene_of(saved.at("text"), saved.at("name"), "<scene>");
  keep_in_space(scene, saved.at("spatial"));
  const Json& pivots = saved.at("pivots");
  for (std::size_t c = 0; c < scene.chains.size() && c < pivots.size(); ++c) {
    if (pivots[c].is_null()) continue;
    scene.chains[c].pivot_motion = pivots[c].at("formulas").get<Formulas>();
    scene.chains[c].pivot = pivots[c].at("start").get<Vec3>();
  }
  if (saved.contains("hand")) add_hand(scene, saved.at("hand"));
  return std::make_shared<const Scene>(std::move(scene));
}

// ---- snapshots

Json motions_json(const Snapshot& snapshot) {
  Json ghost_settings = Json::array(), ghost_motions = Json::array();
  for (const GhostSettings& ghost : *snapshot.ghosts) ghost_settings.push_back(json_of(ghost));
  for (const std::string& motion : snapshot.ghost_motions) ghost_motions.push_back(to_base64(motion));
  return {
      {"motion", to_base64(snapshot.motion)}, {"ghosts", ghost_settings}, {"ghost_motions", ghost_motions}};
}

Snapshot snapshot_from(const Json& saved, std::shared_ptr<const Scene> scene) {
  Snapshot out;
  out.scene = std::move(scene);
  out.ghosts = std::make_shared<const std::vector<GhostSettings>>(ghosts_from(saved.at("ghosts")));
  out.motion = from_base64(saved.at("motion").get<std::string>());
  for (const Json& motion : saved.at("ghost_motions")) {
    out.ghost_motions.push_back(from_base64(motion.get<std::string>()));
  }
  if (out.ghost_motions.size() != out.ghosts->size()) refuse();
  return out;
}

std::int64_t tick_from(const Json& saved, const char* key) {
  const auto tick = saved.at(key).get<std::int64_t>();
  if (tick < 0 || tick > kMostTicks) refuse();
  return tick;
}

// What came before: scenes are written once, however many snapshots are of them.
void take_past(Memory& memory, const Json& past) {
  std::vector<std::shared_ptr<const Scene>> scenes;
  for (const Json& scene : past.at("scenes")) scenes.push_back(scene_from(scene));
  memory.history = History();
  for (const Json& entry : past.at("entries")) {
    Snapshot snapshot = snapshot_from(entry, scenes.at(entry.at("scene").get<std::size_t>()));
    if (entry.at("changed").get<bool>()) {
      memory.history.change(tick_from(entry, "tick"), std::move(snapshot));
    } else {
      memory.history.keep(tick_from(entry, "tick"), std::move(snapshot));
    }
  }
  memory.begin = tick_from(past, "begin");
  memory.end = tick_from(past, "end");
  memory.present.scene = scenes.at(past.at("scene").get<std::size_t>());
  if (memory.begin > memory.tick || memory.end < memory.tick || memory.history.first() != memory.begin)
    refuse();
}

}  // namespace

Scene scene_of(const std::string& text, const std::string& name, const std::string& source) {
  SceneOptions options;
  options.source = source;
  options.name = name;
  options.methods = method_names();
  options.refusal = settings_refusal;
  return read_scene(text, options);
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

namespace {

Json saved_json(const Snapshot& present, std::int64_t tick, double tick_seconds) {
  Json spatial = Json::array();
  for (const Chain& chain : present.scene->chains) spatial.push_back(!chain.plane_allowed);
  Json out = {{"name", present.scene->name},
              {"scene", present.scene->json},
              {"spatial", spatial},
              {"tick", tick},
              {"tick_seconds", tick_seconds}};
  out.update(motions_json(present));
  return out;
}

}  // namespace

Json moment_json(const Experiment& experiment) {
  const Bookmark here = experiment.bookmark();
  return saved_json(here.snapshot, here.tick, experiment.tick_seconds());
}

Json session_json(const Memory& memory) {
  Json out = saved_json(memory.present, memory.tick, memory.tick_seconds);
  Json scenes = Json::array(), entries = Json::array();
  std::map<const Scene*, std::size_t> numbers;
  const auto number_of = [&](const Scene* scene) {
    const auto [found, fresh] = numbers.emplace(scene, scenes.size());
    if (fresh) scenes.push_back(scene_json(*scene));
    return found->second;
  };
  const History past = memory.history.thinned(kPastBudget);
  past.for_each([&](std::int64_t tick, const Snapshot& snapshot, bool changed) {
    Json entry = {{"tick", tick}, {"changed", changed}, {"scene", number_of(snapshot.scene.get())}};
    entry.update(motions_json(snapshot));
    entries.push_back(std::move(entry));
  });
  const std::size_t present = number_of(memory.present.scene.get());
  out["past"] = {{"begin", std::max(memory.begin, past.first())},
                 {"end", memory.end},
                 {"scene", present},
                 {"scenes", scenes},
                 {"entries", entries}};
  return out;
}

Memory memory_from(const Json& saved) {
  Memory out;
  out.tick_seconds = saved.value("tick_seconds", 1.0 / 120);
  if (!(out.tick_seconds > 1e-9) || !(out.tick_seconds < 1.0)) refuse();
  out.begin = out.tick = out.end = tick_from(saved, "tick");
  Scene scene = scene_of(saved.at("scene"), saved.at("name"), "<scene>");
  keep_in_space(scene, saved.at("spatial"));
  out.present = snapshot_from(saved, std::make_shared<const Scene>(std::move(scene)));
  if (saved.contains("past")) {
    take_past(out, saved.at("past"));
  } else {
    out.history.change(out.tick, out.present);
  }
  return out;
}

Scene with_written_pivots(const Scene& scene) {
  Json doc = Json::parse(scene.json);
  for (std::size_t c = 0; c < scene.chains.size(); ++c) {
    const Chain& chain = scene.chains[c];
    if (!given(chain.pivot_motion)) continue;
    (doc.contains("chain") ? doc["chain"] : doc["chains"].at(c))["pivot"] = formulas_json(chain.pivot_motion);
  }
  return scene_of(doc.dump(), scene.name, "<scene>");
}

std::vector<std::string> column_names(const Columns& columns) {
  std::vector<std::string> out;
  for (const Stem& stem : columns.stems()) {
    if (stem.labels.empty()) out.push_back(stem.name);
    for (const std::string& label : stem.labels) out.push_back(stem.name + "_" + label);
  }
  return out;
}

std::vector<double> past_rows(Experiment& experiment, std::int64_t first, std::int64_t last,
                              const std::vector<std::string>& names) {
  std::vector<double> out;
  const Columns* columns = nullptr;
  std::vector<std::size_t> places;  // of the names in the columns of then
  experiment.revisit(first, last, [&] {
    if (columns != &experiment.columns()) {
      columns = &experiment.columns();
      const std::vector<std::string> then = column_names(*columns);
      places.clear();
      for (const std::string& name : names) {
        places.push_back(static_cast<std::size_t>(std::find(then.begin(), then.end(), name) - then.begin()));
      }
    }
    for (const std::size_t place : places) {
      out.push_back(place < columns->width() ? experiment.row()[place]
                                             : std::numeric_limits<double>::quiet_NaN());
    }
  });
  return out;
}

}  // namespace catena::web
