#include "sweeps.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "catena/analyze/indicators.h"
#include "catena/base/mistake.h"
#include "catena/base/version.h"
#include "catena/base/words.h"
#include "catena/io/scene/scene.h"
#include "catena/io/scene/sweep.h"
#include "catena/model/fields.h"
#include "lists.h"

namespace catena {
namespace {

using Json = nlohmann::ordered_json;

// "rad" of "chain.links.1.theta".
std::string unit_of_key(const std::string& key) {
  std::string section, last;
  for (std::size_t start = 0; start <= key.size();) {
    const std::size_t end = std::min(key.find('.', start), key.size());
    const std::string part = key.substr(start, end - start);
    if (!last.empty()) section += (section.empty() ? "" : ".") + last;
    const bool is_item = part.find_first_not_of("0123456789*") == std::string::npos;
    last = is_item ? "" : part == "chains" ? "chain" : part;
    start = end + 1;
  }
  for (const SectionInfo& one : scene_sections()) {
    if (one.path != section) continue;
    for (const FieldInfo& field : one.fields) {
      if (field.name != last) continue;
      if (field.kind == Kind::angle) return "rad";
      return field.kind == Kind::angular_rate ? "rad/s" : field.unit;
    }
  }
  return "";
}

std::string unit_of_column(const std::string& column) {
  std::string best, unit;
  for (const QuantityInfo& quantity : quantities()) {
    const std::string& stem = quantity.stem;
    const bool is_it = column == stem || column.starts_with(stem + "_");
    if (!is_it || stem.size() < best.size()) continue;
    best = stem;
    unit = quantity.unit;
  }
  return unit;
}

std::string unit_of_measure(const SweepMeasure& measure) {
  switch (measure.kind) {
    case SweepMeasure::Kind::column:
      return unit_of_column(measure.of);
    case SweepMeasure::Kind::event:
      return measure.what == "time" ? "s" : measure.what == "count" ? "" : unit_of_column(measure.what);
    case SweepMeasure::Kind::summary:
      return measure.of == "simulated_seconds" ? "s" : "";
    case SweepMeasure::Kind::indicator:
      return indicator_info(measure.of, measure.place).unit;
    default:
      return "";
  }
}

// Results of so many cases, and the axes' values.
void refuse_beyond_memory(const SweepPlan& plan, const std::string& source, std::uint64_t cases) {
  double bytes = results_bytes(plan, cases);
  for (const SweepAxis& axis : plan.axes)
    bytes += 8.0 * static_cast<double>(axis.is_drawn() ? plan.samples * axis.width() : axis.values.size());
  const double memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (bytes <= 0.8 * memory) return;
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  const auto parts = static_cast<std::uint64_t>(std::ceil(bytes / (0.5 * memory)));
  throw InputError(
      {source},
      fmt::format("{} cases with {} take {:.1f} GiB, and this machine has {:.1f}: a coarser grid, "
                  "or parts by --shard 1/{} and so on, on machines that have room for them",
                  cases, counted(plan.measures.size(), "measure"), bytes / kGiB, memory / kGiB, parts));
}

SweepInfo info_of(const SweepPlan& plan, const Scene& scene, const SweepCases& cases) {
  SweepInfo info;
  info.version = this_version();
  info.plan_json = plan.json;
  info.scene_json = scene.json;
  info.scene_name = scene.name;
  info.extents = cases.extents();
  for (std::size_t e = 0; e < info.extents.size(); ++e) {
    for (const std::size_t a : info.extents[e].axes) {
      const SweepAxis& axis = plan.axes[a];
      info.axes.push_back({axis.name, axis.keys, unit_of_key(axis.keys.front()), e, axis.width(),
                           cases.along(a), axis.logarithmic});
    }
  }
  Json units = Json::object();
  for (const SweepMeasure& measure : plan.measures) units[measure.name] = unit_of_measure(measure);
  info.units_json = units.dump();
  return info;
}

}  // namespace

SceneText find_sweep(const std::string& argument) {
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(argument, ignored);
  if (argument == "-" || is_file) {
    return {read_scene_text(argument), argument == "-" ? "<stdin>" : argument,
            argument == "-" ? "sweep" : name_from_path(argument)};
  }
  std::vector<std::string> known;
  for (const ShippedScene& shipped : shipped_sweeps()) {
    if (shipped.name == argument) return {std::string(shipped.text), argument, argument};
    known.emplace_back(shipped.name);
  }
  const std::string near = did_you_mean(argument, known);
  throw InputError({}, fmt::format("there is no file or shipped sweep '{}'{}", argument,
                                   near.empty() ? "; `catena list sweeps` shows those shipped" : near));
}

LoadedSweep load_sweep(SweepPlan plan, Scene scene) {
  refuse_beyond_memory(plan, plan.name, 0);  // the values along its axes alone
  LoadedSweep out;
  out.sweep = sweep_over(std::move(plan), scene);
  // On whichever device: what threads can do they do, with the same bits, and labs do the rest.
  out.threads = std::make_shared<SweepThreads>(*out.sweep);
  if (out.threads->refusal().empty())
    out.sweep->compute_by(
        [threads = out.threads.get()](auto labs) { return threads->runner(std::move(labs)); });
  out.info = info_of(out.sweep->plan(), scene, out.sweep->cases());
  out.scene = std::move(scene);
  return out;
}

namespace {

bool is_of_the_plan(const Override& one) { return trimmed(one.assignment).starts_with("sweep."); }

SweepPlan plan_with(const SceneText& text, const std::vector<Override>& overrides) {
  std::vector<std::string> assignments;
  for (const Override& one : overrides) {
    if (is_of_the_plan(one)) assignments.push_back(one.assignment);
  }
  try {
    return read_sweep(text.text, text.source, assignments);
  } catch (const InputError& error) {
    throw InputError(as_typed(error.mistakes(), overrides));
  }
}

}  // namespace

LoadedSweep load_sweep(const SceneText& text, const std::vector<Override>& overrides) {
  SweepPlan plan = plan_with(text, overrides);
  plan.name = text.name;
  SceneText scene_text = text;
  if (!plan.scene.empty()) {
    // Beside the plan, or from here, or shipped.
    const std::filesystem::path beside = std::filesystem::path(text.source).parent_path() / plan.scene;
    std::error_code ignored;
    const bool is_beside = std::filesystem::is_regular_file(beside, ignored);
    scene_text = find_scene(is_beside ? beside.string() : plan.scene);
  }
  std::vector<Override> all;
  for (const std::string& one : plan.set)
    all.push_back({one, fmt::format("{}: set \"{}\"", text.source, one)});
  std::copy_if(overrides.begin(), overrides.end(), std::back_inserter(all), std::not_fn(is_of_the_plan));
  Scene scene = scene_with(scene_text, all, {});
  if (plan.scene.empty()) {  // [sweep] is what is meant here
    std::erase_if(scene.warnings,
                  [](const Warning& one) { return one.message.starts_with("[sweep] is left aside"); });
  }
  LoadedSweep out = load_sweep(std::move(plan), std::move(scene));
  out.text = text;
  return out;
}

CaseRange shard_range(std::uint64_t cases, std::uint64_t shard, std::uint64_t shards) {
  const auto begin = [&](std::uint64_t part) {  // without overflow
    return cases / shards * part + std::min(part, cases % shards);
  };
  return {begin(shard - 1), begin(shard) - begin(shard - 1)};
}

void check_memory(const LoadedSweep& loaded, std::uint64_t cases) {
  refuse_beyond_memory(loaded.sweep->plan(), loaded.text.source, cases);
}

namespace {

// Smallest, largest and mean of what is a number.
Json numbers_of(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0.0;
  std::uint64_t count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    ++count;
  }
  if (count == 0) return {{"count", 0}, {"min", nullptr}, {"max", nullptr}, {"mean", nullptr}};
  return {{"count", count}, {"min", low}, {"max", high}, {"mean", sum / static_cast<double>(count)}};
}

}  // namespace

std::string sweep_summary(const SweepFile& sweep, const SweepTiming& timing) {
  const SweepResults& results = sweep.results;
  Json out;
  out["outcome"] = timing.outcome;
  out["scene"] = sweep.info.scene_name;
  out["cases"] = results.count;
  out["done"] = results.counted(CaseStatus::done);
  out["failed"] = results.counted(CaseStatus::failed);
  out["skipped"] = results.counted(CaseStatus::skipped);
  out["not_computed"] = results.counted(CaseStatus::not_computed);
  if (!results.is_whole()) {
    out["first"] = results.first;
    out["cases_of_all_shards"] = results.cases;
  }
  out["shape"] = results.shape;
  out["steps"] = results.steps;
  out["hash"] = results_hash(results);
  out["seconds"] = timing.seconds;
  out["threads"] = timing.threads;
  if (!timing.lanes_refusal.empty()) {
    out["not_in_lanes"] = timing.lanes_refusal;
  } else if (timing.lanes > 0) {
    out["lanes"] = timing.lanes;
  }
  if (!timing.other_bits.empty()) out["other_bits"] = timing.other_bits;
  out["device"] = timing.device;
  out["redone"] = timing.redone;
  out["peak_memory_bytes"] = static_cast<std::uint64_t>(peak_memory_bytes());
  Json warned = Json::array();
  for (const WarnedCases& one : results.warned())
    warned.push_back({{"cases", one.count}, {"first", one.first}, {"text", one.text}});
  out["warnings"] = warned;
  Json measures = Json::object();
  for (std::size_t m = 0; m < results.names.size(); ++m)
    measures[results.names[m]] = numbers_of(results.measures[m]);
  out["measures"] = measures;
  return out.dump();
}

GridMap map_of(const SweepFile& sweep, std::size_t measure) {
  return {sweep.results.shape[0], sweep.results.shape[1], sweep.results.measures[measure]};
}

std::vector<bool> done_cases(const SweepFile& sweep) {
  std::vector<bool> out;
  for (const CaseStatus status : sweep.results.status) out.push_back(status == CaseStatus::done);
  return out;
}

std::vector<EnergyContour> energy_contours(const SweepFile& sweep) {
  if (sweep.results.shape.size() != 2 || sweep.info.axes.size() != 2) return {};
  SceneOptions options;
  options.source = "the sweep's scene";
  return energy_contours(sweep_from_json(sweep.info.plan_json, "the sweep's plan"),
                         read_scene(sweep.info.scene_json, options));
}

SweepFile merged(const std::vector<std::pair<std::string, SweepFile>>& parts) {
  const auto& [first_path, first] = parts.front();
  std::vector<Mistake> mistakes;
  for (const auto& [path, part] : parts) {
    if (part.info.is_same_sweep(first.info)) continue;
    mistakes.push_back(
        {{path},
         part.info.version != first.info.version
             ? fmt::format("is of version {} of catena, and {} of {}: compute one of them again",
                           part.info.version, first_path, first.info.version)
             : fmt::format("is of another plan or scene than {}", first_path)});
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  SweepFile out;
  out.info = first.info;
  out.info.summary_json.clear();
  SweepResults& results = out.results;
  results.shape = first.results.shape;
  results.cases = results.count = first.results.cases;
  results.names = first.results.names;
  results.measures.assign(results.names.size(),
                          std::vector<double>(results.count, std::numeric_limits<double>::quiet_NaN()));
  results.status.assign(results.count, CaseStatus::not_computed);
  for (const auto& [path, part] : parts) {
    SweepChunk chunk;
    for (std::uint64_t i = 0; i < part.results.count; ++i) {
      const std::uint64_t index = part.results.first + i;
      if (part.results.status[i] == CaseStatus::not_computed) continue;
      for (std::size_t m = 0; m < results.names.size(); ++m)
        results.measures[m][index] = part.results.measures[m][i];
      results.status[index] = part.results.status[i];
    }
    chunk.reasons = part.results.reasons;
    chunk.steps = part.results.steps;
    results.take(chunk);
  }
  const std::vector<CaseRange> missing = not_computed(results);
  if (missing.empty()) return out;
  std::string where;
  for (std::size_t i = 0; i < std::min<std::size_t>(missing.size(), 5); ++i) {
    where += fmt::format("{}{} to {}", i > 0 ? ", " : "", missing[i].first,
                         missing[i].first + missing[i].count - 1);
  }
  throw InputError(
      {}, fmt::format("{} of {} cases are in none of these files: cases {}{}; a shard is missing, or "
                      "not complete (--resume completes it)",
                      results.counted(CaseStatus::not_computed), results.cases, where,
                      missing.size() > 5 ? ", .." : ""));
}

ListJson sweeps_json() {
  ListJson out = ListJson::array();
  for (const ShippedScene& sweep : shipped_sweeps())
    out.push_back({{"name", sweep.name}, {"summary", scene_summary(sweep.text)}});
  return out;
}

}  // namespace catena
