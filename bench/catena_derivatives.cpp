// Problem "derivatives-double-pendulum": 10 s of a planar double pendulum (two bobs of 1 kg, massless links
// of 1 m, g = 9.81) from rest with both links at 1.5 rad, and how angles and rates at the end change with all
// four at the start. What is judged is the largest error of these sixteen, over the largest of them. Timed
// are the steps: what is made once (worlds beside, compilation of peers) is not.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

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

}  // namespace

void measure_derivatives(const Options& options) {
  if (!options.wants("derivatives-double-pendulum")) return;
  const int times = options.quick ? 20 : 200;
  report("catena", times, "tangents, tolerance 1e-15", [] { return followed(1e-15); });
  report("catena, 1e-13", times, "tangents, tolerance 1e-13", [] { return followed(1e-13); });
  report("catena, differences", times, "eight plain runs, 1e-5 apart, tolerance 1e-15",
         [] { return by_differences(1e-15, 1e-5); });
}

}  // namespace bench
