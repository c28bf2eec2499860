// Bodies in a person's hands: they go where the hand is as far as joints allow, and ghosts start beside them.
#include "catena/lab/experiment/body_drag.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/lab/experiment/experiment.h"
#include "support/chains.h"
#include "support/experiments.h"

namespace catena {
namespace {

using test::play;
using test::scene_of;
using test::value;

Scene shipped(const std::string& name) {
  const std::string path = std::string(CATENA_SOURCE_DIR) + "/scenes/" + name + ".toml";
  SceneOptions options;
  options.source = path;
  options.name = name;
  return read_scene(read_scene_text(path), options);
}

ExperimentOptions body_options() {
  return {1.0 / 120,
          {"position", "orientation", "velocity", "energy", "kinetic", "energy_error", "constraint_error"},
          {"position", "orientation"}};
}

// A rod of 1 m on a hinge about y at the origin; its own x points down, to the lower end.
const char* kRod = R"(
[simulation]
duration = 10
[[bodies]]
name = "rod"
shape = "rod"
length = 1.0
mass = 1
position = [0, 0, -0.5]
orientation = { axis = [0, 1, 0], angle = "90 deg" }
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
anchors = [[0, 0, 0], [-0.5, 0, 0]]
axes = [[0, 1, 0], [0, 1, 0]]
rate = 1.0
)";

TEST(BodyDrag, ARodOnAHingePointsToTheHand) {
  Experiment experiment(scene_of(kRod), body_options());
  play(experiment, 30);
  const Vec3 end{0.5, 0.0, 0.0};
  for (const Vec3& target :
       {Vec3{0.6, 0.0, -0.8}, Vec3{0.3, 0.0, 0.4}, Vec3{-4.0, 0.0, 3.0}, Vec3{0.0, 5.0, -2.0}}) {
    experiment.drag_body(0, end, target);
    // The end comes to the point of its circle that is nearest to the hand, and there the middle is half way.
    const double across = std::hypot(target[0], target[2]);
    EXPECT_NEAR(value(experiment, "x_rod"), 0.5 * target[0] / across, 1e-7);
    EXPECT_NEAR(value(experiment, "z_rod"), 0.5 * target[2] / across, 1e-7);
    EXPECT_NEAR(value(experiment, "y_rod"), 0.0, 1e-12);
    EXPECT_EQ(value(experiment, "kinetic"), 0.0);
  }
}

TEST(BodyDrag, AFreeBodyGoesWhereTheHandIs) {
  Experiment experiment(shipped("intermediate-axis"), body_options());
  const std::string name = experiment.scene().mechanism.bodies[0].name;
  const Vec3 target{0.4, -0.3, 0.2};
  experiment.drag_body(0, Vec3{0.0, 0.0, 0.0}, target);
  EXPECT_NEAR(value(experiment, "x_" + name), target[0], 1e-9);
  EXPECT_NEAR(value(experiment, "y_" + name), target[1], 1e-9);
  EXPECT_NEAR(value(experiment, "z_" + name), target[2], 1e-9);
}

// However wild: joints hold to the last digits, nothing moves but by motors, and the motion goes on well.
TEST(BodyDrag, NoDragTearsAMechanismApart) {
  for (const char* name : {"four-bar", "slider-crank", "heavy-top", "gyroscope", "boxes-on-a-hinge",
                           "rod-pendulum", "cart-pole", "six-hinges"}) {
    SCOPED_TRACE(name);
    Experiment experiment(shipped(name), body_options());
    play(experiment, 20);
    const std::size_t bodies = experiment.scene().mechanism.bodies.size();
    for (std::size_t body = 0; body < bodies; ++body) {
      if (experiment.scene().mechanism.bodies[body].fixed) continue;
      experiment.drag_body(body, Vec3{0.05, 0.02, 0.1}, Vec3{40.0, -7.0, 25.0});
      EXPECT_LT(value(experiment, "constraint_error"), 1e-11);
      experiment.drag_body(body, Vec3{0.05, 0.02, 0.1}, Vec3{-0.2, 0.1, -0.4});
      EXPECT_LT(value(experiment, "constraint_error"), 1e-11);
      EXPECT_LT(value(experiment, "kinetic"), 1e-20);
    }
    play(experiment, 60);
    EXPECT_LT(std::fabs(value(experiment, "energy_error")),
              1e-8 * (1.0 + std::fabs(value(experiment, "energy"))));
    EXPECT_LT(value(experiment, "constraint_error"), 1e-11);
  }
}

TEST(BodyDrag, IsPartOfThePast) {
  Experiment experiment(shipped("four-bar"), body_options());
  play(experiment, 40);
  const std::vector<double> there = experiment.row();
  play(experiment, 10);
  experiment.drag_body(1, Vec3{}, Vec3{0.3, 0.0, -0.5});
  const std::vector<double> dragged = experiment.row();
  play(experiment, 30);
  const std::vector<double> far = experiment.row();
  experiment.go_to(40);
  EXPECT_EQ(experiment.row(), there);
  experiment.go_to(80);
  EXPECT_EQ(experiment.row(), far);
  experiment.restart(true);
  for (std::size_t i = 1; i < dragged.size() && i <= 3; ++i)
    EXPECT_NEAR(experiment.row()[i], dragged[i], 1e-12);
}

// The rotation between two orientations.
double angle_between(const std::vector<double>& row, std::size_t own, std::size_t other, std::size_t stride) {
  double product = 0.0;
  for (std::size_t i = 0; i < 4; ++i) product += row[own + i * stride] * row[other + i * stride];
  return 2.0 * std::asin(std::sqrt(std::fmax(0.0, 1.0 - product * product)));
}

TEST(BodyGhosts, StartWithTheFirstBodyTurned) {
  for (const char* name : {"four-bar", "heavy-top", "rod-pendulum", "intermediate-axis"}) {
    SCOPED_TRACE(name);
    ExperimentOptions only{1.0 / 120, {"orientation"}, {"orientation"}};
    Experiment experiment(shipped(name), only);
    play(experiment, 10);
    experiment.set_ghosts({{.offset = 1e-3}});
    const std::size_t bodies = experiment.columns().stems()[1].labels.size();
    const std::size_t width = experiment.columns().width();
    std::size_t first = 0;  // that moves
    while (experiment.scene().mechanism.bodies[first].fixed) ++first;
    // A second-order correction brings loops back together: 1e-3 of the angle.
    EXPECT_NEAR(angle_between(experiment.row(), 1 + first, width + 1 + first, bodies), 1e-3, 2e-6);
    play(experiment, 10);
    for (const double number : experiment.row()) EXPECT_TRUE(std::isfinite(number));
  }
}

}  // namespace
}  // namespace catena
