// How fast pictures are drawn: frames of a video before encoding, and figures of a recorded run.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "catena/draw/film/film.h"
#include "catena/draw/plot/run_figures.h"
#include "measure.h"

namespace bench {
namespace {

using catena::Vec3;
namespace draw = catena::draw;

// A wave that runs down a chain: it moves as much as a real one, and costs nothing to compute.
draw::Motion waving_chain(std::size_t links, std::size_t samples) {
  draw::Motion motion;
  for (std::size_t k = 0; k < links; ++k) {
    motion.skeleton.links.push_back({std::to_string(k + 1), static_cast<int>(k) - 1, {}, false, 1.0});
  }
  for (std::size_t i = 0; i < samples; ++i) {
    draw::Sample sample;
    sample.t = static_cast<double>(i) / 60.0;
    Vec3 end{};
    for (std::size_t k = 0; k < links; ++k) {
      const double theta = 0.9 * std::sin(2 * sample.t - 0.11 * static_cast<double>(k));
      const double phi = 0.05 * static_cast<double>(k) + 0.8 * sample.t;
      end[0] += std::sin(theta) * std::cos(phi);
      end[1] += std::sin(theta) * std::sin(phi);
      end[2] -= std::cos(theta);
      sample.ends.push_back(end);
    }
    sample.has_energy = true;
    motion.samples.push_back(std::move(sample));
  }
  return motion;
}

void measure_frames(const Options& options, const char* problem, std::size_t links, bool turning) {
  if (!options.wants(problem)) return;
  draw::FilmLook look;
  look.turn = turning ? 0.005 : 0.0;
  const std::size_t frames = options.quick ? 120 : 600;
  draw::Film film(waving_chain(links, frames), {}, look);
  const double start = now_seconds();
  for (std::size_t k = 0; k < frames; ++k) film.frame(k);
  const double seconds = now_seconds() - start;
  std::printf(
      "{\"peer\": \"catena draw\", \"problem\": \"%s\", \"seconds\": %.6e, \"frames_per_second\": %.1f}\n",
      problem, seconds / static_cast<double>(frames), static_cast<double>(frames) / seconds);
}

void measure_figures(const Options& options, const char* problem, std::size_t rows) {
  if (!options.wants(problem)) return;
  draw::RunRows run;
  const std::size_t links = 5;
  run.stems = {{"t", {}}};
  for (const char* stem : {"x", "y", "z", "theta", "theta_dot"})
    run.stems.push_back({stem, {"1", "2", "3", "4", "5"}});
  for (const char* stem : {"kinetic", "potential", "energy", "energy_error"}) run.stems.push_back({stem, {}});
  const std::size_t width = 1 + 5 * links + 4;
  run.rows = rows;
  std::vector<double> table(
      1 << 17);  // rows must cost nothing, and lie as close as those of a fine recording
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = std::sin(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(table.size()));
  }
  run.read = [width, &table](std::size_t first, std::size_t count, double* out) {
    for (std::size_t row = first; row < first + count; ++row) {
      *out++ = 1e-3 * static_cast<double>(row);
      for (std::size_t column = 1; column < width; ++column)
        *out++ = table[row * (column + 3) & (table.size() - 1)];
    }
  };
  const auto folder = std::filesystem::temp_directory_path() / "catena-draw-bench";
  std::filesystem::create_directories(folder);
  const double start = now_seconds();
  for (const draw::RunFigure& figure : draw::run_figures(run, nullptr, {}, draw::default_kinds(), {})) {
    draw::draw(figure, draw::light_theme(), (folder / (figure.name + ".png")).string());
  }
  const double seconds = now_seconds() - start;
  std::filesystem::remove_all(folder);
  std::printf("{\"peer\": \"catena draw\", \"problem\": \"%s\", \"seconds\": %.6e, \"rows\": %zu}\n", problem,
              seconds, rows);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::measure_frames(options, "frames-5-links", 5, false);
  bench::measure_frames(options, "frames-100-links", 100, false);
  bench::measure_frames(options, "frames-100-links-turning", 100, true);
  bench::measure_figures(options, "figures-100k-rows", 100'000);
  bench::measure_figures(options, "figures-10M-rows", 10'000'000);
}
