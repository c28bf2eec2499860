// Analyses of columns as series: spectrum and recurrence.
#include <fmt/format.h>

#include <memory>

#include "analyses.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/colour.h"
#include "commands/analysis_folder.h"
#include "commands/analyze.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

struct SeriesArguments {
  AnalyzeArguments common;
  std::vector<std::string> columns;
  std::optional<std::string> sample;
  bool quiet = false;

  void declare(Options& options) {
    common.declare(options);
    options.list("--columns", columns, "LIST", "columns (theta_1), stems or groups, with commas between");
    options.value("--sample", &common.scene.sample, "S", "seconds between samples. Default: the scene's");
    options.flag("-q,--quiet", quiet, "no progress");
  }
};

struct Sampled {
  Scene scene;
  Samples samples;
};

// Mistakes in columns are told by the option that they stand in here.
Samples samples_by(const Scene& scene, const std::vector<std::string>& columns, ProgressBar& bar) {
  try {
    return sampled(scene, scene.simulation.duration, scene.simulation.sample, columns, &interrupted(),
                   [&](double time, double end) { bar.update(time, end); });
  } catch (const InputError& error) {
    std::vector<Mistake> mistakes = error.mistakes();
    for (Mistake& mistake : mistakes) {
      if (mistake.place.source == "--quantities") mistake.place.source = "--columns";
    }
    throw InputError(std::move(mistakes));
  }
}

Sampled samples_of(const SeriesArguments& arguments, const std::string& kind) {
  Sampled out{analyzed_scene(arguments.common, kind), {}};
  const std::vector<std::string> columns = split_list(arguments.columns);
  if (columns.empty())
    throw InputError(
        {}, fmt::format("`catena analyze {}` needs --columns: `catena list quantities` has them", kind));
  const double rows = out.scene.simulation.duration / out.scene.simulation.sample;
  constexpr double kMost = 2e7, kLeast = 100;
  if (rows > kMost || rows < kLeast)
    throw InputError({out.scene.name},
                     fmt::format("{:.3g} samples are too {}: choose --duration and --sample so that "
                                 "there are 100 to 2e7",
                                 rows, rows < kLeast ? "few for any statement" : "many"));
  watch_interrupts();
  ProgressBar bar(!arguments.quiet);
  out.samples = samples_by(out.scene, columns, bar);
  bar.clear();
  if (out.samples.times.size() < static_cast<std::size_t>(kLeast))
    throw InputError({out.scene.name},
                     fmt::format("the motion ended after {}: too short for any statement. {}",
                                 counted(out.samples.times.size(), "sample"), out.samples.message));
  return out;
}

int perform_spectrum(const SeriesArguments& arguments) {
  AnalysisFolder folder(arguments.common.output);
  const Sampled from = samples_of(arguments, "spectrum");
  AnalysisJson json = AnalysisJson::object();
  std::string text;
  for (std::size_t k = 0; k < from.samples.names.size(); ++k) {
    const std::string& name = from.samples.names[k];
    const Spectrum found = power_spectrum(from.samples.columns[k], from.samples.spacing);
    constexpr std::size_t kLines = 5;
    const std::vector<Frequency> lines =
        frequencies_of(from.samples.columns[k], from.samples.spacing, kLines);
    json[name] = analysis_json(found, lines);
    text +=
        fmt::format("{}: {:.1f} % of the power in narrow lines; the strongest:\n", name, 100.0 * found.lines);
    for (const Frequency& line : lines)
      text += fmt::format("  {:.10g} rad/s, amplitude {:.6g}\n", line.value, line.amplitude);
    std::vector<std::vector<double>> rows;
    draw::Curve curve;
    curve.colour = draw::series_colour(draw::light_theme(), k, from.samples.names.size());
    for (std::size_t i = 0; i < found.power.size(); ++i) {
      rows.push_back({found.frequencies[i], found.power[i], found.errors[i]});
      if (i > 0) curve.points.push_back({found.frequencies[i], found.power[i]});
    }
    folder.table("spectrum_" + name + ".csv", {"frequency", "power", "error"}, rows);
    draw::Panel panel;
    panel.x = {.label = "frequency", .unit = "Hz"};
    panel.y = {.label = "power", .logarithmic = true};
    panel.curves.push_back(std::move(curve));
    folder.figure("spectrum_" + name,
                  one_panel("Power spectrum of " + name, from.scene.name, 260.0, std::move(panel)));
  }
  return presented({"spectrum", std::move(json), std::move(text), from.samples.notes, from.samples.outcome,
                    from.samples.message},
                   folder, arguments.common.json);
}

draw::Figure recurrence_figure(const Recurrence& found, const std::string& scene) {
  draw::Panel panel;
  panel.x = {.label = "t", .unit = "s", .tight = true};
  panel.y = panel.x;
  draw::Curve curve;
  curve.colour = draw::series_colour(draw::light_theme(), 0, 1);
  auto raster = std::make_shared<draw::Density>();
  raster->width = raster->height = static_cast<int>(found.states);
  raster->hits.resize(found.plot.size());
  for (std::size_t row = 0; row < found.states; ++row) {
    for (std::size_t column = 0; column < found.states; ++column)
      raster->hits[(found.states - 1 - row) * found.states + column] =
          static_cast<std::uint32_t>(found.plot[row * found.states + column]);
  }
  curve.density = raster;
  curve.x_bounds.add(0.0);
  curve.x_bounds.add(found.spacing * static_cast<double>(found.states));
  curve.y_bounds = curve.x_bounds;
  panel.curves.push_back(std::move(curve));
  draw::Figure out = one_panel(
      "Recurrence plot", fmt::format("{}: states nearer than {:.3g} of their spread", scene, found.threshold),
      520.0, std::move(panel));
  out.width = 620;
  return out;
}

int perform_recurrence(const SeriesArguments& arguments) {
  AnalysisFolder folder(arguments.common.output);
  const Sampled from = samples_of(arguments, "recurrence");
  std::vector<std::vector<double>> states(from.samples.times.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const std::vector<double>& column : from.samples.columns) states[i].push_back(column[i]);
  }
  const Recurrence found = recurrence(states, from.samples.spacing);
  if (found.plot.empty())
    throw InputError({from.scene.name}, "these columns do not change: there is nothing that could recur");
  AnalysisJson json = analysis_json(found);
  std::string text;
  for (const auto& [name, value] : json.items()) text += fmt::format("  {:<18} {}\n", name, value.dump());
  return presented({"recurrence", std::move(json), std::move(text), from.samples.notes, from.samples.outcome,
                    from.samples.message},
                   folder, arguments.common.json, [&](AnalysisFolder& into) {
                     into.figure("recurrence", recurrence_figure(found, from.scene.name));
                   });
}

Command series_command(const std::string& kind, const std::string& summary,
                       int (*perform)(const SeriesArguments&)) {
  const auto arguments = std::make_shared<SeriesArguments>();
  return {
      .name = kind,
      .summary = summary,
      .usage = fmt::format("catena analyze {} SCENE --columns LIST [--sample S] [-o DIR]", kind),
      .examples = {{fmt::format("catena analyze {} double-pendulum --columns theta_1 --duration 200", kind),
                    ""}},
      .operand = {.scene = true, .file = true},
      .declare = [arguments](Options& options) { arguments->declare(options); },
      .perform = [arguments, perform] { return perform(*arguments); },
  };
}

}  // namespace

Command analyze_spectrum() {
  return series_command("spectrum", "power spectra of columns, and their strongest frequencies",
                        perform_spectrum);
}

Command analyze_recurrence() {
  return series_command("recurrence", "how a motion comes back near where it was: recurrence quantification",
                        perform_recurrence);
}

}  // namespace catena::cli
