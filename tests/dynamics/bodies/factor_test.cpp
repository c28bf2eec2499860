// Factorisations against a dense decomposition of the same matrix.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "catena/dynamics/bodies/constraint_factor.h"

namespace catena::test {
namespace {

struct Case {
  std::size_t bodies;
  std::vector<ConstraintBlock> blocks;
};

// Random numbers for gradients; block `copied` repeats the rows of block 0, so it is redundant.
void fill(ConstraintFactor& factor, const Case& of, unsigned seed, int copied, Eigen::MatrixXd& a) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  a.setZero(6 * static_cast<Eigen::Index>(of.bodies), static_cast<Eigen::Index>(factor.rows()));
  for (std::size_t b = 0; b < of.blocks.size(); ++b) {
    for (int row = 0; row < of.blocks[b].rows; ++row) {
      for (std::size_t e = 0; e < of.blocks[b].bodies.size(); ++e) {
        double* to = factor.gradient(b, row, e);
        for (int i = 0; i < 6; ++i) {
          to[i] = static_cast<int>(b) == copied ? factor.gradient(0, row, e)[i] : normal(random);
          a(6 * of.blocks[b].bodies[e] + i, static_cast<Eigen::Index>(factor.first_row(b)) + row) = to[i];
        }
      }
    }
  }
}

void compare(const Case& of, std::size_t rank, int copied, FactorWay way) {
  ConstraintFactor factor(of.bodies, of.blocks, way);
  Eigen::MatrixXd a;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    fill(factor, of, seed, copied, a);
    factor.factor();
    EXPECT_EQ(factor.rank(), rank);
    std::mt19937 random(seed + 100);
    std::normal_distribution<double> normal;
    const auto vector = [&](Eigen::Index n) {
      Eigen::VectorXd v(n);
      for (double& x : v) x = normal(random);
      return v;
    };
    const Eigen::VectorXd g = vector(a.rows()), r = a.transpose() * vector(a.rows());
    Eigen::VectorXd y = g, mu(a.cols());
    factor.solve(r.data(), y.data(), mu.data());
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> dense(a.transpose());
    const Eigen::VectorXd expected = g + dense.solve(r - a.transpose() * g);
    EXPECT_LT((y - expected).norm(), 1e-11 * (1 + expected.norm()));
    EXPECT_LT((g + a * mu - y).norm(), 1e-11 * (1 + y.norm()));
    const auto null = factor.null_space();
    EXPECT_EQ(null.size(), factor.rows() - rank);
    for (const std::vector<double>& n : null) {
      const Eigen::Map<const Eigen::VectorXd> v(n.data(), static_cast<Eigen::Index>(n.size()));
      EXPECT_LT((a * v).norm(), 1e-12 * v.norm());
    }
  }
}

void compare(const Case& of, std::size_t rank, int copied = -1) {
  for (const FactorWay way : {FactorWay::tree_first, FactorWay::sparse, FactorWay::fewest})
    compare(of, rank, copied, way);
}

TEST(ConstraintFactor, SolvesTreesWithManyBranches) {
  // 0 on the ground; 1, 2, 3 on 0; 4, 5 on 2; 6 free; 7 on 6
  compare({8, {{5, {0}}, {3, {0, 1}}, {5, {2, 0}}, {1, {0, 3}}, {6, {2, 4}}, {2, {5, 2}}, {4, {6, 7}}}}, 26);
}

TEST(ConstraintFactor, SolvesLoopsAcrossBranches) {
  compare({8,
           {{5, {0}},
            {3, {0, 1}},
            {5, {2, 0}},
            {1, {0, 3}},
            {4, {2, 4}},
            {2, {5, 2}},
            {4, {6, 7}},
            {2, {1, 4}},
            {1, {3}},
            {2, {5, 7}, false},
            {1, {1, 3, 6, 7}, false}}},
          30);
}

TEST(ConstraintFactor, FindsRedundantRows) {
  compare({4, {{5, {0, 1}}, {3, {0}}, {3, {1, 2}}, {2, {2, 3}}, {5, {0, 1}}, {1, {3}}}}, 14, 4);
}

// As a four-bar in a plane has them: of each hinge two rows along the plane and three across it.
void fill_apart(ConstraintFactor& factor, const Case& of, unsigned seed, Eigen::MatrixXd& a) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  a.setZero(6 * static_cast<Eigen::Index>(of.bodies), static_cast<Eigen::Index>(factor.rows()));
  for (std::size_t b = 0; b < of.blocks.size(); ++b) {
    for (int row = 0; row < of.blocks[b].rows; ++row) {
      for (std::size_t e = 0; e < of.blocks[b].bodies.size(); ++e) {
        for (int i = row < 2 ? 0 : 1; i < 6; i += 2) {
          const double x = factor.gradient(b, row, e)[i] = normal(random);
          a(6 * of.blocks[b].bodies[e] + i, static_cast<Eigen::Index>(factor.first_row(b)) + row) = x;
        }
      }
    }
  }
}

TEST(ConstraintFactor, TakesApartWhatHasNothingInCommon) {
  const Case of{3, {{5, {0}}, {5, {0, 1}}, {5, {1, 2}}, {5, {2}}}};
  ConstraintFactor factor(of.bodies, of.blocks);
  Eigen::MatrixXd a;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    factor.clear_gradients();
    fill_apart(factor, of, seed, a);
    factor.factor();
    EXPECT_EQ(factor.rank(), 17u);  // eight of eight along the plane, nine of twelve across it
    EXPECT_EQ(factor.redundant_rows().size(), 3u);
    std::mt19937 random(seed + 100);
    std::normal_distribution<double> normal;
    Eigen::VectorXd g(a.rows()), by(a.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      g[i] = i % 2 == 0 ? normal(random) : 0.0;
      by[i] = i % 2 == 0 ? normal(random) : 0.0;
    }
    const Eigen::VectorXd r = a.transpose() * by;
    Eigen::VectorXd y = g, mu(a.cols());
    factor.solve(r.data(), y.data(), mu.data());
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> dense(a.transpose());
    EXPECT_LT((y - g - dense.solve(r - a.transpose() * g)).norm(), 1e-12 * (1 + y.norm()));
    EXPECT_LT((g + a * mu - y).norm(), 1e-12 * (1 + y.norm()));
    for (Eigen::Index i = 1; i < y.size(); i += 2) EXPECT_EQ(y[i], 0.0);  // to the last bit
    // A copy is factored as it is, and four right-hand sides at once give the same.
    ConstraintFactor copy = factor;
    factor.clear_gradients();
    factor.factor();
    Eigen::VectorXd again = g, mu_again(a.cols());
    copy.solve(r.data(), again.data(), mu_again.data());
    EXPECT_EQ(again, y);
    EXPECT_EQ(mu_again, mu);
    std::vector<PackOfFour> packs(static_cast<std::size_t>(g.size())),
        rights(static_cast<std::size_t>(r.size())), multipliers(rights.size());
    for (Eigen::Index i = 0; i < g.size(); ++i) packs[static_cast<std::size_t>(i)] = PackOfFour{} + g[i];
    for (Eigen::Index i = 0; i < r.size(); ++i) rights[static_cast<std::size_t>(i)] = PackOfFour{} + r[i];
    copy.solve(rights.data(), packs.data(), multipliers.data());
    for (Eigen::Index i = 0; i < y.size(); ++i)
      EXPECT_NEAR(packs[static_cast<std::size_t>(i)][3], y[i], 1e-12 * (1 + y.norm()));
    for (const std::vector<double>& n : copy.null_space()) {
      const Eigen::Map<const Eigen::VectorXd> v(n.data(), static_cast<Eigen::Index>(n.size()));
      EXPECT_LT((a * v).norm(), 1e-12 * v.norm());
    }
  }
}

TEST(ConstraintFactor, TakesMoreEquationsThanMotions) { compare({2, {{5, {0}}, {5, {0, 1}}, {5, {1}}}}, 12); }

}  // namespace
}  // namespace catena::test
