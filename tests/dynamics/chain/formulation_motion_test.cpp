// One motion in all formulations: the same scene, the same columns, the same numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

constexpr double kEpsilon = 2.2e-16;

// Swings of a few tenths of a radian, in a plane or in space: neighbouring motions part slowly.
std::string regular_chain(int n, bool planar) {
  std::string scene = "[simulation]\nduration = 10\nsample = 0.5\n";
  for (int k = 0; k < n; ++k) {
    scene += fmt::format("[[chain.links]]\nlength = {}\nmass = {}\ntheta = {}\n", 0.6 + 0.1 * (k % 3),
                         1.0 + 0.5 * (k % 2), 0.1 + 0.02 * k);
    if (!planar) scene += fmt::format("phi = {}\nphi_dot = 0.5\n", 0.4 * k);
  }
  return scene;
}

std::string wild_chain(bool planar) {
  return std::string("[simulation]\nduration = 5\nsample = 0.25\n") +
         "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\n" + (planar ? "" : "phi_dot = 2.0\n") +
         "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = 1.5\ntheta_dot = -3\n" +
         (planar ? "" : "phi = 1.4\n");
}

double difference(const Recorded& a, const Recorded& b, const std::vector<std::string>& stems, int links) {
  double out = a.count() == b.count() ? 0.0 : INFINITY;
  for (const std::string& stem : stems) {
    for (int k = 1; k <= links; ++k) {
      const std::string column = fmt::format("{}_{}", stem, k);
      out = std::max(out, test::largest_difference(a.column(column), b.column(column)));
    }
  }
  return out;
}

const std::vector<std::string> kPlaces{"x", "y", "z", "vx", "vy", "vz", "ux", "uy", "uz"};

Recorded under(const std::string& formulation, const std::string& scene, std::vector<std::string> more = {}) {
  more.push_back("chain.formulation=\"" + formulation + "\"");
  return Recorded(scene_of(scene, std::move(more)));
}

TEST(Formulations, AgreeOverTenSecondsOfRegularMotionInSpace) {
  for (const int n : {1, 2, 3, 5, 7, 10}) {
    const Recorded expected = under("tension", regular_chain(n, false));
    for (const char* formulation : {"articulated", "lie", "chart", "multibody"}) {
      const Recorded run = under(formulation, regular_chain(n, false));
      EXPECT_LT(difference(run, expected, kPlaces, n), 1e-11) << formulation << ", " << n << " links";
      EXPECT_LT(difference(run, expected, {"tension"}, n), 1e-9) << formulation << ", " << n << " links";
      EXPECT_LT(run.summary.energy_error_relative, 1e-13) << formulation << ", " << n << " links";
    }
  }
}

TEST(Formulations, AgreeOverTenSecondsOfRegularMotionInAPlane) {
  for (const int n : {1, 2, 3, 5, 7, 10}) {
    const Recorded expected = under("tension", regular_chain(n, true));
    for (const char* formulation : {"articulated", "angles", "lie", "chart", "multibody"}) {
      const Recorded run = under(formulation, regular_chain(n, true));
      EXPECT_LT(difference(run, expected, kPlaces, n), 1e-11) << formulation << ", " << n << " links";
      if (std::string(formulation) == "chart") continue;  // its angles are those of its charts
      EXPECT_LT(difference(run, expected, {"theta", "phi", "theta_dot", "phi_dot"}, n), 1e-11)
          << formulation << ", " << n << " links";
    }
  }
}

// A start moved by 1e-9 shows how the motion stretches errors.
TEST(Formulations, DifferInWildMotionByWhatTheMotionMakesOfRoundoff) {
  for (const bool planar : {true, false}) {
    const Recorded expected = under("tension", wild_chain(planar));
    const Recorded moved = under("tension", wild_chain(planar), {"chain.links.1.theta=2.000000001"});
    const double growth = difference(moved, expected, kPlaces, 2) / 1e-9;
    EXPECT_GT(growth, 10.0) << "wild indeed";
    for (const char* formulation : {"articulated", "angles", "lie", "chart", "multibody"}) {
      if (!planar && std::string(formulation) == "angles") continue;
      EXPECT_LT(difference(under(formulation, wild_chain(planar)), expected, kPlaces, 2),
                100 * kEpsilon * growth)
          << formulation << (planar ? ", plane" : ", space");
    }
  }
}

TEST(Formulations, WorkWithEveryMethodThatNeedsTheRightHandSideAlone) {
  const std::string scene = regular_chain(3, true);
  const std::vector<std::string> brief{"simulation.duration=1"};
  const Recorded expected = under("tension", scene, brief);
  for (const char* formulation : {"angles", "lie", "chart"}) {
    for (const Method& method : methods()) {
      if (method.name == "taylor") continue;
      Scene given =
          scene_of(scene, {"simulation.duration=1", fmt::format("chain.formulation=\"{}\"", formulation)});
      given.simulation.method = method.name;
      given.simulation.step = 1e-3;
      if (method.adaptive) given.simulation.tolerance = 1e-11;
      // Asked without a system, so that only methods with needs of their own are left out.
      System bare;
      bare.rhs = [](double, const double*, double*) {};
      if (!refusal(method, bare, {.step = 1e-3}).empty()) continue;
      const Recorded run(given);
      // Global errors at this step and tolerance: of first order 1e-3 times the size of u'', above it far
      // less.
      const double bound = method.order == "1" ? 0.1 : method.order == "2" ? 1e-4 : 1e-7;
      EXPECT_LT(difference(run, expected, {"x", "y", "z"}, 3), bound) << formulation << " " << method.name;
    }
  }
}

// Forces of several kinds, friction in the joints and a pivot that moves, in all formulations alike; so do
// the accounts of what was dissipated and of the work done.
TEST(Formulations, AgreeUnderForcesAndOnAMovingPivot) {
  const std::string forced = R"~(
[simulation]
duration = 5
sample = 0.25
[chain]
pivot = ["0.1*sin(2*t)", 0, "0.05*cos(3*t)"]
velocity_damping = 0.02
[[chain.links]]
length = 1
mass = 1
theta = 0.4
damping = 0.1
[[chain.links]]
length = 0.7
mass = 0.5
theta = -0.3
joint_stiffness = 0.2
[[forces]]
kind = "formula"
force = ["-0.1*vx*speed + 0.2*sin(t)", "0", "-0.1*vz*speed"]
)~";
  for (const bool planar : {true, false}) {
    std::vector<std::string> more;
    if (!planar) more = {"chain.links.1.phi_dot=0.5", "chain.links.2.phi=1.0"};
    const Recorded expected = under("tension", forced, more);
    EXPECT_GT(std::fabs(expected.last("dissipated")), 0.01);
    EXPECT_GT(std::fabs(expected.last("work")), 0.001);
    for (const std::string formulation : {"articulated", "angles", "lie", "chart"}) {
      if (!planar && formulation == "angles") continue;
      for (const char* method : {"taylor", "dop853"}) {
        std::vector<std::string> settings = more;
        settings.push_back(fmt::format("simulation.method=\"{}\"", method));
        settings.push_back("simulation.tolerance=1e-14");
        const Recorded run = under(formulation, forced, settings);
        EXPECT_LT(difference(run, expected, kPlaces, 2), 1e-11) << formulation << " " << method << planar;
        EXPECT_LT(difference(run, expected, {"tension"}, 2), 1e-9) << formulation << " " << method << planar;
        EXPECT_NEAR(run.last("dissipated"), expected.last("dissipated"), 1e-11)
            << formulation << " " << method;
        EXPECT_NEAR(run.last("work"), expected.last("work"), 1e-11) << formulation << " " << method;
        EXPECT_NEAR(run.last("energy_error"), 0.0, 1e-11) << formulation << " " << method;
      }
    }
  }
}

// Angles are those of the chart that `pole` names, and rebuild the link's direction and its rate.
TEST(Charts, ColumnsRebuildTheDirectionInTheChartThatPoleNames) {
  const Recorded run = under("chart", wild_chain(false), {"simulation.sample=0.01"});
  bool seen[2] = {false, false};
  for (std::size_t row = 0; row < run.count(); ++row) {
    for (const std::string k : {"_1", "_2"}) {
      const double theta = run.at(row, "theta" + k), phi = run.at(row, "phi" + k),
                   pole = run.at(row, "pole" + k);
      const double rate = run.at(row, "theta_dot" + k), turn = run.at(row, "phi_dot" + k);
      ASSERT_TRUE(pole == 0.0 || pole == 1.0);
      seen[pole == 1.0] = true;
      EXPECT_GE(theta, 0.0);
      EXPECT_LE(theta, std::numbers::pi);
      EXPECT_GE(phi, 0.0);
      EXPECT_LT(phi, 2 * std::numbers::pi);
      EXPECT_GT(std::sin(theta), 0.5) << "links that come nearer to the pole have changed the chart";
      const double s = std::sin(theta), c = std::cos(theta), sp = std::sin(phi), cp = std::cos(phi);
      const Vec3 local{s * cp, s * sp, c};
      const Vec3 moving{rate * c * cp - turn * s * sp, rate * c * sp + turn * s * cp, -rate * s};
      const auto world = [&](const Vec3& v) {
        return pole == 1.0 ? Vec3{v[0], v[1], -v[2]} : Vec3{v[2], v[0], v[1]};
      };
      const Vec3 u = world(local), w = world(moving);
      EXPECT_NEAR(run.at(row, "ux" + k), u[0], 1e-15);
      EXPECT_NEAR(run.at(row, "uy" + k), u[1], 1e-15);
      EXPECT_NEAR(run.at(row, "uz" + k), u[2], 1e-15);
      const double wx = u[1] * w[2] - u[2] * w[1];
      EXPECT_NEAR(run.at(row, "wx" + k), wx, 1e-14 * (1 + std::fabs(rate) + std::fabs(turn)));
    }
  }
  EXPECT_TRUE(seen[0] && seen[1]) << "both charts are used";
}

// Straight through the lowest point, the highest point and both ends of the x axis: poles of both charts.
TEST(Charts, AMotionGoesThroughThePolesOfBothCharts) {
  const std::string round =
      "[simulation]\nduration = 5\nsample = 0.05\n[[chain.links]]\nlength = 1\nmass = 1\ntheta_dot = 8\n";
  const Recorded expected = under("tension", round), run = under("chart", round);
  EXPECT_LT(difference(run, expected, kPlaces, 1), 1e-12);
  for (const char* column : {"x_1", "z_1"}) {
    const std::vector<double> values = expected.column(column);
    EXPECT_LT(*std::min_element(values.begin(), values.end()), -0.99);
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 0.99);
  }
}

TEST(Charts, ARunTakenUpAgainHasTheSameBits) {
  const Scene scene = scene_of(wild_chain(false), {"chain.formulation=\"chart\""});
  Lab whole(scene), first(scene), second(scene);
  for (int i = 0; i < 60; ++i) whole.advance();
  for (int i = 0; i < 31; ++i) first.advance();
  second.restore(first.checkpoint());
  for (int i = 0; i < 30; ++i) second.advance();
  EXPECT_EQ(second.state().hi, whole.state().hi);
  EXPECT_EQ(second.state().lo, whole.state().lo);
  EXPECT_EQ(second.time(), whole.time());
}

TEST(Angles, CountTurnsAndStartWithThoseTheSceneGives) {
  const std::string turning =
      "[simulation]\nduration = 3\nsample = 0.1\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 20\n"
      "theta_dot = 10\n";
  for (const char* formulation : {"angles", "lie"}) {
    const Recorded expected = under("tension", turning), run = under(formulation, turning);
    EXPECT_LT(difference(run, expected, {"theta", "theta_dot"}, 1), 1e-11) << formulation;
    EXPECT_NEAR(run.at(0, "theta_1"), 20.0, 1e-14) << formulation;
    EXPECT_GT(run.last("theta_1"), 40.0) << formulation;
  }
}

TEST(Angles, AreRefusedWhereTheMotionLeavesThePlane) {
  const Scene scene = scene_of(regular_chain(2, false), {"chain.formulation=\"angles\""});
  try {
    const Lab lab(scene);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("is for motion in one vertical plane"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("--set chain.formulation"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace catena
