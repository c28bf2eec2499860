// Columns: what they are called, what they mean, and angles through poles and over turns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

constexpr double kPi = std::numbers::pi;

const char* kSpatial = R"(
[simulation]
duration = 2
sample = 0.1
[chain]
pivot = [1, -2, 3]
[[chain.links]]
length = 1.1
mass = 0.7
theta = 1.0
phi = 0.4
phi_dot = 1.5
[[chain.links]]
length = 0.8
mass = 1.3
center_of_mass = 0.4
inertia = 0.05
theta = 2.0
phi = 5.0
theta_dot = -1.0
)";

TEST(Columns, EveryNameOfTheContractIsThere) {
  const Recorded run(scene_of(kSpatial));
  for (const char* stem :
       {"x",    "y",  "z",  "vx", "vy", "vz", "theta",   "phi",       "theta_dot", "phi_dot",
        "pole", "ux", "uy", "uz", "wx", "wy", "wz",      "tension",   "px",        "py",
        "pz",   "lx", "ly", "lz", "p",  "l",  "kinetic", "potential", "energy"}) {
    EXPECT_TRUE(run.has(std::string(stem) + "_1")) << stem;
    EXPECT_TRUE(run.has(std::string(stem) + "_2")) << stem;
  }
  for (const char* name :
       {"t",        "px_total", "py_total",     "pz_total",  "p_total",          "lx_total", "ly_total",
        "lz_total", "l_total",  "kinetic",      "potential", "elastic",          "energy",   "dissipated",
        "work",     "balance",  "energy_error", "step_size", "constraint_error", "fx_pivot", "fy_pivot",
        "fz_pivot"}) {
    EXPECT_TRUE(run.has(name)) << name;
  }
}

TEST(Columns, PartsAddUpToTotals) {
  const Recorded run(scene_of(kSpatial));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const auto sum = [&](const std::string& stem) { return run.at(i, stem + "_1") + run.at(i, stem + "_2"); };
    for (const std::string stem : {"px", "py", "pz", "lx", "ly", "lz"}) {
      EXPECT_NEAR(sum(stem), run.at(i, stem + "_total"), 1e-13 * (1 + std::fabs(sum(stem))));
    }
    for (const std::string stem : {"kinetic", "potential", "energy"}) {
      EXPECT_NEAR(sum(stem), run.at(i, stem), 1e-12 * (1 + std::fabs(sum(stem))));
    }
    EXPECT_NEAR(std::hypot(run.at(i, "px_1"), run.at(i, "py_1"), run.at(i, "pz_1")), run.at(i, "p_1"), 1e-14);
    EXPECT_NEAR(run.at(i, "kinetic") + run.at(i, "potential"), run.at(i, "energy"), 1e-12);
    EXPECT_NEAR(run.at(i, "energy") - run.at(0, "energy"), run.at(i, "energy_error"), 1e-12);
    EXPECT_EQ(run.at(i, "balance"), run.at(i, "energy"));
  }
}

// Velocities are the derivatives of positions, rates of angles those of angles: central differences of dense
// rows.
TEST(Columns, RatesAreDerivatives) {
  Scene scene = scene_of(kSpatial);
  const double h = 1e-4;
  std::vector<double> times;
  for (int i = 1; i < 20; ++i) {
    for (const double shift : {-h, 0.0, h}) times.push_back(0.1 * i + shift);
  }
  const Recorded run(scene, Schedule::list(times));
  const std::vector<std::pair<std::string, std::string>> pairs{{"x_1", "vx_1"},
                                                               {"y_2", "vy_2"},
                                                               {"z_2", "vz_2"},
                                                               {"theta_1", "theta_dot_1"},
                                                               {"theta_2", "theta_dot_2"},
                                                               {"phi_1", "phi_dot_1"},
                                                               {"phi_2", "phi_dot_2"}};
  for (std::size_t i = 1; i < run.count(); i += 3) {
    for (const auto& [value, rate] : pairs) {
      double change = run.at(i + 1, value) - run.at(i - 1, value);
      if (value.rfind("phi", 0) == 0) change = std::remainder(change, 2 * kPi);
      const double size = 1 + std::fabs(run.at(i, rate));
      // h^2/6 times the third derivative, of order (10/s)^3.
      EXPECT_NEAR(change / (2 * h), run.at(i, rate), 1e-5 * size * size) << value << " at " << run.at(i, "t");
    }
  }
}

TEST(Columns, DefinitionsHoldBetweenColumns) {
  const Recorded run(scene_of(kSpatial));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const auto v = [&](const std::string& name) { return run.at(i, name); };
    // End of link 1 and direction; u = (sin th cos ph, sin th sin ph, -cos th).
    EXPECT_NEAR(v("x_1"), 1 + 1.1 * v("ux_1"), 1e-14);
    EXPECT_NEAR(v("z_1"), 3 + 1.1 * v("uz_1"), 1e-14);
    EXPECT_NEAR(v("ux_2"), std::sin(v("theta_2")) * std::cos(v("phi_2")), 1e-14);
    EXPECT_NEAR(v("uy_2"), std::sin(v("theta_2")) * std::sin(v("phi_2")), 1e-14);
    EXPECT_NEAR(v("uz_2"), -std::cos(v("theta_2")), 1e-14);
    EXPECT_GE(v("theta_2"), 0.0);
    EXPECT_LE(v("theta_2"), kPi);
    EXPECT_GE(v("phi_2"), 0.0);
    EXPECT_LT(v("phi_2"), 2 * kPi);
    // Velocity of the end = omega x (L u).
    EXPECT_NEAR(v("vx_1"), 1.1 * (v("wy_1") * v("uz_1") - v("wz_1") * v("uy_1")), 1e-13);
    EXPECT_NEAR(v("lz_1"), (v("x_1") - 1) * v("py_1") - (v("y_1") + 2) * v("px_1"), 1e-13);
    EXPECT_NEAR(v("potential_1"), 0.7 * 9.81 * v("z_1"), 1e-12);
  }
}

TEST(Angles, PlanarAnglesCountTheirTurns) {
  // Fast enough to go over the top; at 50 rad/s gravity changes the rate by a few per cent only.
  Scene scene = scene_of(
      "[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"450 deg\"\ntheta_dot = "
      "-50");
  const Recorded sparse(scene, Schedule::list({0.0, 1.0, 10.0}));
  EXPECT_EQ(sparse.at(0, "theta_1"), 2.5 * kPi);
  const Recorded dense(scene, Schedule::grid(0.001, 10.0), {"theta", "theta_dot"});
  double turned = 2.5 * kPi;
  for (std::size_t i = 1; i < dense.count(); ++i) {
    turned += 0.0005 * (dense.at(i - 1, "theta_dot_1") + dense.at(i, "theta_dot_1"));
    ASSERT_NEAR(dense.at(i, "theta_1"), turned, 1e-4) << i;  // trapezoidal rule
  }
  EXPECT_EQ(sparse.at(1, "theta_1"), dense.at(1000, "theta_1"));
  EXPECT_LT(sparse.last("theta_1"), -400.0);
}

// A series of high order can take more than half a turn in one step.
TEST(Angles, PlanarAnglesCountTheTurnsOfALongStep) {
  for (const double rate : {10.0, -10.0}) {
    const Recorded run(scene_of(
        fmt::format("[simulation]\nduration = 2\ngravity = 0\nstep = 0.4\norder = 100\n[[chain.links]]\n"
                    "length = 1\nmass = 1\ntheta_dot = {}",
                    rate)));
    EXPECT_EQ(run.at(1, "step_size"), 0.4);  // 4 rad
    for (std::size_t i = 0; i < run.count(); ++i) {
      // The terms of the first series reach e^4: roundoff of 10 e^4 eps in the rate, over 2 s.
      EXPECT_NEAR(run.at(i, "theta_1"), rate * run.at(i, "t"), 1e-12) << i;
    }
  }
}

// Its azimuth says nothing about a vertical link at rest, so it cannot turn the angle round.
TEST(Angles, AVerticalLinkAtRestKeepsTheSignOfItsAngle) {
  const Recorded run(scene_of(
      "[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"180 deg\"\nphi = 3\n"
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\nphi = 1"));
  EXPECT_EQ(run.at(0, "theta_1"), kPi);
  EXPECT_EQ(run.at(0, "theta_2"), 1.0);
}

TEST(Angles, AStartAtEitherPoleIsRead) {
  const Recorded down(scene_of(
      "[simulation]\nduration = 1\n[chain]\nplane = \"none\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
      "phi = \"60 deg\"\ntheta_dot = 2"));
  EXPECT_EQ(down.at(0, "theta_1"), 0.0);
  EXPECT_NEAR(down.at(0, "phi_1"), kPi / 3, 1e-15);
  EXPECT_NEAR(down.at(0, "theta_dot_1"), 2.0, 1e-15);
  EXPECT_TRUE(std::isnan(down.at(0, "phi_dot_1")));
  EXPECT_NEAR(down.at(5, "phi_1"), kPi / 3, 1e-14);
  const Recorded up(scene_of(
      "[simulation]\nduration = 1\n[chain]\nplane = \"none\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
      "theta = \"180 deg\"\nphi = \"60 deg\"\ntheta_dot = -2"));
  EXPECT_EQ(up.at(0, "theta_1"), kPi);
  EXPECT_NEAR(up.at(0, "theta_dot_1"), -2.0, 1e-15);
  EXPECT_NEAR(up.at(5, "phi_1"), kPi / 3, 1e-13);
}

// Swinging through straight down and over the top in space: the motion is smooth, only the angles' names
// jump.
TEST(Angles, AMotionThroughBothPolesStaysTheSameAsInItsPlane) {
  const char* over =
      "[simulation]\nduration = 3\nsample = 0.01\n[chain]\nplane = \"{}\"\n[[chain.links]]\nlength = 1\nmass "
      "= 1\n"
      "phi = \"30 deg\"\ntheta_dot = 7";
  const Recorded flat(scene_of(fmt::format(fmt::runtime(over), "auto")));
  const Recorded space(scene_of(fmt::format(fmt::runtime(over), "none")));
  for (std::size_t i = 0; i < flat.count(); ++i) {
    for (const char* column : {"x_1", "y_1", "z_1", "vx_1", "vz_1", "wx_1", "wy_1"}) {
      EXPECT_NEAR(flat.at(i, column), space.at(i, column), 1e-12) << column << " row " << i;
    }
    EXPECT_NEAR(std::cos(flat.at(i, "theta_1")), std::cos(space.at(i, "theta_1")), 1e-12);
  }
}

TEST(Angles, WithUnitsAreExactAtQuarterTurns) {
  const Recorded run(
      scene_of("[simulation]\nduration = 1\n[[chain.links]]\nlength = 2\nmass = 1\ntheta = \"90 deg\"\nphi = "
               "\"0.5 pi\""));
  EXPECT_EQ(run.at(0, "x_1"), 0.0);
  EXPECT_EQ(run.at(0, "y_1"), 2.0);
  EXPECT_EQ(run.at(0, "z_1"), 0.0);
}

TEST(Columns, ChosenByColumnStemAndGroup) {
  const Scene scene = scene_of(kSpatial);
  const Lab lab(scene);
  const auto names = [&](std::vector<std::string> asked) {
    std::vector<std::string> out;
    const Columns columns = lab.columns(asked);
    for (const Stem& stem : columns.stems()) {
      if (stem.labels.empty()) out.push_back(stem.name);
      for (const std::string& label : stem.labels) out.push_back(stem.name + "_" + label);
    }
    return out;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({"energy"}), (Names{"t", "energy"}));
  EXPECT_EQ(names({"theta"}), (Names{"t", "theta_1", "theta_2"}));
  EXPECT_EQ(names({"x_2", "energy"}), (Names{"t", "x_2", "energy"}));
  EXPECT_EQ(names({"position"}), (Names{"t", "x_1", "x_2", "y_1", "y_2", "z_1", "z_2"}));
  EXPECT_EQ(names({"energy_1"}), (Names{"t", "energy_1"}));
  EXPECT_EQ(names({"all"}), names({}));
  EXPECT_GT(names({"reactions"}).size(), 5u);
  for (const char* group : {"position", "velocity", "angles", "momentum", "energies", "reactions"}) {
    EXPECT_GT(names({group}).size(), 1u) << group;
  }
}

TEST(Columns, UnknownWordsAreAllReportedWithTheNearest) {
  const Lab lab(scene_of(kSpatial));
  try {
    lab.columns({"enrgy", "theta", "positon", "x_9"});
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.mistakes().size(), 3u);
    EXPECT_NE(error.mistakes()[0].message.find("'energy'"), std::string::npos);
    EXPECT_NE(error.mistakes()[1].message.find("'position'"), std::string::npos);
    EXPECT_NE(error.mistakes()[2].message.find("x_9"), std::string::npos);
  }
}

}  // namespace
}  // namespace catena
