// Numbers of a scene by their paths: "chain.links.1.length", "joints.elbow.damping", "chain.links.*.theta".
#pragma once

#include <string>
#include <vector>

#include "catena/model/scene.h"

namespace catena {

struct SceneNumber {
  std::string path;  // of this one: without *
  double value;      // in SI units: angles in radians
};

// The numbers that these paths name, each once, in their order. Throws InputError with all mistakes: paths
// that lead nowhere, or to what is no number.
std::vector<SceneNumber> scene_numbers(const Scene& scene, const std::vector<std::string>& paths);

// The scene with another number in that place. Throws InputError where it makes no sense.
Scene with_number(const Scene& scene, const std::string& path, double value);
// Likewise with several, one for each path.
Scene with_numbers(const Scene& scene, const std::vector<std::string>& paths,
                   const std::vector<double>& values);

}  // namespace catena
