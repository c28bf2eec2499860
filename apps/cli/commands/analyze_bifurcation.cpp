#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "analyses.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/colour.h"
#include "catena/io/scene/paths.h"
#include "commands/analysis_folder.h"
#include "commands/analyze.h"
#include "commands/branch_curves.h"
#include "modes_and_orbits.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

struct BifurcationArguments {
  AnalyzeArguments common;
  std::optional<std::string> along, from, to, when, period, record, skip;
  std::string direction = "rising";
  int count = 200;
  bool up_only = false, fresh = false, branches = false, quiet = false;
};

BifurcationOptions options_of(const BifurcationArguments& arguments, const Scene& scene) {
  std::vector<Mistake> mistakes;
  if (!arguments.along) mistakes.push_back({{}, "--along PATH says which number of the scene changes"});
  if (!arguments.from || !arguments.to)
    mistakes.push_back({{}, "--from and --to say from where to where it changes"});
  if (arguments.when.has_value() == arguments.period.has_value())
    mistakes.push_back(
        {{}, "say when to record: --when FORMULA (a section) or --period T (of a drive), one of them"});
  if (!arguments.record)
    mistakes.push_back({{}, "--record C says which column, or formula of columns, is recorded"});
  if (arguments.branches && arguments.when)
    mistakes.push_back(
        {{"--branches"},
         "needs --period: branches are drawn where values are recorded at every period of a drive"});
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  BifurcationOptions options;
  const double from = *typed_number(arguments.from, "--from"), to = *typed_number(arguments.to, "--to");
  for (int i = 0; i < arguments.count; ++i)
    options.parameters.push_back(arguments.count == 1 ? from
                                                      : from + (to - from) * i / (arguments.count - 1));
  options.scene = [&arguments](double value) {
    SceneArguments one = arguments.common.scene;
    one.set.push_back(*arguments.along + "=" + number_text(value));
    return scene_of(find_scene(*one.scene), one);
  };
  scene_numbers(scene, {*arguments.along});  // mistakes are told before anything is computed
  options.scene(from);
  options.scene(to);
  options.when = arguments.when.value_or("");
  options.direction = arguments.direction;
  options.period = positive_number(arguments.period, "--period");
  options.record = *arguments.record;
  options.duration = scene.simulation.duration;
  options.skip = typed_number(arguments.skip, "--skip");
  options.down = !arguments.up_only;
  options.fresh = arguments.fresh;
  return options;
}

// Periodic orbits along the same number, from the one near the start at its first value.
Continuation branches_of(const BifurcationArguments& arguments, const BifurcationOptions& asked,
                         const Scene& scene) {
  OrbitOptions options;
  set_path(options, scene, *arguments.along);
  options.period = asked.period;
  options.column = asked.record;
  options.from = asked.parameters.front();
  options.to = asked.parameters.back();
  options.stop = asked.stop;
  return continued(find_orbit(scene, options), options);
}

draw::Figure diagram(const BifurcationResult& result, const Continuation* branches,
                     const BifurcationArguments& arguments, const std::string& scene) {
  draw::Panel panel;
  panel.x = {.label = *arguments.along, .tight = true};
  panel.y.label = *arguments.record;
  const auto add = [&](const std::vector<std::vector<double>>& values, const char* name, std::size_t index) {
    if (values.empty()) return;
    draw::Curve curve;
    curve.name = name;
    curve.colour = draw::series_colour(draw::light_theme(), index, 2);
    curve.marker = draw::Marker::dots;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (const double value : values[i]) curve.points.push_back({result.parameters[i], value});
    }
    panel.curves.push_back(std::move(curve));
  };
  add(result.down, "down", 1);
  add(result.values, "up", 0);
  if (branches) {
    for (draw::Curve& curve : branch_curves(*branches, draw::light_theme()))
      panel.curves.push_back(std::move(curve));
  }
  draw::Figure figure =
      one_panel("Bifurcation diagram",
                branches ? scene + "; lines are periodic orbits, solid: stable, dashed: unstable" : scene,
                420.0, std::move(panel));
  figure.width = 760;
  return figure;
}

void write_files(AnalysisFolder& folder, const BifurcationResult& result, const Continuation* branches,
                 const BifurcationArguments& arguments, const std::string& scene) {
  std::vector<std::vector<double>> rows;
  for (const auto& [values, down] : {std::pair{&result.values, 0.0}, {&result.down, 1.0}}) {
    for (std::size_t i = 0; i < values->size(); ++i) {
      for (const double value : (*values)[i]) rows.push_back({result.parameters[i], value, down});
    }
  }
  folder.table("bifurcation.csv", {*arguments.along, *arguments.record, "down"}, rows);
  folder.figure("bifurcation", diagram(result, branches, arguments, scene));
}

// Where the period changes, on the way up.
std::string report(const BifurcationResult& result, const std::string& scene) {
  std::string out = fmt::format("{}: {}\n", scene, counted(result.values.size(), "parameter"));
  const auto text = [](std::size_t period) {
    return period == 0 ? std::string("no period") : fmt::format("period {}", period);
  };
  for (const auto& [periods, way] : {std::pair{&result.periods, "up"}, {&result.down_periods, "down"}}) {
    for (std::size_t i = 0; i < periods->size(); ++i) {
      if (i > 0 && (*periods)[i] == (*periods)[i - 1]) continue;
      out += fmt::format("  {:<5} from {:<12.8g} {}\n", way, result.parameters[i], text((*periods)[i]));
    }
  }
  return out;
}

int perform(const BifurcationArguments& arguments) {
  const Scene scene = analyzed_scene(arguments.common, "bifurcation");
  AnalysisFolder folder(arguments.common.output);
  tell_of_stops(scene);
  BifurcationOptions options = options_of(arguments, scene);
  watch_interrupts();
  options.stop = &interrupted();
  ProgressBar bar(!arguments.quiet);
  options.progress = [&](double done, double all) { bar.update(done, all); };
  const BifurcationResult result = bifurcation(options);
  bar.clear();
  std::optional<Continuation> branches;
  if (arguments.branches && result.outcome == Outcome::done)
    branches = branches_of(arguments, options, scene);
  AnalysisJson json = analysis_json(result);
  if (branches) add_branches(json, *branches);
  return presented({"bifurcation", std::move(json), report(result, scene.name), result.notes, result.outcome,
                    result.message},
                   folder, arguments.common.json, [&](AnalysisFolder& into) {
                     write_files(into, result, branches ? &*branches : nullptr, arguments, scene.name);
                   });
}

}  // namespace

Command analyze_bifurcation() {
  const auto arguments = std::make_shared<BifurcationArguments>();
  return {
      .name = "bifurcation",
      .summary = "where a motion ends up as a number of its scene changes, up and down",
      .usage =
          "catena analyze bifurcation SCENE --along PATH --from A --to B --count N (--when F | --period T) "
          "--record C [-o DIR]",
      .examples = {{"catena analyze bifurcation driven-pendulum --along forces.1.parameters.drive --from "
                    "1.06 --to 1.09 "
                    "--count 60 --period 3*pi --record theta_dot_1 --duration 1000 -o out",
                    "periods double"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            arguments->common.declare(options);
            options.value("--along", &arguments->along, "PATH", "the number that changes");
            options.value("--from", &arguments->from, "A", "where it begins");
            options.value("--to", &arguments->to, "B", "where it ends");
            options.number("--count", arguments->count, "N", 1, 1'000'000, "how many values. Default: 200");
            options.value("--when", &arguments->when, "FORMULA", "record where this vanishes");
            options.value("--direction", &arguments->direction, "D", "of --when: rising, falling or any");
            options.value("--period", &arguments->period, "T",
                          "record at multiples of this, s; may be a formula: 3*pi");
            options.value("--record", &arguments->record, "C", "the column, or a formula of columns");
            options.value("--skip", &arguments->skip, "S",
                          "seconds of each --duration to leave out. Default: half");
            options.flag("--up", arguments->up_only, "not down again");
            options.flag("--fresh", arguments->fresh, "each value from the scene's own start");
            options.flag("--branches", arguments->branches,
                         "draw periodic orbits over the dots, stable and unstable; with --period");
            options.flag("-q,--quiet", arguments->quiet, "no progress");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
