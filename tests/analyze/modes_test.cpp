// Small motions about equilibria: against closed forms, and two formulations against each other.
#include "catena/analyze/modes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/chains.h"

namespace catena {
namespace {

using test::number;
using test::reference;
using test::scene_of;
using test::shipped_scene;

std::string chain_of(std::size_t links, const std::string& link, const std::string& more = "") {
  return fmt::format(
      "[simulation]\nduration = 1\ngravity = 9.81\n[chain]\n{}\n[[chain.links]]\n{}\nrepeat = {}\n", more,
      link, links);
}

// sqrt(g/l times the reference), each to `tolerance` of itself.
void expect_frequencies(const Modes& found, const nlohmann::json& squares, double unit, double tolerance) {
  ASSERT_EQ(found.modes.size(), squares.size());
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double expected = std::sqrt(unit * number(squares[i]));
    EXPECT_NEAR(found.modes[i].frequency() / expected, 1.0, tolerance) << "mode " << i + 1;
    EXPECT_EQ(found.modes[i].damping(), 0.0);
  }
}

// w^2 = (2 -+ sqrt 2) g/l.
TEST(Modes, EqualDoublePendulumHasItsFrequencies) {
  const Modes found = find_modes(scene_of(chain_of(2, "length = 0.7\nmass = 1.3\ntheta = 0.4")), {});
  ASSERT_EQ(found.modes.size(), 2u);
  const double unit = 9.81 / 0.7;
  EXPECT_NEAR(found.modes[0].frequency() / std::sqrt((2 - std::sqrt(2.0)) * unit), 1.0, 1e-14);
  EXPECT_NEAR(found.modes[1].frequency() / std::sqrt((2 + std::sqrt(2.0)) * unit), 1.0, 1e-14);
  EXPECT_EQ(found.stability, Stability::minimum);
}

TEST(Modes, ChainsHaveTheZerosOfLaguerrePolynomials) {
  const nlohmann::json known = reference("chain_normal_modes")["laguerre_zeros"];
  for (const std::size_t links : {1, 2, 3, 4, 5, 6, 8, 10}) {
    SCOPED_TRACE(links);
    const Modes found = find_modes(scene_of(chain_of(links, "length = 0.5\nmass = 2")), {});
    expect_frequencies(found, known[std::to_string(links)], 9.81 / 0.5, 1e-12);
  }
}

// Rods hinged end to end, as bodies: each 0.5 m long, straight down, the first one drawn away from there.
std::string rods(std::size_t count) {
  std::string out = "[simulation]\nduration = 1\ngravity = 9.81\n";
  for (std::size_t k = 1; k <= count; ++k) {
    out += fmt::format(
        "[[bodies]]\nname = \"rod{}\"\nshape = \"rod\"\nlength = 0.5\nmass = 2\nposition = [0, 0, {}]\n"
        "orientation = {{ axis = [0, 1, 0], angle = \"90 deg\" }}\n",
        k, 0.25 - 0.5 * static_cast<double>(k));
    out += fmt::format(
        "[[joints]]\nkind = \"revolute\"\nbodies = [\"{}\", \"rod{}\"]\npoint = [0, 0, {}]\naxis = [0, 1, "
        "0]\n",
        k == 1 ? "ground" : fmt::format("rod{}", k - 1), k, 0.5 - 0.5 * static_cast<double>(k));
  }
  return out;
}

TEST(Modes, RodsHaveTheirClosedForms) {
  const nlohmann::json known = reference("chain_normal_modes")["rigid_rod_chain_mu"];
  const std::string rod = "length = 0.5\nmass = 2\ncenter_of_mass = 0.5\ninertia = \"rod\"";
  for (const std::size_t links : {1, 2, 3, 4, 5, 10}) {
    SCOPED_TRACE(links);
    const nlohmann::json& squares = known[std::to_string(links)];
    expect_frequencies(find_modes(scene_of(chain_of(links, rod)), {}), squares, 9.81 / 0.5, 1e-12);
    if (links <= 5) expect_frequencies(find_modes(scene_of(rods(links)), {}), squares, 9.81 / 0.5, 1e-12);
  }
}

std::string refusal(const std::string& scene) {
  try {
    find_modes(scene_of(scene), {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// The same loop by its joints and by angles with constraints; the nearest equilibrium is a saddle.
TEST(Modes, LoopOfBodiesAgreesWithItsLagrangian) {
  const Modes bodies = find_modes(shipped_scene("four-bar"), {});
  const Modes angles = find_modes(
      scene_of("[simulation]\nduration = 1\n[lagrangian]\n"
               "coordinates = { a = 1.3804114649542962, b = 0.41369612829840297, c = 1.4563768589560337 }\n"
               "kinetic = \"0.5*0.16/6*a'^2 + 0.5*(0.16*a'^2 + 0.25*b'^2 + 0.4*cos(a - b)*a'*b') + b'^2/24 + "
               "0.8*0.64/6*c'^2\"\n"
               "potential = \"9.81*(0.1*sin(a) + 0.4*sin(a) + 0.5*sin(b) + 0.32*sin(c))\"\n"
               "constraints = [\"0.4*cos(a) + cos(b) - 0.9 - 0.8*cos(c)\", \"0.4*sin(a) + sin(b) - "
               "0.8*sin(c)\"]\n"),
      {});
  ASSERT_EQ(bodies.modes.size(), 2u);
  ASSERT_EQ(angles.modes.size(), 2u);
  EXPECT_NEAR(bodies.modes[0].frequency() / angles.modes[0].frequency(), 1.0, 1e-12);
  EXPECT_EQ(bodies.stability, Stability::unstable);
  EXPECT_EQ(angles.stability, Stability::unstable);
}

// theta'' = -g/l theta - k/(m l^2) theta': damping ratio k / (2 m l^2 w).
TEST(Modes, DampedPendulumHasItsRatio) {
  const Modes found =
      find_modes(scene_of("[simulation]\nduration = 1\ngravity = 9.81\n[[chain.links]]\nlength = 0.5\n"
                          "mass = 2\ntheta = 0.3\ndamping = 0.1\n"),
                 {});
  ASSERT_EQ(found.modes.size(), 1u);
  const double w = std::sqrt(9.81 / 0.5);
  EXPECT_NEAR(found.modes[0].frequency() / w, 1.0, 1e-13);
  EXPECT_NEAR(found.modes[0].damping() / (0.1 / (2 * 0.5 * w)), 1.0, 1e-12);
  EXPECT_EQ(found.stability, Stability::asymptotic);
}

TEST(Modes, NearestEquilibriumMayStandOnItsHead) {
  const Modes found = find_modes(scene_of(chain_of(1, "length = 1\nmass = 1\ntheta = 3.0")), {});
  EXPECT_EQ(found.stability, Stability::unstable);
  ASSERT_EQ(found.modes.size(), 2u);
  EXPECT_NEAR(found.modes[0].frequency() / std::sqrt(9.81), 1.0, 1e-14);
  EXPECT_EQ(found.modes[0].damping() * found.modes[1].damping(), -1.0);
}

// Horizontal: accelerations are largest there, and Newton's method has no direction.
TEST(Modes, HorizontalPendulumGoesDown) {
  const Modes found = find_modes(scene_of(chain_of(1, "length = 1\nmass = 1\ntheta = \"90 deg\"")), {});
  EXPECT_EQ(found.stability, Stability::minimum);
}

// A spherical pendulum swings to both sides alike.
TEST(Modes, PendulumInSpaceHasTwoEqualModes) {
  const Modes found = find_modes(
      scene_of(chain_of(1, "length = 2\nmass = 1\ntheta = 0.4\nphi_dot = 1", "plane = \"none\"")), {});
  ASSERT_EQ(found.modes.size(), 2u);
  for (const Mode& mode : found.modes) EXPECT_NEAR(mode.frequency() / std::sqrt(9.81 / 2), 1.0, 1e-14);
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("rates"), std::string::npos);
}

// The cart rests anywhere on its rail.
TEST(Modes, EquilibriaSideBySideAreNamed) {
  const Modes found = find_modes(shipped_scene("cart-pole"), {});
  ASSERT_EQ(found.families.size(), 1u);
  EXPECT_TRUE(found.families[0].level);
  EXPECT_NE(std::find(found.families[0].columns.begin(), found.families[0].columns.end(), "travel_rail"),
            found.families[0].columns.end());
}

// A rod of m L^2/3 = 1 about its hinge: a torque u gives u; the hinge pushes its centre along, 3/2 u to -x.
TEST(Modes, MotorsAreInputs) {
  ModesOptions options;
  options.outputs = {"angle_hinge", "fx_hinge"};
  const Modes found = find_modes(
      scene_of("[simulation]\nduration = 1\ngravity = 9.81\n[[bodies]]\nname = \"rod\"\nshape = "
               "\"rod\"\nlength = 1\n"
               "mass = 3\nposition = [0, 0, -0.5]\norientation = { axis = [0, 1, 0], angle = \"90 deg\" }\n"
               "[[joints]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"rod\"]\npoint = "
               "[0, 0, 0]\n"
               "axis = [0, 1, 0]\nmotor = { torque = \"0\" }\n"),
      options);
  const LinearModel& model = found.model;
  EXPECT_EQ(model.states, (std::vector<std::string>{"angle_hinge", "angle_hinge_dot"}));
  EXPECT_EQ(model.inputs, (std::vector<std::string>{"torque_hinge"}));
  EXPECT_EQ(model.outputs, options.outputs);
  const auto near = [](const Matrix& found_rows, const Matrix& expected) {
    ASSERT_EQ(found_rows.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found_rows[i].size(), expected[i].size());
      for (std::size_t j = 0; j < expected[i].size(); ++j)
        EXPECT_NEAR(found_rows[i][j], expected[i][j], 2e-12);
    }
  };
  near(model.a, {{0, 1}, {-1.5 * 9.81, 0}});
  near(model.b, {{0}, {1}});
  // x = -sin(q)/2, so that m x'' = -3/2 q'' + .. = 3/2 (1.5 g) q at rest.
  near(model.c, {{1, 0}, {2.25 * 9.81, 0}});
  near(model.d, {{0}, {-1.5}});
}

TEST(Modes, WhatCannotRestIsSaid) {
  EXPECT_NE(refusal("[simulation]\nduration = 1\n[[bodies]]\nname = \"stone\"\nshape = \"sphere\"\nradius = "
                    "0.1\nmass = 1\n")
                .find("no equilibrium was found"),
            std::string::npos);
  EXPECT_NE(refusal("[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\n[[forces]]\nkind = "
                    "\"formula\"\n"
                    "force = [\"sin(t)\", 0, 0]\n")
                .find("driven"),
            std::string::npos);
}

// A fixed point of the Lorenz system: its eigenvalues solve s^3 + 41/3 s^2 + 304/3 s + 1440 = 0.
TEST(Modes, FixedPointsOfEquationsHaveTheirCharacteristicRoots) {
  const Modes found = find_modes(shipped_scene("lorenz"), {});
  EXPECT_EQ(found.stability, Stability::unstable);
  ASSERT_FALSE(found.modes.empty());
  const bool origin = std::fabs(found.row[2]) < 1e-9;
  for (const Mode& mode : found.modes) {
    const std::complex<double> s = mode.eigenvalue;
    const std::complex<double> value = origin ? (s + 8.0 / 3) * (s * s + 11.0 * s - 270.0)
                                              : s * s * s + 41.0 / 3 * s * s + 304.0 / 3 * s + 1440.0;
    EXPECT_LE(std::abs(value), 1e-10 * std::pow(std::abs(s) + 1.0, 3));
  }
}

}  // namespace
}  // namespace catena
