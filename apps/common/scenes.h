// Finding the scene that an argument names: a file, standard input, or one of those inside the program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

struct ShippedScene {
  std::string_view name;
  std::string_view text;
};

// All of them, by name. Generated from scenes/*.toml at build time.
std::span<const ShippedScene> shipped_scenes();

// Studies likewise, from studies/*.toml.
std::span<const ShippedScene> shipped_studies();

// Sweeps likewise, from sweeps/*.toml.
std::span<const ShippedScene> shipped_sweeps();

const ShippedScene* find_shipped_scene(std::string_view name);

// The first sentence of the comment that a scene begins with.
std::string scene_summary(std::string_view text);

struct SceneText {
  std::string text;
  std::string source;  // what messages call it
  std::string name;    // Scene::name, which names the default output
  // Of a plan of a sweep, which stands for the scene it names: the plan's `set`, and a word about that.
  std::vector<std::string> set = {};
  std::string note = {};
};

// A file comes before a shipped scene of the same name. Throws InputError when there is neither.
SceneText find_scene(const std::string& argument);

// "runs/demo.toml" -> "demo", with nothing in it that could not stand in JSON or in one line.
std::string name_from_path(const std::string& path);

}  // namespace catena
