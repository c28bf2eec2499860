#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catena/io/scene/scene.h"
#include "catena/lab/lab.h"
#include "ladder_problem.h"

namespace bench {
namespace {

std::string text(double number) {
  char out[32];
  std::snprintf(out, sizeof out, "%.15g", number);
  return out;
}

std::string rod(const std::string& name, double length, double x, double z, bool upright) {
  return "[[bodies]]\nname = \"" + name + "\"\nshape = \"rod\"\nlength = " + text(length) +
         "\nmass = " + text(length) + "\nposition = [" + text(x) + ", 0, " + text(z) + "]\n" +
         (upright ? "orientation = { axis = [0, 1, 0], angle = \"90 deg\" }\n" : "");
}

std::string hinge(const std::string& first, const std::string& second, double x, double z) {
  return "[[joints]]\nkind = \"revolute\"\nbodies = [\"" + first + "\", \"" + second + "\"]\npoint = [" +
         text(x) + ", 0, " + text(z) + "]\naxis = [0, 1, 0]\n";
}

catena::Scene ladder(int cells) {
  constexpr double kSide = 0.4, kHigh = 0.3;
  std::string bodies = "[simulation]\nduration = 1\ngravity = [4.905, 0, -8.495709211125343]\n", joints;
  for (int k = 1; k <= cells; ++k) {
    const std::string number = std::to_string(k), above = std::to_string(k - 1);
    for (const std::string side : {"left", "right"}) {
      const double x = side == "left" ? 0.0 : kSide;
      bodies += rod(side + number, kHigh, x, -kHigh * (k - 0.5), true);
      joints += hinge(k > 1 ? side + above : "ground", side + number, x, -kHigh * (k - 1));
      joints += hinge(side + number, "rung" + number, x, -kHigh * k);
    }
    bodies += rod("rung" + number, kSide, 0.5 * kSide, -kHigh * k, false);
  }
  return catena::read_scene(bodies + joints, {});
}

}  // namespace

void measure_ladders(const Options& options) {
  if (!options.wants("ladder-1s")) return;
  for (const Ladder& of : kLadders) {
    catena::Scene scene = ladder(of.cells);
    for (const double tolerance : {1e-6, 1e-15}) {
      scene.simulation.tolerance = tolerance;
      const double begin = now_seconds();
      catena::Lab lab(scene);
      const double built = now_seconds();
      while (lab.time() < 1.0 && lab.advance() == catena::StepStatus::done) {
      }
      const double done = now_seconds();
      const catena::Columns columns = lab.columns({"x_rung10", "z_rung10"});
      std::vector<double> row(columns.width());
      lab.sample(1.0, columns, row.data());
      const double error = std::max(std::fabs(row[row.size() - 2] - of.x), std::fabs(row.back() - of.z));
      const auto steps = static_cast<long>(lab.counts().steps);
      std::printf(
          "{\"peer\": \"catena taylor, %.0e\", \"problem\": \"ladder-1s\", \"n\": %d, \"seconds\": %.6e, "
          "\"error\": "
          "%.3e, \"steps\": %ld, \"ms_per_step\": %.3f, \"note\": \"assembly besides: %.3f s\"}\n",
          tolerance, 3 * of.cells, done - built, error, steps,
          1e3 * (done - built) / static_cast<double>(steps), built - begin);
      std::fflush(stdout);
    }
  }
}

}  // namespace bench
