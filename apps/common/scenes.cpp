#include "scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/scene/scene.h"
#include "catena/io/scene/sweep.h"
#include "lists.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

// What may have been meant: the shipped scenes, and the scenes beside the file that is not there.
std::vector<std::string> known_scenes(const fs::path& missing) {
  std::vector<std::string> known;
  for (const ShippedScene& scene : shipped_scenes()) known.emplace_back(scene.name);
  const fs::path folder = missing.parent_path();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, ignored)) {
    const fs::path& file = entry.path();
    if (file.extension() == ".toml" || file.extension() == ".json") {
      known.push_back((folder / file.filename()).string());
    }
  }
  return known;
}

}  // namespace

const ShippedScene* find_shipped_scene(std::string_view name) {
  const std::span<const ShippedScene> all = shipped_scenes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ShippedScene& scene) { return scene.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string scene_summary(std::string_view text) {
  std::string comment;
  while (text.substr(0, 1) == "#") {
    const std::size_t end = std::min(text.find('\n'), text.size());
    comment += comment.empty() ? "" : " ";
    comment += trimmed(text.substr(1, end - 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // The point behind a single letter is that of a name: "R. Bricard".
  for (std::size_t at = comment.find(". "); at != std::string::npos; at = comment.find(". ", at + 1)) {
    const bool is_initial =
        at > 0 && comment[at - 1] >= 'A' && comment[at - 1] <= 'Z' &&
        (at == 1 || std::string_view(" (.-").find(comment[at - 2]) != std::string_view::npos);
    if (!is_initial) return comment.substr(0, at + 1);
  }
  return comment;
}

ListJson scenes_json() {
  ListJson out = ListJson::array();
  for (const ShippedScene& scene : shipped_scenes()) {
    out.push_back({{"name", scene.name}, {"summary", scene_summary(scene.text)}});
  }
  return out;
}

ListJson studies_json() {
  ListJson out = ListJson::array();
  for (const ShippedScene& study : shipped_studies()) {
    out.push_back({{"name", study.name}, {"summary", scene_summary(study.text)}});
  }
  return out;
}

namespace {

// A plan of a sweep that names its scene is run as that scene.
SceneText scene_of_plan(SceneText text) {
  if (!has_sweep(text.text, text.source)) return text;
  const SweepPlan plan = read_sweep(text.text, text.source);
  if (plan.scene.empty()) return text;  // the scene around it
  const fs::path beside = fs::path(text.source).parent_path() / plan.scene;
  std::error_code ignored;
  SceneText scene = find_scene(fs::is_regular_file(beside, ignored) ? beside.string() : plan.scene);
  scene.note = fmt::format(
      "{} is the plan of a sweep: this is its scene alone, '{}'; `catena sweep {}` computes its cases",
      text.source, plan.scene, text.source);
  scene.set = plan.set;
  scene.name = text.name;
  return scene;
}

}  // namespace

SceneText find_scene(const std::string& argument) {
  if (argument == "-") return scene_of_plan({read_scene_text("-"), "<stdin>", "scene"});
  std::error_code ignored;
  const fs::file_status status = fs::status(argument, ignored);
  const bool is_folder = fs::is_directory(status);
  const ShippedScene* shipped = find_shipped_scene(argument);
  if (shipped != nullptr && (is_folder || !fs::exists(status))) {
    return {std::string(shipped->text), argument, argument};
  }
  if (status.type() == fs::file_type::not_found) {
    const std::string near = did_you_mean(argument, known_scenes(argument));
    throw InputError({}, fmt::format("there is no file or shipped scene '{}'{}", argument,
                                     near.empty() ? "; `catena list scenes` shows those shipped" : near));
  }
  return scene_of_plan({read_scene_text(argument), argument, name_from_path(argument)});
}

std::string name_from_path(const std::string& path) {
  std::string name = fs::path(path).stem().string();
  for (char& c : name) {
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '_';
  }
  return name.empty() ? "scene" : name;
}

}  // namespace catena
