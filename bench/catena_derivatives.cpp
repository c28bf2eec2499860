// Problem "derivatives-double-pendulum": 10 s of a planar double pendulum (two bobs of 1 kg, massless links
// of 1 m, g = 9.81) from rest with both links at 1.5 rad, and how angles and rates at the end change with all
// four at the start. What is judged is the largest error of these sixteen, over the largest of them. Timed
// are the steps: what is made once (worlds beside, compilation of peers) is not.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "catena/io/scene/paths.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/lab.h"
#include "derivatives.h"

namespace bench {
namespace {

constexpr double kGravity = 9.81, kDuration = 10.0, kAngle = 1.5;
constexpr std::size_t kNumbers = 4;
using Matrix = std::array<double, kNumbers * kNumbers>;  // [of the start][at the end]

// Differences of ten runs each with twice the digits.
constexpr Matrix kReference = {
    4.7981023783343035,  9.942227506258133,   47.39124420518585,   -10.547751491377648,
    14.915782921332248,  18.591282127123836,  150.96574993206667,  -16.64220500910913,
    0.15244160741723345, 0.5647168245902959,  1.3025300622327558,  -0.31275686518606444,
    -2.936893615611786,  -3.0202302030861596, -29.942619654682925, 2.5920328388689566};

// theta of both links, then their rates.
catena::Scene scene_of(const std::array<double, kNumbers>& start, double tolerance) {
  catena::Scene scene;
  scene.name = "bench";
  scene.simulation.duration = kDuration;
  scene.simulation.gravity = {0.0, 0.0, -kGravity};
  scene.simulation.tolerance = tolerance;
  catena::Chain chain;
  for (std::size_t k = 0; k < 2; ++k) {
    catena::Link link;
    link.length = link.mass = 1.0;
    link.theta = catena::Angle::from_radians(start[k]);
    link.theta_dot = start[2 + k];
    link.parent = static_cast<int>(k) - 1;
    chain.links.push_back(link);
  }
  scene.chains.push_back(std::move(chain));
  return scene;
}

constexpr std::array<double, kNumbers> kStart = {kAngle, kAngle, 0.0, 0.0};

double error_of(const Matrix& found) {
  double largest = 0.0, error = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::fabs(kReference[i]));
    error = std::max(error, std::fabs(found[i] - kReference[i]));
  }
  return error / largest;
}

struct DerivativeRun {
  double seconds = 0.0, error = 0.0;
  long long steps = 0;
};

DerivativeRun followed(double tolerance) {
  catena::Lab lab(scene_of(kStart, tolerance));
  std::vector<catena::Direction> directions;
  for (std::size_t j = 0; j < kNumbers; ++j) {
    const std::string path = "chain.links." + std::to_string(j % 2 + 1) + (j < 2 ? ".theta" : ".theta_dot");
    directions.push_back({path, kStart[j], [j, tolerance](double value) {
                            std::array<double, kNumbers> start = kStart;
                            start[j] = value;
                            return scene_of(start, tolerance);
                          }});
  }
  lab.follow(std::move(directions));
  DerivativeRun out;
  const double begin = now_seconds();
  while (lab.time() < kDuration) lab.advance();
  out.seconds = now_seconds() - begin;
  out.steps = lab.counts().steps;
  const catena::Columns columns = lab.columns({"theta", "theta_dot"});
  std::vector<double> row(columns.width()), rates(kNumbers * columns.width());
  lab.observe(kDuration, columns, row.data());
  lab.derivatives(columns, rates.data());
  Matrix found;
  for (std::size_t j = 0; j < kNumbers; ++j) {
    for (std::size_t i = 0; i < kNumbers; ++i) found[j * kNumbers + i] = rates[j * columns.width() + 1 + i];
  }
  out.error = error_of(found);
  return out;
}

// Two runs for each number, apart by what loses least.
DerivativeRun by_differences(double tolerance, double apart) {
  DerivativeRun out;
  Matrix found{};
  for (std::size_t j = 0; j < kNumbers; ++j) {
    for (const double side : {1.0, -1.0}) {
      std::array<double, kNumbers> start = kStart;
      start[j] += side * apart;
      catena::Lab lab(scene_of(start, tolerance));
      const double begin = now_seconds();
      while (lab.time() < kDuration) lab.advance();
      out.seconds += now_seconds() - begin;
      out.steps += lab.counts().steps;
      const catena::Columns columns = lab.columns({"theta", "theta_dot"});
      std::vector<double> row(columns.width());
      lab.observe(kDuration, columns, row.data());
      for (std::size_t i = 0; i < kNumbers; ++i) found[j * kNumbers + i] += side * row[1 + i] / (2.0 * apart);
    }
  }
  out.error = error_of(found);
  return out;
}

// Problem "derivatives-cost": a shipped scene with K directions beside a plain run of it, in turns.
struct Cost {
  const char* scene;
  double duration;  // s
  std::size_t directions;
  double wanted;                   // plain runs
  std::vector<std::string> paths;  // where they are fewer, some are followed twice
};

const std::vector<Cost>& costs() {
  static const std::vector<std::string> starts{"chain.links.*.theta", "chain.links.*.theta_dot"};
  static const std::vector<Cost> all{
      {"double-pendulum", 20.0, 4, 4.0, starts},
      {"double-pendulum",
       20.0,
       20,
       12.0,
       {"chain.links.*.theta", "chain.links.*.theta_dot", "chain.links.*.length", "chain.links.*.mass",
        "simulation.gravity"}},
      {"four-bar", 2.0, 4, 4.0, {"bodies.*.mass", "simulation.gravity"}},
      {"four-bar",
       2.0,
       20,
       12.0,
       {"bodies.*.mass", "bodies.*.length", "bodies.*.position.1", "bodies.*.position.3", "joints.drive.rate",
        "simulation.gravity", "joints.drive.anchors.2.1", "joints.crank-pin.anchors.*.1",
        "joints.rocker-pin.anchors.*.1", "joints.pivot.anchors.1.1"}},
      {"seven-body", 0.03, 4, 4.0, {"bodies.k1.mass", "bodies.k3.mass", "bodies.k5.mass", "bodies.k7.mass"}},
      {"seven-body", 0.03, 20, 12.0, {"bodies.*.mass", "bodies.*.inertia.3", "bodies.*.position.1"}},
      {"demo", 10.0, 5, 7.7, {"chain.links.*.length"}},
      {"demo",
       10.0,
       20,
       28.7,
       {"chain.links.*.length", "chain.links.*.mass", "chain.links.*.theta", "chain.links.*.phi"}},
      {"horizontal-chain-100",
       0.3,
       4,
       6.3,
       {"chain.links.1.length", "chain.links.1.mass", "chain.links.1.theta", "simulation.gravity"}}};
  return all;
}

catena::Scene shipped(const std::string& name) {
  std::ifstream in(std::string(CATENA_SOURCE_DIR) + "/scenes/" + name + ".toml");
  std::stringstream text;
  text << in.rdbuf();
  return catena::read_scene(text.str(), {});
}

double seconds_to(catena::Lab& lab, double end) {
  const double begin = now_seconds();
  while (lab.time() < end && lab.advance() == catena::StepStatus::done) {
  }
  return now_seconds() - begin;
}

void measure_cost(const Cost& cost, int times) {
  const catena::Scene scene = shipped(cost.scene);
  std::vector<catena::Direction> each, directions;
  for (const catena::SceneNumber& number : catena::scene_numbers(scene, cost.paths)) {
    each.push_back({number.path, number.value, [scene, path = number.path](double value) {
                      return catena::with_number(scene, path, value);
                    }});
  }
  for (std::size_t j = 0; j < cost.directions; ++j) directions.push_back(each[j % each.size()]);
  catena::Lab followed(scene);
  const double begin = now_seconds();
  followed.follow(directions);
  const double setup = now_seconds() - begin;
  const std::string start = followed.checkpoint();
  double plain = std::numeric_limits<double>::infinity(), with = plain;
  for (int i = 0; i < times; ++i) {
    catena::Lab lab(scene);
    plain = std::min(plain, seconds_to(lab, cost.duration));
    followed.restore(start);
    with = std::min(with, seconds_to(followed, cost.duration));
  }
  std::printf(
      "{\"peer\": \"%s, %zu directions\", \"problem\": \"derivatives-cost\", \"seconds\": %.6e, "
      "\"plain_runs\": "
      "%.2f, \"wanted\": %.1f, \"setup_seconds\": %.2e}\n",
      cost.scene, cost.directions, with, with / plain, cost.wanted, setup);
  std::fflush(stdout);
}

template <class Run>
void report(const char* peer, int times, const char* note, const Run& run) {
  DerivativeRun best = run();
  for (int i = 1; i < times; ++i) {
    const DerivativeRun next = run();
    if (next.seconds < best.seconds) best = next;
  }
  std::printf(
      "{\"peer\": \"%s\", \"problem\": \"derivatives-double-pendulum\", \"seconds\": %.6e, \"error\": %.2e, "
      "\"steps\": %lld, \"note\": \"%s\"}\n",
      peer, best.seconds, best.error, best.steps, note);
}

// The fastest tolerance that reaches each goal, as for peers.
void report_goals(int times) {
  for (const double goal : {1e-10, 3e-12, 2e-13}) {
    double best = 0.0, seconds = std::numeric_limits<double>::infinity();
    for (const double tolerance :
         {1e-10, 1e-11, 1e-12, 5e-13, 2e-13, 1e-13, 3e-14, 1e-14, 3e-15, 1e-15, 1e-16}) {
      for (int i = 0; i < 20; ++i) {
        const DerivativeRun one = followed(tolerance);
        if (one.error > goal || one.seconds >= seconds) continue;
        seconds = one.seconds;
        best = tolerance;
      }
    }
    char peer[40], note[40];
    std::snprintf(peer, sizeof peer, "catena to %.0e", goal);
    std::snprintf(note, sizeof note, "tangents, tolerance %.0e", best);
    report(peer, times, note, [best] { return followed(best); });
  }
}

}  // namespace

void measure_derivatives(const Options& options) {
  for (const Cost& cost : costs()) {
    if (options.wants("derivatives-cost")) measure_cost(cost, options.quick ? 3 : 20);
  }
  if (!options.wants("derivatives-double-pendulum")) return;
  const int times = options.quick ? 20 : 200;
  report_goals(times);
  report("catena, differences", times, "eight plain runs, 1e-5 apart, tolerance 1e-15",
         [] { return by_differences(1e-15, 1e-5); });
}

}  // namespace bench
