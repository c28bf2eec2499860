// Mechanisms from scene to row: the shipped ones, and what only scenes can say.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/chains.h"

namespace catena::test {
namespace {

Scene shipped(const std::string& name) {
  const std::string path = std::string(CATENA_SOURCE_DIR) + "/scenes/" + name + ".toml";
  SceneOptions options;
  options.source = path;
  options.name = name;
  return read_scene(read_scene_text(path), options);
}

struct Shipped {
  const char* name;
  std::size_t freedom;
  std::size_t redundant;
  double until;
};

// Every conservative mechanism keeps its energy, and every one its joints.
TEST(Mechanisms, ShippedOnesKeepEnergyAndJoints) {
  for (const Shipped& one : {Shipped{"four-bar", 1, 3, 3.0}, Shipped{"slider-crank", 1, 3, 3.0},
                             Shipped{"four-bar-row", 1, 6, 3.0}, Shipped{"seven-body", 1, 9, 0.03},
                             Shipped{"heavy-top", 3, 0, 0.5}, Shipped{"gyroscope", 3, 0, 1.0},
                             Shipped{"boxes-on-a-hinge", 7, 0, 5.0}, Shipped{"intermediate-axis", 6, 0, 20.0},
                             Shipped{"rod-pendulum", 2, 0, 5.0}, Shipped{"cart-pole", 2, 0, 5.0},
                             Shipped{"cart-pole-balanced", 2, 0, 5.0}, Shipped{"governor", 2, 0, 3.0},
                             Shipped{"six-hinges", 1, 1, 3.0}}) {
    SCOPED_TRACE(one.name);
    Lab lab(shipped(one.name));
    EXPECT_EQ(lab.world().degrees_of_freedom(), one.freedom);
    EXPECT_EQ(lab.world().mobility().equations - lab.world().mobility().rank, one.redundant);
    const Columns columns(lab.world(), {"constraint_error"});
    std::vector<double> row(columns.width());
    while (lab.time() < one.until) {
      ASSERT_EQ(lab.advance(), StepStatus::done);
      lab.sample(lab.time(), columns, row.data());
      ASSERT_LT(row[1], 1e-12);
    }
    const double scale = lab.energies().scale(lab.world().weight_scale());
    EXPECT_LT(lab.energies().largest_error / scale, 1e-12);  // of the balance, where there is a motor
  }
}

// 1e-12 of the scale is asked for; the worst measured is 5e-14, the slider-crank's in 18 000 steps.
TEST(Mechanisms, ConservativeOnesKeepTheirEnergyOverAHundredSeconds) {
  for (const char* name : {"four-bar", "slider-crank", "four-bar-row", "heavy-top", "gyroscope",
                           "boxes-on-a-hinge", "intermediate-axis", "rod-pendulum", "cart-pole", "six-hinges",
                           "governor", "cart-with-links", "catenary", "plank-swing"}) {
    SCOPED_TRACE(name);
    Lab lab(shipped(name));
    while (lab.time() < 100.0) ASSERT_EQ(lab.advance(), StepStatus::done);
    const double scale = lab.energies().scale(lab.world().weight_scale());
    EXPECT_LT(lab.energies().largest_error / scale, 1e-12);
    EXPECT_LT(lab.energies().constraint_error, 1e-12);
  }
}

// The published digits, from the scene.
TEST(Mechanisms, CartPoleSceneFollowsItsReference) {
  Lab lab(shipped("cart-pole"));
  const Columns columns(lab.world(), {"x_cart", "x_ball", "z_ball", "travel_rail"});
  std::vector<double> row(columns.width());
  const nlohmann::json samples = reference("cartpole")["samples"];
  for (const auto& sample : samples) {
    const double t = number(sample["t"]);
    while (lab.time() < t) ASSERT_EQ(lab.advance(), StepStatus::done);
    lab.sample(t, columns, row.data());
    EXPECT_NEAR(row[1], number(sample["x_cart"]), 1e-11);
    EXPECT_NEAR(row[2], number(sample["ball"][0]), 1e-11);
    EXPECT_NEAR(row[3], number(sample["ball"][1]), 1e-11);
    EXPECT_NEAR(row[4], row[1], 1e-15);
  }
}

Scene scene_of(const std::string& text) {
  SceneOptions options;
  options.source = "test.toml";
  return read_scene(text, options);
}

const std::string kWheel = R"(
[simulation]
duration = 10
gravity = 0
[[bodies]]
name = "wheel"
shape = "cylinder"
radius = 1
length = 1
mass = 2
[[joints]]
name = "axle"
kind = "revolute"
bodies = ["ground", "wheel"]
point = [0, 0, 0]
axis = [0, 0, 1]
)";

TEST(Mechanisms, AnglesCountTurnsAndRatesHaveTheirNames) {
  Lab lab(scene_of(kWheel + "angle = \"90 deg\"\nrate = 7.5\n"));
  const Columns columns(lab.world(), {"angle_axle", "angle_axle_dot", "qw_wheel", "wz_wheel"});
  ASSERT_EQ(columns.stems().back().name, "angle_axle_dot");
  std::vector<double> row(columns.width());
  while (lab.time() < 10.0) ASSERT_EQ(lab.advance(), StepStatus::done);
  lab.sample(lab.time(), columns, row.data());
  // orientation, rotation and angles in the order of the table: qw, wz, angle, angle_dot
  EXPECT_NEAR(row[3], std::numbers::pi / 2 + 7.5 * lab.time(), 1e-12);
  EXPECT_NEAR(row[4], 7.5, 1e-14);
  EXPECT_NEAR(row[2], 7.5, 1e-14);
}

// Energy that a motor puts in and damping takes away is accounted for.
TEST(Mechanisms, WorkAndLossesAreCounted) {
  Lab lab(scene_of(kWheel + "damping = 0.5\nmotor = { torque = \"3*sin(2*t)\" }\n"));
  const Columns columns(lab.world(), {"dissipated", "work", "energy_error"});
  std::vector<double> row(columns.width());
  while (lab.time() < 10.0) ASSERT_EQ(lab.advance(), StepStatus::done);
  lab.sample(lab.time(), columns, row.data());
  EXPECT_GT(row[1], 1.0);
  EXPECT_GT(row[2], row[1] - 10.0);
  EXPECT_LT(std::fabs(row[3]), 1e-12 * row[2]);
}

// A motor that prescribes the motion does the work that the motion needs: T = I w^2 / 2 with I = 1.
TEST(Mechanisms, PrescribedMotionDoesItsWork) {
  Lab lab(scene_of(kWheel + "motor = { angle = \"t^2\" }\n"));
  const Columns columns(lab.world(), {"angle_axle", "kinetic", "work"});
  std::vector<double> row(columns.width());
  while (lab.time() < 5.0) ASSERT_EQ(lab.advance(), StepStatus::done);
  lab.sample(lab.time(), columns, row.data());
  const double t = lab.time();
  EXPECT_NEAR(row[1], t * t, 1e-11);
  EXPECT_NEAR(row[2], 2 * t * t, 1e-10);
  EXPECT_NEAR(row[3], 2 * t * t, 1e-10);
  EXPECT_EQ(lab.world().degrees_of_freedom(), 0u);
}

TEST(Mechanisms, BodiesThatAreAllFixedStandStill) {
  const std::string fixed = R"(
[simulation]
duration = 1
[[bodies]]
name = "base"
shape = "sphere"
radius = 0.1
mass = 1
fixed = true
)";
  const std::string link = "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\n";
  Lab alone(scene_of(fixed)), beside(scene_of(fixed + link)),
      chain(scene_of("[simulation]\nduration = 1\n" + link));
  for (Lab* lab : {&alone, &beside, &chain}) {
    while (lab->time() < 1.0) ASSERT_EQ(lab->advance(), StepStatus::done);
  }
  const Columns with_body(beside.world(), {"z_1"}), without(chain.world(), {"z_1"});
  std::vector<double> row(with_body.width()), expected(without.width());
  beside.sample(1.0, with_body, row.data());
  chain.sample(1.0, without, expected.data());
  EXPECT_NEAR(row[1], expected[1], 1e-13);
}

// Far from the origin and beside the plane by what a double just shows: nothing of it is rounded away.
TEST(Mechanisms, FramesAreAsGivenAlsoFarAway) {
  Lab lab(scene_of(R"(
[simulation]
duration = 1
[[bodies]]
name = "a"
shape = "box"
size = [1, 1, 1]
mass = 1
position = [1e6, 0, 0]
[[joints]]
kind = "ball"
bodies = ["ground", "a"]
point = [1000000.5, 5e-10, 0]
)"));
  const Columns columns(lab.world(), {"y_a"});
  std::vector<double> row(columns.width());
  lab.sample(0.0, columns, row.data());
  EXPECT_EQ(row[1], 0.0);
}

// Gaps are small beside the bodies, also where these are small.
TEST(Mechanisms, TinyMechanismsKeepTheirJoints) {
  Lab lab(scene_of(R"(
[simulation]
duration = 1e-4
[[bodies]]
name = "a"
shape = "box"
size = [1e-9, 1e-10, 1e-10]
mass = 1
position = [5e-10, 0, 0]
[[bodies]]
name = "b"
shape = "box"
size = [1e-9, 1e-10, 1e-10]
mass = 1
position = [1.5e-9, 0, 0]
[[joints]]
kind = "revolute"
bodies = ["ground", "a"]
point = [0, 0, 0]
axis = [0, 1, 0]
[[joints]]
kind = "revolute"
bodies = ["a", "b"]
point = [1e-9, 0, 0]
axis = [0, 1, 0]
)"));
  const Columns columns(lab.world(), {"constraint_error"});
  std::vector<double> row(columns.width());
  double worst = 0.0;
  while (lab.time() < 1e-4) {
    ASSERT_EQ(lab.advance(), StepStatus::done);
    lab.sample(lab.time(), columns, row.data());
    worst = std::max(worst, row[1]);
  }
  EXPECT_LT(worst, 1e-14 * 1e-9);
}

// On a rail the motor's equation has a gradient that never changes: T = m v^2 / 2 with m = 2, v = 2 t.
TEST(Mechanisms, PrescribedTravelDoesItsWork) {
  Lab lab(scene_of(R"(
[simulation]
duration = 5
[[bodies]]
name = "cart"
shape = "box"
size = [1, 1, 1]
mass = 2
[[joints]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = [1, 0, 0]
motor = { travel = "t^2" }
)"));
  const Columns columns(lab.world(), {"travel_rail", "kinetic", "work"});
  std::vector<double> row(columns.width());
  while (lab.time() < 5.0) ASSERT_EQ(lab.advance(), StepStatus::done);
  lab.sample(lab.time(), columns, row.data());
  const double t = lab.time();
  EXPECT_NEAR(row[1], t * t, 1e-11);
  EXPECT_NEAR(row[2], 4 * t * t, 1e-10);
  EXPECT_NEAR(row[3], 4 * t * t, 1e-10);
}

TEST(Mechanisms, ReactionsOfAHangingBodyCarryItsWeight) {
  Lab lab(scene_of(R"(
[simulation]
duration = 1
[[bodies]]
name = "arm"
shape = "box"
size = [2, 0.1, 0.1]
mass = 3
position = [1, 0, 0]
[[joints]]
name = "clamp"
kind = "fixed"
bodies = ["ground", "arm"]
point = [0, 0, 0]
)"));
  const Columns columns(lab.world(), {"fx_clamp", "fz_clamp", "my_clamp"});
  std::vector<double> row(columns.width());
  lab.sample(0.0, columns, row.data());
  EXPECT_NEAR(row[1], 0.0, 1e-12);
  EXPECT_NEAR(row[2], 3 * 9.81, 1e-12);
  EXPECT_NEAR(row[3], -3 * 9.81, 1e-12);  // holds up the centre, 1 m out
}

std::string complaint(const std::string& text) {
  try {
    const Lab lab(scene_of(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Mechanisms, WhatCannotBeIsRefusedAtItsPlace) {
  const std::string rod =
      "[[joints]]\nname = \"rod\"\nkind = \"distance\"\nbodies = [\"ground\", \"wheel\"]\n"
      "points = [[9, 0, 0], [1, 0, 0]]\nlength = 2\n";
  const std::string open = complaint(kWheel + rod);
  EXPECT_NE(open.find("test.toml:17"), std::string::npos) << open;
  EXPECT_NE(open.find("joint 'rod' cannot close"), std::string::npos) << open;
}

// Zero mass or inertia is fine while the joints leave nothing open; what they leave open is named.
TEST(Mechanisms, AMotionThatNothingDeterminesIsRefusedByName) {
  const auto pendulum = [](const std::string& first) {
    return "[simulation]\nduration = 1\n[[bodies]]\nname = \"stick\"\nmass = 0\ninertia = [0, 0, 0]\n"
           "position = [0.5, 0, 0]\n[[bodies]]\nname = \"bob\"\nshape = \"point\"\nmass = 1\n"
           "position = [1, 0, 0]\n[[joints]]\nkind = \"ball\"\nbodies = [\"stick\", \"bob\"]\n"
           "point = [1, 0, 0]\n[[joints]]\nbodies = [\"ground\", \"stick\"]\npoint = [0, 0, 0]\n" +
           first;
  };
  EXPECT_EQ(complaint(pendulum("kind = \"revolute\"\naxis = [0, 1, 0]\n")), "");
  const std::string text = complaint(pendulum("kind = \"ball\"\n"));
  EXPECT_NE(text.find("test.toml:3:1: body 'stick': nothing determines how it turns about"),
            std::string::npos)
      << text;
}

TEST(Mechanisms, FormulasThatAreNoNumbersAtTheStartAreRefused) {
  for (const char* motor : {"torque = \"1/t\"", "angle = \"1/t\"", "torque = \"1/angle_axle\""}) {
    const std::string text = complaint(kWheel + "motor = { " + motor + " }\n");
    EXPECT_NE(text.find("test.toml:11:1: joint 'axle': its motor's formula"), std::string::npos) << text;
  }
  EXPECT_EQ(complaint(kWheel + "angle = 0.5\nmotor = { torque = \"1/angle_axle\" }\n"), "");
}

TEST(Mechanisms, MistakesAreFoundTogether) {
  const std::string text = complaint(R"~([simulation]
duration = 1
[[bodies]]
name = "a"
shape = "bx"
[[bodies]]
name = "b"
mass = 1
inertia = [1, 1, 3]
[[bodies]]
name = "c"
shape = "sphere"
radius = 1
[[bodies]]
name = "c"
shape = "box"
size = [1, 1]
mass = 1
[[joints]]
kind = "revolute"
bodies = ["ground", "d"]
point = [0, 0, 0]
axis = [0, 0, 0]
[[joints]]
kind = "ball"
bodies = ["b", "b"]
point = [0, 0, 0]
[[joints]]
kind = "revolute"
bodies = ["ground", "b"]
point = [0, 0, 0]
axis = [0, 0, 1]
motor = { torque = "sin(tt)" }
)~");
  for (const char* part : {"test.toml:5:9: body 'a': unknown shape 'bx', did you mean 'box'?",
                           "body 'b': inertia is of no solid", "body 'c': mass is missing",
                           "the name 'c' is given to two bodies", "there is no body 'd'",
                           "axis must not be zero", "names 'b' twice", "unknown name 'tt'"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace catena::test
