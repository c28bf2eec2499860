// The tree-first factorisation against a dense decomposition of the same matrix.
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

TEST(ConstraintFactor, TakesMoreEquationsThanMotions) { compare({2, {{5, {0}}, {5, {0, 1}}, {5, {1}}}}, 12); }

}  // namespace
}  // namespace catena::test
