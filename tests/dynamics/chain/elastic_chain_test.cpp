// Chains and trees of springs: forces, series and energies against formulas that share no line with them.
#include "catena/dynamics/chain/elastic_chain.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "support/chains.h"

namespace catena {
namespace {

using test::down;
using test::largest;
using test::largest_difference;
using test::random_spring_state;
using test::random_springs;

template <int D>
std::vector<double> rates(const ChainLinks& links, const std::vector<double>& x,
                          std::array<double, D> gravity = down<D>()) {
  ElasticChain<D> chain(links, gravity);
  std::vector<double> dx(x.size());
  chain.rhs(x.data(), dx.data());
  return dx;
}

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

// Ends -> links: row k is 1 at mass k and -1 at its parent.
RealMatrix incidence(const ChainLinks& links) {
  const auto n = static_cast<Eigen::Index>(links.count());
  RealMatrix out = RealMatrix::Identity(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    if (links.parent[k] >= 0) out(k, links.parent[k]) = -1;
  }
  return out;
}

// Taylor coefficients of all positions, [order](link, component), with dense matrices in long double: the
// pull is c (1 - L p) d with p = (d . d)^(-1/2), and p by the recurrence of a power,
//   n s_0 p_n = sum_{j=1..n} (j/2 - n) s_j p_{n-j}.
template <int D>
std::vector<RealMatrix> reference_series(const ChainLinks& links, const std::vector<double>& state,
                                         int order) {
  const auto n = static_cast<Eigen::Index>(links.count());
  const RealMatrix to_links = incidence(links);
  const auto lanes = [&](std::size_t from) {
    RealMatrix out(n, D);
    for (int i = 0; i < D; ++i) {
      for (Eigen::Index k = 0; k < n; ++k) out(k, i) = state[from + i * n + k];
    }
    return out;
  };
  std::vector<RealMatrix> x{lanes(0), lanes(D * n)}, d, s, p;
  for (int m = 0; m + 1 < order + 1; ++m) {
    d.push_back(to_links * x[m]);
    s.push_back(RealMatrix::Zero(n, 1));
    for (int j = 0; j <= m; ++j) s[m] += d[j].cwiseProduct(d[m - j]).rowwise().sum();
    p.push_back(RealMatrix::Zero(n, 1));
    if (m == 0) p[0] = s[0].cwiseSqrt().cwiseInverse();
    for (int j = 1; j <= m; ++j) p[m] += (Real(j) / 2 - m) / m * s[j].cwiseProduct(p[m - j]);
    if (m > 0) p[m] = p[m].cwiseQuotient(s[0]);
    RealMatrix pulls = d[m];
    for (int j = 0; j <= m; ++j) {
      for (Eigen::Index k = 0; k < n; ++k) pulls.row(k) -= links.length[k] * p[j](k) * d[m - j].row(k);
    }
    for (Eigen::Index k = 0; k < n; ++k) pulls.row(k) *= links.stiffness[k];
    RealMatrix acceleration = -to_links.transpose() * pulls;
    for (Eigen::Index k = 0; k < n; ++k) acceleration.row(k) /= links.mass[k];
    if (m == 0) acceleration.col(D - 1).array() -= Real(9.81);
    x.push_back(acceleration / Real((m + 1) * (m + 2)));
  }
  return x;
}

template <int D>
void expect_agreement_with_reference(std::size_t n, bool tree, unsigned seed) {
  const ChainLinks links = random_springs(n, seed, tree);
  const std::vector<double> state = random_spring_state<D>(links, seed);
  const int order = 25;
  const std::vector<RealMatrix> reference = reference_series<D>(links, state, order);
  std::vector<double> c((order + 1) * state.size());
  ElasticChain<D>(links, down<D>()).taylor(state.data(), order, c.data());
  for (int m = 0; m <= order; ++m) {
    const double* row = c.data() + m * state.size();
    const double size = static_cast<double>(reference[m].cwiseAbs().maxCoeff());
    for (int i = 0; i < D; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        // Roundoff adds up over the convolutions of m orders, a little more where nothing is fused.
        const auto exact = static_cast<double>(reference[m](static_cast<Eigen::Index>(k), i));
        ASSERT_NEAR(row[i * n + k], exact, 4e-15 * (m + 1) * size)
            << n << " links, order " << m << (tree ? ", tree" : "");
      }
    }
  }
  const std::vector<double> dx = rates<D>(links, state);
  for (int i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_NEAR(dx[(D + i) * n + k], static_cast<double>(2 * reference[2](static_cast<Eigen::Index>(k), i)),
                  1e-14 * largest(dx));
    }
  }
}

TEST(ElasticChain, AgreesOrderByOrderWithADenseFormulaInLongDouble) {
  for (const std::size_t n : {1, 2, 3, 4, 5, 8, 9, 30}) {
    for (const bool tree : {false, true}) {
      expect_agreement_with_reference<2>(n, tree, 3);
      expect_agreement_with_reference<3>(n, tree, 4);
    }
  }
}

TEST(ElasticChain, OrderOneOfTheSeriesIsTheRightHandSideToTheBit) {
  for (const std::size_t n : {1, 2, 7}) {
    const ChainLinks links = random_springs(n, 5, n > 2);
    const std::vector<double> x = random_spring_state<3>(links, 6);
    std::vector<double> c(3 * x.size());
    ElasticChain<3>(links, down<3>()).taylor(x.data(), 2, c.data());
    EXPECT_EQ(std::vector<double>(c.begin() + static_cast<std::ptrdiff_t>(x.size()),
                                  c.begin() + static_cast<std::ptrdiff_t>(2 * x.size())),
              rates<3>(links, x));
  }
}

// The tree's scattered sums against the chain's neighbours: two chains from one pivot are a tree.
TEST(ElasticChain, ATreeOfTwoChainsMovesLikeTheChains) {
  const std::size_t n = 5;
  const ChainLinks links = random_springs(n, 1, false);
  const std::vector<double> x = random_spring_state<3>(links, 2);
  const std::vector<double> alone = rates<3>(links, x);
  ChainLinks both = links;
  for (std::vector<double> ChainLinks::*lanes :
       {&ChainLinks::length, &ChainLinks::mass, &ChainLinks::stiffness, &ChainLinks::center_of_mass,
        &ChainLinks::inertia}) {
    (both.*lanes).insert((both.*lanes).end(), (links.*lanes).begin(), (links.*lanes).end());
  }
  for (std::size_t k = 0; k < n; ++k) both.parent.push_back(k == 0 ? -1 : static_cast<int>(n + k) - 1);
  std::vector<double> twice(2 * x.size());
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < 2 * n; ++k) twice[2 * i * n + k] = x[i * n + k % n];
  }
  const std::vector<double> together = rates<3>(both, twice);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < 2 * n; ++k) EXPECT_EQ(together[2 * i * n + k], alone[i * n + k % n]);
  }
}

TEST(ElasticChain, PlanarAndSpatialChainsAgreeAndPlanarOnesStayPlanar) {
  for (const std::size_t n : {1, 2, 5, 30}) {
    const ChainLinks links = random_springs(n, 3, n > 2);
    const std::vector<double> x3 = random_spring_state<3>(links, 5, true);
    std::vector<double> x2(4 * n);
    for (std::size_t k = 0; k < n; ++k) {
      x2[k] = x3[k], x2[n + k] = x3[2 * n + k];
      x2[2 * n + k] = x3[3 * n + k], x2[3 * n + k] = x3[5 * n + k];
    }
    const int order = 12;
    std::vector<double> c3((order + 1) * 6 * n), c2((order + 1) * 4 * n);
    ElasticChain<3>(links, down<3>()).taylor(x3.data(), order, c3.data());
    ElasticChain<2>(links, down<2>()).taylor(x2.data(), order, c2.data());
    for (int m = 0; m <= order; ++m) {
      const double* a = c2.data() + m * 4 * n;
      const double* b = c3.data() + m * 6 * n;
      double size = 0.0;
      for (std::size_t i = 0; i < 4 * n; ++i) size = std::max(size, std::fabs(a[i]));
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_NEAR(a[2 * n + k], b[3 * n + k], 1e-14 * (m + 1) * size);
        EXPECT_NEAR(a[3 * n + k], b[5 * n + k], 1e-14 * (m + 1) * size);
        EXPECT_EQ(b[n + k], 0.0) << "a planar start must stay exactly planar";
        EXPECT_EQ(b[4 * n + k], 0.0);
      }
    }
  }
}

// In a vertical line springs are linear, so that a column of K is a difference of accelerations. Equal
// springs, held at one end: c/m (2 sin((2j - 1) pi / (4 N + 2)))^2.
TEST(ElasticChain, VerticalModesAreThoseOfTheTridiagonalStiffnessMatrix) {
  const double stiffness = 80.0, mass = 0.5, length = 0.7;
  for (const std::size_t n : {1, 2, 5, 20}) {
    ChainLinks links = test::equal_links(n, length, mass);
    links.stiffness.assign(n, stiffness);
    const auto hanging = [&](std::size_t lower, double by) {
      std::vector<double> x(4 * n, 0.0);
      for (std::size_t k = 0; k < n; ++k) x[n + k] = -length * static_cast<double>(k + 1) * 1.1;
      x[n + lower] -= by;
      return rates<2>(links, x);
    };
    const double nudge = 0.125;
    Eigen::MatrixXd matrix(n, n);
    for (std::size_t j = 0; j < n; ++j) {
      const std::vector<double> moved = hanging(j, nudge), still = hanging(j, 0.0);
      for (std::size_t k = 0; k < n; ++k) {
        matrix(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) =
            (moved[3 * n + k] - still[3 * n + k]) / nudge;
        EXPECT_EQ(moved[2 * n + k], 0.0);
      }
    }
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (matrix + matrix.transpose())).eigenvalues();
    for (std::size_t j = 0; j < n; ++j) {
      const double wave = std::sin((2.0 * static_cast<double>(j) + 1) * std::numbers::pi /
                                   (4.0 * static_cast<double>(n) + 2));
      // Differences of accelerations of size c L N / m, known to 1e-16 of it.
      EXPECT_NEAR(values[static_cast<Eigen::Index>(j)], 4 * stiffness / mass * wave * wave,
                  1e-13 * static_cast<double>(n) * stiffness / mass);
    }
  }
}

// The pivot carries the weight and gives the momentum: R = M a_cm - M g. Tensions are Hooke's.
TEST(ElasticChain, PivotForceIsWhatMomentumNeeds) {
  const std::size_t n = 9;
  const ChainLinks links = random_springs(n, 9, true);
  const std::vector<double> x = random_spring_state<3>(links, 8);
  const std::vector<double> dx = rates<3>(links, x);
  std::vector<double> tension(n), stretch(n);
  const ElasticChain<3> chain(links, down<3>());
  const auto pivot = chain.reactions(x.data(), tension.data());
  chain.stretches(x.data(), stretch.data());
  for (int i = 0; i < 3; ++i) {
    double needed = 0.0;
    for (std::size_t k = 0; k < n; ++k) needed += links.mass[k] * (dx[(3 + i) * n + k] - down<3>()[i]);
    EXPECT_NEAR(pivot[i], needed, 1e-13 * largest(dx) * static_cast<double>(n));
  }
  for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(tension[k], links.stiffness[k] * stretch[k]);
}

// To the last digits of long double, and beyond those of double when the state has a lo.
TEST(ElasticChain, EnergiesAreExactBeyondDouble) {
  const std::size_t n = 6;
  const ChainLinks links = random_springs(n, 2, true);
  const std::vector<double> hi = random_spring_state<3>(links, 3);
  std::vector<double> lo(hi.size());
  for (std::size_t i = 0; i < hi.size(); ++i) lo[i] = 1e-17 * hi[i] * std::sin(static_cast<double>(i));
  Real kinetic = 0, potential = 0, elastic = 0;
  const auto at = [&](std::size_t lane) { return Real(hi[lane]) + Real(lo[lane]); };
  for (std::size_t k = 0; k < n; ++k) {
    Real square = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Real d = at(i * n + k) - (links.parent[k] < 0 ? 0 : at(i * n + links.parent[k]));
      square += d * d;
      kinetic += Real(links.mass[k]) / 2 * at((3 + i) * n + k) * at((3 + i) * n + k);
    }
    potential += Real(links.mass[k]) * Real(9.81) * at(2 * n + k);
    elastic += Real(links.stiffness[k]) / 2 * (std::sqrt(square) - Real(links.length[k])) *
               (std::sqrt(square) - Real(links.length[k]));
  }
  const Energies energies = ElasticChain<3>(links, down<3>()).energy(hi.data(), lo.data());
  const auto real = [](const DoubleDouble& value) { return Real(value.hi) + Real(value.lo); };
  const Real digits = 64 * std::numeric_limits<Real>::epsilon();
  EXPECT_LT(std::fabs(real(energies.kinetic) - kinetic), digits * kinetic);
  // The weight m g is rounded to double: a constant force, the same at all times.
  EXPECT_LT(std::fabs(real(energies.potential) - potential), 1e-15L * largest(hi) * 20 * Real(n));
  EXPECT_LT(std::fabs(real(energies.elastic) - elastic), digits * elastic);
}

TEST(ElasticChain, DirectionsAreThoseTheStateWasMadeFrom) {
  const std::size_t n = 7;
  const ChainLinks links = random_springs(n, 4, true);
  const std::vector<double> directions = test::random_state<3>(n, 4);
  const std::vector<double> x = random_spring_state<3>(links, 4);
  std::vector<double> found(x.size());
  ElasticChain<3>(links, down<3>()).directions(x.data(), found.data());
  EXPECT_LT(largest_difference(found, directions), 1e-14);
}

}  // namespace
}  // namespace catena
