// Reading scenes: TOML, JSON and the classic config.toml, with every mistake reported at once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/scene.h"

namespace catena {

constexpr int kSceneFormat = 1;  // what a scene's `format` may be

struct SceneOptions {
  std::string source = "<scene>";      // what error messages call the input
  std::string name = "scene";          // Scene::name
  std::vector<std::string> overrides;  // "chain.links.1.mass=2", applied in order
  std::vector<std::string> events;     // further [[events]]: formulas, or tables { when = .. }
  std::vector<std::string> methods;    // integrators that `method` may name; empty: any
  // What the method cannot do with the other settings, in words; "" if all is well.
  std::function<std::string(const Simulation&)> refusal = {};
};

// The scene that `text` describes. JSON when it is called .json or begins with '{', TOML otherwise.
// Throws InputError with all mistakes, in the order of their places.
Scene read_scene(std::string_view text, const SceneOptions& options);

// Whole contents of a file ("-": standard input). Throws InputError when it cannot be read, is a folder, is
// not text, or is larger than a scene may be.
std::string read_scene_text(const std::string& path);

// JSON Schema (draft 2020-12) of scenes, pretty-printed.
std::string scene_schema();

// A scene's document (Scene::json, or any other) as TOML or JSON for people: one that reads back as the same.
std::string scene_as_toml(std::string_view json);
std::string scene_as_json(std::string_view json);

// What a program needs to draw a scene's motion beside its columns, as compact JSON: docs/exchange.md.
std::string drawing_json(const Scene& scene);

// A commented starter scene for `catena new NAME`.
std::string starter_scene(std::string_view name);

}  // namespace catena
