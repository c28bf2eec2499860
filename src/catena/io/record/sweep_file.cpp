#include "catena/io/record/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catena/base/links.h"
#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "catena/base/words.h"
#include "catena/io/record/file.h"
#include "catena/io/record/sweep_layout.h"

namespace catena {
namespace run_files {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string layout_json(const SweepFile& sweep) {
  const SweepResults& results = sweep.results;
  Json extents = Json::array(), axes = Json::array();
  for (const SweepExtent& extent : sweep.info.extents)
    extents.push_back({{"name", extent.name}, {"count", extent.count}, {"axes", extent.axes}});
  for (const SweepAxisValues& axis : sweep.info.axes) {
    axes.push_back({{"name", axis.name},
                    {"keys", axis.keys},
                    {"unit", axis.unit},
                    {"extent", axis.extent},
                    {"width", axis.width},
                    {"log", axis.logarithmic}});
  }
  const Json out{{"shape", results.shape},
                 {"cases", results.cases},
                 {"first", results.first},
                 {"count", results.count},
                 {"steps", results.steps},
                 {"measures", results.names},
                 {"extents", extents},
                 {"axes", axes},
                 {"scene_name", sweep.info.scene_name},
                 {"units", Json::parse(sweep.info.units_json)}};
  return out.dump();
}

void take_layout(const std::string& path, const std::string& json, SweepFile& sweep) try {
  const Json layout = Json::parse(json);
  SweepResults& results = sweep.results;
  results.shape = layout.at("shape").get<std::vector<std::size_t>>();
  results.cases = layout.at("cases");
  results.first = layout.at("first");
  results.count = layout.at("count");
  results.steps = layout.at("steps");
  results.names = layout.at("measures").get<std::vector<std::string>>();
  sweep.info.scene_name = layout.at("scene_name");
  sweep.info.units_json = layout.at("units").dump();
  for (const Json& one : layout.at("extents"))
    sweep.info.extents.push_back(
        {one.at("name"), one.at("count"), one.at("axes").get<std::vector<std::size_t>>()});
  for (const Json& one : layout.at("axes")) {
    SweepAxisValues& axis = sweep.info.axes.emplace_back();
    axis.name = one.at("name");
    axis.keys = one.at("keys").get<std::vector<std::string>>();
    axis.unit = one.at("unit");
    axis.extent = one.at("extent");
    axis.width = one.at("width");
    axis.logarithmic = one.at("log");
    if (axis.extent >= sweep.info.extents.size() || axis.width < 1 || axis.width > 3)
      throw InputError({path}, "the description of its axes is damaged");
  }
  double cases = 1.0;
  for (const std::size_t extent : results.shape) cases *= static_cast<double>(extent);
  if (cases != static_cast<double>(results.cases) || results.count > results.cases ||
      results.first > results.cases - results.count || results.names.empty())
    throw InputError({path}, "the description of its arrays is damaged");
} catch (const nlohmann::json::exception&) {
  throw InputError({path}, "the description of its arrays is damaged");
}

std::string reasons_json(const std::vector<CaseReason>& reasons) {
  Json out = Json::array();
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i)
    out.push_back({reasons[i].index, reasons[i].text});
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<CaseReason> reasons_from_json(const std::string& path, const std::string& json) try {
  std::vector<CaseReason> out;
  for (const Json& one : Json::parse(json)) out.push_back({one.at(0), one.at(1)});
  return out;
} catch (const nlohmann::json::exception&) {
  throw InputError({path}, "the list of failures is damaged");
}

std::string unit_of(const SweepInfo& info, const std::string& measure) {
  const Json units = Json::parse(info.units_json, nullptr, false);
  return units.is_object() && units.contains(measure) ? units[measure].get<std::string>() : "";
}

std::vector<std::size_t> array_shape(const SweepResults& results) {
  return results.is_whole() ? results.shape
                            : std::vector<std::size_t>{static_cast<std::size_t>(results.count)};
}

namespace {

struct Format {
  const char* ending;
  void (*write)(const SweepFile&, const std::string&);
  SweepFile (*read)(const std::string&);
};

constexpr Format kFormats[] = {{".h5", write_sweep_hdf5, read_sweep_hdf5},
                               {".npz", write_sweep_npz, read_sweep_npz},
                               {".csv", write_sweep_csv, read_sweep_csv}};

const Format* format_of(std::string_view path) {
  for (const Format& format : kFormats) {
    const std::string_view ending = format.ending;
    if (path.size() > ending.size() && path.ends_with(ending)) return &format;
  }
  return nullptr;
}

}  // namespace
}  // namespace run_files

std::vector<std::string> sweep_endings() {
  std::vector<std::string> out;
  for (const run_files::Format& format : run_files::kFormats) out.emplace_back(format.ending);
  return out;
}

bool is_sweep_format(std::string_view path) { return run_files::format_of(path) != nullptr; }

namespace {

SweepFile checked_sweep(const std::string& path) {
  const run_files::Format* format = run_files::format_of(path);
  if (format == nullptr)
    throw InputError({path},
                     fmt::format("is no file of a sweep: these end in {}", alternatives(sweep_endings())));
  SweepFile out = format->read(path);
  const SweepResults& results = out.results;
  bool fits = results.status.size() == results.count;
  for (const std::vector<double>& measure : results.measures) fits = fits && measure.size() == results.count;
  if (!fits) throw InputError({path}, "is damaged: its arrays have other sizes than it says");
  return out;
}

}  // namespace

bool is_sweep_file(const std::string& path) {
  std::error_code ignored;
  if (!is_sweep_format(path) || !std::filesystem::is_regular_file(path, ignored)) return false;
  if (path.ends_with(".h5")) return run_files::is_sweep_hdf5(path);
  if (path.ends_with(".csv")) {
    std::ifstream in(path);
    std::string first, second;
    return std::getline(in, first) && std::getline(in, second) && second.starts_with("# plan: ");
  }
  try {
    checked_sweep(path);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

SweepFile read_sweep_file(const std::string& path) {
  SweepFile out = checked_sweep(path);
  if (is_later_version(out.info.version)) throw InputError({path}, too_late(out.info.version));
  return out;
}

void write_sweep_file(const SweepFile& sweep, const std::string& path) {
  const std::string target = through_links(path), unfinished = target + ".tmp";
  try {
    run_files::format_of(path)->write(sweep, unfinished);
    run_files::sync_and_rename(unfinished, target);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
}

}  // namespace catena
