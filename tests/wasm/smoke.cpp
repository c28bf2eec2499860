// Scenes from their text to where the links are at the end. This program, native and as WebAssembly, must say
// the same. The motions are regular, so that roundoff grows slowly.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/lab.h"

namespace catena {
namespace {

struct NamedText {
  const char* name;
  const char* text;
};

constexpr NamedText kScenes[] = {
    {"double-pendulum",
     R"({"simulation": {"duration": 10}, "chain": {"links": [
           {"length": 1.0, "mass": 1.0, "theta": "20 deg"},
           {"length": 0.7, "mass": 0.5, "theta": "-10 deg"}]}})"},
    {"chain-of-20",
     R"(simulation = { duration = 10 }
        [[chain.links]]
        length = 0.1
        mass = 0.1
        theta = "2 deg"
        phi_step = "15 deg"
        repeat = 20)"},
    {"rods",
     R"(simulation = { duration = 10 }
        [[chain.links]]
        length = 0.8
        mass = 1.0
        theta = "15 deg"
        phi_dot = 1.0
        inertia = "rod"
        repeat = 3)"},
    {"tree",
     R"(simulation = { duration = 10 }
        [chain]
        links = [
          { length = 1.0, mass = 1.0, theta = "10 deg" },
          { length = 0.7, mass = 0.5, theta = "20 deg", phi = "180 deg" },
          { length = 0.9, mass = 0.4, theta = "15 deg", phi = "90 deg", parent = 1 },
        ])"},
    {"toml-mistakes",
     R"(simulation = { duration = -1, sampel = 0.1 }
        [[chain.links]]
        length = 1e300)"},
    {"json-mistake", R"({"simulation": {"duration": 10}, "chain": })"},
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<double> final_positions(const Scene& scene) {
  Lab lab(scene);
  const Columns columns = lab.columns({"position"});
  std::vector<double> row(columns.width());
  while (lab.time() < scene.simulation.duration) {
    if (lab.advance() != StepStatus::done) return {};
  }
  lab.sample(scene.simulation.duration, columns, row.data());
  return row;
}

void simulate(const NamedText& described) {
  const Scene scene = read_scene(described.text, {});
  std::vector<double> row;
  double fastest = 1e9;
  // wasm starts slow and is compiled while it runs: several times in any case.
  constexpr int kLeastRuns = 8;
  const double first = seconds();
  for (int run = 0; run < kLeastRuns || seconds() < first + 0.3; ++run) {
    const double start = seconds();
    row = final_positions(scene);
    fastest = std::min(fastest, seconds() - start);
  }
  fmt::print("{} seconds {:.9f}\n", described.name, fastest);
  fmt::print("{} row {:.17g}\n", described.name, fmt::join(row, " "));
}

}  // namespace
}  // namespace catena

int main() {
  for (const catena::NamedText& scene : catena::kScenes) {
    try {
      catena::simulate(scene);
    } catch (const catena::InputError& error) {
      fmt::print("{} mistakes {:?}\n", scene.name, error.what());
    }
  }
}
