#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>

#include "analyses.h"
#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/colour.h"
#include "catena/draw/label.h"
#include "commands/analysis_folder.h"
#include "commands/analyze.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"

namespace catena::cli {
namespace {

struct SectionArguments {
  AnalyzeArguments common;
  std::optional<std::string> when, starts, energy, colour;
  std::string direction = "rising";
  std::vector<std::string> axes;
  bool quiet = false;
};

// "a,b" at the commas that are in no parentheses.
std::vector<std::string> split_axes(const std::vector<std::string>& given) {
  std::vector<std::string> out;
  for (const std::string& text : given) {
    int depth = 0;
    out.emplace_back();
    for (const char c : text) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0)
        out.emplace_back();
      else
        out.back() += c;
    }
  }
  for (std::string& one : out) one = std::string(trimmed(one));
  return out;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> out{""};
  for (const char c : line) {
    if (c == ',')
      out.emplace_back();
    else if (c != '\r' && c != '"')
      out.back() += c;
  }
  for (std::string& one : out) one = std::string(trimmed(one));
  return out;
}

// A table of starts: names are paths of the scene's numbers, rows are their values.
std::vector<Scene> starts_in(const std::string& file, const SectionArguments& arguments) {
  std::ifstream in(file);
  if (!in)
    throw InputError({"--starts " + file},
                     "this is neither a number nor a file that can be read; a file is CSV whose "
                     "header names the scene's numbers, as equations.states.x");
  std::string line;
  std::vector<std::string> paths;
  std::vector<Scene> out;
  std::vector<Mistake> mistakes;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = fields_of(line);
    if (paths.empty()) {
      paths = fields;
      continue;
    }
    if (fields.size() != paths.size()) {
      mistakes.push_back(
          {{file, number},
           fmt::format("{} where the header has {}", counted(fields.size(), "value"), paths.size())});
      continue;
    }
    SceneArguments one = arguments.common.scene;
    for (std::size_t i = 0; i < paths.size(); ++i) one.set.push_back(paths[i] + "=" + fields[i]);
    try {
      out.push_back(scene_of(find_scene(*one.scene), one));
    } catch (const InputError& error) {
      for (Mistake mistake : error.mistakes()) {
        mistake.message = fmt::format("{}:{}: {}", file, number, mistake.message);
        mistakes.push_back(std::move(mistake));
      }
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  if (out.empty()) throw InputError({file}, "there are no starts in it");
  return out;
}

SectionOptions options_of(const SectionArguments& arguments, const Scene& scene) {
  SectionOptions options;
  std::vector<Mistake> mistakes;
  const std::vector<std::string> axes = split_axes(arguments.axes);
  if (!arguments.when)
    mistakes.push_back({{}, "a section needs --when FORMULA: it is where the formula vanishes"});
  if (axes.size() != 2)
    mistakes.push_back({{}, "a section needs two axes: --axes a,b, columns or formulas of them"});
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  options.when = *arguments.when;
  options.direction = arguments.direction;
  options.axes = {axes[0], axes[1]};
  options.duration = scene.simulation.duration;
  options.energy = typed_number(arguments.energy, "--energy");
  options.indicator = arguments.colour.value_or("");
  if (!arguments.starts) return options;
  const auto number = leading_number(*arguments.starts);
  if (!number || !number->rest.empty()) {
    options.scenes = starts_in(*arguments.starts, arguments);
    return options;
  }
  if (!(number->value >= 1.0) || number->value > 1e6 || number->value != std::floor(number->value))
    throw InputError({"--starts " + *arguments.starts}, "must be a whole number from 1, or a file");
  options.starts = static_cast<std::size_t>(number->value);
  return options;
}

// How starts are coloured: by their number, or by an indicator along its range.
struct StartColours {
  double low = 0.0, high = 0.0;
  bool logarithmic = false;

  StartColours(const SectionResult& result, bool by_indicator) {
    if (!by_indicator) {
      high = std::max(1.0, static_cast<double>(result.starts.size()) - 1.0);
      return;
    }
    low = INFINITY;
    high = -INFINITY;
    for (const SectionStart& one : result.starts) {
      if (!std::isfinite(one.indicator)) continue;
      low = std::min(low, one.indicator);
      high = std::max(high, one.indicator);
    }
    logarithmic = low > 0.0 && high > 30.0 * low;
    if (!(low < high)) high = low + 1.0;
  }
  draw::Colour of(double value) const {
    if (!std::isfinite(value)) return draw::light_theme().muted;
    const double part =
        logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return draw::sequence_colour(draw::light_theme(), part);
  }
};

draw::Figure section_figure(const SectionResult& result, const SectionOptions& options,
                            const std::string& scene) {
  draw::Panel panel;
  panel.x.label = result.axes[0];
  panel.y.label = result.axes[1];
  const std::size_t count = result.starts.size();
  const bool by_indicator = !options.indicator.empty();
  const StartColours colours(result, by_indicator);
  for (std::size_t s = 0; s < count; ++s) {
    draw::Curve curve;
    curve.colour = by_indicator ? colours.of(result.starts[s].indicator)
                   : count > 8  ? colours.of(static_cast<double>(s))
                                : draw::series_colour(draw::light_theme(), s, count);
    curve.marker = draw::Marker::dots;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
      if (result.start_of[i] != s) continue;
      curve.points.push_back({result.points[i][0], result.points[i][1]});
    }
    panel.curves.push_back(std::move(curve));
  }
  draw::Figure figure =
      one_panel("Surface of section", fmt::format("{}, {} = 0, {}", scene, options.when, options.direction),
                560.0, std::move(panel));
  figure.width = 720;
  if (by_indicator)
    figure.key = draw::ColourKey{draw::plain_label(options.indicator), fmt::format("{:.3g}", colours.low),
                                 fmt::format("{:.3g}", colours.high)};
  else if (count > 8)
    figure.key = draw::ColourKey{"start", "1", std::to_string(count)};
  return figure;
}

void write_files(AnalysisFolder& folder, const SectionResult& result, const SectionOptions& options,
                 const std::string& scene) {
  std::vector<std::vector<double>> rows, starts;
  for (std::size_t i = 0; i < result.points.size(); ++i)
    rows.push_back({static_cast<double>(result.start_of[i] + 1), result.times[i], result.points[i][0],
                    result.points[i][1]});
  folder.table("section.csv", {"start", "t", result.axes[0], result.axes[1]}, rows);
  for (std::size_t i = 0; i < result.starts.size(); ++i) {
    const SectionStart& one = result.starts[i];
    starts.push_back({static_cast<double>(i + 1), one.energy, static_cast<double>(one.points),
                      one.mean_return, one.winding, one.winding_error, one.indicator});
  }
  folder.table("starts.csv",
               {"start", "energy", "points", "mean_return", "winding", "winding_error", "indicator"}, starts);
  folder.figure("section", section_figure(result, options, scene));
}

std::string report(const SectionResult& result, const std::string& scene) {
  std::string out =
      fmt::format("{}: {} of {}; the formula is {:.1e} of its scale at most there\n", scene,
                  counted(result.points.size(), "point"), counted(result.starts.size(), "start"),
                  result.scale > 0.0 ? result.residual / result.scale : result.residual);
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(result.starts.size(), kShown); ++i) {
    const SectionStart& one = result.starts[i];
    out +=
        fmt::format("  start {:<3} {:>6} points, returns after {:.5g} s", i + 1, one.points, one.mean_return);
    if (std::isfinite(one.winding))
      out += fmt::format(", winds by {:.8f} ({:.0e})", one.winding, one.winding_error);
    if (std::isfinite(one.indicator)) out += fmt::format(", {:.6g}", one.indicator);
    out += "\n";
  }
  if (result.starts.size() > kShown) out += "  .. -o DIR has all of them\n";
  return out;
}

int perform(const SectionArguments& arguments) {
  const Scene scene = analyzed_scene(arguments.common, "section");
  AnalysisFolder folder(arguments.common.output);
  tell_of_stops(scene);
  SectionOptions options = options_of(arguments, scene);
  watch_interrupts();
  options.stop = &interrupted();
  ProgressBar bar(!arguments.quiet);
  options.progress = [&](double time, double end) { bar.update(time, end); };
  const SectionResult result = section(scene, options);
  bar.clear();
  return presented({"section", analysis_json(result), report(result, scene.name), result.notes,
                    result.outcome, result.message},
                   folder, arguments.common.json,
                   [&](AnalysisFolder& into) { write_files(into, result, options, scene.name); });
}

}  // namespace

Command analyze_section() {
  const auto arguments = std::make_shared<SectionArguments>();
  return {
      .name = "section",
      .summary = "surfaces of section: where motions pass a surface",
      .usage =
          "catena analyze section SCENE --when FORMULA --axes A,B [--starts N|FILE] [--energy E] [-o DIR]",
      .examples =
          {{"catena analyze section henon-heiles --when x --axes y,py --starts 30 --duration 2000 -o out",
            "thirty starts on the scene's energy"},
           {"catena analyze section double-pendulum --when theta_1 --axes theta_2,theta_dot_2 --energy -20 "
            "--starts 20 --duration 500 -o out",
            "on another"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            arguments->common.declare(options);
            options.value("--when", &arguments->when, "FORMULA",
                          "of columns and t: the section is where it vanishes");
            options.list("--axes", arguments->axes, "A,B", "two columns, or formulas of them");
            options.value("--direction", &arguments->direction, "D",
                          "rising, falling or any. Default: rising");
            options.value(
                "--starts", &arguments->starts, "N|FILE",
                "so many, spread over the section on one energy; or a table whose header names numbers "
                "of the scene");
            options.value("--energy", &arguments->energy, "E", "of these starts, J. Default: the scene's");
            options.value("--colour", &arguments->colour, "INDICATOR",
                          "colour points by an indicator of their motion, one of `catena list indicators`. "
                          "Default: by start");
            options.flag("-q,--quiet", arguments->quiet, "no progress");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
