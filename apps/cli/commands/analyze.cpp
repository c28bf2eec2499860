#include "commands/analyze.h"

#include <fmt/format.h>

#include "catena/base/mistake.h"

namespace catena::cli {

void AnalyzeArguments::declare(Options& options) {
  options.argument("SCENE", &scene.scene, "a file, - or the name of a shipped scene");
  options.value("-o,--output", &output, "DIR", "write figures and tables into this folder");
  options.flag("--json", json, "results as JSON on standard output");
  options.value("--duration", &scene.duration, "S", "how long the motion is followed");
  options.value("--tolerance", &scene.tolerance, "TOLERANCE", "error per step");
  options.list("--set", scene.set, "PATH=VALUE", "override anything in the scene");
}

Scene analyzed_scene(const AnalyzeArguments& arguments, const std::string& kind) {
  if (!arguments.scene.scene)
    throw InputError(
        {}, fmt::format("`catena analyze {0}` needs a scene: catena analyze {0} double-pendulum", kind));
  return scene_of(find_scene(*arguments.scene.scene), arguments.scene);
}

// A kind is its own file, analyze_<kind>.cpp, and its place here.
Command analyze_command() {
  std::vector<Command> kinds = {analyze_lyapunov(), analyze_indicators(), analyze_section(),
                                analyze_modes(),    analyze_orbit(),      analyze_bifurcation(),
                                analyze_spectrum(), analyze_recurrence(), analyze_map()};
  std::vector<std::string> words;
  for (const Command& kind : kinds) words.push_back(kind.name);
  return {
      .name = "analyze",
      .summary = "find out what kind of motion a scene has",
      .usage = "catena analyze KIND SCENE [-o DIR] [--json] [options]",
      .examples = {{"catena analyze lyapunov lorenz --duration 1000", "is it chaos, and how sure is that?"},
                   {"catena analyze modes double-pendulum", "where it rests, and how it swings about that"},
                   {"catena analyze section henon-heiles --when x --axes y,py --starts 20 -o out",
                    "a surface of section"}},
      .operand = {.words = words, .scene = true, .file = true},
      .declare = {},
      .perform = {},
      .kinds = std::move(kinds),
  };
}

}  // namespace catena::cli
