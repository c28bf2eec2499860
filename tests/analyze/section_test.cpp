// Surfaces of section and bifurcation diagrams: residuals, energies, windings and periods that are known.
#include "catena/analyze/section.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/analyze/bifurcation.h"
#include "catena/analyze/section_starts.h"
#include "catena/base/mistake.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;
using test::shipped_scene;

SectionOptions options_of(const std::string& when, const std::string& a, const std::string& b,
                          double duration) {
  SectionOptions options;
  options.when = when;
  options.axes = {a, b};
  options.duration = duration;
  return options;
}

// Two oscillators that know nothing of each other: at each passage of the first the second has gone on by the
// ratio of their frequencies, sqrt 2 turns.
TEST(Section, WindsByTheRatioOfFrequencies) {
  const Scene scene = scene_of(R"([simulation]
duration = 100
[equations]
states = { x = 1.0, vx = 0.0, y = 1.0, vy = 0.0 }
dot = { x = "vx", vx = "-x", y = "vy", vy = "-2*y" }
)");
  const SectionResult result = section(scene, options_of("x", "y", "vy", 3000.0));
  ASSERT_EQ(result.starts.size(), 1u);
  EXPECT_NEAR(result.starts[0].mean_return, 2.0 * 3.141592653589793, 1e-9);
  // About the middle clockwise: 1 - (sqrt 2 - 1).
  EXPECT_NEAR(result.starts[0].winding, 2.0 - std::sqrt(2.0), 1e-6);
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const double y = result.points[i][0], v = result.points[i][1];
    EXPECT_NEAR(y * y + 0.5 * v * v, 1.0, 1e-12);
  }
}

// The time of a passage is a double, which at 1000 s resolves 1e-13 s; the columns at it are better than
// that.
TEST(Section, TheFormulaVanishesAtThePoints) {
  SectionOptions options = options_of("theta_1", "theta_1", "theta_dot_2", 1000.0);
  const SectionResult chain = section(shipped_scene("double-pendulum"), options);
  ASSERT_GT(chain.points.size(), 100u);
  for (const auto& [theta, rate] : chain.points) EXPECT_LE(std::fabs(theta), 1e-14 * chain.scale);
  EXPECT_LE(chain.residual, 1e-14 * chain.scale);
  const SectionResult lorenz = section(shipped_scene("lorenz"), options_of("z - 27", "x", "z", 1000.0));
  EXPECT_LE(lorenz.residual, 1e-14 * lorenz.scale);
  // A double near 27 resolves 4e-15.
  for (const auto& [x, z] : lorenz.points) EXPECT_NEAR(z, 27.0, 4e-15);
}

TEST(Section, StartsLieOnTheirEnergy) {
  SectionOptions options = options_of("x", "y", "py", 30.0);
  options.starts = 12;
  options.energy = 0.1;
  const SectionResult result = section(shipped_scene("henon-heiles"), options);
  EXPECT_EQ(result.starts.size(), 12u);
  for (const SectionStart& start : result.starts) {
    EXPECT_NEAR(start.energy, 0.1, 1e-12);
    EXPECT_GT(start.points, 0u);
  }
  // They are spread: both axes reach over more than half of what the energy allows, |py| < sqrt 0.2.
  double least = 0.0, most = 0.0;
  for (const SectionStart& start : result.starts) {
    least = std::min(least, start.state[3]);
    most = std::max(most, start.state[3]);
  }
  EXPECT_GT(most - least, std::sqrt(0.2));
  SectionOptions chain = options_of("theta_1", "theta_2", "theta_dot_2", 10.0);
  chain.starts = 5;
  chain.energy = -15.0;
  const SectionResult pendulums = section(shipped_scene("double-pendulum"), chain);
  EXPECT_EQ(pendulums.starts.size(), 5u);
  for (const SectionStart& start : pendulums.starts) EXPECT_NEAR(start.energy, -15.0, 1e-10);
}

TEST(Section, WhatCannotBeIsSaidInWords) {
  const Scene scene = shipped_scene("henon-heiles");
  const auto words = [&](const SectionOptions& options) {
    try {
      section(scene, options);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(words(options_of("x - 5", "y", "py", 50.0)).find("never met"), std::string::npos);
  EXPECT_NE(words(options_of("q", "y", "py", 50.0)).find("q"), std::string::npos);
  SectionOptions low = options_of("x", "y", "py", 50.0);
  low.energy = -1.0;  // below the bottom of the well
  low.starts = 3;
  EXPECT_NE(words(low).find("no start on the section"), std::string::npos);
  SectionOptions own = options_of("x", "y", "py", 50.0);
  own.scenes = {scene};
  own.energy = 0.2;
  EXPECT_NE(words(own).find("start 1"), std::string::npos);
}

BifurcationOptions along(std::vector<double> parameters, const std::string& path, const Scene& base) {
  BifurcationOptions options;
  options.parameters = std::move(parameters);
  options.scene = [=](double value) { return scene_of(base.json, {path + "=" + std::to_string(value)}); };
  return options;
}

// x' = p + x - x^3 has two stable rests between its folds at p = -+ 2/(3 sqrt 3): which one depends on the
// way.
TEST(Bifurcation, UpAndDownDifferBetweenFolds) {
  const Scene scene = scene_of(R"([simulation]
duration = 60
[equations]
states = { x = -1.5 }
parameters = { p = -1.0 }
dot = { x = "p + x - x^3" }
)");
  BifurcationOptions options = along({-0.6, -0.3, 0.0, 0.3, 0.6}, "equations.parameters.p", scene);
  options.period = 1.0;
  options.record = "x";
  options.duration = 60.0;
  const BifurcationResult result = bifurcation(options);
  EXPECT_NEAR(result.values[2].back(), -1.0, 1e-9);
  EXPECT_NEAR(result.down[2].back(), 1.0, 1e-9);
  EXPECT_NEAR(result.values[4].back(), result.down[4].back(), 1e-9);
  EXPECT_NEAR(result.values[0].back(), result.down[0].back(), 1e-9);
  for (const std::size_t period : result.periods) EXPECT_EQ(period, 1u);
}

TEST(Bifurcation, PeriodsOfTheDrivenPendulumDouble) {
  BifurcationOptions options =
      along({1.06, 1.07, 1.0805}, "forces.1.parameters.drive", shipped_scene("driven-pendulum"));
  options.period = 3.0 * 3.141592653589793;
  options.record = "theta_dot_1";
  options.duration = 1200.0;
  options.skip = 900.0;
  options.down = false;
  EXPECT_EQ(bifurcation(options).periods, (std::vector<std::size_t>{1, 2, 4}));
}

TEST(Bifurcation, ANumberThatDoesNothingIsTold) {
  const Scene scene = scene_of(R"([simulation]
duration = 10
[equations]
states = { x = 1.0 }
parameters = { p = 1.0, unused = 0.0 }
dot = { x = "-p*x" }
)");
  BifurcationOptions options = along({0.0, 1.0}, "equations.parameters.unused", scene);
  options.period = 1.0;
  options.record = "x";
  options.duration = 10.0;
  const BifurcationResult result = bifurcation(options);
  ASSERT_FALSE(result.notes.empty());
  EXPECT_NE(result.notes[0].find("does nothing"), std::string::npos);
}

}  // namespace
}  // namespace catena
