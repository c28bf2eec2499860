// Laws that every motion obeys: conservation, independence of formulation, of dimension, of output times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

// A regular motion in space: small enough swings that neighbouring motions part slowly.
const char* kRegular = R"(
[simulation]
duration = 10
sample = 0.5
[[chain.links]]
length = 1.0
mass = 1.0
theta = 0.3
phi = 0.4
phi_dot = 0.7
[[chain.links]]
length = 0.7
mass = 0.5
theta = 0.2
phi = 1.4
[[chain.links]]
length = 1.2
mass = 2.0
theta = 0.25
theta_dot = 0.5
)";

const char* kWild = R"(
[simulation]
duration = 100
sample = 1
[[chain.links]]
length = 1.0
mass = 1.0
theta = 2.0
phi_dot = 2.0
[[chain.links]]
length = 0.7
mass = 0.5
theta = 1.5
phi = 1.4
theta_dot = -3
)";

double largest_row_difference(const Recorded& a, const Recorded& b, const std::vector<std::string>& stems,
                              int links) {
  double out = a.count() == b.count() ? 0.0 : INFINITY;
  for (const std::string& stem : stems) {
    for (int k = 1; k <= links; ++k) {
      const std::string column = stem + "_" + std::to_string(k);
      out = std::max(out, test::largest_difference(a.column(column), b.column(column)));
    }
  }
  return out;
}

TEST(Motion, ConservesEnergyAndVerticalAngularMomentumOverLongRuns) {
  const Recorded run(scene_of(kWild, {"simulation.duration=1000", "simulation.sample=10"}));
  // Roundoff of 1e-16 of the scale a step walks to 1.6e-14 in these 2e4 steps; three times that.
  EXPECT_LT(run.summary.energy_error_relative, 5e-14);
  const double start = run.at(0, "lz_total");
  for (const double now : run.column("lz_total")) EXPECT_NEAR(now, start, 1e-12 * std::fabs(start));
  EXPECT_LT(run.summary.constraint_error, 1e-15);
}

// Regular orbits, truncation below roundoff: what is left is a random walk, 5e-16 J a step (measured), and no
// drift. Rounded reciprocals in the series gave 6e-13 J here; a correction left in lo gave 1e-12 J after 80
// steps on a circle.
TEST(Motion, EnergyOfRegularOrbitsWalksRandomlyAndDoesNotDrift) {
  const double g = 9.81;
  for (const std::string start : {"theta = \"90 deg\"", "theta = 1.2", "theta = 0.7\nphi_dot = 3.0",
                                  "theta = 0.7853981633974483\nphi_dot = 3.7247060349616938"}) {
    const Recorded run(
        scene_of("[simulation]\nduration = 1000\nsample = 10\ntolerance = 1e-18\n[[chain.links]]\nlength = "
                 "1\nmass = 1\n" +
                 start));
    const double walk = 5e-16 * std::sqrt(static_cast<double>(run.summary.counts.steps));
    // Four standard deviations, and twice as much for orbits other than the measured one.
    EXPECT_LT(std::fabs(run.last("energy_error")), 8 * walk) << start;
    EXPECT_LT(run.summary.energy_error_relative * run.summary.energy_scale, 8 * walk) << start;
    EXPECT_GT(run.summary.energy_scale, 0.01 * g);
  }
}

// Unequal masses, small swings, 2e5 steps: the walk is 1e-14 of the scale (measured over 16 orbits). A pivot
// whose constant part was rounded the same way in every step made this orbit lose 1.2e-13.
TEST(Motion, EnergyOfUnequalMassesDoesNotDrift) {
  Lab lab(
      scene_of("[simulation]\nduration = 1e6\ntolerance = 1e-18\n"
               "[[chain.links]]\nlength = 1\nmass = 0.70331\ntheta = -0.1718021992168023\n"
               "[[chain.links]]\nlength = 1\nmass = 0.31177\ntheta = 0.2743273189603224\n"
               "[[chain.links]]\nlength = 1\nmass = 1.1034\ntheta = -0.2547620922192388\n"));
  for (int i = 0; i < 200000; ++i) ASSERT_EQ(lab.advance(), StepStatus::done);
  EXPECT_LT(lab.energies().largest_error, 5e-14 * lab.energies().scale(0.0));
}

TEST(Motion, ConservesEnergyForRodsAndTrees) {
  const Recorded run(scene_of(R"(
[simulation]
duration = 50
sample = 1
[[chain.links]]
length = 1
mass = 1
inertia = "rod"
theta = 2.2
phi_dot = 1
repeat = 3
[[chain.links]]
length = 0.5
mass = 0.3
theta = 1.1
parent = 1
[[chain.links]]
length = 0.5
mass = 0.3
theta = 1.5
phi = 2
parent = 0
)"));
  EXPECT_LT(run.summary.energy_error_relative, 1e-13);
  for (const double now : run.column("lz_total")) EXPECT_NEAR(now, run.at(0, "lz_total"), 1e-12);
}

TEST(Motion, TensionAndArticulatedAgreeOverTenSeconds) {
  const Recorded a(scene_of(kRegular)), b(scene_of(kRegular, {"chain.formulation=\"articulated\""}));
  EXPECT_LT(largest_row_difference(a, b, {"x", "y", "z", "vx", "vy", "vz", "theta", "phi"}, 3), 1e-11);
  EXPECT_LT(largest_row_difference(a, b, {"tension"}, 3), 1e-10);
}

TEST(Motion, MethodsOfHighOrderAgreeWithEachOther) {
  const Recorded taylor(scene_of(kRegular));
  const Recorded dop853(scene_of(kRegular, {"simulation.method=\"dop853\"", "simulation.tolerance=1e-14"}));
  const Recorded dopri5(scene_of(kRegular, {"simulation.method=\"dopri5\"", "simulation.tolerance=1e-12"}));
  EXPECT_LT(largest_row_difference(taylor, dop853, {"x", "y", "z"}, 3), 1e-11);
  EXPECT_LT(largest_row_difference(taylor, dopri5, {"x", "y", "z"}, 3), 1e-9);
}

TEST(Motion, APlaneSolvedInSpaceIsTheSameMotion) {
  const char* planar = R"(
[simulation]
duration = 10
sample = 0.5
[[chain.links]]
length = 1
mass = 1
theta = 0.5
phi = "30 deg"
[[chain.links]]
length = 1
mass = 2
theta = -0.4
phi = "30 deg"
[[chain.links]]
length = 0.5
mass = 1
theta = 0.3
phi = "210 deg"
)";
  const Recorded flat(scene_of(planar)), space(scene_of(planar, {"chain.plane=\"none\""}));
  EXPECT_EQ(flat.summary.degrees_of_freedom, 3u);
  EXPECT_EQ(space.summary.degrees_of_freedom, 6u);
  EXPECT_LT(largest_row_difference(flat, space,
                                   {"x", "y", "z", "vx", "vy", "vz", "lx", "ly", "kinetic", "tension"}, 3),
            1e-11);
  EXPECT_EQ(flat.at(0, "theta_3"), -0.3);
}

TEST(Motion, ChainsOfManyLengthsRun) {
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 100, 1000}) {
    const double length = 1.0 / n;
    const Scene scene =
        scene_of(fmt::format("[simulation]\nduration = {}\nsample = 0.01\n[[chain.links]]\nlength = {}\n"
                             "mass = {}\ntheta = 1.2\nphi_step = 0.01\nphi_dot = 0.5\nrepeat = {}",
                             n >= 100 ? 0.05 : 1.0, length, length, n));
    const Recorded run(scene, Schedule::grid(scene.simulation.sample, scene.simulation.duration),
                       {"energies", "lz_total"});
    EXPECT_EQ(run.summary.outcome, Outcome::done) << n;
    EXPECT_LT(run.summary.energy_error_relative, 1e-12) << n;
  }
}

// Chains side by side do not see each other.
TEST(Motion, SeveralChainsMoveAsIfAlone) {
  const char* two = R"(
[simulation]
duration = 5
sample = 0.25
[[chains]]
name = "left"
pivot = [-1, 0, 2]
[[chains.links]]
length = 1
mass = 1
theta = 0.5
phi_dot = 1
repeat = 2
[[chains]]
name = "right"
[[chains.links]]
length = 0.6
mass = 3
theta = 0.8
)";
  const char* left =
      "[simulation]\nduration = 5\nsample = 0.25\n[chain]\npivot = [-1, 0, 2]\n"
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.5\nphi_dot = 1\nrepeat = 2\n";
  const Recorded both(scene_of(two)), alone(scene_of(left));
  for (const std::string axis : {"x", "y", "z"}) {
    EXPECT_LT(test::largest_difference(both.column(axis + "_left_2"), alone.column(axis + "_2")), 1e-12);
  }
  EXPECT_TRUE(both.has("theta_right_1"));
  EXPECT_EQ(both.at(0, "z_left_1"), 2 - std::cos(0.5));
}

// Whether the scene can be run with the method at all: some need what only elastic chains have.
bool accepts(const Scene& scene) {
  try {
    Lab lab(scene);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

constexpr const char* kElastic =
    "[simulation]\nduration = 100\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
    "stiffness = 300\ntheta_dot = 9\nstretch = 0.1\nrepeat = 3";

TEST(Motion, RowsDoNotDependOnHowOutputTimesAreChosen) {
  for (const char* toml : {kRegular, kElastic}) {
    for (const Method& method : methods()) {
      Scene scene = scene_of(toml);
      scene.simulation.method = method.name;
      if (!method.adaptive) scene.simulation.step = 0.0037;
      if (!accepts(scene)) continue;
      const Recorded coarse(scene, Schedule::list({1.5, 7.25}));
      const Recorded fine(scene, Schedule::grid(0.25, 7.25));
      ASSERT_EQ(coarse.count(), 2u) << method.name << ": " << coarse.summary.message;
      ASSERT_EQ(fine.count(), 30u) << method.name << ": " << fine.summary.message;
      EXPECT_EQ(coarse.rows()[0], fine.rows()[6]) << method.name;
      EXPECT_EQ(coarse.rows()[1], fine.rows()[29]) << method.name;
    }
  }
}

TEST(Motion, TheSameSceneGivesTheSameBits) {
  const Recorded a(scene_of(kWild)), b(scene_of(kWild));
  EXPECT_EQ(a.rows(), b.rows());
}

// Stopped anywhere and taken up again, every method goes on with the same bits.
TEST(Motion, ACheckpointGoesOnWithTheSameBits) {
  for (const char* toml :
       {kWild, "[simulation]\nduration = 100\n[[chain.links]]\nlength = 1\nmass = 1\ntheta_dot = 9",
        kElastic}) {
    for (const Method& method : methods()) {
      Scene scene = scene_of(toml);
      scene.simulation.method = method.name;
      if (!method.adaptive) scene.simulation.step = 0.01;
      if (method.library || !accepts(scene)) continue;  // they remember several steps
      Lab whole(scene), first(scene);
      for (int i = 0; i < 60; ++i) whole.advance();
      for (int i = 0; i < 31; ++i) first.advance();
      Lab second(scene);
      second.restore(first.checkpoint());  // from the start of the last step
      for (int i = 0; i < 30; ++i) second.advance();
      EXPECT_EQ(whole.state().hi, second.state().hi) << method.name;
      EXPECT_EQ(whole.state().lo, second.state().lo) << method.name;
      EXPECT_EQ(whole.time(), second.time()) << method.name;
      EXPECT_EQ(whole.counts().evaluations, second.counts().evaluations) << method.name;
      const Columns columns = whole.columns({});
      std::vector<double> a(columns.width()), b(columns.width());
      whole.sample(whole.time(), columns, a.data());
      second.sample(second.time(), columns, b.data());
      // energy_error and the like are compared too; nan would not equal itself, but no link is at a pole
      // here.
      EXPECT_EQ(a, b) << method.name;
    }
  }
}

// A change of settings is part of the checkpoint: it outlives a kill and further resumptions.
TEST(Motion, ChangesOfSettingsAreCarriedFromCheckpointToCheckpoint) {
  Lab first(scene_of(kWild)), second(scene_of(kWild, {"simulation.tolerance=1e-12"}));
  for (int i = 0; i < 5; ++i) first.advance();
  second.restore(first.checkpoint());
  ASSERT_EQ(second.changes().size(), 1u);
  EXPECT_EQ(second.changes()[0].time, second.time());
  EXPECT_EQ(second.changes()[0].from, first.settings());
  EXPECT_EQ(second.changes()[0].to, second.settings());
  for (int i = 0; i < 5; ++i) second.advance();
  Lab third(scene_of(kWild, {"simulation.tolerance=1e-12"})), fourth(scene_of(kWild));
  third.restore(second.checkpoint());
  EXPECT_EQ(third.changes().size(), 1u) << "the same settings again are no change";
  third.advance();
  fourth.restore(third.checkpoint());
  ASSERT_EQ(fourth.changes().size(), 2u);
  EXPECT_EQ(fourth.changes()[1].to, first.settings());
}

TEST(Motion, ACheckpointOfAnotherSceneIsRefused) {
  Lab a(scene_of(kWild)), b(scene_of(kRegular));
  EXPECT_THROW(b.restore(a.checkpoint()), InputError);
  EXPECT_THROW(b.restore("nonsense"), InputError);
  EXPECT_THROW(b.restore(""), InputError);
}

// A method that blows up is stopped with a reason once its energy is no number any more, and what came before
// is kept: Euler's steps of 0.1 s feed energy into three links, faster than exponentially.
TEST(Motion, AnExplosionIsReportedAndWhatCameBeforeIsKept) {
  const Recorded run(scene_of(kRegular, {"simulation.method=\"euler\"", "simulation.step=0.1"}));
  EXPECT_EQ(run.summary.outcome, Outcome::failed);
  EXPECT_NE(run.summary.message.find("at t = 1."), std::string::npos) << run.summary.message;
  EXPECT_NE(run.summary.message.find("smaller step"), std::string::npos) << run.summary.message;
  ASSERT_GT(run.count(), 2u);
  for (const std::vector<double>& row : run.rows()) {
    for (const double value : row) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Schedule, GridHitsMultiplesAndTheEnd) {
  const Schedule even = Schedule::grid(0.01, 10.0);
  EXPECT_EQ(even.count(), 1001u);
  EXPECT_EQ(even.time(1000), 10.0);
  EXPECT_EQ(even.time(3), 3 * 0.01);
  const Schedule odd = Schedule::grid(0.3, 1.0);
  EXPECT_EQ(odd.count(), 5u);
  EXPECT_EQ(odd.time(3), 3 * 0.3);
  EXPECT_EQ(odd.time(4), 1.0);
  for (const double sample : {5.0, 1e12}) {
    EXPECT_EQ(Schedule::grid(sample, 1.0).count(), 2u);
    EXPECT_EQ(Schedule::grid(sample, 1.0).time(0), 0.0);
  }
  for (int steps = 1; steps < 3000; ++steps) {
    EXPECT_EQ(Schedule::grid(0.1, steps * 0.1).count(), static_cast<std::size_t>(steps) + 1);
  }
}

TEST(Schedule, NoRowLiesBeyondTheEnd) {
  for (const double missing : {1e-3, 1e-5, 1e-7, 1e-8}) {  // of the last sample
    const Schedule grid = Schedule::grid(0.001, 1e-3 * (1e6 - missing));
    ASSERT_EQ(grid.count(), 1000001u) << missing;
    EXPECT_LT(grid.time(999999), grid.time(1000000)) << missing;
    EXPECT_EQ(grid.time(1000000), grid.end()) << missing;
  }
}

// Steps of a round length end on the jump, on one side of it or on the other by a rounding: x' = 1 up to
// x = 1 and 2 from there, so that x(2) = 3 and the integral of x is 2.5.
TEST(Motion, JumpsThatAStepLandsOnAreExact) {
  for (const char* rate : {"choose(1 - x, 1, 2)", "choose(x - 1, 2, 1)", "choose(t - 1, 2, 1)",
                           "choose(1 - t, 1, 2)", "1.5 + 0.5*sign(x - 1)", "choose((x - 1)*(x + 3), 2, 1)"}) {
    for (const char* longest : {"0.1", "0.05", "0.04", "0.025", "0.02", "0.3333333333333333"}) {
      const test::Recorded run(test::scene_of(
          fmt::format("[simulation]\nduration = 2\nmax_step = {}\n[equations]\nstates = {{ x = 0, y = 0 }}\n"
                      "dot = {{ x = \"{}\", y = \"x\" }}\n",
                      longest, rate)));
      EXPECT_NEAR(run.last("x"), 3.0, 2e-14) << rate << longest;
      EXPECT_NEAR(run.last("y"), 2.5, 2e-14) << rate << longest;
    }
  }
}

}  // namespace
}  // namespace catena
