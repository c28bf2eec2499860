// The arguments that say which scene, with which settings: shared by the commands that take a scene.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "settings.h"
#include "terminal/options.h"

namespace catena::cli {

struct SceneArguments : Settings {
  std::optional<std::string> scene;
  std::optional<std::string> times;
  std::vector<std::string> quantities;  // as given: each may be a list with commas

  void declare(Options& options);
};

// The scene with the settings applied. Mistakes in these name the option as it was typed.
Scene scene_of(const SceneText& text, const SceneArguments& arguments);

// When rows are recorded. Throws InputError when there would be more rows than any disk holds.
Schedule planned_schedule(const Scene& scene, const SceneArguments& arguments);

std::vector<std::string> split_list(const std::vector<std::string>& lists);

}  // namespace catena::cli
