#include "session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "base64.h"
#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"
#include "lists.h"

namespace catena::web {
namespace {

// Bytes of snapshots: of a session's past, of the past of a step that can be undone, of all such steps.
constexpr std::size_t kPastBudget = std::size_t{512} << 10;
constexpr std::size_t kStepBudget = std::size_t{32} << 10;
constexpr std::size_t kUndoBudget = std::size_t{2} << 20;
constexpr std::int64_t kMostTicks = std::int64_t{1} << 40;

[[noreturn]] void refuse() { throw InputError(Place{}, "the link is damaged"); }

// ---- scenes that are too large for a page

constexpr std::size_t kMostLinks = 10000;
constexpr std::size_t kMostBodies = 2000;

void refuse_large(std::size_t count, const char* what, std::size_t most) {
  if (count <= most) return;
  throw InputError(Place{},
                   fmt::format("the scene has {} {}, and this page shows up to {}: `catena run` computes it",
                               count, what, most));
}

// How many links the entries of a text stand for, without reading it: as TOML (`repeat = 5`) or JSON
// (`"repeat": 5`) says so.
std::size_t repeats_in(std::string_view text) {
  constexpr std::string_view kWord = "repeat";
  std::size_t sum = 0;
  for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at)) {
    at = text.find_first_not_of(" \t\"'=:", at + kWord.size());
    std::size_t number = 0;
    for (; at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
         ++at) {
      if (text[at] != '_' && number < std::size_t{1} << 24)
        number = 10 * number + static_cast<std::size_t>(text[at] - '0');
    }
    sum += std::min(number, std::size_t{1} << 24);
  }
  return sum;
}

// ---- scenes, with what only the engine put into them

Json formulas_json(const Formulas& formulas) { return {formulas[0], formulas[1], formulas[2]}; }

// A hand that pulls, which the scene's text does not know.
Json hand_json(const Scene& scene) {
  for (const ForceEntry& force : scene.forces) {
    if (force.parameters.empty() || force.parameters[0].first != kHandParameter) continue;
    Json out = {{"stiffness", force.parameters[0].second.value},
                {"damping", force.parameters[1].second.value}};
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
  pull.parameters = {{kHandParameter, hand.at("stiffness").get<double>()},
                     {kHandDamping, hand.at("damping").get<double>()}};
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

double tick_seconds_from(const Json& saved) {
  const double seconds = saved.value("tick_seconds", 1.0 / 120);
  if (!(seconds > 1e-9) || !(seconds < 1.0)) refuse();
  return seconds;
}

// ---- memories

// Scenes and snapshots by number: each is written once, however many memories are of it.
class Archive {
 public:
  std::size_t number_of(const std::shared_ptr<const Scene>& scene) {
    const auto [found, fresh] = scene_numbers_.emplace(scene.get(), scenes_.size());
    if (fresh) {
      bytes_ += scene->json.size();
      scenes_.push_back(scene_json(*scene));
    }
    return found->second;
  }
  // It has to live until all is written.
  std::size_t number_of(const Snapshot& snapshot) {
    const auto [found, fresh] = snapshot_numbers_.emplace(&snapshot, snapshots_.size());
    if (fresh) {
      bytes_ += snapshot.bytes();
      Json out = {{"scene", number_of(snapshot.scene)}};
      out.update(motions_json(snapshot));
      snapshots_.push_back(std::move(out));
    }
    return found->second;
  }
  std::size_t bytes() const { return bytes_; }
  void write_to(Json& out) && {
    out["scenes"] = std::move(scenes_);
    out["snapshots"] = std::move(snapshots_);
  }

 private:
  Json scenes_ = Json::array(), snapshots_ = Json::array();
  std::map<const Scene*, std::size_t> scene_numbers_;
  std::map<const Snapshot*, std::size_t> snapshot_numbers_;
  std::size_t bytes_ = 0;
};

// The same, read.
struct Archived {
  std::vector<std::shared_ptr<const Scene>> scenes;
  std::vector<Snapshot> snapshots;
};

Archived archive_from(const Json& saved) {
  Archived out;
  for (const Json& scene : saved.at("scenes")) out.scenes.push_back(scene_from(scene));
  for (const Json& snapshot : saved.at("snapshots")) {
    out.snapshots.push_back(snapshot_from(snapshot, out.scenes.at(snapshot.at("scene").get<std::size_t>())));
  }
  return out;
}

Json dragged_json(const Dragged& dragged, Archive& archive) {
  Json angles = Json::array();
  for (const AngleMemory& memory : dragged.angles) {
    angles.push_back({{"turns", memory.turns}, {"phi", memory.phi}});
  }
  const State& state = dragged.state;
  return {
      {"scene", archive.number_of(dragged.scene)}, {"hi", state.hi}, {"lo", state.lo}, {"angles", angles}};
}

// A restart begins at time 0 wherever the drag was: only the lanes matter.
Dragged dragged_from(const Json& saved, const Archived& archive) {
  Dragged out;
  out.scene = archive.scenes.at(saved.at("scene").get<std::size_t>());
  out.state.hi = saved.at("hi").get<std::vector<double>>();
  out.state.lo = saved.at("lo").get<std::vector<double>>();
  for (const Json& memory : saved.at("angles")) {
    out.angles.push_back(
        {memory.at("turns").get<std::vector<double>>(), memory.at("phi").get<std::vector<double>>()});
  }
  const Lab lab(*out.scene);
  const std::vector<AngleMemory> angles = lab.row_angles();
  const std::size_t lanes = lab.state().hi.size();
  if (out.state.hi.size() != lanes || out.state.lo.size() != lanes || out.angles.size() != angles.size())
    refuse();
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const AngleMemory &one = out.angles[i], &other = angles[i];
    if (one.turns.size() != other.turns.size() || one.phi.size() != other.phi.size()) refuse();
  }
  return out;
}

// Where the budget does not reach back to the present, its past is not written: it begins there.
Json memory_json(const Memory& memory, std::size_t budget, Archive& archive) {
  const History past = memory.history.thinned(budget);
  const bool known = past.first() <= memory.tick;
  Json entries = Json::array();
  const auto add = [&](std::int64_t tick, const Snapshot& snapshot, bool changed) {
    entries.push_back({{"tick", tick}, {"changed", changed}, {"snapshot", archive.number_of(snapshot)}});
  };
  if (known) {
    past.for_each(add);
  } else {
    add(memory.tick, memory.present, true);
  }
  Json out = {{"tick_seconds", memory.tick_seconds},
              {"begin", known ? past.first() : memory.tick},
              {"tick", memory.tick},
              {"end", known ? memory.end : memory.tick},
              {"present", archive.number_of(memory.present)},
              {"entries", entries}};
  if (memory.dragged.scene) out["dragged"] = dragged_json(memory.dragged, archive);
  return out;
}

Memory memory_from(const Json& saved, const Archived& archive) {
  const auto snapshot = [&](const Json& number) { return archive.snapshots.at(number.get<std::size_t>()); };
  Memory out;
  out.tick_seconds = tick_seconds_from(saved);
  out.begin = tick_from(saved, "begin");
  out.tick = tick_from(saved, "tick");
  out.end = tick_from(saved, "end");
  out.present = snapshot(saved.at("present"));
  for (const Json& entry : saved.at("entries")) {
    const std::int64_t tick = tick_from(entry, "tick");
    if (entry.at("changed").get<bool>()) {
      out.history.change(tick, snapshot(entry.at("snapshot")));
    } else {
      out.history.keep(tick, snapshot(entry.at("snapshot")));
    }
  }
  if (out.begin > out.tick || out.end < out.tick || out.history.first() != out.begin) refuse();
  if (saved.contains("dragged")) out.dragged = dragged_from(saved.at("dragged"), archive);
  return out;
}

Json moment_json(const Undo::Moment& moment, Archive& archive) {
  return {{"look", moment.look}, {"memory", memory_json(moment.memory, kStepBudget, archive)}};
}

Undo::Moment moment_from(const Json& saved, const Archived& archive) {
  return {memory_from(saved.at("memory"), archive), saved.at("look").get<std::string>()};
}

}  // namespace

Scene scene_of(const std::string& text, const std::string& name, const std::string& source) {
  refuse_large(repeats_in(text), "links", kMostLinks);  // before they cost memory
  SceneOptions options;
  options.source = source;
  options.name = name;
  options.methods = method_names();
  options.refusal = settings_refusal;
  Scene scene = read_scene(text, options);
  std::size_t links = 0;
  for (const Chain& chain : scene.chains) links += chain.links.size();
  refuse_large(links, "links", kMostLinks);
  refuse_large(scene.mechanism.bodies.size(), "bodies", kMostBodies);
  return scene;
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

Json moment_json(const Experiment& experiment) {
  const auto [tick, present] = experiment.bookmark();
  Json spatial = Json::array();
  for (const Chain& chain : present.scene->chains) spatial.push_back(!chain.plane_allowed);
  Json out = {{"name", present.scene->name},
              {"scene", present.scene->json},
              {"spatial", spatial},
              {"tick", tick},
              {"tick_seconds", experiment.tick_seconds()}};
  out.update(motions_json(present));
  return out;
}

Json session_json(const Memory& memory) {
  Archive archive;
  Json out = {{"memory", memory_json(memory, kPastBudget, archive)}};
  std::move(archive).write_to(out);
  return out;
}

Memory memory_from(const Json& saved) {
  if (saved.contains("memory")) return memory_from(saved.at("memory"), archive_from(saved));
  Memory out;
  out.tick_seconds = tick_seconds_from(saved);
  out.begin = out.tick = out.end = tick_from(saved, "tick");
  Scene scene = scene_of(saved.at("scene"), saved.at("name"), "<scene>");
  keep_in_space(scene, saved.at("spatial"));
  out.present = snapshot_from(saved, std::make_shared<const Scene>(std::move(scene)));
  out.history.change(out.tick, out.present);
  return out;
}

// The steps next to where it stands, as many as the budget holds; at least one each way.
Json undo_json(const Undo& undo) {
  Archive archive;
  Json later = Json::array(), earlier = Json::array();
  const auto step_json = [&](const Undo::Step& step) {
    Json out = {{"before", moment_json(step.before, archive)}};
    if (step.after) out["after"] = moment_json(*step.after, archive);
    return out;
  };
  for (std::size_t i = undo.at(); i < undo.steps().size(); ++i) {
    if (!later.empty() && archive.bytes() > kUndoBudget / 2) break;
    later.push_back(step_json(undo.steps()[i]));
  }
  for (std::size_t i = undo.at(); i-- > 0;) {
    if (!earlier.empty() && archive.bytes() > kUndoBudget) break;
    earlier.push_back(step_json(undo.steps()[i]));
  }
  Json out = {{"earlier", std::move(earlier)}, {"later", std::move(later)}};
  std::move(archive).write_to(out);
  return out;
}

Undo undo_from(const Json& saved) {
  const Archived archive = archive_from(saved);
  const Json &earlier = saved.at("earlier"), &later = saved.at("later");
  std::vector<Undo::Step> steps;
  const auto add = [&](const Json& step) {
    Undo::Step& out = steps.emplace_back();
    out.before = moment_from(step.at("before"), archive);
    if (step.contains("after")) out.after = moment_from(step.at("after"), archive);
  };
  for (std::size_t i = earlier.size(); i-- > 0;) add(earlier[i]);
  for (const Json& step : later) {
    add(step);
    if (!steps.back().after) refuse();
  }
  if (steps.size() > Undo::kSteps) refuse();
  return {std::move(steps), earlier.size()};
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
