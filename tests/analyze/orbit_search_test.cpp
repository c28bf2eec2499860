// Searches for periodic orbits: systems whose short orbits are all known, and laws that need no reference.
#include "catena/analyze/orbit_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/base/mistake.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;
using test::shipped_scene;

OrbitSearchResult henon_heiles(double energy, std::size_t starts) {
  OrbitSearchOptions options;
  options.energy = energy;
  options.starts = starts;
  options.returns = 1;
  return search_orbits(shipped_scene("henon-heiles", {"simulation.duration=20"}), options);
}

// y'' = -y + y^2 between its turning points: the time over a whole swing, by Gauss and Chebyshev's rule.
double period_along_the_axis(double energy) {
  const auto potential = [](double y) { return 0.5 * y * y - y * y * y / 3.0; };
  const auto turning = [&](double low, double high) {
    const bool rises = potential(high) > potential(low);
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      ((potential(middle) < energy) == rises ? low : high) = middle;
    }
    return 0.5 * (low + high);
  };
  const double a = turning(-1.0, 0.0), b = turning(0.0, 1.0);
  // 2 (E - V) = (y - a)(b - y) q(y) with q = 2/3 (c - y), where c is the third root: a + b + c = 3/2.
  const double c = 1.5 - a - b;
  double sum = 0.0;
  constexpr int kPoints = 400;
  for (int k = 0; k < kPoints; ++k) {
    const double y = 0.5 * (a + b) + 0.5 * (b - a) * std::cos((k + 0.5) * std::numbers::pi / kPoints);
    sum += std::numbers::pi / kPoints / std::sqrt(2.0 / 3.0 * (c - y));
  }
  return 2.0 * sum;
}

// R. C. Churchill, G. Pecelli, D. L. Rod (1979): near the bottom there are eight, three straight ones, three
// bent ones and two loops. Changes of sign and of the direction of time make 1 + 2, 1 + 2 and 2 of them.
TEST(OrbitSearch, HenonHeilesHasEightShortOrbitsAtLowEnergy) {
  constexpr double kEnergy = 0.04;
  const OrbitSearchResult result = henon_heiles(kEnergy, 60);
  ASSERT_EQ(result.orbits.size(), 5u);
  std::size_t all = 0, straight = 0, loops = 0;
  for (const SearchedOrbit& one : result.orbits) {
    all += one.images;
    EXPECT_LT(one.orbit.gap, 1e-11);
    EXPECT_NEAR(*one.energy, kEnergy, 1e-11);
    straight += std::fabs(one.orbit.motion.period - period_along_the_axis(kEnergy)) < 1e-9 ? 1 : 0;
    // A loop is the one that its turn by a third leaves as it is: no other has its period.
    std::size_t alike = 0;
    for (const SearchedOrbit& other : result.orbits)
      alike += std::fabs(other.orbit.motion.period - one.orbit.motion.period) < 1e-9 ? 1 : 0;
    if (alike == 1) {
      ++loops;
      EXPECT_EQ(one.images, 2u);
      EXPECT_TRUE(one.orbit.stable);
    }
  }
  EXPECT_EQ(all, 8u);
  EXPECT_EQ(straight, 2u);
  EXPECT_EQ(loops, 1u);
}

// dJ/dE = T along a family of orbits.
TEST(OrbitSearch, ActionsGrowByThePeriod) {
  const double step = 1e-4;
  const OrbitSearchResult low = henon_heiles(0.04 - step, 40), at = henon_heiles(0.04, 40),
                          high = henon_heiles(0.04 + step, 40);
  ASSERT_EQ(at.orbits.size(), low.orbits.size());
  ASSERT_EQ(at.orbits.size(), high.orbits.size());
  for (std::size_t i = 0; i < at.orbits.size(); ++i) {
    const double slope = (*high.orbits[i].action - *low.orbits[i].action) / (2.0 * step);
    EXPECT_NEAR(slope, at.orbits[i].orbit.motion.period, 1e-5);
  }
}

TEST(OrbitSearch, APendulumHasOneOrbitOfEachEnergy) {
  const Scene scene =
      scene_of("[simulation]\nduration = 10\n[[chain.links]]\nlength = 0.8\nmass = 1\ntheta = 2.0\n");
  OrbitSearchOptions options;
  options.starts = 8;
  const OrbitSearchResult result = search_orbits(scene, options);
  ASSERT_EQ(result.orbits.size(), 1u);
  const double w = std::sqrt(9.81 / 0.8);
  EXPECT_NEAR(result.orbits[0].orbit.motion.period, 4.0 * std::comp_ellint_1(std::sin(1.0)) / w, 1e-11);
  EXPECT_EQ(result.orbits[0].images, 1u);
  // J = 16 m l^2 w (E - (1 - k^2) K), k = sin(theta/2).
  const double k = std::sin(1.0);
  const double action = 16.0 * 0.64 * w * (std::comp_ellint_2(k) - (1.0 - k * k) * std::comp_ellint_1(k));
  EXPECT_NEAR(*result.orbits[0].action, action, 1e-10 * action);
}

// D. Viswanath, Physica D 190, 115 (2004): AB, and AAB with its mirror image ABB.
TEST(OrbitSearch, LorenzHasItsShortOrbitsOnce) {
  OrbitSearchOptions options;
  options.when = "z - 27";
  options.starts = 60;
  options.returns = 3;
  const OrbitSearchResult result =
      search_orbits(shipped_scene("lorenz", {"simulation.duration=80"}), options);
  EXPECT_EQ(result.symmetries, 1u);
  ASSERT_GE(result.orbits.size(), 2u);
  EXPECT_NEAR(result.orbits[0].orbit.motion.period, 1.55865221071616, 1e-10);
  EXPECT_EQ(result.orbits[0].images, 1u);
  EXPECT_NEAR(result.orbits[1].orbit.motion.period, 2.3059072639398, 1e-10);
  EXPECT_EQ(result.orbits[1].images, 2u);
  EXPECT_FALSE(result.orbits[0].action);
}

TEST(OrbitSearch, SectionsThatAreNeverMetAreSaidSo) {
  OrbitSearchOptions options;
  options.when = "x - 1000";
  EXPECT_THROW(search_orbits(shipped_scene("lorenz", {"simulation.duration=5"}), options), InputError);
  EXPECT_THROW(search_orbits(shipped_scene("pendulum", {"chain.links.1.theta=0"}), {}), InputError);
}

}  // namespace
}  // namespace catena
