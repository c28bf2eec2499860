// Motions whose course is known in closed form or to many published digits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/chains.h"

namespace catena {
namespace {

using test::number;
using test::Recorded;
using test::reference;
using test::scene_of;

constexpr double kPi = std::numbers::pi;

// Truncation far below roundoff, so that what is left is roundoff alone.
Recorded at_times(const std::string& toml, std::vector<double> times) {
  Scene scene = scene_of(toml, {"simulation.tolerance=1e-18"});
  scene.simulation.duration = times.back();
  return Recorded(scene, Schedule::list(std::move(times)));
}

// The bob passes the lowest point after a quarter of the period (2 pi sqrt(L/g)) (2/pi) K(sin(theta_max/2)).
TEST(ClosedForm, PeriodsOfThePendulumAreEllipticIntegrals) {
  const double length = 0.8, g = 9.81, small = 2 * kPi * std::sqrt(length / g);
  const nlohmann::json table = reference("simple_pendulum_period_table")["ratio_by_amplitude_deg"];
  for (const auto& [degrees, ratio] : table.items()) {
    const double period = small * number(ratio);
    const Recorded run = at_times(
        fmt::format("[simulation]\nduration = 1\n[[chain.links]]\nlength = {}\nmass = 2\ntheta = \"{} deg\"",
                    length, degrees),
        {period / 4, 5.25 * period});
    for (std::size_t row = 0; row < 2; ++row) {
      // Beyond 150 degrees each passage near the top multiplies roundoff: the first quarter only.
      if (row > 0 && std::stod(degrees) > 150) continue;
      const double late = run.at(row, "theta_1") / run.at(row, "theta_dot_1");
      EXPECT_NEAR(late / period, 0.0, 1e-12) << degrees << " degrees, row " << row;
    }
  }
}

TEST(ClosedForm, IftommA01MatchesAllPublishedDigits) {
  const nlohmann::json rows = reference("iftomm_A01_simple_pendulum")["reference"]["rows_start_x_minus_1"];
  std::vector<double> times;
  for (const auto& row : rows) times.push_back(number(row[0]));
  const Recorded run = at_times(
      "[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"-90 deg\"", times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    // Phase errors of a regular motion grow like t^1.5: 1e-16 per step, 20 steps per second, 5 m/s.
    const double tolerance = 2e-15 * (1 + std::pow(times[i], 1.5) / 5);
    EXPECT_NEAR(run.at(i, "x_1"), number(rows[i][1]), tolerance) << times[i];
    EXPECT_NEAR(run.at(i, "z_1"), number(rows[i][2]), tolerance) << times[i];
    EXPECT_NEAR(run.at(i, "vx_1"), number(rows[i][3]), 5 * tolerance) << times[i];
    EXPECT_NEAR(run.at(i, "vz_1"), number(rows[i][4]), 5 * tolerance) << times[i];
    EXPECT_NEAR(run.at(i, "tension_1"), number(rows[i][5]), 30 * tolerance) << times[i];
  }
}

TEST(ClosedForm, PendulumOfHairerLubichWannerMatchesItsDigits) {
  const nlohmann::json exact = reference("hlw_pendulum")["reference"];
  const Recorded run = at_times(
      "[simulation]\nduration = 1\ngravity = 1\n[[chain.links]]\nlength = 1\nmass = 1\ntheta_dot = 1",
      {2 * kPi});
  EXPECT_NEAR(run.last("theta_1"), number(exact["q"]), 2e-15);
  EXPECT_NEAR(run.last("theta_dot_1"), number(exact["p"]), 2e-15);
}

TEST(ClosedForm, PendulumAsDaeMatchesCorrectedDigits) {
  const nlohmann::json exact = reference("pendulum_dae_index3")["reference"]["x,y,vx,vy,lam"];
  const Recorded run = at_times(
      "[simulation]\nduration = 1\ngravity = 1\n[[chain.links]]\nlength = 1\nmass = 1\n"
      "direction = [1, 0, 0]\nrate = [0, 0, 1]",
      {1.0});
  const std::vector<std::string> columns{"x_1", "z_1", "vx_1", "vz_1", "tension_1"};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    EXPECT_NEAR(run.last(columns[i]), number(exact[i]), 4e-15) << columns[i];
  }
}

TEST(ClosedForm, ConicalPendulumKeepsItsHeightAndItsRate) {
  for (const double degrees : {10.0, 45.0, 80.0}) {
    const double theta = degrees * kPi / 180, length = 1.3,
                 rate = std::sqrt(9.81 / (length * std::cos(theta)));
    const Recorded run = at_times(fmt::format("[simulation]\nduration = 1\n[[chain.links]]\nlength = "
                                              "{}\nmass = 1\ntheta = \"{} deg\"\nphi_dot = {}",
                                              length, degrees, rate),
                                  {1.0, 10.0, 50.0});
    for (std::size_t i = 0; i < run.count(); ++i) {
      const double t = run.at(i, "t");
      // The rate's own rounding is a deviation from the circle of 1e-16 of it, and phase adds it up.
      EXPECT_NEAR(run.at(i, "theta_1"), theta, 1e-14);
      EXPECT_NEAR(std::remainder(run.at(i, "phi_1") - rate * t, 2 * kPi), 0.0, 1e-14 * (1 + rate * t));
    }
  }
}

TEST(ClosedForm, SphericalPendulumNutatesAndPrecessesByEllipticIntegrals) {
  const nlohmann::json cases = reference("spherical_pendulum")["cases"];
  for (const auto& c : cases) {
    const double period = number(c["nutation_period"]);
    const Recorded run =
        at_times(fmt::format("[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "
                             "\"{} deg\"\nphi_dot = {}",
                             c["theta_max_deg"].get<std::string>(), c["phidot_at_max"].get<std::string>()),
                 {period, 10 * period});
    for (std::size_t row = 0; row < 2; ++row) {
      const double periods = row == 0 ? 1 : 10;
      EXPECT_NEAR(run.at(row, "theta_dot_1"), 0.0, 1e-13 * periods) << c["theta_max_deg"];
      const double gained = periods * number(c["delta_phi_per_period"]);
      EXPECT_NEAR(std::remainder(run.at(row, "phi_1") - gained, 2 * kPi), 0.0, 1e-13 * periods)
          << c["theta_max_deg"];
    }
  }
}

// Chains of 2 to 20 links released horizontally: where the tip is after 3 s, computed elsewhere with 128
// bits.
TEST(ClosedForm, TipsOfHorizontalChainsMatchTheirReference) {
  const nlohmann::json rows = reference("horizontal_chain_rkmk54")["rows"];
  for (const nlohmann::json& row : rows) {
    const int n = row["P"];
    const Recorded run =
        at_times(fmt::format("[simulation]\nduration = 3\n[[chain.links]]\nlength = {}\nmass = 1\n"
                             "theta = \"90 deg\"\nrepeat = {}",
                             5.0 / n, n),
                 {3.0});
    const std::string tip = "_" + std::to_string(n);
    // Roundoff of 1e-16 grows with the motion, the more the longer the chain.
    EXPECT_NEAR(run.last("x" + tip), number(row["tip_ref"][0]), 1e-10) << n << " links";
    EXPECT_NEAR(run.last("z" + tip), number(row["tip_ref"][2]), 1e-10) << n << " links";
  }
}

// The lowest mode of a hanging chain of rods, as a motion: x(t) = x(0) cos(omega t) while amplitudes are
// small.
TEST(ClosedForm, ASmallSwingOfRodsKeepsTheTimeOfItsLowestMode) {
  const double mu = number(reference("chain_normal_modes")["rigid_rod_chain_mu"]["2"][0]);
  const double omega = std::sqrt(9.81 * mu);
  // Mode shape from (K - mu M) q = 0 with M11 = 4/3, M12 = 1/2, K11 = 3/2.
  const double amplitude = 1e-5, second = amplitude * (1.5 - mu * 4 / 3) / (mu / 2);
  const Recorded run = at_times(
      fmt::format(
          "[simulation]\nduration = 1\n"
          "[[chain.links]]\nlength = 1\nmass = 1\ninertia = \"rod\"\ncenter_of_mass = 0.5\ntheta = {}\n"
          "[[chain.links]]\nlength = 1\nmass = 1\ninertia = \"rod\"\ncenter_of_mass = 0.5\ntheta = {}\n",
          amplitude, second),
      {2 * kPi / omega});
  // The period of a swing of amplitude a is longer by about a^2/16 of itself.
  EXPECT_NEAR(run.last("theta_1") / amplitude, 1.0, 1e-9);
  EXPECT_NEAR(run.last("theta_2") / second, 1.0, 1e-9);
}

}  // namespace
}  // namespace catena
