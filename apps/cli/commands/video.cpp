#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/draw/film/film.h"
#include "catena/draw/label.h"
#include "catena/io/record/record.h"
#include "commands/command.h"
#include "commands/look.h"
#include "commands/pictures.h"
#include "commands/report.h"
#include "recording/recording.h"
#include "recording/scene_arguments.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/terminal.h"
#include "video/motion.h"
#include "video/video_pipe.h"

namespace catena::cli {
namespace {

struct VideoArguments {
  std::optional<std::string> run;
  std::optional<std::string> output;
  std::optional<std::string> size, fps, speed, from, to, at, trail, azimuth, elevation;
  std::string camera = "fixed";
  std::vector<std::string> panels, ghosts;
  bool interpolate = false, plain = false, quiet = false;
  LookArguments look;
};

double number(const std::optional<std::string>& typed, const char* option, double usual, double least,
              double most) {
  if (!typed) return usual;
  const auto read = leading_number(trimmed(*typed));
  if (!read || !read->rest.empty() || !(read->value >= least && read->value <= most)) {
    throw InputError(
        {fmt::format("{} {}", option, *typed)},
        fmt::format("must be a number between {} and {}", number_text(least), number_text(most)));
  }
  return read->value;
}

struct Size {
  int width, height;
};

Size size_of(const VideoArguments& arguments, bool is_gif) {
  if (!arguments.size) return is_gif ? Size{640, 360} : Size{1280, 720};
  const std::string& typed = *arguments.size;
  const std::size_t cross = typed.find('x');
  const auto width = leading_number(typed.substr(0, cross));
  const auto height = cross == std::string::npos ? std::nullopt : leading_number(typed.substr(cross + 1));
  const auto fits = [](const std::optional<LeadingNumber>& side) {
    return side && side->value >= 64 && side->value <= 8192 && std::fmod(side->value, 2.0) == 0.0;
  };
  if (!fits(width) || !fits(height)) {
    throw InputError({"--size " + typed},
                     "must be WIDTHxHEIGHT in even numbers of pixels from 64 to 8192, as in 1280x720");
  }
  return {static_cast<int>(width->value), static_cast<int>(height->value)};
}

std::vector<draw::SidePanel> panels_of(const VideoArguments& arguments) {
  std::vector<draw::SidePanel> out;
  const std::vector<std::pair<std::string, draw::SidePanel>> known = {{"energy", draw::SidePanel::energy},
                                                                      {"phase", draw::SidePanel::phase},
                                                                      {"angles", draw::SidePanel::angles}};
  for (const std::string& word : split_list(arguments.panels)) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == word; });
    if (found == known.end()) {
      throw InputError({"--panels"},
                       fmt::format("there is no panel '{}': there are energy, phase and angles", word));
    }
    out.push_back(found->second);
  }
  return out;
}

constexpr double kDegree = std::numbers::pi / 180;

draw::FilmLook film_look(const VideoArguments& arguments, const Recording& recording, Size size, double fps) {
  draw::FilmLook look;
  look.width = size.width;
  look.height = size.height;
  look.theme = theme_of(arguments.look);
  look.language = language_of(arguments.look);
  look.title = arguments.plain ? "" : draw::plain_label(recording.name);
  look.read_out = !arguments.plain;
  look.trail = number(arguments.trail, "--trail", 1.5, 0, 1e6);
  look.panels = panels_of(arguments);
  if (arguments.camera == "turning") {
    constexpr double kTurnsPerSecond = 1.0 / 40;
    look.turn = 2 * std::numbers::pi * kTurnsPerSecond / fps;
  } else if (arguments.camera == "front") {
    look.gaze = draw::Gaze{-90 * kDegree, 4 * kDegree};
  } else if (arguments.camera == "side") {
    look.gaze = draw::Gaze{0, 4 * kDegree};
  } else if (arguments.camera == "top") {
    look.gaze = draw::Gaze{-90 * kDegree, 85 * kDegree};
  } else if (arguments.camera != "fixed") {
    throw InputError({"--camera " + arguments.camera}, "there are fixed, turning, front, side and top");
  }
  if (arguments.azimuth || arguments.elevation) {
    look.gaze = draw::Gaze{number(arguments.azimuth, "--azimuth", -41, -3600, 3600) * kDegree,
                           number(arguments.elevation, "--elevation", 22, -89, 89) * kDegree};
  }
  return look;
}

// Trails of few bobs are sampled more often than frames, so that they look round.
std::size_t samples_per_frame(std::size_t links, double seconds_per_frame) {
  const double wanted = links <= 12 ? 4 : links <= 30 ? 2 : 1;
  constexpr double kFine = 1.0 / 480;
  return static_cast<std::size_t>(std::clamp(std::ceil(seconds_per_frame / kFine), 1.0, wanted));
}

std::size_t link_count(const Recording& recording) {
  std::size_t count = 0;
  for (const Chain& chain : recording.scene ? recording.scene->chains : std::vector<Chain>{})
    count += chain.links.size();
  return count;
}

struct Timing {
  MotionTimes times;
  std::size_t frames = 1;
};

Timing timing_of(const VideoArguments& arguments, Recording& recording, double fps, double speed,
                 bool still) {
  const double end = last_time(recording);
  constexpr double kLongest = 60;
  double from = number(arguments.from, "--from", 0.0, 0.0, end);
  const double usual = std::min(end, from + kLongest * speed);
  double to = number(arguments.to, "--to", usual, from, end);
  if (!still && !arguments.to && usual < end) {
    note(fmt::format("shows the first {} s of {} s; --to and --speed change that", number_text(usual),
                     number_text(end)));
  }
  if (still) to = number(arguments.at, "--at", end, 0.0, end);
  Timing timing;
  const double per_frame = speed / fps;
  timing.times.per_frame = samples_per_frame(link_count(recording), per_frame);
  timing.times.interval = per_frame / static_cast<double>(timing.times.per_frame);
  if (still) {  // samples before it, for its trails
    const double trail = number(arguments.trail, "--trail", 1.5, 0, 1e6);
    // Plots beside it show everything from the start.
    from = arguments.panels.empty() ? std::max(0.0, to - trail) : std::min(from, to);
    const double samples = std::floor((to - from) / timing.times.interval + 1e-9);
    timing.times.per_frame = 1;
    timing.times.count = static_cast<std::size_t>(samples) + 1;
    timing.times.start = to - samples * timing.times.interval;
    timing.frames = timing.times.count;
    return timing;
  }
  timing.frames = static_cast<std::size_t>(std::max(1.0, std::round((to - from) / per_frame)));
  timing.times.start = from;
  timing.times.count = (timing.frames - 1) * timing.times.per_frame + 1;
  return timing;
}

std::string default_output(const VideoArguments& arguments, const Recording& recording) {
  return arguments.output.value_or(recording.name + ".mp4");
}

void write_still(draw::Film& film, const std::string& path) {
  const draw::Image& image = film.frame(film.frames() - 1);
  draw::Canvas sheet = draw::Canvas::to_file(path, image.width, image.height, 1.0);
  sheet.image(image, {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)});
  sheet.finish();
}

int write_film(draw::Film& film, const std::string& path, Size size, double fps, std::size_t frames,
               bool quiet) {
  VideoPipe pipe(path, size.width, size.height, fps);
  ProgressBar bar(!quiet);
  for (std::size_t k = 0; k < frames; ++k) {
    if (interrupted().load()) {
      bar.clear();
      complain(fmt::format("interrupted at frame {} of {}; nothing was written", k, frames));
      return kInterrupted;
    }
    pipe.write(film.frame(k));
    bar.update(static_cast<double>(k) / fps, static_cast<double>(frames) / fps);
  }
  pipe.finish();
  return kDone;
}

draw::Motion motion_of(Recording& recording, const MotionTimes& times, const VideoArguments& arguments) {
  ProgressBar bar(!arguments.quiet);
  SampledMotion sampled = sampled_motion(recording, times, arguments.interpolate,
                                         [&](double time) { bar.update(time, times.time(times.count - 1)); });
  bar.clear();
  if (!sampled.note.empty() && !arguments.interpolate) {
    note(fmt::format("{} is interpolated between its rows: {}", recording.path, sampled.note));
  }
  return std::move(sampled.motion);
}

int perform(const VideoArguments& arguments) {
  if (!arguments.run)
    throw InputError({}, "`catena video` needs a recorded run: catena video demo.h5 -o demo.mp4");
  Recording recording = find_recording(*arguments.run);
  if (recording.scene && recording.scene->by_formulas()) {
    throw InputError({*arguments.run},
                     "a video shows chains and bodies, and this run has coordinates or states alone; "
                     "`catena plot` shows them over time");
  }
  const std::string path = default_output(arguments, recording);
  const bool still = path.ends_with(".png");
  if (!still && !is_video_format(path)) {
    throw InputError(
        {path}, "cannot tell the format: the name must end in .mp4, .webm or .gif, or .png for one frame");
  }
  if (arguments.at && !still)
    throw InputError({}, "--at is for a single frame: give -o a name that ends in .png");
  const bool is_gif = path.ends_with(".gif");
  const Size size = size_of(arguments, is_gif);
  const double fps = number(arguments.fps, "--fps", is_gif ? 25 : 60, 1, 240);
  const double speed = number(arguments.speed, "--speed", 1.0, 1e-6, 1e6);
  draw::FilmLook look = film_look(arguments, recording, size, fps);
  const Timing timing = timing_of(arguments, recording, fps, speed, still);

  watch_interrupts();
  draw::Motion motion = motion_of(recording, timing.times, arguments);
  std::vector<draw::Motion> ghosts;
  for (const std::string& ghost : split_list(arguments.ghosts)) {
    Recording other = find_recording(ghost);
    ghosts.push_back(motion_of(other, timing.times, arguments));
  }
  if (interrupted().load() || motion.samples.empty()) {
    complain("interrupted; nothing was written");
    return kInterrupted;
  }
  const std::size_t asked = look.panels.size();
  if (!motion.samples.front().has_energy) std::erase(look.panels, draw::SidePanel::energy);
  if (motion.samples.front().theta.empty()) {
    std::erase_if(look.panels, [](draw::SidePanel panel) { return panel != draw::SidePanel::energy; });
  }
  if (look.panels.size() < asked) note("some panels are left out: the run has no such columns");
  draw::Film film(std::move(motion), std::move(ghosts), look);
  if (still) {
    write_still(film, path);
  } else if (const int status = write_film(film, path, size, fps, timing.frames, arguments.quiet);
             status != kDone) {
    return status;
  }
  if (!arguments.quiet) {
    std::error_code ignored;
    const auto bytes = static_cast<double>(std::filesystem::file_size(path, ignored));
    const std::string what = still ? "one frame"
                                   : fmt::format("{}, {:.4g} s", counted(timing.frames, "frame"),
                                                 static_cast<double>(timing.frames) / fps);
    fmt::print("wrote {} ({}, {}x{}, {})\n", path, what, size.width, size.height, size_text(bytes));
  }
  return kDone;
}

}  // namespace

void film_into(const std::string& run, const std::string& file) {
  VideoArguments arguments;
  arguments.run = run;
  arguments.output = file;
  arguments.quiet = true;
  perform(arguments);
}

Command video_command() {
  const auto arguments = std::make_shared<VideoArguments>();
  return {
      .name = "video",
      .summary = "make a video of a recorded run",
      .usage = "catena video FILE|SCENE [-o FILE] [options]",
      .examples = {{"catena video demo.h5", "demo.mp4 in real time"},
                   {"catena video demo.h5 -o demo.gif --to 6", "the first six seconds, small"},
                   {"catena video demo.h5 --camera turning --panels energy,phase",
                    "with plots that grow beside it"},
                   {"catena video a.h5 --ghost b.h5 --speed 0.25", "two runs, four times slower"},
                   {"catena video demo.h5 -o demo.png --at 3.2", "one frame"}},
      .operand = {.file = true},
      .declare =
          [arguments](Options& options) {
            const auto value = [&](const char* name, auto& into, const char* kind, const char* text) {
              options.value(name, &into, kind, text);
            };
            const auto list = [&](const char* name, std::vector<std::string>& into, const char* kind,
                                  const char* text) { options.list(name, into, kind, text); };
            options.argument("FILE", &arguments->run,
                             fmt::format("a recorded run ({}), or a scene whose recording is there",
                                         fmt::join(run_endings(), " ")));
            value("-o,--output", arguments->output, "FILE",
                  "the video: .mp4 .webm .gif, or .png for one frame. Default: <name>.mp4");
            value("--size", arguments->size, "WxH", "pixels. Default: 1280x720; .gif: 640x360");
            value("--fps", arguments->fps, "N", "frames per second. Default: 60; .gif: 25");
            value("--speed", arguments->speed, "X", "seconds of motion per second of video. Default: 1");
            value("--from", arguments->from, "S", "first instant. Default: 0");
            value("--to", arguments->to, "S",
                  "last instant. Default: the end, but at most a minute of video");
            value("--at", arguments->at, "S", "instant of a single frame. Default: the end");
            value("--trail", arguments->trail, "S",
                  "seconds of motion that trails last; 0: none. Default: 1.5");
            value("--camera", arguments->camera, "NAME",
                  "fixed, turning, front, side or top. Default: fixed");
            value("--azimuth", arguments->azimuth, "DEG", "where the eye is, around the vertical from x");
            value("--elevation", arguments->elevation, "DEG", "and above the horizon");
            list("--panels", arguments->panels, "LIST", "plots beside it: energy, phase, angles");
            list("--ghost", arguments->ghosts, "FILE", "another run, drawn pale; repeat it for several");
            arguments->look.declare(options);
            options.flag("--plain", arguments->plain, "no title, time and energies");
            options.flag(
                "--interpolate", arguments->interpolate,
                "between the recorded rows, instead of computing the motion again at the frames' times");
            options.flag("-q,--quiet", arguments->quiet, "say nothing unless something is wrong");
          },
      .perform = [arguments] { return perform(*arguments); },
  };
}

}  // namespace catena::cli
