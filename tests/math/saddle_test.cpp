// Dense equations of constrained motion.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "catena/math/saddle_point.h"

namespace catena {
namespace {

using Numbers = std::vector<double>;

struct Equations {
  std::size_t n, m;
  Numbers mass, rows;
};

// B^T B with `massless` rows and columns of zeros.
Equations random_equations(std::size_t n, std::size_t m, std::size_t massless, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Equations out{n, m, Numbers(n * n, 0.0), Numbers(m * n)};
  Numbers b(n * n);
  for (double& x : b) x = normal(random);
  for (std::size_t i = massless; i < n; ++i) {
    for (std::size_t j = massless; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) out.mass[i * n + j] += b[k * n + i] * b[k * n + j];
    }
  }
  for (double& x : out.rows) x = normal(random);
  return out;
}

// The largest of what is left of M a - f - G^T lambda and of G a - c.
double left_over(const Equations& e, SaddlePoint& saddle, unsigned seed, const Numbers* demand = nullptr) {
  std::mt19937 random(seed + 1);
  std::normal_distribution<double> normal;
  Numbers f(e.n), c(e.m), a(e.n), lambda(e.m);
  for (double& x : f) x = normal(random);
  for (double& x : c) x = normal(random);
  if (demand != nullptr) c = *demand;
  saddle.solve(f.data(), c.data(), a.data(), lambda.data());
  double worst = 0.0;
  for (std::size_t i = 0; i < e.n; ++i) {
    double rest = -f[i];
    for (std::size_t j = 0; j < e.n; ++j) rest += e.mass[i * e.n + j] * a[j];
    for (std::size_t r = 0; r < e.m; ++r) rest -= e.rows[r * e.n + i] * lambda[r];
    worst = std::max(worst, std::fabs(rest));
  }
  for (std::size_t r = 0; r < e.m; ++r) {
    double rest = -c[r];
    for (std::size_t j = 0; j < e.n; ++j) rest += e.rows[r * e.n + j] * a[j];
    worst = std::max(worst, std::fabs(rest));
  }
  return worst;
}

TEST(SaddlePoint, SolvesWithRegularAndWithSingularMasses) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const std::size_t massless : {0U, 2U}) {
      const Equations e = random_equations(6, 3, massless, seed);
      SaddlePoint saddle(6, 3);
      ASSERT_TRUE(saddle.factor(e.mass.data(), e.rows.data()));
      EXPECT_EQ(saddle.rank(), 3U);
      // Condition numbers of random 6 x 6 matrices reach a few thousand.
      EXPECT_LT(left_over(e, saddle, seed), 1e-11) << seed;
    }
  }
}

TEST(SaddlePoint, NamesRowsThatFollowFromOthers) {
  Equations e = random_equations(5, 3, 0, 7);
  for (std::size_t j = 0; j < 5; ++j) e.rows[10 + j] = 2 * e.rows[j] - 3e4 * e.rows[5 + j];
  SaddlePoint saddle(5, 3);
  ASSERT_TRUE(saddle.factor(e.mass.data(), e.rows.data()));
  EXPECT_EQ(saddle.rank(), 2U);
  EXPECT_EQ(saddle.redundant().size(), 1U);
  const Numbers consistent{1.0, 0.5, 2 * 1.0 - 3e4 * 0.5};
  EXPECT_LT(left_over(e, saddle, 7, &consistent), 1e-9);  // a row of size 1e5
}

TEST(SaddlePoint, SaysWhichDirectionIsLeftUndetermined) {
  Equations e = random_equations(4, 1, 2, 3);
  SaddlePoint saddle(4, 1);
  EXPECT_FALSE(saddle.factor(e.mass.data(), e.rows.data()));
  const Numbers direction = saddle.undetermined();
  // Both massless coordinates move along the one constraint, without moving what has mass.
  EXPECT_GT(std::fabs(direction[0]), 1e-3);
  EXPECT_GT(std::fabs(direction[1]), 1e-3);
  EXPECT_LT(std::fabs(direction[2]), 1e-12);
  EXPECT_LT(std::fabs(direction[3]), 1e-12);
}

// The same motion in millimetres and in metres.
TEST(SaddlePoint, UnitsPlayNoPart) {
  const Equations e = random_equations(4, 2, 1, 11);
  Equations scaled = e;
  const double unit[4] = {1e-6, 1e3, 1e9, 1.0};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) scaled.mass[i * 4 + j] *= unit[i] * unit[j];
    for (std::size_t r = 0; r < 2; ++r) scaled.rows[r * 4 + i] *= unit[i];
  }
  SaddlePoint a(4, 2), b(4, 2);
  ASSERT_TRUE(a.factor(e.mass.data(), e.rows.data()));
  ASSERT_TRUE(b.factor(scaled.mass.data(), scaled.rows.data()));
  const Numbers f{0.3, -1.0, 2.0, 0.7}, c{0.4, -0.2};
  Numbers fs = f, x(4), xs(4), lambda(2);
  for (std::size_t i = 0; i < 4; ++i) fs[i] *= unit[i];
  a.solve(f.data(), c.data(), x.data(), lambda.data());
  b.solve(fs.data(), c.data(), xs.data(), lambda.data());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(xs[i] * unit[i], x[i], 1e-12 * (1 + std::fabs(x[i])));
}

}  // namespace
}  // namespace catena
