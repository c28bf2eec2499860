#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "analyses.h"
#include "catena/base/words.h"
#include "catena/draw/colour.h"
#include "commands/analysis_folder.h"
#include "commands/analyze.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

struct IndicatorArguments {
  AnalyzeArguments common;
  std::vector<std::string> only;
  std::optional<std::string> column;
  int seed = 1;
  bool quiet = false;
};

std::string report(const IndicatorResult& result, const std::string& scene) {
  std::string out = fmt::format("{}: {} s{}\n", scene, time_text(result.duration),
                                result.signal.empty() ? "" : "; series are of " + result.signal);
  for (const Indicator& one : result.indicators) {
    out += fmt::format(
        "  {:<22} {:<26} {:<10} {}\n", one.name,
        std::isfinite(one.error) ? with_error(one.value, one.error) : fmt::format("{:.6g}", one.value),
        verdict_text(one.verdict), one.reason);
  }
  return out;
}

draw::Figure course_figure(const Indicator& one, std::size_t index, const std::string& scene) {
  const bool both_log = one.name == "correlation_dimension", spectrum = one.name == "spectrum";
  draw::Panel panel;
  panel.x = {.label = both_log   ? "r"
                      : spectrum ? "frequency"
                                 : "t",
             .unit = both_log   ? ""
                     : spectrum ? "Hz"
                                : "s"};
  panel.x.logarithmic = both_log;
  panel.y = {.label = both_log   ? "C"
                      : spectrum ? "power"
                                 : one.course_label,
             .logarithmic = both_log || spectrum};
  draw::Curve curve;
  curve.colour = draw::series_colour(draw::light_theme(), index, 14);
  for (std::size_t i = 0; i < one.times.size(); ++i) curve.points.push_back({one.times[i], one.course[i]});
  panel.curves.push_back(std::move(curve));
  return one_panel(one.name, fmt::format("{}: {}", scene, verdict_text(one.verdict)), 220.0,
                   std::move(panel));
}

void write_files(AnalysisFolder& folder, const IndicatorResult& result, const std::string& scene) {
  for (std::size_t i = 0; i < result.indicators.size(); ++i) {
    const Indicator& one = result.indicators[i];
    if (one.times.empty()) continue;
    std::vector<std::vector<double>> rows;
    for (std::size_t k = 0; k < one.times.size(); ++k) rows.push_back({one.times[k], one.course[k]});
    folder.table(one.name + ".csv", {"at", one.name}, rows);
    folder.figure(one.name, course_figure(one, i, scene));
  }
}

int perform(const IndicatorArguments& arguments) {
  const Scene scene = analyzed_scene(arguments.common, "indicators");
  AnalysisFolder folder(arguments.common.output);
  tell_of_stops(scene);
  IndicatorOptions options;
  options.only = split_list(arguments.only);
  options.duration = scene.simulation.duration;
  options.seed = static_cast<std::uint64_t>(arguments.seed);
  options.column = arguments.column.value_or("");
  watch_interrupts();
  options.stop = &interrupted();
  ProgressBar bar(!arguments.quiet);
  options.progress = [&](double time, double end) { bar.update(time, end); };
  const IndicatorResult result = indicators(scene, options);
  bar.clear();
  return presented({"indicators", analysis_json(result), report(result, scene.name), result.notes,
                    result.outcome, result.message},
                   folder, arguments.common.json,
                   [&](AnalysisFolder& into) { write_files(into, result, scene.name); });
}

}  // namespace

Command analyze_indicators() {
  const auto arguments = std::make_shared<IndicatorArguments>();
  return {
      .name = "indicators",
      .summary = "indicators of order and chaos, each with a verdict and its reason",
      .usage = "catena analyze indicators SCENE [--only LIST] [-o DIR]",
      .examples = {{"catena analyze indicators henon-heiles --duration 2000", "all of them"},
                   {"catena analyze indicators double-pendulum --only megno,gali --duration 200", "some"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            arguments->common.declare(options);
            options.list("--only", arguments->only, "LIST",
                         "names from `catena list indicators`, with commas between");
            options.value("--column", &arguments->column, "FORMULA",
                          "what the 0-1 test, frequencies and spectrum look at");
            options.number("--seed", arguments->seed, "N", 0, 2'000'000'000,
                           "of random directions. Default: 1");
            options.flag("-q,--quiet", arguments->quiet, "no progress");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
