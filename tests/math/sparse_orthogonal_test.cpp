// The sparse orthogonal factorisation against dense decompositions of the same matrices.
#include "catena/math/sparse_orthogonal.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>
#include <random>

namespace catena::test {
namespace {

struct Matrix {
  std::vector<int> row_sizes;
  std::vector<SparseOrthogonal::Columns> blocks;
  std::vector<double> entries;
  Eigen::MatrixXd dense;

  int rows() const { return std::accumulate(row_sizes.begin(), row_sizes.end(), 0); }
  int first_row(int block) const { return std::accumulate(row_sizes.begin(), row_sizes.begin() + block, 0); }
  int columns() const {
    int sum = 0;
    for (const auto& block : blocks) sum += block.count;
    return sum;
  }
  // The entries of the dense matrix, where the blocks have some.
  void take() {
    entries.clear();
    int column = 0;
    for (const auto& block : blocks) {
      for (int i = 0; i < block.count; ++i, ++column) {
        for (const int rows : block.rows) {
          for (int k = 0; k < row_sizes[static_cast<std::size_t>(rows)]; ++k)
            entries.push_back(dense(first_row(rows) + k, column));
        }
      }
    }
  }
};

// A random graph; every third block repeats mixtures of the columns of two others, with `off` of something
// else.
Matrix random_matrix(unsigned seed, int row_blocks, int blocks, double off) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Matrix out;
  for (int i = 0; i < row_blocks; ++i) out.row_sizes.push_back(1 + up_to(6));
  std::vector<std::pair<int, int>> mixed;
  for (int b = 0; b < blocks; ++b) {
    SparseOrthogonal::Columns block{1 + up_to(3), {}};
    mixed.emplace_back(-1, -1);
    if (b % 3 == 2) {
      mixed.back() = {up_to(b), up_to(b)};
      for (const int from : {mixed.back().first, mixed.back().second}) {
        for (const int row : out.blocks[static_cast<std::size_t>(from)].rows) {
          if (std::find(block.rows.begin(), block.rows.end(), row) == block.rows.end())
            block.rows.push_back(row);
        }
      }
    } else {
      const int near = up_to(row_blocks);
      for (int k = 0; k <= up_to(3); ++k) {
        const int row = (near + up_to(4)) % row_blocks;
        if (std::find(block.rows.begin(), block.rows.end(), row) == block.rows.end())
          block.rows.push_back(row);
      }
    }
    out.blocks.push_back(block);
  }
  out.dense.setZero(out.rows(), out.columns());
  std::vector<int> first;
  int column = 0;
  for (int b = 0; b < blocks; ++b) {
    const auto& block = out.blocks[static_cast<std::size_t>(b)];
    first.push_back(column);
    for (int i = 0; i < block.count; ++i, ++column) {
      const auto [one, other] = mixed[static_cast<std::size_t>(b)];
      const double size = one < 0 ? 1.0 : off;
      for (const int rows : block.rows) {
        for (int k = 0; k < out.row_sizes[static_cast<std::size_t>(rows)]; ++k)
          out.dense(out.first_row(rows) + k, column) = size * normal(random);
      }
      if (one < 0) continue;
      for (const int from : {one, other}) {
        for (int k = 0; k < out.blocks[static_cast<std::size_t>(from)].count; ++k)
          out.dense.col(column) += normal(random) * out.dense.col(first[static_cast<std::size_t>(from)] + k);
      }
    }
  }
  out.take();
  return out;
}

Eigen::VectorXd random_vector(std::mt19937& random, Eigen::Index n) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd v(n);
  for (double& x : v) x = normal(random);
  return v;
}

// Roundoff of the dense decomposition and of ours, times the condition of random matrices.
void compare(const Matrix& of, SparseOrthogonal& factor, unsigned seed) {
  const Eigen::MatrixXd& a = of.dense;
  Eigen::MatrixXd unit = a;
  for (Eigen::Index j = 0; j < a.cols(); ++j) unit.col(j).normalize();
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> dense;
  dense.setThreshold(1e-11);
  dense.compute(unit.transpose());
  ASSERT_EQ(factor.rank(), static_cast<std::size_t>(dense.rank())) << seed;
  std::mt19937 random(seed);
  const Eigen::VectorXd g = random_vector(random, a.rows());
  const Eigen::VectorXd r = a.transpose() * random_vector(random, a.rows());
  Eigen::VectorXd y = g, mu(a.cols());
  factor.solve(r.data(), y.data(), mu.data());
  Eigen::VectorXd scaled = r - a.transpose() * g;
  for (Eigen::Index j = 0; j < a.cols(); ++j) scaled[j] /= a.col(j).norm();
  const Eigen::VectorXd expected = g + dense.solve(scaled);
  EXPECT_LT((y - expected).norm(), 1e-9 * (1 + expected.norm())) << seed;
  EXPECT_LT((a.transpose() * y - r).norm(), 1e-11 * (1 + r.norm()) * (1 + y.norm())) << seed;
  EXPECT_LT((g + a * mu - y).norm(), 1e-12 * (1 + a.norm() * mu.norm())) << seed;
  const auto null = factor.null_space();
  ASSERT_EQ(null.size(), factor.columns() - factor.rank());
  const std::vector<std::size_t> dependent = factor.dependent();
  EXPECT_EQ(dependent.size(), null.size());
  Eigen::MatrixXd n = Eigen::MatrixXd::Zero(a.cols(), static_cast<Eigen::Index>(null.size()));
  for (std::size_t k = 0; k < null.size(); ++k) {
    for (std::size_t i = 0; i < null[k].index.size(); ++i)
      n(null[k].index[i], static_cast<Eigen::Index>(k)) = null[k].value[i];
    const auto column = n.col(static_cast<Eigen::Index>(k));
    EXPECT_LT((a * column).norm(), 1e-10 * a.norm() * column.norm()) << seed;
  }
  if (null.empty()) return;
  EXPECT_EQ(Eigen::FullPivHouseholderQR<Eigen::MatrixXd>(n).rank(), n.cols());
}

TEST(SparseOrthogonal, SolvesWhatDenseDecompositionsDo) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Matrix of =
        random_matrix(seed, 4 + static_cast<int>(seed % 20), 3 + static_cast<int>(seed % 24), 0.0);
    SparseOrthogonal factor(of.row_sizes, of.blocks);
    factor.factor(of.entries.data());
    compare(of, factor, seed);
  }
}

// As where mechanisms come close to singular positions: columns count, however little is left of them, and
// what solves the equations does so to all digits.
TEST(SparseOrthogonal, KeepsDigitsWhereColumnsNearlyFollowFromOthers) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    for (const double off : {1e-2, 1e-4, 1e-6}) {
      const Matrix of = random_matrix(seed, 30, 12, off);
      SparseOrthogonal factor(of.row_sizes, of.blocks);
      factor.factor(of.entries.data());
      const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> dense(of.dense);
      if (dense.rank() < of.dense.cols()) continue;  // more columns than rows in some corner
      ASSERT_EQ(factor.rank(), factor.columns());
      EXPECT_LT(factor.smallest_pivot(), 10 * off);
      EXPECT_GT(factor.smallest_pivot(), 1e-4 * off);
      std::mt19937 random(seed);
      const Eigen::MatrixXd& a = of.dense;
      const Eigen::VectorXd truth = random_vector(random, a.rows());
      const Eigen::VectorXd r = a.transpose() * truth;
      Eigen::VectorXd y = Eigen::VectorXd::Zero(a.rows()), mu(a.cols());
      factor.solve(r.data(), y.data(), mu.data());
      // The least solution: its way to any other one is normal to it.
      EXPECT_LT((a.transpose() * y - r).norm(), 1e-13 * a.norm() * (1 + y.norm()));
      EXPECT_LT((a * mu - y).norm(), 1e-13 * a.norm() * mu.norm());
    }
  }
}

// Off the constraints rows that follow from others look independent.
TEST(SparseOrthogonal, LeavesOutAsManyColumnsAsWhereTheRankWasMet) {
  bool some_looked_independent = false;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Matrix of = random_matrix(seed, 24, 18, 0.0);
    Matrix moved = of;
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    SparseOrthogonal factor(of.row_sizes, of.blocks), late(of.row_sizes, of.blocks);
    factor.factor(of.entries.data());
    const std::size_t rank = factor.rank();
    for (double& x : moved.entries) x += 1e-6 * normal(random);
    factor.factor(moved.entries.data());
    EXPECT_GE(factor.rank(), rank);
    some_looked_independent = some_looked_independent || factor.rank() > rank;
    factor.limit_rank(rank);
    factor.factor(of.entries.data());
    EXPECT_EQ(factor.rank(), rank);
    const std::vector<std::size_t> dependent = factor.dependent();
    factor.factor(moved.entries.data());
    EXPECT_EQ(factor.rank(), rank);
    EXPECT_EQ(factor.dependent().size(), dependent.size());
    // Also where the first matrix that is seen is one of those: those that go are the shortest.
    late.limit_rank(rank);
    late.factor(moved.entries.data());
    EXPECT_LE(late.rank(), rank);
    EXPECT_GT(late.smallest_pivot(), 1e-5);
  }
  EXPECT_TRUE(some_looked_independent);
}

// Rows along a plane and across it: what is zero stays zero.
TEST(SparseOrthogonal, KeepsPartsApartThatHaveNothingToDoWithEachOther) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Matrix whole = random_matrix(seed, 20, 20, 0.0);
    Matrix of = whole;
    for (Eigen::Index i = 0; i < of.dense.rows(); ++i) {
      for (Eigen::Index j = 0; j < of.dense.cols(); ++j) {
        if ((i + j) % 2 != 0) of.dense(i, j) = 0.0;
      }
    }
    of.take();
    SparseOrthogonal factor(of.row_sizes, of.blocks);
    factor.factor(of.entries.data());
    std::mt19937 random(seed);
    Eigen::VectorXd y = random_vector(random, of.dense.rows()), r = random_vector(random, of.dense.cols());
    Eigen::VectorXd mu(of.dense.cols());
    for (Eigen::Index i = 1; i < y.size(); i += 2) y[i] = 0.0;
    for (Eigen::Index j = 1; j < r.size(); j += 2) r[j] = 0.0;
    factor.solve(r.data(), y.data(), mu.data());
    for (Eigen::Index i = 1; i < y.size(); i += 2) EXPECT_EQ(y[i], 0.0);
    for (Eigen::Index j = 1; j < mu.size(); j += 2) EXPECT_EQ(mu[j], 0.0);
    // They meet later, and part again: what has met once stays together.
    const double apart = factor.factor_work();
    factor.factor(whole.entries.data());
    EXPECT_GT(factor.factor_work(), 1.5 * apart);
    compare(whole, factor, seed);
    const double together = factor.factor_work();
    factor.factor(of.entries.data());
    EXPECT_EQ(factor.factor_work(), together);
  }
}

// Bodies with six rows at the points of a grid, joints with three columns between neighbours.
SparseOrthogonal grid(int wide, int high) {
  std::vector<SparseOrthogonal::Columns> blocks;
  for (int i = 0; i < wide; ++i) {
    for (int j = 0; j < high; ++j) {
      if (i + 1 < wide) blocks.push_back({3, {i * high + j, (i + 1) * high + j}});
      if (j + 1 < high) blocks.push_back({3, {i * high + j, i * high + j + 1}});
    }
  }
  return {std::vector<int>(static_cast<std::size_t>(wide * high), 6), blocks};
}

TEST(SparseOrthogonal, WorkIsLinearInTheLengthOfLadders) {
  const SparseOrthogonal small = grid(200, 2), large = grid(1600, 2);
  EXPECT_LT(large.factor_work(), 1.02 * 8 * small.factor_work());
  EXPECT_LT(large.solve_work(), 1.02 * 8 * small.solve_work());
  EXPECT_LT(large.solve_work(), 1600 * 2 * 1000);
}

// Close to n^1.5 to factor and n log n to solve: of 4 times as many bodies.
TEST(SparseOrthogonal, WorkGrowsWithGridsAsTheirSeparators) {
  const SparseOrthogonal small = grid(24, 24), large = grid(48, 48);
  EXPECT_LT(large.factor_work(), 1.3 * 8 * small.factor_work());
  EXPECT_LT(large.solve_work(), 1.3 * 4 * std::log(48 * 48) / std::log(24 * 24) * small.solve_work());
}

}  // namespace
}  // namespace catena::test
