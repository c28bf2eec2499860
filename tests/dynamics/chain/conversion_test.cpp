// States of rigid chains as states of elastic ones, and back.
#include "catena/dynamics/chain/conversion.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/chains.h"

namespace catena {
namespace {

using test::largest;
using test::largest_difference;
using test::random_spring_state;
using test::random_springs;
using test::random_state;

LanePair exactly(std::vector<double> hi) {
  const std::size_t size = hi.size();
  return {std::move(hi), std::vector<double>(size, 0.0)};
}

template <int D>
double kinetic_energy(const ChainLinks& links, const LanePair& elastic) {
  const ElasticChain<D> chain(links, test::down<D>());
  return static_cast<double>(chain.energy(elastic.hi.data(), elastic.lo.data()).kinetic);
}

template <int D>
void expect_round_trip(std::size_t n, bool tree) {
  const ChainLinks links = random_springs(n, 1, tree);
  const LanePair rigid = exactly(random_state<D>(n, 2));
  const LanePair back = rigid_from_elastic<D>(links, elastic_from_rigid<D>(links, rigid));
  EXPECT_LT(largest_difference(back.hi, rigid.hi), 1e-14 * std::max(1.0, largest(rigid.hi))) << n;
}

TEST(Conversion, ThereAndBackIsTheIdentity) {
  for (const std::size_t n : {1, 2, 5, 40, 1000}) {
    for (const bool tree : {false, true}) {
      expect_round_trip<2>(n, tree);
      expect_round_trip<3>(n, tree);
    }
  }
}

TEST(Conversion, RigidStatesBecomeTheSamePlacesAndSpeedsWithoutStretch) {
  const std::size_t n = 6;
  const ChainLinks links = random_springs(n, 3, true);
  const LanePair rigid = exactly(random_state<3>(n, 4));
  const LanePair elastic = elastic_from_rigid<3>(links, rigid);
  std::vector<double> stretch(n);
  ElasticChain<3>(links, test::down<3>()).stretches(elastic.hi.data(), stretch.data());
  EXPECT_LT(largest(stretch), 1e-15);
  const Energies before = RigidChain<3>(links, test::down<3>(), ChainSolver::articulated)
                              .energy(rigid.hi.data(), rigid.lo.data());
  const Energies after = ElasticChain<3>(links, test::down<3>()).energy(elastic.hi.data(), elastic.lo.data());
  // Both to 30 digits, but for what the rounded directions leave of |u| = 1.
  EXPECT_LT(abs(before.kinetic - after.kinetic), 1e-28 * abs(before.kinetic));
  EXPECT_LT(abs(before.potential - after.potential), 1e-28 * 100);
}

// The nearest velocities of all that the lengths allow, by dense least squares: v = R q with q the components
// of all rates in the tangent planes.
TEST(Conversion, VelocitiesAreTheNearestInTheMassMetric) {
  for (const bool tree : {false, true}) {
    const std::size_t n = 7;
    const ChainLinks links = random_springs(n, 5, tree);
    const LanePair elastic = exactly(random_spring_state<3>(links, 6));
    const LanePair rigid = rigid_from_elastic<3>(links, elastic);
    Eigen::MatrixXd allowed = Eigen::MatrixXd::Zero(3 * n, 2 * n);
    Eigen::VectorXd wanted(3 * n), mass(3 * n);
    for (std::size_t k = 0; k < n; ++k) {
      const Eigen::Vector3d u(rigid.hi[k], rigid.hi[n + k], rigid.hi[2 * n + k]);
      const Eigen::Vector3d first = u.unitOrthogonal(), second = u.cross(first);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto row = static_cast<Eigen::Index>(3 * k + i), column = static_cast<Eigen::Index>(2 * k);
        if (links.parent[k] >= 0) allowed.row(row) = allowed.row(3 * links.parent[k] + static_cast<int>(i));
        allowed(row, column) += links.length[k] * first[static_cast<Eigen::Index>(i)];
        allowed(row, column + 1) += links.length[k] * second[static_cast<Eigen::Index>(i)];
        wanted[row] = elastic.hi[(3 + i) * n + k];
        mass[row] = links.mass[k];
      }
    }
    const Eigen::VectorXd root = mass.cwiseSqrt();
    const Eigen::VectorXd rates =
        (root.asDiagonal() * allowed).colPivHouseholderQr().solve(Eigen::VectorXd(root.cwiseProduct(wanted)));
    const Eigen::VectorXd nearest = allowed * rates;
    const LanePair ends = elastic_from_rigid<3>(links, rigid);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(ends.hi[(3 + i) * n + k], nearest[static_cast<Eigen::Index>(3 * k + i)], 1e-13);
      }
    }
  }
}

template <int D>
void expect_projection(std::size_t n, unsigned seed) {
  const ChainLinks links = random_springs(n, seed, seed % 2 == 0);
  const LanePair elastic = exactly(random_spring_state<D>(links, seed));
  const LanePair once = rigid_from_elastic<D>(links, elastic);
  const LanePair stiff = elastic_from_rigid<D>(links, once);
  const LanePair twice = rigid_from_elastic<D>(links, stiff);
  EXPECT_LT(largest_difference(once.hi, twice.hi), 1e-14 * std::max(1.0, largest(once.hi)));
  EXPECT_LT(kinetic_energy<D>(links, stiff), kinetic_energy<D>(links, elastic) * (1 + 1e-15));
  EXPECT_LT(largest_difference(once.lo, std::vector<double>(once.lo.size(), 0.0)),
            1e-15 * std::max(1.0, largest(once.hi)));
}

TEST(Conversion, IsAProjectionThatGainsNoKineticEnergy) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    expect_projection<2>(3 * seed, seed);
    expect_projection<3>(3 * seed, seed);
  }
}

}  // namespace
}  // namespace catena
