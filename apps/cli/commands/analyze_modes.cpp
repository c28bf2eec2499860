#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/film/film.h"
#include "catena/draw/label.h"
#include "catena/draw/plot/figure.h"
#include "commands/analysis_folder.h"
#include "commands/analyze.h"
#include "commands/look.h"
#include "modes_and_orbits.h"
#include "recording/recording.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/terminal.h"
#include "video/motion.h"
#include "video/video_pipe.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

struct ModesArguments : AnalyzeArguments {
  std::vector<std::string> outputs, inputs;
  bool no_video = false;
  LookArguments look;
};

// The columns that stand for places in the linear model: few, and independent.
std::vector<std::size_t> shown_columns(const Modes& modes) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < modes.columns.size(); ++i) {
    const std::vector<std::string>& states = modes.model.states;
    if (std::find(states.begin(), states.end(), modes.columns[i]) != states.end()) out.push_back(i);
  }
  return out;
}

std::string shape_text(const Modes& modes, const Mode& mode) {
  std::string out;
  std::size_t told = 0;
  const std::vector<std::size_t> shown = shown_columns(modes);
  for (const std::size_t i : shown) {
    if (++told > 5) return out + ", ..";
    out += fmt::format("{}{} {:.4g}", out.empty() ? "" : ", ", modes.columns[i], mode.columns[i].real());
    if (std::fabs(mode.columns[i].imag()) > 1e-9) out += fmt::format("{:+.4g}i", mode.columns[i].imag());
  }
  return out;
}

std::string report(const Modes& modes) {
  std::string out = "equilibrium: ";
  const std::vector<std::size_t> shown = shown_columns(modes);
  for (std::size_t k = 0; k < shown.size() && k < 8; ++k)
    out += fmt::format("{}{} {:.9g}", k == 0 ? "" : ", ", modes.columns[shown[k]],
                       std::fabs(modes.row[shown[k]]) < 1e-13 ? 0.0 : modes.row[shown[k]]);
  if (shown.size() > 8) out += ", ..";
  out += fmt::format("\n{}\n", stability_text(modes.stability));
  for (const RestingFamily& family : modes.families) {
    const std::string along = fmt::format("{}", fmt::join(family.columns, ", "));
    out += family.level ? fmt::format("equilibria side by side, along {}\n", along)
                        : fmt::format("nothing pulls it back along {}, to first order\n", along);
  }
  out += "mode  frequency rad/s         period s  damping     shape\n";
  for (std::size_t k = 0; k < modes.modes.size(); ++k) {
    const Mode& mode = modes.modes[k];
    const double swing = std::fabs(mode.eigenvalue.imag());
    out += fmt::format("{:>4}  {:<20.15g}  {:>9}  {:<10.4g}  {}\n", k + 1, mode.frequency(),
                       swing > 0.0 ? fmt::format("{:.5g}", 2 * M_PI / swing) : "-", mode.damping(),
                       shape_text(modes, mode));
  }
  const LinearModel& model = modes.model;
  out += fmt::format("linear model: states {}; {}; --json has a, b, c, d\n", fmt::join(model.states, ", "),
                     model.inputs.empty() ? "no motor is an input"
                                          : fmt::format("inputs {}", fmt::join(model.inputs, ", ")));
  return out;
}

// ---- pictures ---------------------------------------------------------------------------------------------

constexpr std::size_t kMostShown = 12;  // modes with pictures

draw::Figure shapes_figure(const Modes& modes, const Scene& scene, const draw::Theme& theme) {
  draw::Figure figure;
  figure.title = "Mode shapes";
  figure.note = draw::plain_label(scene.name);
  figure.columns = std::min<std::size_t>(3, modes.modes.size());
  figure.panel_height = 120;
  const std::vector<std::size_t> shown = shown_columns(modes);
  for (std::size_t k = 0; k < modes.modes.size() && k < kMostShown; ++k) {
    const Mode& mode = modes.modes[k];
    draw::Panel panel;
    panel.x.label = fmt::format("mode {}: {:.4g} rad/s{}", k + 1, mode.frequency(),
                                mode.damping() != 0.0 ? fmt::format(", damping {:.3g}", mode.damping()) : "");
    panel.y.label = k % figure.columns == 0 ? "of the largest" : "";
    panel.y.range = draw::Span{-1.15, 1.15};
    panel.x.range = draw::Span{0.5, static_cast<double>(shown.size()) + 0.5};
    panel.levels = {0.0};
    draw::Curve real{.colour = draw::series_colour(theme, 0, 2), .points = {}};
    draw::Curve imaginary{.colour = draw::series_colour(theme, 1, 2), .points = {}, .dashed = true};
    double largest = 0.0;
    for (const std::size_t i : shown) largest = std::max(largest, std::abs(mode.columns[i]));
    for (std::size_t j = 0; j < shown.size(); ++j) {
      const std::complex<double> value = mode.columns[shown[j]] / std::max(largest, 1e-300);
      real.points.push_back({static_cast<double>(j + 1), value.real()});
      imaginary.points.push_back({static_cast<double>(j + 1), value.imag()});
    }
    real.marker = imaginary.marker = draw::Marker::disc;
    const bool out_of_step = std::any_of(imaginary.points.begin(), imaginary.points.end(),
                                         [](const draw::Point& p) { return std::fabs(p.y) > 1e-9; });
    if (out_of_step) {
      real.name = "in step";
      imaginary.name = "a quarter behind";
    }
    panel.curves.push_back(std::move(real));
    if (out_of_step) panel.curves.push_back(std::move(imaginary));
    figure.panels.push_back(std::move(panel));
  }
  std::string names;
  for (std::size_t j = 0; j < shown.size() && j < 8; ++j)
    names += fmt::format("{}{} {}", j == 0 ? "" : ", ", j + 1, modes.columns[shown[j]]);
  figure.note += "; " + names + (shown.size() > 8 ? ", .." : "");
  return figure;
}

// How far a film swings: a radian, and a quarter of what there is to see.
double film_size(const Modes& modes, const Mode& mode, const draw::Motion& at_rest) {
  Vec3 low{}, high{};
  for (const Vec3& end : at_rest.samples[0].ends) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], end[i]);
      high[i] = std::max(high[i], end[i]);
    }
  }
  const double extent = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-3});
  double size = INFINITY;
  for (std::size_t i = 0; i < modes.columns.size(); ++i) {
    const std::string& name = modes.columns[i];
    const bool is_place =
        name.size() > 2 && name[1] == '_' && (name[0] == 'x' || name[0] == 'y' || name[0] == 'z');
    const double moves = std::abs(mode.columns[i]);
    if (moves > 1e-9) size = std::min(size, (is_place ? 0.25 * extent : 1.0) / moves);
  }
  return std::isfinite(size) ? size : 0.1;
}

void write_mode(const ModesArguments& arguments, const Scene& scene, const Modes& modes, std::size_t k,
                const fs::path& folder) {
  constexpr std::size_t kFrames = 90;
  const Mode& mode = modes.modes[k];
  const ModeRows rest = mode_rows(scene, modes, k, 0.0, 1, film_words(scene));
  const double size = film_size(modes, mode, motion_of_rows(scene, rest.stems, rest.rows));
  const ModeRows rows = mode_rows(scene, modes, k, size, kFrames, film_words(scene));
  draw::Motion motion = motion_of_rows(scene, rows.stems, rows.rows);
  if (motion.skeleton.links.empty()) return;
  draw::FilmLook look;
  look.width = 640;
  look.height = 480;
  look.theme = theme_of(arguments.look);
  look.language = language_of(arguments.look);
  look.title =
      fmt::format("{}, mode {}: {:.4g} rad/s", draw::plain_label(scene.name), k + 1, mode.frequency());
  look.gaze = draw::Gaze{-80 * M_PI / 180, 8 * M_PI / 180};  // what swings in the plane of x and z is seen
  look.trail = 0.0;
  look.read_out = false;
  const std::string name = fmt::format("mode-{}", k + 1);
  {  // one side, with the equilibrium and the other side behind it
    draw::Motion one = motion, middle = motion, other = motion;
    one.samples = {motion.samples[0], motion.samples[kFrames / 2]};
    middle.samples = {motion.samples[kFrames / 4], motion.samples[kFrames / 4]};
    other.samples = {motion.samples[kFrames / 2], motion.samples[kFrames / 2]};
    draw::Film film(std::move(one), {std::move(middle), std::move(other)}, look);
    const draw::Image& image = film.frame(0);
    draw::Canvas sheet =
        draw::Canvas::to_file((folder / (name + ".png")).string(), image.width, image.height, 1.0);
    sheet.image(image, {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)});
    sheet.finish();
  }
  if (arguments.no_video) return;
  draw::Film film(std::move(motion), {}, look);
  VideoPipe pipe((folder / (name + ".mp4")).string(), look.width, look.height, 60.0);
  constexpr std::size_t kRounds = 2;
  for (std::size_t frame = 0; frame < kRounds * kFrames; ++frame) {
    if (interrupted().load()) return;
    pipe.write(film.frame(frame % kFrames));
  }
  pipe.finish();
}

void write_files(AnalysisFolder& folder, const ModesArguments& arguments, const Scene& scene,
                 const Modes& modes) {
  folder.figure("modes", shapes_figure(modes, scene, folder.theme()));
  if (scene.by_formulas()) return;
  bool films = true;
  for (std::size_t k = 0; k < modes.modes.size() && k < kMostShown && !interrupted().load(); ++k) {
    ModesArguments one = arguments;
    one.no_video = arguments.no_video || !films;
    try {
      write_mode(one, scene, modes, k, *arguments.output);
    } catch (const InputError& error) {  // no ffmpeg: the pictures are there
      note(error.what());
      films = false;
    }
  }
  if (modes.modes.size() > kMostShown)
    note(fmt::format("pictures and films are of the first {} modes; modes.json has all {}", kMostShown,
                     modes.modes.size()));
}

int perform(const ModesArguments& arguments) {
  const Scene scene = analyzed_scene(arguments, "modes");
  ModesOptions options;
  options.outputs = split_list(arguments.outputs);
  options.inputs = inputs_of(scene, split_list(arguments.inputs));
  watch_interrupts();
  const Modes modes = find_modes(scene, options);
  AnalysisFolder folder(arguments.output, theme_of(arguments.look));
  return presented({"modes", modes_json(modes, scene.name), report(modes), modes.warnings}, folder,
                   arguments.json, [&](AnalysisFolder& into) { write_files(into, arguments, scene, modes); });
}

}  // namespace

Command analyze_modes() {
  const auto arguments = std::make_shared<ModesArguments>();
  return {
      .name = "modes",
      .summary = "the equilibrium near the start: its stability, frequencies, mode shapes and linear model",
      .usage = "catena analyze modes SCENE [-o DIR] [--json] [options]",
      .examples = {{"catena analyze modes double-pendulum", "frequencies and shapes"},
                   {"catena analyze modes hanging-chain -o out", "with pictures and a film of each mode"},
                   {"catena analyze modes cart-pole --outputs travel_rail,tension_rod --json",
                    "the linear model a, b, c, d"}},
      .operand = {.scene = true, .file = true},
      .declare =
          [arguments](Options& options) {
            arguments->declare(options);
            options.list("--outputs", arguments->outputs, "LIST",
                         "columns that are outputs of the linear model. Default: positions and angles");
            options.list("--inputs", arguments->inputs, "PATHS",
                         "numbers of the scene that are inputs beside its motors");
            options.flag("--no-video", arguments->no_video, "with -o: no films");
            arguments->look.declare(options);
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
