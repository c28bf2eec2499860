#include "derivatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/base/mistake.h"
#include "catena/io/scene/paths.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/variation.h"

namespace catena {

std::vector<Direction> directions_of(const Scene& scene, const std::vector<SceneNumber>& numbers) {
  std::vector<Direction> out;
  for (const SceneNumber& number : numbers) {
    out.push_back({number.path, number.value,
                   [scene, path = number.path](double value) { return with_number(scene, path, value); }});
  }
  return out;
}

namespace {

// Whether a chain leaves its plane where the number is another one.
bool leaves_plane(const Lab& lab, const Direction& of) {
  const double scale = of.value != 0.0 ? std::fabs(of.value) : 1.0;
  for (const double shift : {scale / 16, -scale / 16}) {
    try {
      const Lab beside(of.scene(of.value + shift));
      for (std::size_t c = 0; c < lab.scene().chains.size(); ++c) {
        if (lab.is_planar(c) != beside.is_planar(c)) return true;
      }
    } catch (const InputError&) {  // it may stand at the end of what is allowed; Lab::follow says more
    }
  }
  return false;
}

}  // namespace

namespace {

bool has_one_chain(const Scene& scene) { return scene.json.find("\"chains\":") == std::string::npos; }

// The scene read again with these changes; what it was warned of has been said.
void change(Scene& scene, std::vector<std::string> overrides) {
  SceneOptions options;
  options.source = options.name = scene.name;
  options.overrides = std::move(overrides);
  const std::vector<Warning> warnings = scene.warnings;
  scene = read_scene(scene.json, options);
  scene.warnings = warnings;
}

}  // namespace

bool made_of_unit_vectors(Scene& scene) {
  const Scene usual = in_unit_vectors(scene);
  std::vector<std::string> overrides;
  for (std::size_t c = 0; c < scene.chains.size(); ++c) {
    const std::string path = has_one_chain(scene) ? "chain" : fmt::format("chains.{}", c + 1);
    if (usual.chains[c].formulation != scene.chains[c].formulation)
      overrides.push_back(path + ".formulation=default");
    if (usual.chains[c].plane_allowed != scene.chains[c].plane_allowed)
      overrides.push_back(path + ".plane=none");
  }
  if (overrides.empty()) return false;
  change(scene, std::move(overrides));
  return true;
}

bool made_spatial(Scene& scene, const std::vector<SceneNumber>& numbers) {
  if (scene.chains.empty()) return false;
  const Lab lab(scene);
  const std::vector<Direction> directions = directions_of(scene, numbers);
  const bool leaves = std::any_of(directions.begin(), directions.end(),
                                  [&](const Direction& of) { return leaves_plane(lab, of); });
  if (!leaves) return false;
  change(scene, {has_one_chain(scene) ? "chain.plane=none" : "chains.*.plane=none"});
  return true;
}

LabAndDirections lab_and_directions(Scene& scene, const std::vector<std::string>& paths) {
  const std::vector<SceneNumber> numbers = scene_numbers(scene, paths);
  made_spatial(scene, numbers);
  return {std::make_unique<Lab>(scene), directions_of(scene, numbers)};
}

std::unique_ptr<Lab> lab_with_derivatives(Scene& scene, const std::vector<std::string>& paths) {
  LabAndDirections made = lab_and_directions(scene, paths);
  made.lab->follow(std::move(made.directions));
  return std::move(made.lab);
}

}  // namespace catena
