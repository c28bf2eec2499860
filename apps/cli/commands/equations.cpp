#include "catena/lab/equations/equations.h"

#include <fmt/format.h>

#include <memory>

#include "catena/base/mistake.h"
#include "commands/command.h"
#include "recording/scene_arguments.h"

namespace catena::cli {
namespace {

struct EquationsArguments {
  SceneArguments scene;
  bool latex = false;
};

int perform(const EquationsArguments& arguments) {
  if (!arguments.scene.scene)
    throw InputError({}, "`catena equations` needs a scene: catena equations double-pendulum");
  const Scene scene = scene_of(find_scene(*arguments.scene.scene), arguments.scene);
  fmt::print("{}", equations_of(scene, arguments.latex).text());
  return kDone;
}

}  // namespace

Command equations_command() {
  const auto arguments = std::make_shared<EquationsArguments>();
  return {
      .name = "equations",
      .summary = "print the equations that were derived for a small system",
      .usage = "catena equations SCENE [--latex]",
      .examples = {{"catena equations spring-pendulum", "Lagrange's equations, from the scene's formulas"},
                   {"catena equations double-pendulum --latex", "a small chain, for a document"},
                   {"catena equations slider-crank", "joints as constraints, and the bodies' equations"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            options.argument("SCENE", &arguments->scene.scene, "a file, - or the name of a shipped scene");
            options.flag("--latex", arguments->latex, "for LaTeX's math mode, with amsmath");
            options.list("--set", arguments->scene.set, "PATH=VALUE", "override anything in the scene");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
