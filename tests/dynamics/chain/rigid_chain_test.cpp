// Accelerations of chains and trees: two solvers, a dense independent formulation, symmetries and closed
// forms.
#include "catena/dynamics/chain/rigid_chain.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "support/chains.h"

namespace catena {
namespace {

using test::down;
using test::equal_links;
using test::largest;
using test::largest_difference;
using test::random_links;
using test::random_state;

template <int D>
std::vector<double> rates(const ChainLinks& links, const std::vector<double>& x, ChainSolver solver,
                          std::array<double, D> gravity = down<D>()) {
  RigidChain<D> chain(links, gravity, solver);
  std::vector<double> dx(x.size());
  chain.rhs(x.data(), dx.data());
  return dx;
}

// Lagrange's equations of the first kind in joint positions, all at once and dense:
//   M a = F + J^T lambda,   J a = -|joint velocity difference|^2
template <int D>
std::vector<double> dense_accelerations(const ChainLinks& links, const std::vector<double>& x) {
  const int n = static_cast<int>(links.count()), size = D * n;
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(size + n, size + n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size + n);
  const std::array<double, D> gravity = down<D>();
  for (int k = 0; k < n; ++k) {
    const double f = links.center_of_mass[k], m = links.mass[k],
                 spin = links.inertia[k] / std::pow(links.length[k], 2);
    const int p = links.parent[k];
    double speed = 0.0;
    for (int i = 0; i < D; ++i) {
      const double u = x[i * n + k], w = x[(D + i) * n + k];
      speed += w * w;
      system(D * k + i, D * k + i) += m * f * f + spin;
      right(D * k + i) += m * f * gravity[i];
      system(size + k, D * k + i) = system(D * k + i, size + k) = u;
      if (p < 0) continue;
      system(D * p + i, D * p + i) += m * (1 - f) * (1 - f) + spin;
      system(D * p + i, D * k + i) += m * f * (1 - f) - spin;
      system(D * k + i, D * p + i) += m * f * (1 - f) - spin;
      right(D * p + i) += m * (1 - f) * gravity[i];
      system(size + k, D * p + i) = system(D * p + i, size + k) = -u;
    }
    right(size + k) = -links.length[k] * speed;
  }
  const Eigen::VectorXd solution = system.fullPivLu().solve(right);
  std::vector<double> out(size);
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < D; ++i) {
      const double upper = links.parent[k] < 0 ? 0.0 : solution(D * links.parent[k] + i);
      out[i * n + k] = (solution(D * k + i) - upper) / links.length[k];
    }
  }
  return out;
}

template <int D>
void expect_agreement_with_dense(const ChainLinks& links, ChainSolver solver, unsigned seed) {
  const std::vector<double> x = random_state<D>(links.count(), seed);
  const std::vector<double> dx = rates<D>(links, x, solver);
  const std::vector<double> own(dx.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), dx.end());
  const std::vector<double> dense = dense_accelerations<D>(links, x);
  // Roundoff of a dense solve with up to 40 unknowns and masses that differ by ten.
  EXPECT_LT(largest_difference(own, dense), 1e-12 * largest(dense))
      << links.count() << " links, seed " << seed;
}

TEST(RigidChain, AgreesWithTheDenseSolutionOfLagrangesEquations) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    for (const std::size_t n : {1, 2, 3, 5, 8, 9, 13}) {
      expect_agreement_with_dense<2>(random_links(n, seed, false, false), ChainSolver::tension, seed);
      expect_agreement_with_dense<3>(random_links(n, seed, false, false), ChainSolver::tension, seed);
      expect_agreement_with_dense<2>(random_links(n, seed, true, false), ChainSolver::articulated, seed);
      expect_agreement_with_dense<3>(random_links(n, seed, true, false), ChainSolver::articulated, seed);
      expect_agreement_with_dense<2>(random_links(n, seed, true, true), ChainSolver::articulated, seed);
      expect_agreement_with_dense<3>(random_links(n, seed, true, true), ChainSolver::articulated, seed);
    }
  }
}

// Two algorithms without a common line, to 1e-11 of the largest acceleration.
TEST(RigidChain, TensionAndArticulatedAgreeUpToAThousandLinks) {
  for (const std::size_t n : {1, 2, 10, 100, 1000}) {
    const ChainLinks equal = equal_links(n), mixed = random_links(n, 7, false, false);
    for (const ChainLinks* links : {&equal, &mixed}) {
      const std::vector<double> x = random_state<3>(n, 11);
      const std::vector<double> a = rates<3>(*links, x, ChainSolver::tension);
      const std::vector<double> b = rates<3>(*links, x, ChainSolver::articulated);
      EXPECT_LT(largest_difference(a, b), 1e-11 * largest(a)) << n;
    }
  }
}

// Long straight chains are where plain elimination loses digits: the condition number grows like N^2.
TEST(RigidChain, TensionAndArticulatedAgreeOnLongStraightChains) {
  for (const std::size_t n : {10, 100, 1000}) {
    for (const double bend : {0.0, 1e-3}) {
      for (const double lean : {0.0, 0.7, std::numbers::pi / 2}) {
        std::vector<double> x(6 * n, 0.0);
        for (std::size_t k = 0; k < n; ++k) {
          const double theta = lean + bend * std::sin(0.1 * static_cast<double>(k));
          x[k] = std::sin(theta);
          x[2 * n + k] = -std::cos(theta);
        }
        const std::vector<double> a = rates<3>(equal_links(n), x, ChainSolver::tension);
        const std::vector<double> b = rates<3>(equal_links(n), x, ChainSolver::articulated);
        EXPECT_LT(largest_difference(a, b), 1e-11 * std::max(9.81, largest(a)))
            << n << " " << bend << " " << lean;
      }
    }
  }
}

TEST(RigidChain, AHangingChainOfAThousandLinksStaysAtRest) {
  for (const ChainSolver solver : {ChainSolver::tension, ChainSolver::articulated}) {
    const std::size_t n = 1000;
    std::vector<double> x(6 * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) x[2 * n + k] = -1.0;
    // Tensions up to 1000 m g, so accelerations are differences of numbers of size 1e4, known to about 1e-12.
    EXPECT_LT(largest(rates<3>(equal_links(n), x, solver)), 1e-11);
  }
}

TEST(RigidChain, PlanarAndSpatialSolversAgree) {
  for (const bool rods : {false, true}) {
    const ChainSolver solver = rods ? ChainSolver::articulated : ChainSolver::tension;
    for (const std::size_t n : {1, 2, 4, 5, 30}) {
      const ChainLinks links = random_links(n, 3, rods, false);
      const std::vector<double> x3 = random_state<3>(n, 5, true);
      std::vector<double> x2(4 * n);
      for (std::size_t k = 0; k < n; ++k) {
        x2[k] = x3[k], x2[n + k] = x3[2 * n + k];
        x2[2 * n + k] = x3[3 * n + k], x2[3 * n + k] = x3[5 * n + k];
      }
      const std::vector<double> d3 = rates<3>(links, x3, solver), d2 = rates<2>(links, x2, solver);
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_NEAR(d2[2 * n + k], d3[3 * n + k], 1e-12 * largest(d3));
        EXPECT_NEAR(d2[3 * n + k], d3[5 * n + k], 1e-12 * largest(d3));
        EXPECT_EQ(d3[4 * n + k], 0.0) << "a planar start must stay exactly planar";
      }
    }
  }
}

// A rotation about the vertical changes nothing but the axes.
TEST(RigidChain, TurningTheWorldTurnsTheAccelerations) {
  const std::size_t n = 6;
  const ChainLinks links = random_links(n, 2, true, true);
  const std::vector<double> x = random_state<3>(n, 4);
  const double c = std::cos(0.7), s = std::sin(0.7);
  const auto turned = [&](std::vector<double> v) {
    for (const std::size_t part : {std::size_t{0}, 3 * n}) {
      for (std::size_t k = part; k < part + n; ++k) {
        const double a = v[k], b = v[n + k];
        v[k] = c * a - s * b, v[n + k] = s * a + c * b;
      }
    }
    return v;
  };
  const std::vector<double> before = rates<3>(links, x, ChainSolver::articulated);
  const std::vector<double> after = rates<3>(links, turned(x), ChainSolver::articulated);
  EXPECT_LT(largest_difference(turned(before), after), 1e-13 * largest(before));
}

// K of the linearised motion u_x'' = -K u_x of a hanging chain, one column per link that is nudged. All
// horizontal components scale with the nudge, so it can be tiny without losing digits.
Eigen::VectorXd squared_frequencies(const ChainLinks& links, ChainSolver solver, double g) {
  const std::size_t n = links.count();
  const double nudge = 1e-9;
  Eigen::MatrixXd stiffness(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> x(4 * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) x[n + k] = -1.0;
    x[j] = nudge;
    const std::vector<double> dx = rates<2>(links, x, solver, down<2>(g));
    for (std::size_t k = 0; k < n; ++k) stiffness(k, j) = -dx[2 * n + k] / nudge;
  }
  Eigen::VectorXd values = Eigen::EigenSolver<Eigen::MatrixXd>(stiffness, false).eigenvalues().real();
  std::sort(values.begin(), values.end());
  return values;
}

TEST(RigidChain, NormalModesAreZerosOfLaguerrePolynomials) {
  const double g = 9.81, length = 0.7;
  const nlohmann::json all = test::reference("chain_normal_modes")["laguerre_zeros"];
  for (const auto& [count, zeros] : all.items()) {
    const std::size_t n = std::stoul(count);
    for (const ChainSolver solver : {ChainSolver::tension, ChainSolver::articulated}) {
      const Eigen::VectorXd values = squared_frequencies(equal_links(n, length, 2.0), solver, g);
      for (std::size_t k = 0; k < n; ++k) {
        // Eigenvalues of an unsymmetric matrix with entries up to 2 N g/l.
        EXPECT_NEAR(values[k] / (g / length), test::number(zeros[k]), 1e-12 * test::number(zeros[n - 1]))
            << n;
      }
    }
  }
}

TEST(RigidChain, NormalModesOfRodChainsMatchTheirReference) {
  const double g = 9.81, length = 0.7, mass = 2.0;
  const nlohmann::json all = test::reference("chain_normal_modes")["rigid_rod_chain_mu"];
  for (const auto& [count, modes] : all.items()) {
    const std::size_t n = std::stoul(count);
    const ChainLinks rods = equal_links(n, length, mass, 0.5, mass * length * length / 12);
    const Eigen::VectorXd values = squared_frequencies(rods, ChainSolver::articulated, g);
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_NEAR(values[k] / (g / length), test::number(modes[k]), 1e-12 * test::number(modes[n - 1])) << n;
    }
  }
}

// The pivot carries the weight and gives the momentum: R = M a_cm - M g.
TEST(RigidChain, PivotForceIsWhatMomentumNeeds) {
  for (const bool rods : {false, true}) {
    const std::size_t n = 7;
    const ChainLinks links = random_links(n, 9, rods, rods);
    const std::vector<double> x = random_state<3>(n, 8);
    RigidChain<3> chain(links, down<3>(), rods ? ChainSolver::articulated : ChainSolver::tension);
    std::vector<double> dx(x.size());
    chain.rhs(x.data(), dx.data());
    std::vector<double> tension(n);
    const auto pivot = chain.reactions(x.data(), tension.data());
    for (int i = 0; i < 3; ++i) {
      std::vector<double> end(n);
      double needed = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        const double upper = links.parent[k] < 0 ? 0.0 : end[links.parent[k]];
        const double swing = links.length[k] * dx[(3 + i) * n + k];
        end[k] = upper + swing;
        needed += links.mass[k] * (upper + links.center_of_mass[k] * swing - down<3>()[i]);
      }
      EXPECT_NEAR(pivot[i], needed, 1e-11 * std::max(1.0, std::fabs(needed)));
    }
  }
}

TEST(RigidChain, TensionsOfBothSolversAgree) {
  const std::size_t n = 20;
  const ChainLinks links = random_links(n, 1, false, false);
  const std::vector<double> x = random_state<3>(n, 2);
  std::vector<double> a(n), b(n);
  const auto pivot_a = RigidChain<3>(links, down<3>(), ChainSolver::tension).reactions(x.data(), a.data());
  const auto pivot_b =
      RigidChain<3>(links, down<3>(), ChainSolver::articulated).reactions(x.data(), b.data());
  EXPECT_LT(largest_difference(a, b), 1e-12 * largest(a));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(pivot_a[i], pivot_b[i], 1e-12 * largest(a));
}

TEST(RigidChain, ProjectionRestoresLengthAndTangencyWithoutTouchingHi) {
  const std::size_t n = 5;
  RigidChain<3> chain(equal_links(n), down<3>(), ChainSolver::tension);
  for (const double disturbance : {1e-15, 1e-9, 1e-4, 0.2}) {
    std::vector<double> hi = random_state<3>(n, 6), lo(hi.size(), 0.0);
    for (std::size_t i = 0; i < hi.size(); ++i) hi[i] *= 1 + disturbance * std::sin(static_cast<double>(i));
    const std::vector<double> before = hi;
    chain.project(hi.data(), lo.data());
    EXPECT_EQ(hi, before);
    // One Newton step leaves the square of the disturbance, and never more than roundoff of the pair hi + lo.
    EXPECT_LT(chain.constraint_error(hi.data(), lo.data()), 1e-15 * disturbance + 1e-30) << disturbance;
  }
}

}  // namespace
}  // namespace catena
