#include "chaos.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>

#include "analyses.h"
#include "answer.h"
#include "case_scenes.h"
#include "catena/analyze/bifurcation.h"
#include "catena/analyze/indicators.h"
#include "catena/analyze/lyapunov.h"
#include "catena/analyze/modes.h"
#include "catena/analyze/section_starts.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/scene/paths.h"
#include "catena/io/scene/scene.h"
#include "catena/io/scene/sweep.h"
#include "session.h"

namespace catena::web {
namespace {

// ---- requests ---------------------------------------------------------------------------------------------

Scene scene_from(const Json& request) {
  return scene_of(request.at("text").get<std::string>(), request.value("name", "scene"),
                  request.value("source", "<scene>"));
}

std::optional<double> optional_number(const Json& request, const char* key) {
  if (!request.contains(key) || request[key].is_null()) return std::nullopt;
  return request[key].get<double>();
}

double positive(const Json& request, const char* key) {
  const double value = request.at(key).get<double>();
  if (!(value > 0.0) || !std::isfinite(value))
    throw InputError(Place{key}, fmt::format("must be positive, got {}", number_text(value)));
  return value;
}

double duration_of(const Json& request, const Scene& scene) {
  return request.contains("duration") ? positive(request, "duration") : scene.simulation.duration;
}

template <class T>
T& begun(const std::unique_ptr<T>& tool, const char* command) {
  if (!tool) throw InputError(Place{}, fmt::format("'{}' comes first", command));
  return *tool;
}

// What may be computed in one call: a worker answers in time, however long the whole takes.
class Budget {
 public:
  explicit Budget(const Json& request) : milliseconds_(optional_number(request, "budget")) {}

  bool is_spent() const {
    return milliseconds_ &&
           std::chrono::duration<double, std::milli>(Clock::now() - start_).count() >= *milliseconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<double> milliseconds_;
  Clock::time_point start_ = Clock::now();
};

Json brief(const Indicator& one) {
  return {{"value", json_number(one.value)},
          {"error", json_number(one.error)},
          {"verdict", verdict_text(one.verdict)},
          {"reason", one.reason}};
}

Scene without_events(Scene scene, double duration) {
  scene.simulation.duration = duration;
  scene.events.clear();
  return scene;
}

}  // namespace

// ---- a spectrum that grows --------------------------------------------------------------------------------

struct ChaosTools::Spectrum {
  std::atomic<bool> stop{false};
  std::optional<Budget> budget;
  std::unique_ptr<LyapunovGrowth> growth;
};

Json ChaosTools::spectrum(const Json& request) {
  auto fresh = std::make_unique<Spectrum>();
  LyapunovOptions options;
  options.exponents = request.value("exponents", std::size_t{0});
  options.starts = request.value("starts", std::size_t{2});
  options.seed = request.value("seed", std::uint64_t{1});
  options.stop = &fresh->stop;
  options.progress = [of = fresh.get()](double, double) {
    if (of->budget && of->budget->is_spent()) of->stop = true;
  };
  fresh->growth = std::make_unique<LyapunovGrowth>(scene_from(request), options);
  spectrum_ = std::move(fresh);
  return {{"dimension", spectrum_->growth->result().dimension}};
}

// Its running values are the rows: time, then every exponent.
Json ChaosTools::grow(const Json& request) {
  Spectrum& of = begun(spectrum_, "spectrum");
  of.stop = false;
  of.budget.emplace(request);
  of.growth->grow(positive(request, "to"));
  const LyapunovResult result = of.growth->result();
  for (std::size_t i = 0; i < result.times.size(); ++i) {
    rows_.push_back(result.times[i]);
    for (const std::vector<double>& one : result.running) rows_.push_back(one[i]);
  }
  Json out = analysis_json(result);
  out.erase("running");
  out["time"] = of.growth->time();
  out["width"] = 1 + result.running.size();
  return out;
}

// ---- sections ---------------------------------------------------------------------------------------------

struct ChaosTools::Section {
  struct Motion {
    std::unique_ptr<Lab> lab;
    std::unique_ptr<SectionWatch> watch;
    std::unique_ptr<IndicatorWatch> indicator;  // null: nobody asked for one
    std::size_t points = 0;
    double residual = 0.0;
  };
  Scene scene;
  SectionOptions options;
  std::unique_ptr<EnergySection> energy;  // null: starts cannot be chosen,
  std::string why;                        // and why
  std::vector<Motion> motions;

  std::size_t add(const std::vector<double>* state) {
    Motion motion;
    motion.lab = std::make_unique<Lab>(scene);
    if (state != nullptr) {
      State at = motion.lab->state();
      at.hi = *state;
      std::fill(at.lo.begin(), at.lo.end(), 0.0);
      motion.lab->place(std::move(at), motion.lab->row_angles());
    }
    motion.watch = std::make_unique<SectionWatch>(*motion.lab, options.when, options.direction,
                                                  std::vector<std::string>{options.axes[0], options.axes[1]});
    if (!options.indicator.empty()) {
      IndicatorOptions what;
      what.only = {options.indicator};
      what.duration = options.duration;
      motion.indicator = std::make_unique<IndicatorWatch>(*motion.lab, what);
    }
    motions.push_back(std::move(motion));
    return motions.size() - 1;
  }
};

Json ChaosTools::section(const Json& request) {
  auto fresh = std::make_unique<Section>();
  const Scene scene = scene_from(request);
  SectionOptions& options = fresh->options;
  options.when = request.at("when").get<std::string>();
  options.direction = request.value("direction", "rising");
  options.axes = request.at("axes").get<std::array<std::string, 2>>();
  options.energy = optional_number(request, "energy");
  options.duration = duration_of(request, scene);
  options.indicator = request.value("indicator", "");
  if (!options.indicator.empty()) indicator_info(options.indicator, {"indicator"});
  fresh->scene = without_events(scene, options.duration);
  {  // formulas with mistakes are told whether or not there is an energy
    Lab lab(fresh->scene);
    SectionWatch(lab, options.when, options.direction, {options.axes[0], options.axes[1]});
  }
  Json out = {{"energy", nullptr}, {"reach", nullptr}, {"why", ""}};
  try {
    fresh->energy = std::make_unique<EnergySection>(fresh->scene, options);
    out["energy"] = json_number(fresh->energy->energy());
    out["reach"] = {fresh->energy->reach(0), fresh->energy->reach(1)};
  } catch (const InputError& error) {
    if (options.energy) throw;
    fresh->why = error.mistakes().front().message;
    out["why"] = fresh->why;
  }
  section_ = std::move(fresh);
  return out;
}

Json ChaosTools::section_start(const Json& request) {
  Section& of = begun(section_, "section");
  if (!request.contains("at")) return {{"start", of.add(nullptr)}};
  if (!of.energy) throw InputError(Place{}, of.why);
  const auto at = request["at"].get<std::array<double, 2>>();
  const std::optional<std::vector<double>> state = of.energy->start_at(at);
  if (!state)
    throw InputError(Place{},
                     fmt::format("no start with {} = {:.6g} and {} = {:.6g} has the energy {:.6g}: choose "
                                 "a place nearer to the points that there are, or a higher energy",
                                 of.options.axes[0], at[0], of.options.axes[1], at[1], of.energy->energy()));
  return {{"start", of.add(&*state)}, {"state", *state}};
}

Json ChaosTools::section_spread(const Json& request) {
  Section& of = begun(section_, "section");
  if (!of.energy) throw InputError(Place{}, of.why);
  const auto count = static_cast<std::size_t>(std::min(positive(request, "count"), 1000.0));
  const SpreadStarts found = of.energy->spread(count);
  Json starts = Json::array();
  for (const std::vector<double>& state : found.states) starts.push_back(of.add(&state));
  return {{"starts", starts}, {"notes", found.notes}};
}

// New points are the rows: time and both axes.
Json ChaosTools::section_follow(const Json& request) {
  Section& of = begun(section_, "section");
  const auto number = request.at("start").get<std::size_t>();
  if (number >= of.motions.size()) throw InputError(Place{}, fmt::format("there is no start {}", number));
  Section::Motion& motion = of.motions[number];
  Lab& lab = *motion.lab;
  const double end = positive(request, "to");
  const Budget budget(request);
  std::string message;
  while (lab.time() < end && !budget.is_spent()) {
    if (motion.indicator) motion.indicator->prepare();
    StepStatus status = lab.advance();
    if (motion.indicator && status == StepStatus::done) status = motion.indicator->look(lab.time());
    if (status != StepStatus::done) {
      message = failure_text(lab, status);
      break;
    }
    for (const SectionWatch::Passage& passage : motion.watch->look(lab.time())) {
      rows_.insert(rows_.end(), {passage.time, passage.axes[0], passage.axes[1]});
      motion.residual = std::max(motion.residual, passage.residual);
      ++motion.points;
    }
  }
  Json out = {{"time", lab.time()},
              {"points", motion.points},
              {"residual", json_number(motion.residual)},
              {"scale", json_number(motion.watch->scale())},
              {"width", 3},
              {"message", message}};
  if (!motion.indicator) return out;
  const IndicatorResult found = motion.indicator->conclude();
  out["indicator"] = found.indicators.empty() ? Json(nullptr) : brief(found.indicators.front());
  return out;
}

// ---- indicators of ghosts ---------------------------------------------------------------------------------

struct ChaosTools::Ghosts {
  struct Motion {
    std::unique_ptr<Lab> lab;  // null: it has failed, or cannot be followed
    std::unique_ptr<IndicatorWatch> watch;
    std::string message = {};
    double begin = 0.0;
  };
  IndicatorOptions options;
  std::vector<Motion> motions;  // the one looked at, then its ghosts

  // From the start of the scene, or from a checkpoint of its motion.
  void add(const Scene& scene, const std::string* checkpoint) {
    Motion motion;
    try {
      motion.lab = std::make_unique<Lab>(without_events(scene, options.duration));
      if (checkpoint != nullptr) motion.lab->restore(*checkpoint);
      motion.begin = motion.lab->time();
      motion.watch = std::make_unique<IndicatorWatch>(*motion.lab, options);
    } catch (const InputError& error) {
      if (motions.empty()) throw;
      motion.watch.reset();
      motion.lab.reset();
      motion.message = error.mistakes().front().message;
    }
    motions.push_back(std::move(motion));
  }
};

// Of a scene from its start, or of a moment (`save` of the page's engine) with its ghosts.
Json ChaosTools::indicators(const Json& request) {
  auto fresh = std::make_unique<Ghosts>();
  fresh->options.only = request.value("only", std::vector<std::string>{"megno"});
  fresh->options.column = request.value("column", "");
  fresh->options.seed = request.value("seed", std::uint64_t{1});
  fresh->options.duration = positive(request, "duration");
  if (!request.contains("saved")) {
    fresh->add(scene_from(request), nullptr);
  } else {
    const Memory memory = memory_from(request.at("saved"));
    const Snapshot& now = memory.present;
    fresh->add(*now.scene, &now.motion);
    for (std::size_t i = 0; i < now.ghosts->size(); ++i) {
      if (now.ghost_motions[i].empty())
        fresh->motions.push_back({nullptr, nullptr, "this ghost could not go on"});
      else
        fresh->add(ghost_scene(*now.scene, (*now.ghosts)[i]), &now.ghost_motions[i]);
    }
  }
  ghosts_ = std::move(fresh);
  return {{"motions", ghosts_->motions.size()}};
}

Json ChaosTools::indicators_follow(const Json& request) {
  Ghosts& of = begun(ghosts_, "indicators");
  const double to = positive(request, "to");
  const Budget budget(request);
  Json motions = Json::array();
  for (Ghosts::Motion& motion : of.motions) {
    if (!motion.lab) {
      motions.push_back({{"time", nullptr},
                         {"indicators", Json::object()},
                         {"notes", Json::array()},
                         {"message", motion.message}});
      continue;
    }
    const double last = motion.begin + of.options.duration, end = std::min(motion.begin + to, last);
    while (motion.message.empty() && motion.lab->time() < end && !budget.is_spent()) {
      motion.watch->prepare();
      StepStatus status = motion.lab->advance();
      if (status == StepStatus::done) status = motion.watch->look(last);
      if (status != StepStatus::done) motion.message = failure_text(*motion.lab, status);
    }
    const IndicatorResult found = motion.watch->conclude();
    Json named = Json::object();
    for (const Indicator& one : found.indicators) named[one.name] = brief(one);
    motions.push_back({{"time", std::min(motion.lab->time(), last) - motion.begin},
                       {"indicators", named},
                       {"notes", found.notes},
                       {"message", motion.message}});
  }
  return {{"motions", motions}};
}

// ---- maps -------------------------------------------------------------------------------------------------

struct ChaosTools::Map {
  Scene scene;
  SweepPlan plan;
};

namespace {

// A grid about zero has the same numbers on both sides, to the bit: then a case and its mirror image start
// from mirrored states, and end alike.
void make_symmetric(SweepAxis& axis) {
  if (axis.kind != SweepAxis::Kind::grid || axis.values.empty() || axis.values.front() != -axis.values.back())
    return;
  for (std::size_t i = 0; i < axis.values.size() / 2; ++i)
    axis.values[axis.values.size() - 1 - i] = -axis.values[i];
  if (axis.values.size() % 2 == 1) axis.values[axis.values.size() / 2] = 0.0;
}

}  // namespace

Json ChaosTools::map(const Json& request) {
  auto fresh = std::make_unique<Map>();
  // Of the scene that is shown, whatever the plan says.
  fresh->plan = read_sweep(request.at("sweep").get<std::string>(), "<sweep>", {"sweep.scene=shown"});
  for (SweepAxis& axis : fresh->plan.axes) make_symmetric(axis);
  SceneOptions options;
  options.source = "<scene>";
  options.name = request.value("name", "scene");
  options.overrides = fresh->plan.set;
  fresh->scene = scene_of(request.at("text").get<std::string>(), options.name, options.source);
  if (!fresh->plan.set.empty()) fresh->scene = read_scene(fresh->scene.json, options);
  const std::unique_ptr<Sweep> sweep = sweep_over(fresh->plan, fresh->scene);
  Json axes = Json::array(), measures = Json::array(), shape = Json::array();
  for (const SweepExtent& extent : sweep->cases().extents()) {
    if (extent.axes.size() != 1 || fresh->plan.axes[extent.axes[0]].is_drawn())
      throw InputError(Place{"<sweep>"}, "tiles are of grids: give every axis from, to and count, or values");
    shape.push_back(extent.count);
    axes.push_back({{"name", extent.name}, {"values", json_numbers(sweep->cases().along(extent.axes[0]))}});
  }
  for (const SweepMeasure& measure : fresh->plan.measures) measures.push_back(measure.name);
  map_ = std::move(fresh);
  return {{"shape", shape}, {"axes", axes}, {"measures", measures}, {"not_in_lanes", sweep->lanes_refusal()}};
}

// Cases first, first + apart, .. along each axis; the last axis runs fastest. Rows: the measures of a case,
// then how it ended (0 done, 1 failed, 2 skipped).
Json ChaosTools::tile(const Json& request) {
  const Map& of = begun(map_, "map");
  const auto first = request.at("first").get<std::vector<std::size_t>>();
  const auto count = request.at("count").get<std::vector<std::size_t>>();
  const auto apart = request.value("apart", std::vector<std::size_t>(first.size(), 1));
  SweepPlan plan = of.plan;
  if (first.size() != plan.axes.size() || count.size() != first.size() || apart.size() != first.size())
    throw InputError(Place{},
                     fmt::format("first, count and apart need {} each", counted(plan.axes.size(), "number")));
  for (std::size_t a = 0; a < first.size(); ++a) {
    const std::vector<double> all = std::move(plan.axes[a].values);
    plan.axes[a].values.clear();
    plan.axes[a].kind = SweepAxis::Kind::values;
    for (std::size_t i = 0; i < count[a]; ++i) {
      const std::size_t at = first[a] + i * apart[a];
      if (at >= all.size())
        throw InputError(Place{}, fmt::format("axis '{}' has {}, and the tile asks for number {}",
                                              plan.axes[a].name, counted(all.size(), "value"), at + 1));
      plan.axes[a].values.push_back(all[at]);
    }
    if (count[a] == 0) throw InputError(Place{}, "a tile has at least one case along each axis");
  }
  const std::unique_ptr<Sweep> sweep = sweep_over(std::move(plan), of.scene);
  const std::size_t measures = of.plan.measures.size();
  const SweepChunk chunk = sweep->runner()->run(0, sweep->cases().count(), nullptr);
  for (std::size_t i = 0; i < chunk.status.size(); ++i) {
    for (std::size_t m = 0; m < measures; ++m) rows_.push_back(chunk.measures[i * measures + m]);
    rows_.push_back(static_cast<double>(chunk.status[i]));
  }
  Json reasons = Json::array();
  for (const CaseReason& reason : chunk.reasons)
    reasons.push_back({{"at", reason.index}, {"text", reason.text}});
  return {{"cases", chunk.count}, {"width", measures + 1}, {"steps", chunk.steps}, {"failed", reasons}};
}

// Lines beyond which a measure's event is impossible, in places of the grid: rows of the measure's number and
// both ends.
Json ChaosTools::limits(const Json&) {
  const Map& of = begun(map_, "map");
  Json out = Json::array();
  for (const EnergyContour& one : energy_contours(of.plan, of.scene)) {
    out.push_back({{"measure", one.measure}, {"energy", one.energy}});
    for (const GridLine& line : one.lines) {
      rows_.insert(rows_.end(),
                   {static_cast<double>(out.size() - 1), line[0][0], line[0][1], line[1][0], line[1][1]});
    }
  }
  return {{"limits", out}, {"width", 5}};
}

// ---- bifurcation diagrams ---------------------------------------------------------------------------------

struct ChaosTools::Diagram {
  BifurcationOptions options;
  std::unique_ptr<BifurcationColumns> columns;
};

Json ChaosTools::bifurcation(const Json& request) {
  auto fresh = std::make_unique<Diagram>();
  const Scene scene = scene_from(request);
  BifurcationOptions& options = fresh->options;
  const auto path = request.at("along").get<std::string>();
  const double from = request.at("from").get<double>(), to = request.at("to").get<double>();
  const double count = std::floor(positive(request, "count"));
  if (count < 1.0 || count > 100'000.0) throw InputError(Place{"count"}, "must be from 1 to 100000");
  for (double i = 0.0; i < count; ++i)
    options.parameters.push_back(count == 1.0 ? from : from + (to - from) * i / (count - 1.0));
  scene_numbers(scene, {path});
  options.scene = [scene, path](double value) { return with_number(scene, path, value); };
  options.scene(from);  // mistakes at either end are told before anything is computed
  options.scene(to);
  options.when = request.value("when", "");
  options.direction = request.value("direction", "rising");
  if (request.contains("period")) options.period = positive(request, "period");
  if (options.when.empty() != options.period.has_value())
    throw InputError(Place{}, "say when to record: `when` (a section) or `period` (of a drive), one of them");
  options.record = request.at("record").get<std::string>();
  options.duration = duration_of(request, scene);
  options.skip = optional_number(request, "skip");
  options.fresh = request.value("fresh", false);
  {  // mistakes in formulas, too
    Lab lab(without_events(scene, options.duration));
    ColumnFormula(lab, options.record, {"record"}, "record");
    if (!options.period) SectionWatch(lab, options.when, options.direction, {});
  }
  fresh->columns = std::make_unique<BifurcationColumns>(options);
  diagram_ = std::move(fresh);
  return {{"parameters", json_numbers(diagram_->options.parameters)},
          {"notes", BifurcationColumns::notes(diagram_->options)}};
}

// Its values are the rows. Each motion goes on where the last column's ended, unless `fresh`.
Json ChaosTools::column(const Json& request) {
  Diagram& of = begun(diagram_, "bifurcation");
  const auto index = request.at("index").get<std::size_t>();
  if (index >= of.options.parameters.size())
    throw InputError(Place{}, fmt::format("there is no column {}", index));
  const Outcome outcome = of.columns->take(of.options.parameters[index], rows_);
  return {{"values", rows_.size()},
          {"outcome", outcome_text(outcome)},
          {"message", outcome == Outcome::done ? "" : of.columns->message()}};
}

// ---- modes ------------------------------------------------------------------------------------------------

struct ChaosTools::Small {
  Scene scene;
  Modes modes;
};

Json ChaosTools::modes(const Json& request) {
  Scene scene = scene_from(request);
  Modes found = find_modes(scene, {});
  Json list = Json::array();
  for (const Mode& mode : found.modes)
    list.push_back({{"frequency", mode.frequency()}, {"damping", mode.damping()}});
  Json out = {{"stability", stability_text(found.stability)},
              {"conservative", found.conservative},
              {"modes", list},
              {"warnings", found.warnings},
              {"scene", scene.json}};
  small_ = std::make_unique<Small>(Small{std::move(scene), std::move(found)});
  return out;
}

// One swing: the time and all that a picture needs.
Json ChaosTools::mode(const Json& request) {
  Small& of = begun(small_, "modes");
  const auto index = request.at("mode").get<std::size_t>();
  if (index >= of.modes.modes.size()) throw InputError(Place{}, fmt::format("there is no mode {}", index));
  const bool has_bodies = !of.scene.mechanism.bodies.empty();
  std::vector<std::string> words{"position"};
  if (has_bodies) words.emplace_back("orientation");
  const ModeRows swing = mode_rows(of.scene, of.modes, index, request.value("size", 0.2),
                                   request.value("count", std::size_t{60}), words);
  for (const std::vector<double>& row : swing.rows) rows_.insert(rows_.end(), row.begin(), row.end());
  Json names = Json::array();
  for (const Stem& stem : swing.stems) {
    if (stem.labels.empty()) names.push_back(stem.name);
    for (const std::string& label : stem.labels) names.push_back(stem.name + "_" + label);
  }
  return {{"columns", names}, {"width", names.size()}};
}

// ---- calls ------------------------------------------------------------------------------------------------

struct ChaosTools::Command {
  const char* name;
  Json (ChaosTools::*perform)(const Json&);
};

const std::vector<ChaosTools::Command>& ChaosTools::commands() {
  static const std::vector<Command> all{{"spectrum", &ChaosTools::spectrum},
                                        {"grow", &ChaosTools::grow},
                                        {"section", &ChaosTools::section},
                                        {"section_start", &ChaosTools::section_start},
                                        {"section_spread", &ChaosTools::section_spread},
                                        {"section_follow", &ChaosTools::section_follow},
                                        {"indicators", &ChaosTools::indicators},
                                        {"indicators_follow", &ChaosTools::indicators_follow},
                                        {"map", &ChaosTools::map},
                                        {"tile", &ChaosTools::tile},
                                        {"limits", &ChaosTools::limits},
                                        {"bifurcation", &ChaosTools::bifurcation},
                                        {"column", &ChaosTools::column},
                                        {"modes", &ChaosTools::modes},
                                        {"mode", &ChaosTools::mode}};
  return all;
}

ChaosTools::ChaosTools() = default;
ChaosTools::~ChaosTools() = default;

Json ChaosTools::perform(const Json& request) {
  const auto name = request.at("do").get<std::string>();
  for (const Command& command : commands()) {
    if (name == command.name) return (this->*command.perform)(request);
  }
  throw InputError(Place{}, fmt::format("there is no command '{}'", name));
}

std::string ChaosTools::call(const std::string& request) {
  rows_.clear();
  return answered(request, [&](const Json& parsed) { return perform(parsed); });
}

}  // namespace catena::web
