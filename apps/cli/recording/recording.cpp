#include "recording/recording.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "catena/base/links.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "recording/resume.h"
#include "recording/scene_arguments.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

using Json = nlohmann::json;

Json summary_of(const RunReader& reader) {
  Json summary = Json::parse(reader.state().summary_json, nullptr, false);
  return summary.is_object() ? summary : Json::object();
}

Recording opened(const std::string& path) {
  Recording recording;
  recording.path = path;
  recording.reader = RunReader::open(path);
  if (recording.reader->rows() == 0) throw InputError({path}, "has no rows: there is nothing to show");
  const Json summary = summary_of(*recording.reader);
  recording.name = recording.reader->info().scene_name;
  if (recording.name.empty()) recording.name = name_from_path(file_to_resume_into(path));
  if (summary.contains("scene") && summary["scene"].is_string()) recording.name = summary["scene"];
  try {
    const SceneText text = {recording.reader->info().scene_json, "the scene in " + path, recording.name};
    recording.scene = scene_of(text, SceneArguments{});
    recording.switches = recording.scene->plot;
  } catch (const InputError&) {
    recording.scene.reset();  // rows can be shown without it
  }
  return recording;
}

bool is_recording_name(const std::string& path) { return is_run_format(path) || path.ends_with(".part"); }

// A JSON file may be a run or a scene.
bool is_scene_json(const std::string& path) {
  if (!path.ends_with(".json")) return false;
  std::ifstream in(path, std::ios::binary);
  std::string start(4096, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  return start.find("\"columns\"") == std::string::npos && start.find("\"catena\"") == std::string::npos;
}

}  // namespace

bool is_recording(const std::string& argument) {
  return is_recording_name(argument) && !is_scene_json(argument);
}

Recording find_recording(const std::string& argument) {
  if (is_recording(argument)) return opened(argument);
  const Scene scene = scene_of(find_scene(argument), SceneArguments{});
  const std::string name = scene.output.empty() ? scene.name + ".h5" : scene.output;
  // Where `catena run` puts it; otherwise beside the scene.
  const std::filesystem::path beside = std::filesystem::path(argument).parent_path() / name;
  for (const std::string& path : {name, beside.string()}) {
    if (!std::filesystem::exists(path)) continue;
    Recording recording = opened(path);
    recording.switches = scene.plot;  // as the config says now
    return recording;
  }
  throw InputError(
      {argument}, fmt::format("is a scene, and its recording {} is not there: `catena run {}` makes it", name,
                              shell_word(argument)));
}

draw::RunRows rows_of(Recording& recording) {
  RunReader* reader = recording.reader.get();
  return {reader->info().stems, reader->rows(),
          [reader](std::size_t first, std::size_t count, double* out) { reader->read(first, count, out); }};
}

std::string settings_of(const Recording& recording) {
  const Json summary = summary_of(*recording.reader);
  if (!summary.contains("method") || !summary["method"].is_string()) return "";
  std::string text = summary["method"];
  if (summary.contains("order")) text += fmt::format(" of order {}", summary["order"].dump());
  if (summary.contains("tolerance") && summary["tolerance"].is_number()) {
    text += fmt::format(", tolerance {}", number_text(summary["tolerance"].get<double>()));
  } else if (recording.scene && recording.scene->simulation.step) {
    text += fmt::format(", step {} s", number_text(*recording.scene->simulation.step));
  }
  return text;
}

std::string why_not_again(const Recording& recording) {
  if (!recording.scene) return "its scene is none that this program can run";
  const Json summary = summary_of(*recording.reader);
  if (summary.contains("own_start")) return "it began in a state of its own, not where its scene does";
  const bool changed = summary.contains("changes") && !summary["changes"].empty();
  return changed ? "its method was changed on the way" : "";
}

void write_whole(const std::string& path, const std::string& text) {
  const std::string target = through_links(path), unfinished = target + ".tmp";
  std::ofstream out(unfinished, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(unfinished, target, error);
  if (!out || error) {
    throw std::runtime_error(
        fmt::format("cannot write '{}': {}", path, error ? error.message() : std::strerror(errno)));
  }
}

}  // namespace catena::cli
