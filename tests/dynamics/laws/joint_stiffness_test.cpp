// Springs in the joints of links: k sin(bend), and k times the bend itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/model/body_entries.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

const char* kAlone = R"([simulation]
duration = 3
sample = 0.1
gravity = 0
[[chain.links]]
length = 0.8
mass = 1.5
joint_stiffness = 2.5
joint_stiffness_law = "linear"
)";

// Without gravity the bend is b0 cos(w t), w^2 = k / (m L^2), however large it is, through zero and back.
TEST(JointStiffness, LinearInTheBendIsHarmonicAtAnyAmplitude) {
  const double omega = std::sqrt(2.5 / (1.5 * 0.8 * 0.8));
  for (const double start : {1e-8, 0.4, 1.6, 3.1}) {
    for (const char* formulation : {"tension", "articulated", "angles", "chart", "lie", "multibody"}) {
      const Recorded run(scene_of(kAlone, {fmt::format("chain.links.1.theta={}", start),
                                           fmt::format("chain.formulation=\"{}\"", formulation)}));
      for (std::size_t row = 0; row < run.count(); ++row) {
        const double bend = start * std::cos(omega * run.at(row, "t"));
        EXPECT_NEAR(run.at(row, "x_1"), 0.8 * std::sin(bend), 1e-12) << formulation << start;
        EXPECT_NEAR(run.at(row, "z_1"), -0.8 * std::cos(bend), 1e-12) << formulation << start;
        EXPECT_NEAR(run.at(row, "elastic"), 0.5 * 2.5 * bend * bend, 1e-12) << formulation << start;
      }
    }
  }
}

// Turning round and round: opposite to straight on the torque changes its sign at once. Runge-Kutta methods
// keep the energy across; taylor ends there, and says so.
TEST(JointStiffness, LinearInTheBendKeepsItsEnergyOverWholeTurns) {
  const std::vector<std::string> turning{"chain.links.1.theta_dot=12.0", "simulation.gravity=9.81"};
  std::vector<std::string> by_steps = turning;
  by_steps.insert(by_steps.end(), {"simulation.method=\"dop853\"", "simulation.tolerance=1e-13"});
  const Recorded run(scene_of(kAlone, by_steps));
  EXPECT_GT(run.last("theta_1"), 12.0);
  EXPECT_LT(test::largest(run.column("energy_error")), 1e-10 * run.summary.energy_scale);
  const Recorded ended(scene_of(kAlone, turning));
  EXPECT_EQ(ended.summary.outcome, Outcome::failed);
  EXPECT_NE(ended.summary.message.find("link 1 is folded back at t = 0.30"), std::string::npos)
      << ended.summary.message;
}

// A tree in space: all formulations that take it agree, and the energy is that of the bends.
TEST(JointStiffness, FormulationsAgreeOnLinearAndSineSprings) {
  const char* tree = R"([simulation]
duration = 2
sample = 0.2
[[chain.links]]
length = 0.8
mass = 1
theta = 0.5
phi_dot = 1.2
joint_stiffness = 3
joint_stiffness_law = "linear"
[[chain.links]]
length = 0.5
mass = 0.4
theta = 1.1
phi = 1.0
joint_stiffness = 1
[[chain.links]]
length = 0.6
mass = 0.7
theta = -0.2
joint_stiffness = 2
joint_stiffness_law = "linear"
)";
  const Recorded expected(scene_of(tree));
  EXPECT_LT(test::largest(expected.column("energy_error")), 1e-13 * expected.summary.energy_scale);
  for (const char* formulation : {"articulated", "chart", "lie", "multibody"}) {
    const Recorded run(scene_of(tree, {fmt::format("chain.formulation=\"{}\"", formulation)}));
    for (const char* column : {"x_3", "y_3", "z_3", "elastic"})
      EXPECT_LT(test::largest_difference(run.column(column), expected.column(column)), 1e-10)
          << formulation << column;
  }
  for (std::size_t row = 0; row < expected.count(); ++row) {
    const auto along = [&](const char* axis, int link) {
      return link == 0 ? (axis[0] == 'z' ? -1.0 : 0.0) : expected.at(row, fmt::format("u{}_{}", axis, link));
    };
    const auto cosine = [&](int link) {
      return along("x", link) * along("x", link - 1) + along("y", link) * along("y", link - 1) +
             along("z", link) * along("z", link - 1);
    };
    const double first = std::acos(cosine(1)), third = std::acos(cosine(3));
    EXPECT_NEAR(expected.at(row, "elastic"), 1.5 * first * first + 1.0 - cosine(2) + third * third, 1e-12);
  }
}

// The spring of a revolute joint is linear in its angle, too.
TEST(JointStiffness, IsThatOfARevoluteJoint) {
  const Recorded link(scene_of(kAlone, {"chain.links.1.theta=\"90 deg\"", "simulation.gravity=9.81",
                                        "chain.links.1.center_of_mass=0.5", "chain.links.1.inertia=0.1"}));
  const Recorded body(
      scene_of("[simulation]\nduration = 3\nsample = 0.1\n[[bodies]]\nname = \"bar\"\nmass = 1.5\ninertia = "
               "[0.1, 0.1, 0.1]\n"
               "position = [0.4, 0, 0]\n[[joints]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = "
               "[\"ground\", \"bar\"]\n"
               "point = [0, 0, 0]\naxis = [0, -1, 0]\nstiffness = 2.5\nrest = \"-90 deg\"\n"));
  for (std::size_t row = 0; row < link.count(); ++row) {
    EXPECT_NEAR(2 * body.at(row, "x_bar"), link.at(row, "x_1"), 1e-12);
    EXPECT_NEAR(body.at(row, "elastic"), link.at(row, "elastic"), 1e-12);
  }
}

TEST(JointStiffness, FrictionFadesAtOneRateInChainsAndJoints) {
  EXPECT_EQ(LinkEntry{}.friction_rate, JointEntry{}.friction_rate);
}

}  // namespace
}  // namespace catena
