#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "analyses.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/colour.h"
#include "catena/io/record/sweep_file.h"
#include "commands/analysis_folder.h"
#include "commands/analyze.h"
#include "sweeps.h"

namespace catena::cli {
namespace {

struct MapArguments {
  std::optional<std::string> file, output, measure, level;
  bool json = false;
};

// Which measure of the file; its only one where none is named.
std::size_t measure_of(const MapArguments& arguments, const SweepFile& sweep) {
  const std::vector<std::string>& names = sweep.results.names;
  if (!arguments.measure) {
    if (names.size() == 1) return 0;
    throw InputError({*arguments.file}, fmt::format("has {}: say which by --measure, one of {}",
                                                    counted(names.size(), "measure"), alternatives(names)));
  }
  const auto found = std::find(names.begin(), names.end(), *arguments.measure);
  if (found == names.end())
    throw InputError(
        {"--measure " + *arguments.measure},
        fmt::format("{} has no such measure{}", *arguments.file, did_you_mean(*arguments.measure, names)));
  return static_cast<std::size_t>(found - names.begin());
}

SweepFile read_map(const MapArguments& arguments) {
  if (!arguments.file)
    throw InputError({}, "`catena analyze map` needs the file of a sweep: catena analyze map flip-map.h5");
  if (!is_sweep_file(*arguments.file))
    throw InputError({*arguments.file},
                     "this is no file of a sweep; `catena sweep flip-map` writes one, flip-map.h5");
  SweepFile sweep = read_sweep_file(*arguments.file);
  if (!sweep.results.is_whole())
    throw InputError({*arguments.file}, "is one shard of a sweep: `catena merge` joins all of them first");
  if (sweep.results.shape.size() != 2 || sweep.info.extents[0].name == "sample")
    throw InputError({*arguments.file}, "is no map: a sweep over a grid of two axes is needed");
  return sweep;
}

draw::Curve curve_of(const char* name, std::size_t index, const MapAnalysis& result,
                     double MapScale::*number) {
  draw::Curve out{.name = name, .colour = draw::series_colour(draw::light_theme(), index, 2), .points = {}};
  out.marker = index == 0 ? draw::Marker::disc : draw::Marker::square;
  for (const MapScale& one : result.scales) {
    if (std::isfinite(one.*number)) out.points.push_back({static_cast<double>(one.cells), one.*number});
  }
  return out;
}

draw::Figure map_figure(const MapAnalysis& result, const std::string& title) {
  draw::Figure figure;
  figure.title = "Boundary against scale";
  figure.note = title;
  figure.panel_height = 170;
  figure.columns = 1;
  draw::Panel dimensions, shares, entropies;
  for (draw::Panel* panel : {&dimensions, &shares, &entropies})
    panel->x = {.label = "side of the boxes", .unit = "cells of the grid", .logarithmic = true};
  dimensions.y.label = "dimension, from here to the next scale";
  dimensions.y.range = draw::Span{0.9, 2.1};
  dimensions.levels = {1.0, 2.0};
  dimensions.curves = {curve_of("box dimension", 0, result, &MapScale::box_dimension),
                       curve_of("uncertainty dimension", 1, result, &MapScale::uncertainty_dimension)};
  shares.y = {.label = "share of uncertain points", .logarithmic = true};
  shares.curves = {curve_of("", 1, result, &MapScale::uncertain)};
  entropies.y.label = "entropy / nat";
  entropies.y.range =
      draw::Span{0.0, 1.1 * std::log(std::max<double>(2.0, static_cast<double>(result.names.size())))};
  entropies.levels = {std::log(2.0)};
  entropies.curves = {curve_of("basin entropy", 0, result, &MapScale::entropy),
                      curve_of("of the boundary (line: log 2)", 1, result, &MapScale::boundary_entropy)};
  figure.panels = {dimensions, shares, entropies};
  return figure;
}

std::string number_or_dash(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

std::string report(const MapAnalysis& result, const std::string& title) {
  std::string out = title + "\n";
  for (std::size_t c = 0; c < result.names.size(); ++c)
    out += fmt::format("  {:<24} {:.2f} % of the points\n", result.names[c], 100.0 * result.shares[c]);
  out += fmt::format("  {:>6} {:>9} {:>14} {:>11} {:>14} {:>9} {:>12}\n", "cells", "boxes", "box dimension",
                     "uncertain", "its dimension", "entropy", "of boundary");
  for (const MapScale& one : result.scales)
    out += fmt::format("  {:>6} {:>9.0f} {:>14} {:>11.5f} {:>14} {:>9.4f} {:>12}\n", one.cells, one.boxes,
                       number_or_dash(one.box_dimension, "{:.4f}"), one.uncertain,
                       number_or_dash(one.uncertainty_dimension, "{:.4f}"), one.entropy,
                       number_or_dash(one.boundary_entropy, "{:.4f}"));
  out += fmt::format(
      "over all these scales: box dimension {}, uncertainty dimension {}; basin entropy {:.4f}, of the "
      "boundary {} (boxes of 5 x 5 points)\n",
      with_error(result.box_dimension, result.box_error),
      with_error(result.uncertainty_dimension, result.uncertainty_error), result.entropy,
      number_or_dash(result.boundary_entropy, "{:.4f}"));
  return out;
}

void write_files(AnalysisFolder& folder, const MapAnalysis& result, const std::string& title) {
  std::vector<std::vector<double>> rows;
  for (const MapScale& one : result.scales)
    rows.push_back({static_cast<double>(one.cells), one.boxes, one.box_dimension, one.uncertain,
                    one.uncertainty_dimension, one.entropy, one.boundary_entropy});
  folder.table("map.csv",
               {"cells", "boxes", "box_dimension", "uncertain", "uncertainty_dimension", "basin_entropy",
                "boundary_basin_entropy"},
               rows);
  folder.figure("map", map_figure(result, title));
}

int perform(const MapArguments& arguments) {
  const SweepFile sweep = read_map(arguments);
  AnalysisFolder folder(arguments.output);
  const std::size_t measure = measure_of(arguments, sweep);
  const MapAnalysis result = map_analysis(
      classes_of(map_of(sweep, measure), done_cases(sweep), typed_number(arguments.level, "--level")));
  const std::string title =
      fmt::format("{} of {}, {} x {} points", sweep.results.names[measure], sweep.info.scene_name,
                  sweep.results.shape[0], sweep.results.shape[1]);
  return presented({"map", analysis_json(result), report(result, title), result.notes}, folder,
                   arguments.json, [&](AnalysisFolder& into) { write_files(into, result, title); });
}

}  // namespace

Command analyze_map() {
  const auto arguments = std::make_shared<MapArguments>();
  return {
      .name = "map",
      .summary = "the boundaries in a sweep's map: dimensions against scale, basin entropy",
      .usage = "catena analyze map FILE [--measure NAME] [--level X] [-o DIR] [--json]",
      .examples = {{"catena analyze map flip-map.h5 -o out",
                    "the boundary between what turns over and what does not"},
                   {"catena analyze map flip-map.h5 --level 5",
                    "between what turns over within 5 s and the rest"}},
      .operand = {.file = true},
      .declare =
          [arguments](Options& options) {
            options.argument("FILE", &arguments->file, "of a sweep over two axes");
            options.value("-o,--output", &arguments->output, "DIR",
                          "write figure and tables into this folder");
            options.flag("--json", arguments->json, "results as JSON on standard output");
            options.value("--measure", &arguments->measure, "NAME", "which array. Default: the only one");
            options.value(
                "--level", &arguments->level, "X",
                "tell points below X from the others. Default: a few whole numbers are told apart, else "
                "what happens from what does not");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
