#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/gltf/gltf.h"
#include "catena/io/record/record.h"
#include "catena/io/scene/scene.h"
#include "commands/command.h"
#include "recording/outputs.h"
#include "recording/recording.h"
#include "recording/scene_arguments.h"
#include "video/motion.h"

namespace catena::cli {
namespace {

struct ConvertArguments {
  std::optional<std::string> from, to;
};

std::string ending_of(const std::string& path) { return std::filesystem::path(path).extension().string(); }

void check_target(const std::string& from, const std::string& to) {
  if (is_same_file(from, to)) throw InputError({to}, "is what is to be converted: choose another name");
  const std::filesystem::path folder = std::filesystem::path(to).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    throw InputError({to}, fmt::format("there is no folder '{}': create it first", folder.string()));
  }
}

void convert_scene(const std::string& from, const std::string& to) {
  const std::string ending = ending_of(to);
  const SceneText text = find_scene(from);  // it must be there before anything can be said of it
  if (ending != ".toml" && ending != ".json") {
    throw InputError({to},
                     fmt::format("{} is a scene, and a scene becomes .toml or .json; `catena run` records "
                                 "its motion",
                                 from));
  }
  const Scene scene = scene_of(text, SceneArguments{});
  check_target(from, to);
  write_whole(to, ending == ".toml" ? scene_as_toml(scene.json) : scene_as_json(scene.json));
}

void convert_run(const std::string& from, const std::string& to) {
  if (ending_of(to) == ".glb") {
    Recording recording = find_recording(from);
    check_target(from, to);
    write_whole(to, draw::gltf_binary(recorded_motion(recording), recording.name));
    return;
  }
  if (!is_run_format(to)) {
    std::vector<std::string> endings = run_endings();
    endings.emplace_back(".glb");
    throw InputError({to},
                     fmt::format("{} is a recorded run, and a run becomes {}", from, alternatives(endings)));
  }
  const std::unique_ptr<RunReader> reader = RunReader::open(from);
  check_target(from, to);
  write_run(*reader, to);
}

int perform(const ConvertArguments& arguments) {
  if (!arguments.from || !arguments.to) {
    throw InputError({}, "`catena convert` needs two files: catena convert run.h5 run.json");
  }
  (is_recording(*arguments.from) ? convert_run : convert_scene)(*arguments.from, *arguments.to);
  return kDone;
}

}  // namespace

Command convert_command() {
  const auto arguments = std::make_shared<ConvertArguments>();
  return {
      .name = "convert",
      .summary = "turn scenes and recorded runs into other formats",
      .usage = "catena convert IN OUT",
      .examples = {{"catena convert four-bar four-bar.json", "a scene as JSON; back with .toml"},
                   {"catena convert run.h5 run.json",
                    fmt::format("a run as {}, with the same bits", alternatives(run_endings()))},
                   {"catena convert run.h5 run.glb", "an animation that 3D programs open (glTF)"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            options.argument("IN", &arguments->from, "a scene or a recorded run");
            options.argument("OUT", &arguments->to, "the file to write; its ending says what it becomes");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
