#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/label.h"
#include "catena/draw/plot/page.h"
#include "catena/draw/plot/run_figures.h"
#include "catena/draw/plot/sweep_figures.h"
#include "catena/io/record/record.h"
#include "catena/io/record/sweep_file.h"
#include "commands/command.h"
#include "commands/look.h"
#include "commands/pictures.h"
#include "recording/fine_rows.h"
#include "recording/recording.h"
#include "recording/scene_arguments.h"
#include "sweeps.h"
#include "terminal/messages.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

struct PlotArguments {
  std::optional<std::string> run;
  std::optional<std::string> folder;
  std::vector<std::string> quantities, kinds, formats;
  std::optional<std::string> against;
  LookArguments look;
  bool quiet = false;
};

std::vector<std::string> known_words(const std::vector<std::string>& asked,
                                     const std::vector<std::string>& known, const char* option,
                                     const char* what) {
  std::vector<Mistake> mistakes;
  for (const std::string& word : asked) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string near = did_you_mean(word, known);
    mistakes.push_back({{option},
                        fmt::format("there is no {} '{}'{}", what, word,
                                    near.empty() ? ": there are " + alternatives(known) : near)});
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
  return asked;
}

// What to draw: what is asked for; the switches of a classic config; or the usual set.
struct Wanted {
  std::vector<draw::Choice> choices;
  std::vector<std::string> kinds;
};

Wanted wanted(const PlotArguments& arguments, const Recording& recording) {
  const std::vector<Stem>& stems = recording.reader->info().stems;
  const std::vector<std::string> words = split_list(arguments.quantities);
  std::vector<std::string> kinds = split_list(arguments.kinds);
  if (std::find(kinds.begin(), kinds.end(), "all") != kinds.end()) kinds = draw::figure_kinds();
  known_words(kinds, draw::figure_kinds(), "--kinds", "kind of figure");
  Wanted out{draw::choices_for(words, stems, recording.path), kinds};
  if (!words.empty() || !kinds.empty()) return out;
  out.choices = draw::classic_choices(recording.switches, stems);
  if (out.choices.empty() && !arguments.against) out.kinds = draw::default_kinds();
  return out;
}

std::string run_note(const Recording& recording) {
  const std::string settings = settings_of(recording);
  return draw::plain_label(settings.empty() ? recording.name : recording.name + ", " + settings);
}

std::vector<std::pair<std::string, std::string>> facts_of(const Recording& recording) {
  const auto summary = nlohmann::json::parse(recording.reader->state().summary_json, nullptr, false);
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const char* key, const char* name, const char* unit) {
    if (!summary.is_object() || !summary.contains(key) || !summary[key].is_number()) return;
    facts.emplace_back(name, fmt::format("{:.4g}{}", summary[key].get<double>(), unit));
  };
  add("simulated_seconds", "simulated", " s");
  add("wall_seconds", "computed in", " s");
  add("steps", "steps", "");
  add("energy_error_relative", "largest energy error over its scale", "");
  add("constraint_error", "largest constraint error", "");
  return facts;
}

std::string command_line(const PlotArguments& arguments, const std::string& folder) {
  std::string line = "catena plot " + shell_word(*arguments.run) + " -o " + shell_word(folder);
  const auto add = [&](const char* option, const std::vector<std::string>& words) {
    if (!words.empty()) line += fmt::format(" {} {}", option, fmt::join(split_list(words), ","));
  };
  add("--quantities", arguments.quantities);
  add("--kinds", arguments.kinds);
  add("--format", arguments.formats);
  if (arguments.against) line += " --against " + shell_word(*arguments.against);
  if (arguments.look.theme != "light") line += " --theme " + arguments.look.theme;
  if (arguments.look.language != "en") line += " --lang " + arguments.look.language;
  return line;
}

fs::path made_folder(const PlotArguments& arguments, const std::string& name) {
  const fs::path folder = arguments.folder ? fs::path(*arguments.folder) : fs::path(name + "-figures");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw InputError({folder.string()},
                     fmt::format("cannot be a folder for figures: {}",
                                 error ? error.message() : "there is a file of that name"));
  }
  return folder;
}

std::vector<draw::RunFigure> figures_of(const PlotArguments& arguments, Recording& recording,
                                        const draw::FigureOptions& options) {
  const Wanted what = wanted(arguments, recording);
  const draw::RunRows rows = rows_of(recording);
  const Scene* scene = recording.scene ? &*recording.scene : nullptr;
  const bool has_curves = std::any_of(what.kinds.begin(), what.kinds.end(), draw::shows_curves);
  const FineRows fine = has_curves ? fine_rows(recording) : FineRows{};
  if (!fine.note.empty() && !arguments.quiet) note("curves are straight between rows: " + fine.note);
  std::vector<draw::RunFigure> figures = draw::run_figures(rows, scene, what.choices, what.kinds, options,
                                                           fine.rows.rows > 0 ? &fine.rows : nullptr);
  if (arguments.against) {
    Recording other = find_recording(*arguments.against);
    figures.insert(figures.begin(), draw::distance_figure(rows, rows_of(other), options));
  }
  if (figures.empty()) {
    throw InputError({recording.path},
                     "has no columns for these figures; `catena run` records everything unless "
                     "--quantities says otherwise");
  }
  return figures;
}

// The value of an axis at a place of its grid, between points as well.
double value_at(const SweepAxisValues& axis, double place) {
  const auto below = std::min(static_cast<std::size_t>(place), axis.values.size() - 1);
  const std::size_t above = std::min(below + 1, axis.values.size() - 1);
  const double part = place - static_cast<double>(below);
  return axis.values[below] + part * (axis.values[above] - axis.values[below]);
}

// Over maps of two axes: where the energy does not suffice for an event, and ridges of finite-time exponents.
std::vector<draw::MapOverlay> overlays_of(const SweepFile& sweep) {
  std::vector<draw::MapOverlay> out;
  if (sweep.results.shape.size() != 2 || sweep.info.axes.size() != 2) return out;
  const auto point = [&](const std::array<double, 2>& at) {
    return draw::Point{value_at(sweep.info.axes[0], at[0]), value_at(sweep.info.axes[1], at[1])};
  };
  for (const EnergyContour& one : energy_contours(sweep)) {
    if (one.lines.empty()) continue;
    draw::MapOverlay overlay{one.measure, {}, {}, {}};
    overlay.words = fmt::format(
        "line: starts with {:.6g} J, the least energy of any state where this happens; with less it is "
        "impossible",
        one.energy);
    for (const GridLine& line : one.lines) overlay.lines.push_back({point(line[0]), point(line[1])});
    out.push_back(std::move(overlay));
  }
  const nlohmann::json plan = nlohmann::json::parse(sweep.info.plan_json, nullptr, false);
  for (std::size_t m = 0; m < sweep.results.names.size(); ++m) {
    if (plan["measures"][m].value("indicator", "") != "ftle") continue;
    draw::MapOverlay overlay{sweep.results.names[m], {}, {}, "dots: its ridges", "ridges"};
    for (const auto& at : ridges(map_of(sweep, m))) overlay.dots.push_back(point(at));
    if (!overlay.dots.empty()) out.push_back(std::move(overlay));
  }
  return out;
}

// A file of a sweep: maps, curves, histograms, and a page to zoom into maps.
int plot_sweep(const PlotArguments& arguments, const std::vector<std::string>& formats) {
  for (const auto& [option, given] : {std::pair{"--quantities", !arguments.quantities.empty()},
                                      std::pair{"--kinds", !arguments.kinds.empty()},
                                      std::pair{"--against", arguments.against.has_value()}}) {
    if (given)
      throw InputError({option},
                       "is for recorded runs, and this is a file of a sweep: all measures are drawn");
  }
  const SweepFile sweep = read_sweep_file(*arguments.run);
  if (!sweep.results.is_whole())
    throw InputError({*arguments.run}, "is one shard of a sweep: `catena merge` joins all of them first");
  const std::string name = name_from_path(*arguments.run);
  const fs::path folder = made_folder(arguments, name);
  draw::Page page;
  page.title = name;
  page.note = fmt::format("sweep of {}", sweep.info.scene_name);
  page.command = command_line(arguments, folder.string());
  for (const CaseStatus status :
       {CaseStatus::done, CaseStatus::failed, CaseStatus::skipped, CaseStatus::not_computed}) {
    constexpr const char* kWords[] = {"done", "failed", "skipped", "not computed"};
    const std::uint64_t count = sweep.results.counted(status);
    if (count > 0) page.facts.emplace_back(kWords[static_cast<int>(status)], counted(count, "case"));
  }
  for (const draw::SweepPicture& one :
       draw::draw_sweep(sweep, theme_of(arguments.look), folder.string(), formats, overlays_of(sweep))) {
    draw::PageFigure shown;
    shown.title = one.title;
    shown.caption = one.caption;
    for (const std::string& format : formats)
      (shown.file.empty() && format != "pdf" ? shown.file : shown.others.emplace_back()) =
          one.name + "." + format;
    page.figures.push_back(std::move(shown));
  }
  const std::string zoom = draw::zoom_page(sweep);
  if (!zoom.empty()) {
    write_whole((folder / "zoom.html").string(), zoom);
    page.facts.emplace_back("to look closely", "zoom.html");
  }
  write_whole((folder / "index.html").string(), draw::html(page));
  if (!arguments.quiet)
    fmt::print("wrote {} to {}: open {}\n", counted(page.figures.size(), "figure"), folder.string(),
               (folder / (zoom.empty() ? "index.html" : "zoom.html")).string());
  return kDone;
}

int perform(const PlotArguments& arguments) {
  if (!arguments.run) throw InputError({}, "`catena plot` needs a recorded run: catena plot demo.h5");
  std::vector<std::string> formats = split_list(arguments.formats);
  known_words(formats, {"png", "svg", "pdf"}, "--format", "format");
  if (formats.empty()) formats = {"png", "svg"};
  if (is_sweep_file(*arguments.run)) return plot_sweep(arguments, formats);
  Recording recording = find_recording(*arguments.run);
  draw::FigureOptions options;
  options.theme = theme_of(arguments.look);
  options.language = language_of(arguments.look);
  options.note = run_note(recording);
  const std::vector<draw::RunFigure> figures = figures_of(arguments, recording, options);

  const fs::path folder = made_folder(arguments, recording.name);
  draw::Page page;
  page.title = recording.name;
  page.note = settings_of(recording);
  page.language = options.language == draw::Language::japanese ? "ja" : "en";
  page.command = command_line(arguments, folder.string());
  page.facts = facts_of(recording);
  for (const draw::RunFigure& figure : figures) {
    draw::PageFigure shown;
    shown.title = draw::figure_title(figure.name, options.language);
    shown.caption = figure.caption;
    for (const std::string& format : formats) {
      const std::string file = figure.name + "." + format;
      draw::draw(figure, options.theme, (folder / file).string());
      (shown.file.empty() && format != "pdf" ? shown.file : shown.others.emplace_back()) = file;
    }
    page.figures.push_back(std::move(shown));
  }
  write_whole((folder / "index.html").string(), draw::html(page));
  if (!arguments.quiet) {
    fmt::print("wrote {} to {}: open {}\n", counted(figures.size(), "figure"), folder.string(),
               (folder / "index.html").string());
  }
  return kDone;
}

}  // namespace

void plot_into(const std::string& run, const std::string& folder) {
  PlotArguments arguments;
  arguments.run = run;
  arguments.folder = folder;
  arguments.quiet = true;
  perform(arguments);
}

Command plot_command() {
  const auto arguments = std::make_shared<PlotArguments>();
  return {
      .name = "plot",
      .summary = "draw figures of a recorded run or a sweep",
      .usage = "catena plot FILE|SCENE [-o DIR] [options]",
      .examples = {{"catena plot demo.h5", "paths, angles, energies and phase portraits into demo-figures"},
                   {"catena plot demo.h5 --quantities theta_1,tension,energy_error -o out",
                    "these over time"},
                   {"catena plot config.toml", "what the switches of a classic config ask for"},
                   {"catena plot a.h5 --against b.h5", "how far two runs are apart"},
                   {"catena plot flip-map.h5", "the maps of a sweep, and a page to zoom in"}},
      .operand = {.file = true},
      .declare =
          [arguments](Options& options) {
            const auto list = [&](const char* name, std::vector<std::string>& into, const std::string& text) {
              options.list(name, into, "LIST", text);
            };
            options.argument(
                "FILE", &arguments->run,
                fmt::format("a recorded run ({}) or a sweep, or a scene whose recording is there",
                            fmt::join(run_endings(), " ")));
            options.value("-o,--output", &arguments->folder, "DIR",
                          "folder for the figures. Default: <name>-figures");
            list("--quantities", arguments->quantities,
                 "draw these over time: columns (energy), stems (theta) or groups (position), with commas "
                 "between");
            list("--kinds", arguments->kinds,
                 fmt::format("kinds of figures: {}, or all. Default without --quantities: {}",
                             fmt::join(draw::figure_kinds(), ", "), fmt::join(draw::default_kinds(), ", ")));
            list("--format", arguments->formats, "png, svg, pdf. Default: png,svg");
            options.value("--against", &arguments->against, "FILE",
                          "another run: how far the bobs of the two are apart");
            arguments->look.declare(options);
            options.flag("-q,--quiet", arguments->quiet, "say nothing unless something is wrong");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
