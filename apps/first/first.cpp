// The first picture of `./dev demo`: a scene's motion as figures, by as little of the library as that takes.
//
// usage: catena-first SCENE.toml FOLDER
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "catena/draw/plot/run_figures.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/run.h"

namespace catena {
namespace {

class Rows final : public RowSink {
 public:
  explicit Rows(std::size_t width) : width_(width) {}
  void row(const double* values) override { numbers_.insert(numbers_.end(), values, values + width_); }
  bool checkpoint_due() override { return false; }
  void checkpoint(const std::string&) override {}

  std::size_t count() const { return numbers_.size() / width_; }
  void read(std::size_t first, std::size_t count, double* out) const {
    std::copy_n(numbers_.data() + first * width_, count * width_, out);
  }

 private:
  std::size_t width_;
  std::vector<double> numbers_;
};

int draw_first(const std::string& path, const std::string& folder) {
  SceneOptions options;
  options.source = path;
  options.name = path.substr(path.rfind('/') + 1, path.rfind('.') - path.rfind('/') - 1);
  const Scene scene = read_scene(read_scene_text(path), options);
  Lab lab(scene);
  const Columns columns = lab.columns({});
  Rows rows(columns.width());
  const RunSummary summary =
      run(lab, Schedule::grid(scene.simulation.sample, scene.simulation.duration), columns, 0, rows, {});
  const draw::RunRows recorded{
      columns.stems(), rows.count(),
      [&](std::size_t first, std::size_t count, double* out) { rows.read(first, count, out); }};
  const draw::FigureOptions look;
  for (const draw::RunFigure& figure : draw::run_figures(recorded, &scene, {}, {"paths", "energies"}, look)) {
    const std::string file = fmt::format("{}/{}.png", folder, figure.name);
    draw::draw(figure, look.theme, file);
    fmt::print("{}\n", file);
  }
  fmt::print("{} s of motion in {:.2g} s, energy held to {:.1e} of its scale\n", summary.simulated_seconds,
             summary.wall_seconds, summary.energy_error_relative);
  return 0;
}

}  // namespace
}  // namespace catena

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: catena-first SCENE.toml FOLDER\n", stderr);
    return 2;
  }
  try {
    return catena::draw_first(words[1], words[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
