// A hand in a motion that goes on: it shakes, it throws, and its work is counted to the last digits.
#include "catena/lab/experiment/hand.h"

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

Scene chain(const std::string& more = "", const std::string& each = "") {
  return scene_of("[simulation]\nduration = 10\n[chain]\n" + more +
                  "\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"40 deg\"\nrepeat = 3\n" + each);
}

ExperimentOptions hand_options() {
  return {1.0 / 120, {"position", "velocity", "energy", "work", "dissipated", "energy_error"}, {"position"}};
}

TEST(HandPath, IsWhereItWasToldToGoAndNeverJumps) {
  HandPath path({1, 2, 3}, 5.0);
  path.turn_to({2, 0, 3}, 5.0);
  for (double t = 5.0; t < 5.3; t += 0.016) {
    HandPath next = path;
    next.turn_to({std::sin(40 * t), 0.0, t}, t);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(next.place(t)[i], path.place(t)[i], 1e-14);
      EXPECT_NEAR(next.velocity(t)[i], path.velocity(t)[i], 1e-12);
    }
    path = next;
  }
  path.turn_to({7, 8, 9}, 5.3);
  EXPECT_EQ(path.place(5.9), (Vec3{7, 8, 9}));
  // The velocity is the rate of the place.
  const double h = 1e-5;  // its square times the third derivative, some 80 m/s over 0.04 s squared, is 5e-6
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(path.velocity(5.33)[i], (path.place(5.33 + h)[i] - path.place(5.33 - h)[i]) / (2 * h), 1e-5);
  }
}

// A hand that shakes a bob: what it brings in is the work that is counted, whatever it does.
TEST(Hand, ShakesABobAndItsWorkIsTheChangeOfEnergy) {
  for (const Scene& scene : {chain(), chain("kind = \"elastic\"", "stiffness = 500\n")}) {
    Experiment experiment(scene, hand_options());
    play(experiment, 40);
    const double before = value(experiment, "energy");
    ASSERT_TRUE(experiment.hold({.chain = 0, .link = 2}, {2.0, 0.0, -1.0}));
    for (int i = 0; i < 60; ++i) {
      experiment.pull({1.5 + 0.5 * std::sin(0.1 * i), 0.0, -1.2});
      play(experiment, 2);
      EXPECT_NEAR(value(experiment, "energy") - before, value(experiment, "work"),
                  1e-9 * (1 + std::fabs(before)))
          << i;
    }
    EXPECT_GT(std::fabs(value(experiment, "work")), 0.1);
    EXPECT_NEAR(value(experiment, "x_3"), 1.5 + 0.5 * std::sin(0.1 * 59), 0.2);  // it follows
  }
}

// What is thrown flies on with the velocity that it had in the hand, and keeps its energy from there.
TEST(Hand, ThrowsWithTheVelocityOfTheHand) {
  Experiment experiment(chain(), hand_options());
  ASSERT_TRUE(experiment.hold({.chain = 0, .link = 2}, {1.6, 0.0, -1.8}));
  const double speed = 3.0;  // m/s to the left
  for (int i = 0; i < 30; ++i) {
    experiment.pull({1.6 - speed * i / 60.0, 0.0, -1.8});
    play(experiment, 2);
  }
  const std::vector<double> held = experiment.row();
  EXPECT_NEAR(value(experiment, "vx_3"), -speed, 0.6);
  const double vx = value(experiment, "vx_3"), x = value(experiment, "x_3");
  const double work = value(experiment, "work");
  const EnergyChange energy = experiment.let_go();
  EXPECT_FALSE(experiment.held());
  EXPECT_NEAR(energy.after - energy.before, work, 1e-9);
  EXPECT_EQ(value(experiment, "work"), 0.0);  // of a scene without a hand: its balance starts here
  EXPECT_EQ(value(experiment, "vx_3"), vx);
  EXPECT_EQ(value(experiment, "x_3"), x);
  EXPECT_NE(energy.before, energy.after);
  EXPECT_TRUE(experiment.scene().forces.empty());
  play(experiment, 240);
  EXPECT_LT(std::fabs(value(experiment, "energy") - energy.after), 1e-9);
  EXPECT_LT(std::fabs(value(experiment, "energy_error")), 1e-9);
}

// A pivot in the hand: driven, its work counted, and at rest where it was left.
TEST(Hand, ShakesThePivot) {
  Experiment experiment(chain(), hand_options());
  play(experiment, 30);
  const double before = value(experiment, "energy");
  ASSERT_TRUE(experiment.hold({.chain = 0, .link = -1}, {0.0, 0.0, 0.0}));
  for (int i = 0; i < 40; ++i) {
    experiment.pull({0.3 * std::sin(0.4 * i), 0.0, 0.1 * std::cos(0.4 * i) - 0.1});
    play(experiment, 2);
    EXPECT_NEAR(value(experiment, "energy") - before, value(experiment, "work"), 1e-9) << i;
  }
  experiment.pull({0.4, 0.0, 0.2});
  play(experiment, 80);
  experiment.let_go();
  // The first link hangs from where the hand left the pivot.
  EXPECT_NEAR(std::hypot(value(experiment, "x_1") - 0.4, value(experiment, "z_1") - 0.2), 1.0, 1e-14);
  EXPECT_TRUE(experiment.lab().is_planar(0));                                // it never left its plane
  EXPECT_FALSE(experiment.hold({.chain = 0, .link = -1}, {0.0, 0.0, 0.0}));  // it moves by formulas now
}

TEST(Hand, WhatItDidIsDoneAgainToTheSameBits) {
  Experiment experiment(chain(), hand_options());
  play(experiment, 20);
  experiment.hold({.chain = 0, .link = 1}, {1.0, 0.0, -1.0});
  for (int i = 0; i < 20; ++i) {
    experiment.pull({1.0 - 0.02 * i, 0.0, -1.0});
    play(experiment, 2);
  }
  experiment.let_go();
  play(experiment, 40);
  const std::vector<double> there = experiment.row();
  experiment.go_to(5);
  play(experiment, 95);
  EXPECT_EQ(experiment.tick(), 100);
  EXPECT_EQ(experiment.row(), there);
}

}  // namespace
}  // namespace catena
