// The factorisation in lanes against a dense decomposition of each lane's matrix, and against one lane alone.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstring>
#include <random>
#include <utility>

#include "catena/dynamics/bodies/lane_factor_definitions.h"

namespace catena::test {
namespace {

struct Equations {
  Eigen::MatrixXd a;
  Eigen::VectorXd g, r;
};

// Columns `copied` follow from the two before them; where `planar`, rows and columns of odd number have
// nothing to do with the others, and nothing acts there.
Equations drawn(int motions, int rows, const std::vector<int>& copied, bool planar, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto number = [&] { return normal(random); };
  Equations out{
      Eigen::MatrixXd::NullaryExpr(motions, rows, number), Eigen::VectorXd::NullaryExpr(motions, number), {}};
  if (planar) {
    for (int i = 0; i < motions; ++i) {
      if (i % 2 != 0) out.g[i] = 0.0;
      for (int j = 0; j < rows; ++j) out.a(i, j) *= (i + j) % 2 == 0 ? 1.0 : 0.0;
    }
  }
  for (const int j : copied) out.a.col(j) = 0.5 * out.a.col(j - 2) - 2.0 * out.a.col(j - 4);
  Eigen::VectorXd y = out.g;
  for (int i = 0; i < motions; ++i) y[i] *= number();
  out.r = out.a.transpose() * y;
  return out;
}

template <int W>
struct Solved {
  std::vector<LanesOf<W>> y, mu;
  LanesOf<W> margin;
  std::vector<std::vector<double>> closing;
};

template <int W>
Solved<W> solved(const std::vector<Equations>& lanes, std::size_t rank, std::vector<std::size_t> first = {}) {
  using S = LanesOf<W>;
  const auto m = static_cast<std::size_t>(lanes[0].a.rows()), n = static_cast<std::size_t>(lanes[0].a.cols());
  LaneFactor<S> factor(m, n, rank, std::move(first));
  Solved<W> out{std::vector<S>(m), std::vector<S>(n), S(0.0), {}};
  std::vector<S> r(n);
  factor.clear();
  for (int l = 0; l < W; ++l) {
    const Equations& of = lanes[static_cast<std::size_t>(l)];
    for (std::size_t j = 0; j < n; ++j) {
      r[j].set_lane(l, of.r[static_cast<Eigen::Index>(j)]);
      for (std::size_t i = 0; i < m; ++i)
        factor.gradient(j, i).set_lane(l, of.a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
    }
    for (std::size_t i = 0; i < m; ++i) out.y[i].set_lane(l, of.g[static_cast<Eigen::Index>(i)]);
  }
  factor.factor();
  out.margin = factor.margin();
  factor.solve(r.data(), out.y.data(), out.mu.data());
  for (int l = 0; l < W; ++l) {
    const Equations& of = lanes[static_cast<std::size_t>(l)];
    out.closing.emplace_back(of.g.data(), of.g.data() + m);
    factor.solve_lane(l, of.r.data(), out.closing.back().data());
  }
  return out;
}

std::vector<std::vector<Equations>> cases() {
  std::vector<std::vector<Equations>> out(4);
  for (unsigned l = 0; l < 4; ++l) {
    out[0].push_back(drawn(12, 9, {}, false, 1 + l));
    out[1].push_back(drawn(18, 20, {8, 13, 19}, true, 11 + l));
    // Ranks that differ from lane to lane, and planes beside what leaves them.
    out[2].push_back(
        drawn(18, 17, l % 2 == 0 ? std::vector<int>{6, 11} : std::vector<int>{9}, l < 2, 21 + l));
    out[3].push_back(drawn(6, 10, {7, 8, 9}, false, 31 + l));
  }
  return out;
}

TEST(LaneFactor, SolvesEachLaneAsADenseDecompositionDoes) {
  std::vector<std::pair<std::vector<Equations>, std::vector<std::size_t>>> all;
  for (const std::vector<Equations>& lanes : cases()) {
    all.push_back({lanes, {}});
    all.push_back({lanes, {3, 0, 4}});  // a tree's columns before the others
  }
  for (const auto& [lanes, first] : all) {
    const Solved<4> found = solved<4>(lanes, 100, first);
    for (int l = 0; l < 4; ++l) {
      const Equations& of = lanes[static_cast<std::size_t>(l)];
      Eigen::VectorXd y(of.a.rows()), mu(of.a.cols());
      for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = found.y[static_cast<std::size_t>(i)].lane(l);
      for (Eigen::Index j = 0; j < mu.size(); ++j) mu[j] = found.mu[static_cast<std::size_t>(j)].lane(l);
      const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> dense(of.a.transpose());
      const Eigen::VectorXd expected = of.g + dense.solve(of.r - of.a.transpose() * of.g);
      EXPECT_LT((y - expected).norm(), 1e-12 * (1 + expected.norm())) << l;
      EXPECT_LT((of.g + of.a * mu - y).norm(), 1e-12 * (1 + y.norm())) << l;
      const std::vector<double>& closing = found.closing[static_cast<std::size_t>(l)];
      for (Eigen::Index i = 0; i < y.size(); ++i)
        EXPECT_NEAR(closing[static_cast<std::size_t>(i)], expected[i], 1e-12 * (1 + expected.norm())) << l;
    }
  }
}

// Zeros have no sign here: what one lane leaves out, another adds as + 0.
TEST(LaneFactor, GivesALaneTheSameBitsBesideAnyOthers) {
  for (const std::vector<Equations>& lanes : cases()) {
    for (const std::size_t rank : {5u, 100u}) {
      const Solved<4> together = solved<4>(lanes, rank);
      for (int l = 0; l < 4; ++l) {
        const Solved<1> alone = solved<1>({lanes[static_cast<std::size_t>(l)]}, rank);
        EXPECT_EQ(together.margin.lane(l), alone.margin.lane(0));
        for (std::size_t i = 0; i < alone.y.size(); ++i) {
          EXPECT_EQ(together.y[i].lane(l), alone.y[i].lane(0)) << l << ", " << i;
          EXPECT_EQ(together.closing[static_cast<std::size_t>(l)][i], alone.closing[0][i]);
        }
        for (std::size_t j = 0; j < alone.mu.size(); ++j)
          EXPECT_EQ(together.mu[j].lane(l), alone.mu[j].lane(0));
      }
    }
  }
}

// The smallest singular value falls to zero with the margin, and the rank with it.
TEST(LaneFactor, MarginsVanishWhereColumnsDepend) {
  std::vector<Equations> lanes;
  for (const double apart : {1e-1, 1e-3, 1e-6, 0.0}) {
    Equations of = drawn(12, 5, {}, false, 3);
    of.a.col(4) = of.a.col(2) + apart * of.a.col(4);
    lanes.push_back(of);
  }
  const LanesOf<4> margin = solved<4>(lanes, 5).margin;
  EXPECT_GT(margin.lane(0), 1e-2);
  EXPECT_NEAR(margin.lane(1) / margin.lane(0), 1e-2, 2e-3);
  EXPECT_NEAR(margin.lane(2) / margin.lane(1), 1e-3, 1e-4);
  EXPECT_EQ(margin.lane(3), 0.0);
}

}  // namespace
}  // namespace catena::test
