#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "analyses.h"
#include "catena/analyze/lyapunov.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/colour.h"
#include "commands/analysis_folder.h"
#include "commands/analyze.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

constexpr const char* kState = "lyapunov.state";
constexpr double kLonger = 20.0;  // than the scene, where no duration is given

struct LyapunovArguments {
  AnalyzeArguments common;
  std::optional<std::string> exponents, error;
  int starts = 2, seed = 1;
  bool vectors = false, resume = false, quiet = false;
};

std::size_t exponents_of(const LyapunovArguments& arguments) {
  if (!arguments.exponents || *arguments.exponents == "all") return 0;
  const auto number = leading_number(*arguments.exponents);
  if (!number || !number->rest.empty() || !(number->value >= 1.0) || number->value > 1e6 ||
      number->value != std::floor(number->value))
    throw InputError({"--exponents " + *arguments.exponents}, "must be a whole number from 1, or all");
  return static_cast<std::size_t>(number->value);
}

std::string report(const LyapunovResult& result, const std::string& scene) {
  std::string out =
      fmt::format("{}: {} of {}, {} of {} s each\n", scene, counted(result.exponents.size(), "exponent"),
                  result.dimension, counted(result.by_start.size(), "start"), time_text(result.duration));
  for (std::size_t k = 0; k < result.exponents.size(); ++k) {
    const double value = result.exponents[k], interval = result.intervals[k];
    out += fmt::format("  {:>3}  {:<28} 1/s", k + 1, with_error(value, result.errors[k]));
    if (std::isfinite(interval))
      out += fmt::format("   95 %: {:.5g} .. {:.5g}", value - interval, value + interval);
    out += "\n";
  }
  if (result.kaplan_yorke)
    out += fmt::format("Kaplan-Yorke dimension {}\n",
                       with_error(*result.kaplan_yorke, result.kaplan_yorke_error.value_or(NAN)));
  else
    out += "Kaplan-Yorke dimension: needs more exponents, their sum is still positive\n";
  out += fmt::format("sum of the positive ones (entropy) {} 1/s\n",
                     with_error(result.entropy, result.entropy_error));
  for (const LyapunovCheck& check : result.checks) {
    out += fmt::format("check {}: {}: off by {:.2g}, allowed {:.2g}: {}\n", check.name, check.meaning,
                       check.value, check.allowed, check.holds() ? "holds" : "DOES NOT HOLD");
  }
  return out;
}

draw::Figure running_figure(const LyapunovResult& result, const std::string& scene) {
  draw::Panel panel;
  panel.x = {.label = "t", .unit = "s", .logarithmic = true};
  panel.y = {.label = "exponent", .unit = "1/s"};
  panel.levels = {0.0};
  for (std::size_t k = 0; k < result.running.size(); ++k) {
    draw::Curve curve;
    curve.colour = draw::series_colour(draw::light_theme(), k, result.running.size());
    curve.name = result.running.size() <= 8 ? fmt::format("{}", k + 1) : "";
    for (std::size_t i = 0; i < result.times.size(); ++i)
      curve.points.push_back({result.times[i], result.running[k][i]});
    draw::Curve mean;
    mean.colour = curve.colour;
    mean.dashed = true;
    mean.width = 0.8;
    if (!result.times.empty())
      mean.points = {{result.times.front(), result.exponents[k]}, {result.times.back(), result.exponents[k]}};
    panel.curves.push_back(std::move(curve));
    panel.curves.push_back(std::move(mean));
  }
  return one_panel("Lyapunov exponents",
                   fmt::format("{}, running values; dashed: means without the first tenth", scene), 260.0,
                   std::move(panel));
}

draw::Figure angles_figure(const LyapunovResult& result, const std::string& scene) {
  draw::Figure figure;
  figure.title = "Angles between covariant Lyapunov vectors";
  figure.note = scene;
  figure.panel_height = 110;
  constexpr std::size_t kMost = 12;
  figure.columns = result.angles.size() > 3 ? 2 : 1;
  for (std::size_t p = 0; p < std::min(result.angles.size(), kMost); ++p) {
    const AngleHistogram& one = result.angles[p];
    draw::Panel panel;
    panel.x = {.label = fmt::format("angle of {} and {}", one.first + 1, one.second + 1), .unit = "deg"};
    panel.y = {.label = "times"};
    draw::Histogram histogram;
    histogram.colour = draw::series_colour(draw::light_theme(), p, result.angles.size());
    for (std::size_t i = 0; i <= one.counts.size(); ++i) histogram.edges.push_back(static_cast<double>(i));
    histogram.counts = one.counts;
    panel.histogram = std::move(histogram);
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

void write_files(AnalysisFolder& folder, const LyapunovResult& result, const std::string& scene) {
  folder.write(kState, result.memory);
  std::vector<std::string> names{"t"};
  std::vector<std::vector<double>> rows(result.times.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(result.times[i]);
  for (std::size_t k = 0; k < result.running.size(); ++k) {
    names.push_back(fmt::format("exponent_{}", k + 1));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(result.running[k][i]);
  }
  folder.table("lyapunov.csv", names, rows);
  if (!result.times.empty()) folder.figure("lyapunov", running_figure(result, scene));
  if (result.angles.empty()) return;
  names = {"degrees"};
  rows.assign(result.angles[0].counts.size(), {});
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(static_cast<double>(i));
  for (const AngleHistogram& one : result.angles) {
    names.push_back(fmt::format("angle_{}_{}", one.first + 1, one.second + 1));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(one.counts[i]);
  }
  folder.table("angles.csv", names, rows);
  folder.figure("angles", angles_figure(result, scene));
}

int perform(const LyapunovArguments& arguments) {
  const Scene scene = analyzed_scene(arguments.common, "lyapunov");
  AnalysisFolder folder(arguments.common.output);
  tell_of_stops(scene);
  LyapunovOptions options;
  options.exponents = exponents_of(arguments);
  options.error = positive_number(arguments.error, "--error");
  options.starts = static_cast<std::size_t>(arguments.starts);
  options.seed = static_cast<std::uint64_t>(arguments.seed);
  options.vectors = arguments.vectors;
  options.duration = scene.simulation.duration * (arguments.common.scene.duration ? 1.0 : kLonger);
  if (!arguments.common.scene.duration && !arguments.common.json)
    note(fmt::format("{} s, {} times the scene's own duration: --duration says otherwise",
                     time_text(options.duration), kLonger));
  if (arguments.resume) {
    const std::optional<std::string> kept = folder.read(kState);
    if (!kept)
      throw InputError({"--resume"}, folder.is_wanted()
                                         ? fmt::format("there is no {} to go on from", folder.path_of(kState))
                                         : "say by -o DIR which analysis to go on with");
    options.resumed = *kept;
  }
  watch_interrupts();
  options.stop = &interrupted();
  ProgressBar bar(!arguments.quiet);
  options.progress = [&](double time, double end) { bar.update(time, end); };
  const LyapunovResult result = lyapunov(scene, options);
  bar.clear();
  return presented({"lyapunov", analysis_json(result), report(result, scene.name), result.notes,
                    result.outcome, result.message},
                   folder, arguments.common.json,
                   [&](AnalysisFolder& into) { write_files(into, result, scene.name); });
}

}  // namespace

Command analyze_lyapunov() {
  const auto arguments = std::make_shared<LyapunovArguments>();
  return {
      .name = "lyapunov",
      .summary = "Lyapunov exponents with standard errors, dimension and entropy",
      .usage = "catena analyze lyapunov SCENE [--exponents K|all] [--error E] [--vectors] [-o DIR]",
      .examples = {{"catena analyze lyapunov lorenz --duration 2000", "all three, with error bars"},
                   {"catena analyze lyapunov double-pendulum --exponents 1 --error 0.01",
                    "until the error is small enough"},
                   {"catena analyze lyapunov lorenz --vectors -o out", "covariant vectors and their angles"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            arguments->common.declare(options);
            options.value("--exponents", &arguments->exponents, "K|all",
                          "how many, from the largest. Default: all");
            options.value("--error", &arguments->error, "E",
                          "double the duration until all standard errors are below this");
            options.flag("--vectors", arguments->vectors,
                         "covariant vectors too, with histograms of their angles");
            options.number("--starts", arguments->starts, "N", 1, 1000,
                           "motions that begin beside each other. Default: 2");
            options.number("--seed", arguments->seed, "N", 0, 2'000'000'000,
                           "of random directions. Default: 1");
            options.flag("--resume", arguments->resume,
                         "go on with the analysis in -o DIR; --duration is the total");
            options.flag("-q,--quiet", arguments->quiet, "no progress");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
