// Boundaries of known dimension, entropies that can be counted by hand, contours, ridges, energies.
#include "catena/analyze/map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "catena/analyze/energy_limit.h"
#include "catena/base/mistake.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;

// Points (i + 0.5)/count of the unit square.
GridClasses two_basins(std::size_t count, const std::function<bool(double, double)>& inside) {
  GridMap map{count, count, {}};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const auto part = [&](std::size_t k) {
        return (static_cast<double>(k) + 0.5) / static_cast<double>(count);
      };
      map.values.push_back(inside(part(i), part(j)) ? 1.0 : 0.0);
    }
  }
  return classes_of(map, std::vector<bool>(map.values.size(), true), std::nullopt);
}

TEST(Map, AStraightBoundaryHasDimensionOneAtEveryScale) {
  const MapAnalysis result =
      map_analysis(two_basins(512, [](double x, double y) { return y < 0.31 + 0.27 * x; }));
  ASSERT_GE(result.scales.size(), 6u);
  for (const MapScale& one : result.scales) {
    if (std::isnan(one.box_dimension)) continue;
    // One box more or less is one in 500 at the finest scale and one in 8 at the coarsest.
    EXPECT_NEAR(one.box_dimension, 1.0, 0.01 + 0.0025 * static_cast<double>(one.cells)) << one.cells;
    EXPECT_NEAR(one.uncertainty_dimension, 1.0, 1e-12) << one.cells;
  }
  EXPECT_NEAR(result.box_dimension, 1.0, 0.03);
  EXPECT_NEAR(result.uncertainty_dimension, 1.0, 0.03);
  EXPECT_LT(result.boundary_entropy, std::log(2.0));
}

// Middle thirds, taken away by one basin or the other: by the number of turns to the right on the way to
// them. Their ends are a Cantor set of dimension log 2/log 3, and the stripes' boundary is that times a line.
bool in_second_basin(double x) {
  bool right = false;
  for (int level = 1; level <= 40; ++level) {
    x *= 3.0;
    if (x >= 1.0 && x < 2.0) return right;
    if (x >= 2.0) x -= 2.0, right = !right;
  }
  return right;
}

// Counts of such a set swing with the logarithm of the scale, by a tenth here; what is finer than a point is
// not counted.
TEST(Map, StripesOfACantorSetHaveItsDimension) {
  const double exact = 1.0 + std::log(2.0) / std::log(3.0);
  const MapAnalysis aligned =
      map_analysis(two_basins(729, [](double x, double) { return in_second_basin(x); }), {3, 9, 27, 81});
  EXPECT_NEAR(aligned.box_dimension, exact, 0.06);
  const MapAnalysis shifted =
      map_analysis(two_basins(1000, [](double x, double) { return in_second_basin(1.13 * x - 0.05); }));
  EXPECT_NEAR(shifted.uncertainty_dimension, exact, 0.04);
}

// y = sum a^k cos(2 pi b^k x): 2 + log a/log b (W. Shen, Math. Z. 289 (2018) 223, for whole b). Boxes on a
// graph see a line at first, one box for each step across, beside what swings in it: their dimension comes
// near from below.
TEST(Map, TheGraphOfWeierstrassHasItsDimension) {
  constexpr double kA = 0.7, kB = 2.0;
  const auto graph = [&](double x) {
    double sum = 0.0;
    for (int k = 0; k < 24; ++k)
      sum += std::pow(kA, k) * std::cos(2.0 * std::numbers::pi * std::fmod(std::pow(kB, k) * x, 1.0));
    return sum;
  };
  const double exact = 2.0 + std::log(kA) / std::log(kB);
  const MapAnalysis result =
      map_analysis(two_basins(600,
                              [&, last = -1.0, height = 0.0](double x, double y) mutable {
                                if (x != last) last = x, height = graph(x);
                                return 1.5 * (y - 0.5) < height;
                              }),
                   {1, 2, 4, 8, 16, 32});
  EXPECT_NEAR(result.uncertainty_dimension, exact, 0.02);
  EXPECT_GT(result.box_dimension, 1.2);
  EXPECT_LT(result.box_dimension, exact);
}

// Squares of 16 by 16 points: boxes of 4 by 4 points lie inside them, boxes of 32 by 32 hold half and half.
TEST(Map, EntropiesOfACheckerboardAreCounted) {
  const GridClasses board = two_basins(
      256, [](double x, double y) { return (static_cast<int>(16 * x) + static_cast<int>(16 * y)) % 2 == 0; });
  const MapAnalysis result = map_analysis(board, {3, 31});
  EXPECT_EQ(result.scales[0].entropy, 0.0);
  EXPECT_TRUE(std::isnan(result.scales[0].boundary_entropy));
  EXPECT_NEAR(result.scales[1].entropy, std::log(2.0), 1e-15);
  EXPECT_NEAR(result.scales[1].boundary_entropy, std::log(2.0), 1e-15);
}

TEST(Map, PointsAreToldApartByWhatTheyAre) {
  const double none = std::nan("");
  GridMap map{2, 2, {0.5, none, 1.5, 2.5}};
  const std::vector<bool> all(4, true);
  EXPECT_EQ(classes_of(map, all, std::nullopt).classes, (std::vector<int>{0, 1, 0, 0}));
  EXPECT_EQ(classes_of(map, all, 2.0).classes, (std::vector<int>{0, 2, 0, 1}));
  map.values = {3.0, none, 7.0, 3.0};
  EXPECT_EQ(classes_of(map, all, std::nullopt).classes, (std::vector<int>{0, 2, 1, 0}));
  EXPECT_EQ(classes_of(map, {true, false, true, true}, std::nullopt).classes,
            (std::vector<int>{0, -1, 1, 0}));
  map.values = {1.5, 2.5, 3.5, 4.5};
  EXPECT_THROW(classes_of(map, all, std::nullopt), InputError);
  EXPECT_THROW(classes_of(map, all, 9.0), InputError);
}

TEST(Map, ContoursLieWhereTheValueIs) {
  GridMap map{41, 41, {}};
  for (int i = -20; i <= 20; ++i) {
    for (int j = -20; j <= 20; ++j) map.values.push_back(i * i + j * j);
  }
  const std::vector<GridLine> lines = contour(map, 150.0);
  double length = 0.0;
  for (const GridLine& line : lines) {
    for (const auto& end : line)
      EXPECT_NEAR(std::hypot(end[0] - 20.0, end[1] - 20.0), std::sqrt(150.0), 0.02);
    length += std::hypot(line[0][0] - line[1][0], line[0][1] - line[1][1]);
  }
  EXPECT_NEAR(length, 2.0 * std::numbers::pi * std::sqrt(150.0), 0.5);
}

TEST(Map, RidgesRunAlongTheTop) {
  GridMap map{60, 40, {}};
  const auto top = [](double x) { return 12.3 + 0.25 * x; };
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 40; ++j) map.values.push_back(0.01 * i + std::exp(-0.05 * std::pow(j - top(i), 2)));
  }
  const auto found = ridges(map);
  EXPECT_GT(found.size(), 40u);
  for (const auto& at : found) EXPECT_NEAR(at[1], top(at[0]), 0.15);
}

TEST(Map, NoiseHasNoLongRidges) {
  Random random(7);
  GridMap map{60, 60, {}};
  for (int k = 0; k < 3600; ++k) map.values.push_back(random.normal());
  EXPECT_LT(ridges(map).size(), 100u);
}

// From rest an equal double pendulum turns over only where 2 cos a + cos b <= 1, one of rods where
// 3 cos a + cos b <= 2: both times the least energy is that of the lower link upright above the hanging upper
// one.
TEST(EnergyLimit, IsThatOfTheLowerLinkUpright) {
  const auto pendulum = [](const std::string& more) {
    const std::string link = "[[chain.links]]\nlength = 1.0\nmass = 1.0\ntheta = 1.0\n" + more;
    return scene_of("[simulation]\nduration = 1\n" + link + link);
  };
  for (const std::string formula : {"theta_2^2 - pi^2", "cos(theta_2/2)"}) {
    const std::optional<double> points = least_energy(pendulum(""), formula);
    const std::optional<double> rods = least_energy(pendulum("inertia = \"rod\"\n"), formula);
    ASSERT_TRUE(points && rods) << formula;
    EXPECT_NEAR(*points, -9.81, 1e-6) << formula;
    EXPECT_NEAR(*rods, -9.81, 1e-6) << formula;
  }
}

TEST(EnergyLimit, IsNotClaimedWhereSomethingDrives) {
  const std::string link = "[[chain.links]]\nlength = 1.0\nmass = 1.0\ntheta = 1.0\n";
  const Scene driven = scene_of("[simulation]\nduration = 1\n" + link +
                                "[[forces]]\nkind = \"formula\"\nforce = [\"sin(3*t)\", 0, 0]\n");
  EXPECT_FALSE(least_energy(driven, "theta_1 - 2"));
}

}  // namespace
}  // namespace catena
