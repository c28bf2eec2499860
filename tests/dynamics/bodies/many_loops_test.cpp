// Mechanisms of many loops: the factorisation along their graph against the one that takes trees first.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "catena/dynamics/bodies/bodies_over.h"
#include "support/mechanisms.h"

namespace catena::test {
namespace {

const Vec3 kAcross{0, 1, 0};

// A rod along x or z; its own axis is x.
int add_rod(Mechanism& mechanism, const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from;
  const double size = length(along), across = size * size * size / 12.0;
  const double half = 0.5 * std::atan2(-along[2], along[0]);
  return add_body(mechanism, size, diagonal(across / 300.0, across, across), 0.5 * (from + to),
                  {std::cos(half), 0, std::sin(half), 0});
}

// Rails and rungs on hinges, hung up at one end. The cells are sheared a little, each by another angle.
Mechanism ladder(int cells) {
  Mechanism out;
  Vec3 left{0, 0, 0}, right{0.4, 0, 0};
  int left_rail = kGround, right_rail = kGround;
  for (int k = 1; k <= cells; ++k) {
    const double angle = 0.3 * std::sin(0.7 * k);
    const Vec3 way{0.3 * std::sin(angle), 0, -0.3 * std::cos(angle)};
    const int l = add_rod(out, left, left + way), r = add_rod(out, right, right + way);
    add_joint(out, JointKind::revolute, left_rail, l, left, kAcross);
    add_joint(out, JointKind::revolute, right_rail, r, right, kAcross);
    left = left + way, right = right + way;
    const int rung = add_rod(out, left, right);
    add_joint(out, JointKind::revolute, l, rung, left, kAcross);
    add_joint(out, JointKind::revolute, r, rung, right, kAcross);
    left_rail = l, right_rail = r;
  }
  out.bodies[0].angular_velocity = {0, 1.5, 0};
  out.bodies[0].angular_velocity_given = true;
  return out;
}

// Rods on ball joints along the sides of squares, hung up at their corners on one edge.
Mechanism net(int wide, int high) {
  Mechanism out;
  const auto node = [&](int i, int j) { return Vec3{0.1 * i, 0.01 * i * j, -0.1 * j}; };
  std::vector<std::vector<int>> ends(static_cast<std::size_t>((wide + 1) * (high + 1)));
  for (int i = 0; i <= wide; ++i) {
    for (int j = 0; j <= high; ++j) {
      const auto add = [&](int k, int l) {
        const Vec3 a = node(i, j), b = node(k, l);
        const double size = length(b - a);
        const int rod = add_body(out, size, diagonal(1e-3 * size, 2e-3 * size, 3e-3 * size), 0.5 * (a + b));
        for (const auto& [x, z] : {std::pair(i, j), std::pair(k, l)})
          ends[static_cast<std::size_t>(x * (high + 1) + z)].push_back(rod);
      };
      if (i < wide && j > 0) add(i + 1, j);
      if (j < high) add(i, j + 1);
    }
  }
  for (int i = 0; i <= wide; ++i) {
    for (int j = 0; j <= high; ++j) {
      const std::vector<int>& rods = ends[static_cast<std::size_t>(i * (high + 1) + j)];
      if (j == 0) add_joint(out, JointKind::ball, kGround, rods[0], node(i, j));
      for (std::size_t k = 1; k < rods.size(); ++k)
        add_joint(out, JointKind::ball, rods[0], rods[k], node(i, j));
    }
  }
  return out;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0.0, size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    out = std::max(out, std::fabs(a[i] - b[i]));
    size = std::max(size, std::fabs(b[i]));
  }
  return out / size;
}

// Series, projection, rank, reactions of one state by both.
void expect_the_same(const Mechanism& mechanism, std::size_t redundant) {
  const Assembly made = assemble(mechanism);
  ASSERT_TRUE(made.open.empty());
  Multibody sparse(mechanism, kDown, FactorWay::sparse), dense(mechanism, kDown, FactorWay::tree_first);
  ASSERT_TRUE(sparse.factor().is_sparse());
  ASSERT_FALSE(dense.factor().is_sparse());
  const double* x = made.state.hi.data();
  const Mobility mobility = sparse.mobility(0.0, x), expected = dense.mobility(0.0, x);
  EXPECT_EQ(mobility.rank, expected.rank);
  EXPECT_EQ(mobility.equations - mobility.rank, redundant);
  EXPECT_EQ(mobility.degrees_of_freedom, expected.degrees_of_freedom);
  EXPECT_EQ(mobility.unique, expected.unique);
  EXPECT_EQ(std::accumulate(mobility.redundant.begin(), mobility.redundant.end(), std::size_t{0}), redundant);
  constexpr int kOrder = 12;
  const std::size_t n = sparse.dimension();
  for (Multibody* one : {&sparse, &dense}) {
    one->expect_rank(expected.rank);
    one->reserve(kOrder);
  }
  std::vector<double> series((kOrder + 1) * n), other((kOrder + 1) * n);
  sparse.taylor(0.0, x, kOrder, series.data());
  dense.taylor(0.0, x, kOrder, other.data());
  for (std::size_t k = 1; k <= kOrder; ++k) {
    const auto order = [&](const std::vector<double>& of) {
      return std::vector<double>(of.begin() + static_cast<std::ptrdiff_t>(k * n),
                                 of.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
    };
    EXPECT_LT(difference(order(series), order(other)), 1e-11) << k;
  }
  std::vector<double> forces, other_forces;
  const auto put = [](const std::vector<Multibody::Reaction>& of, std::vector<double>& to) {
    for (const Multibody::Reaction& one : of) {
      to.insert(to.end(), one.force.begin(), one.force.end());
      to.insert(to.end(), one.moment.begin(), one.moment.end());
    }
  };
  put(sparse.reactions(0.0, x), forces);
  put(dense.reactions(0.0, x), other_forces);
  EXPECT_LT(difference(forces, other_forces), 1e-10);
  // Off the joints: the same way back, but for the square of its length over the smallest of what is left of
  // a column. Which rows are left out makes that much of a difference.
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  LanePair off = made.state;
  for (double& value : off.hi) value += 1e-9 * normal(random);
  LanePair same = off;
  sparse.project(0.0, off.hi.data(), off.lo.data());
  dense.project(0.0, same.hi.data(), same.lo.data());
  EXPECT_LT(sparse.constraint_error(0.0, off.hi.data(), off.lo.data()), 1e-18);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(off.lo[i], same.lo[i], 1e4 * 1e-9 * 1e-9);
}

TEST(ManyLoops, LaddersMoveAsWithTreesFirst) { expect_the_same(ladder(25), 75); }

TEST(ManyLoops, NetsMoveAsWithTreesFirst) { expect_the_same(net(5, 5), 0); }

// Where a cell lies flat the rank drops by one; near it, the margin goes down with the distance.
TEST(ManyLoops, MarginFindsTheCellThatLiesFlat) {
  const auto margin = [](double angle) {
    Mechanism mechanism;
    Vec3 left{0, 0, 0}, right{0.4, 0, 0};
    int left_rail = kGround, right_rail = kGround;
    for (int k = 1; k <= 30; ++k) {
      const double turn = k == 17 ? angle : 1.3;
      const Vec3 way{0.4 * std::cos(turn), 0, -0.4 * std::sin(turn)};
      const int l = add_rod(mechanism, left, left + way), r = add_rod(mechanism, right, right + way);
      add_joint(mechanism, JointKind::revolute, left_rail, l, left, kAcross);
      add_joint(mechanism, JointKind::revolute, right_rail, r, right, kAcross);
      left = left + way, right = right + way;
      const int rung = add_rod(mechanism, left, right);
      add_joint(mechanism, JointKind::revolute, l, rung, left, kAcross);
      add_joint(mechanism, JointKind::revolute, r, rung, right, kAcross);
      left_rail = l, right_rail = r;
    }
    Multibody bodies(mechanism, kDown);
    EXPECT_TRUE(bodies.factor().is_sparse());
    std::vector<double> hi, lo;
    bodies.start(hi, lo);
    bodies.expect_rank(6 * 90 - 30);
    return bodies.margin(0.0, hi.data());
  };
  const double usual = margin(1.3);
  EXPECT_GT(usual, 0.02);
  EXPECT_LT(margin(1e-3), 0.1 * usual);
  EXPECT_NEAR(margin(1e-3) / margin(1e-2), 0.1, 0.02);
  EXPECT_NEAR(margin(1e-5) / margin(1e-4), 0.1, 0.02);
  EXPECT_LT(margin(0.0), 1e-12);
}

// In a plane nothing leaves it, to the last bit: series across it are left out.
TEST(ManyLoops, LaddersStayInTheirPlane) {
  const Mechanism mechanism = ladder(25);
  const Assembly made = assemble(mechanism);
  Multibody bodies(mechanism, kDown, FactorWay::sparse);
  constexpr int kOrder = 6;
  bodies.reserve(kOrder);
  std::vector<double> series((kOrder + 1) * bodies.dimension());
  bodies.taylor(0.0, made.state.hi.data(), kOrder, series.data());
  const std::size_t n = bodies.bodies();
  for (int k = 0; k <= kOrder; ++k) {
    for (const std::size_t c : {1, 4, 6, 8, 10, 12}) {
      for (std::size_t b = 0; b < n; ++b)
        ASSERT_EQ(series[static_cast<std::size_t>(k) * bodies.dimension() + c * n + b], 0.0) << k << ' ' << c;
    }
  }
}

// Operations, counted: linear in the length of a ladder. For nets, n^1.8 at most (n^1.5 is what the best
// order comes to in the end) and n log n.
TEST(ManyLoops, WorkFollowsTheGraph) {
  const auto work = [](const Mechanism& mechanism) {
    const Multibody bodies(mechanism, kDown);
    EXPECT_TRUE(bodies.factor().is_sparse());
    return std::pair(bodies.factor().factor_work(), bodies.factor().solve_work());
  };
  const auto [factor, solve] = work(ladder(100));
  const auto [more_factor, more_solve] = work(ladder(400));
  EXPECT_LT(more_factor, 1.02 * 4 * factor);
  EXPECT_LT(more_solve, 1.02 * 4 * solve);
  EXPECT_LT(more_solve, 600 * 1200);
  const auto [net_factor, net_solve] = work(net(12, 12));
  const auto [more_net_factor, more_net_solve] = work(net(24, 24));
  EXPECT_LT(more_net_factor, std::pow(1176.0 / 300.0, 1.9) * net_factor);
  EXPECT_LT(more_net_solve, 1.3 * 4 * std::log(24 * 24) / std::log(12 * 12) * net_solve);
}

// A few loops are closed as ever, and trees have none to close.
TEST(ManyLoops, FewOnesAreClosedTreesFirst) {
  EXPECT_FALSE(Multibody(ladder(10), kDown).factor().is_sparse());
  EXPECT_FALSE(Multibody(net(1, 3), kDown).factor().is_sparse());
}

// Factored in double, corrected with all digits.
TEST(ManyLoops, LaddersHaveMoreDigitsToo) {
  const Mechanism mechanism = ladder(24);
  const Assembly made = assemble(mechanism);
  Multibody bodies(mechanism, kDown);
  ASSERT_TRUE(bodies.factor().is_sparse());
  const std::size_t n = bodies.dimension(), rank = bodies.mobility(0.0, made.state.hi.data()).rank;
  bodies.expect_rank(rank);
  constexpr int kOrder = 6;
  bodies.reserve(kOrder);
  std::vector<double> series((kOrder + 1) * n);
  bodies.taylor(0.0, made.state.hi.data(), kOrder, series.data());
  BodiesOver<DoubleDouble> wide(bodies, rank);
  std::vector<DoubleDouble> x(n), order(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = DoubleDouble(made.state.hi[i], made.state.lo[i]);
  wide.project(DoubleDouble(0.0), x.data());
  std::vector<double> hi, lo;
  for (const DoubleDouble& value : x) hi.push_back(value.hi), lo.push_back(value.lo);
  EXPECT_LT(bodies.constraint_error(0.0, hi.data(), lo.data()), 1e-29);
  wide.reserve(kOrder);
  wide.begin(DoubleDouble(0.0), x.data());
  for (int k = 0; k < kOrder; ++k) {
    wide.advance(k, {});
    wide.write(k + 1, order.data());
    std::vector<double> of;
    for (const DoubleDouble& value : order) of.push_back(value.hi);
    const auto from = series.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k + 1) * n);
    EXPECT_LT(difference(of, std::vector<double>(from, from + static_cast<std::ptrdiff_t>(n))), 1e-12) << k;
  }
}

TEST(ManyLoops, LaddersKeepEnergyAndJoints) {
  Motion motion(ladder(40), kDown);
  EXPECT_TRUE(motion.multibody().factor().is_sparse());
  ASSERT_EQ(motion.go_to(0.5), StepStatus::done);
  EXPECT_LT(motion.worst_gap(), 1e-14);
  EXPECT_LT(motion.worst_energy(), 1e-12 * motion.multibody().weight_scale());
}

}  // namespace
}  // namespace catena::test
