// What the kinds of `catena analyze` share: which scene, where results go, and in which form they are told.
#pragma once

#include <optional>
#include <string>

#include "commands/command.h"
#include "recording/scene_arguments.h"

namespace catena::cli {

struct AnalyzeArguments {
  SceneArguments scene;
  std::optional<std::string> output;  // a folder for figures and tables
  bool json = false;

  // The arguments that every kind has.
  void declare(Options& options);
};

// The scene of a kind's arguments, with its settings applied. Throws InputError, also where none was given.
Scene analyzed_scene(const AnalyzeArguments& arguments, const std::string& kind);

// The kinds, each in its own file.
Command analyze_lyapunov();
Command analyze_indicators();
Command analyze_section();
Command analyze_bifurcation();
Command analyze_spectrum();
Command analyze_recurrence();
Command analyze_modes();
Command analyze_orbit();
Command analyze_map();

}  // namespace catena::cli
