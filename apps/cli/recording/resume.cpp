#include "recording/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/scene/scene.h"

namespace catena::cli {
namespace {

using Json = nlohmann::json;

Json parsed(const std::string& json) {
  Json value = Json::parse(json, nullptr, false);
  return value.is_object() ? value : Json::object();
}

// Walks the column `t` from the start, in blocks, until `visit` has enough.
template <class Visitor>
void visit_times(RunReader& recording, const Visitor& visit) {
  const std::size_t columns = column_names(recording.info().stems).size();
  const std::size_t block_rows = std::max<std::size_t>(1, (std::size_t{1} << 19) / columns);
  std::vector<double> block;
  for (std::size_t first = 0; first < recording.rows(); first += block_rows) {
    const std::size_t count = std::min(block_rows, recording.rows() - first);
    block.resize(count * columns);
    recording.read(first, count, block.data());
    for (std::size_t row = 0; row < count; ++row) {
      if (!visit(first + row, block[row * columns])) return;
    }
  }
}

struct Match {
  std::size_t rows = 0;      // from the start, at the times that are asked for
  double last_time = 0.0;    // of the recording, as far as it was looked at
  bool reaches_end = false;  // of what is asked for
};

Match match_of(const Resumption& resumption, const Schedule& schedule) {
  RunReader& recording = *resumption.recording;
  Match match;
  visit_times(recording, [&](std::size_t row, double t) {
    match.last_time = t;
    if (row >= schedule.count()) return !(match.reaches_end = true);
    const double asked = schedule.time(row);
    if (t == asked) {
      match.rows = row + 1;
      match.reaches_end = match.rows == schedule.count();
      return true;
    }
    const bool is_beyond_end = row + 1 == schedule.count() && t > asked;
    if (is_beyond_end) return !(match.reaches_end = true);
    // The row at the end of a shorter run may lie between those of the longer one.
    const bool is_last = row + 1 == recording.rows();
    if (is_last) return false;
    throw InputError(
        {resumption.path},
        fmt::format("its rows are at other times: row {} is at t = {} s, not {} s; give --sample or "
                    "--times as they were",
                    row + 1, number_text(t), number_text(asked)));
  });
  return match;
}

}  // namespace

std::string file_to_resume_into(const std::string& path) {
  for (const std::string_view ending : {".resume.part", ".part"}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

Resumption opened_recording(const std::string& path) {
  Resumption resumption;
  resumption.path = path;
  resumption.recording = RunReader::open(path);
  const Json summary = parsed(resumption.recording->state().summary_json);
  const std::string& scene_json = resumption.recording->info().scene_json;
  if (scene_json.empty()) {
    throw InputError({path}, "holds no scene, so the run cannot go on: was it recorded by catena?");
  }
  const std::string& kept_name = resumption.recording->info().scene_name;
  const Json name =
      summary.value("scene", Json(kept_name.empty() ? name_from_path(file_to_resume_into(path)) : kept_name));
  resumption.scene_text = {scene_json, "the scene in " + path,
                           name.is_string() ? name.get<std::string>() : "scene"};
  resumption.scene = scene_of(resumption.scene_text, SceneArguments{});
  return resumption;
}

void check_same_motion(const Resumption& resumption, const Scene& asked) {
  const Json recorded = parsed(resumption.scene.json);
  const Json wanted = parsed(asked.json);
  for (const char* part : {"chain", "chains"}) {
    if (recorded.value(part, Json()) != wanted.value(part, Json())) {
      throw InputError(
          {resumption.path},
          "was recorded with other chains than those asked for now; a run goes on only with its own");
    }
  }
  if (resumption.scene.simulation.gravity != asked.simulation.gravity) {
    throw InputError(
        {resumption.path},
        "was recorded under another gravity than the one asked for now; a run goes on only with its own");
  }
}

void check_method_is_here(const Resumption& resumption) {
  const Json summary = parsed(resumption.recording->state().summary_json);
  const std::string method = summary.value("method", resumption.scene.simulation.method);
  // Version 0.1.0 said so by two names that differ.
  const bool is_named_otherwise =
      method != resumption.scene.simulation.method && summary.value("changes", Json::array()).empty();
  if (!summary.value("own_method", false) && !is_named_otherwise) return;
  throw InputError(
      {resumption.path},
      fmt::format("was made by a function of Python's, '{0}', which is not here: catena.load(.., "
                  "method={0}).resume() goes on with it, and --method with another one",
                  method));
}

std::vector<std::string> recorded_quantities(const std::vector<Stem>& stems, const Lab& lab) {
  const Columns all = lab.columns({});
  std::vector<Stem> plain = stems;
  std::erase_if(plain, [](const Stem& stem) { return !stem.paths.empty(); });
  if (all.stems() == plain) return {};
  // Whole stems by their name, others column by column; so are those whose name a single column has as well.
  std::set<std::string> single;
  for (const Stem& stem : all.stems()) {
    if (stem.labels.empty()) single.insert(stem.name);
  }
  std::vector<std::string> words;
  for (const Stem& stem : stems) {
    if (!stem.paths.empty()) continue;
    const bool is_whole = std::find(all.stems().begin(), all.stems().end(), stem) != all.stems().end();
    if (stem.labels.empty() || (is_whole && !single.contains(stem.name))) {
      words.push_back(stem.name);
    } else {
      for (const std::string& label : stem.labels) words.push_back(stem.name + "_" + label);
    }
  }
  return words;
}

void take_up(Resumption& resumption, Lab& lab, const Schedule& schedule, const Columns& columns) {
  const RunState& state = resumption.recording->state();
  if (recorded_stems(lab, columns) != resumption.recording->info().stems) {
    throw InputError(
        {resumption.path},
        "was recorded with other quantities or derivatives; leave --quantities and --derivatives "
        "out to go on with its own");
  }
  const Match match = match_of(resumption, schedule);
  const bool is_whole = !state.summary_json.empty();
  if (match.reaches_end && is_whole) {
    resumption.nothing_to_do = true;
    return;
  }
  if (state.checkpoint.empty()) return;  // cut off before the first one: all starts again
  lab.restore(state.checkpoint);
  resumption.kept_rows = match.rows;
  const bool is_past = match.rows < schedule.count() && schedule.time(match.rows) < lab.time();
  const bool is_longer = match.reaches_end && match.rows < resumption.recording->rows();
  if (is_past || is_longer) {
    throw InputError(
        {resumption.path},
        fmt::format("has gone on to t = {} s already: what is asked for lies before; ask for later times, "
                    "or run the scene anew",
                    time_text(std::max(lab.time(), match.last_time))));
  }
}

}  // namespace catena::cli
