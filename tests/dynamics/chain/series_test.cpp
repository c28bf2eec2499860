// Taylor series of chains: they solve the equation of motion, order by order.
#include <gtest/gtest.h>

#include "support/chains.h"

namespace catena {
namespace {

using test::down;
using test::random_links;
using test::random_spring_state;
using test::random_springs;
using test::random_state;

template <class Chain>
void expect_series_to_solve_the_equation(Chain chain, const std::vector<double>& x) {
  const std::size_t n = chain.links(), dimension = chain.dimension();
  const int order = 20;
  std::vector<double> c((order + 1) * dimension);
  chain.taylor(x.data(), order, c.data());
  const auto row = [&](int k) {
    return std::vector<double>(c.begin() + static_cast<std::ptrdiff_t>(k * dimension),
                               c.begin() + static_cast<std::ptrdiff_t>((k + 1) * dimension));
  };
  EXPECT_EQ(row(0), x);
  // A step so short that 20 orders leave nothing but roundoff.
  double growth = 0.0;
  for (int k = 10; k <= order; ++k) growth = std::max(growth, std::pow(test::largest(row(k)), 1.0 / k));
  const double h = 0.15 / growth;
  std::vector<double> value(dimension), slope(dimension), rate(dimension);
  for (int k = order; k >= 0; --k) {
    for (std::size_t i = 0; i < dimension; ++i) {
      slope[i] = slope[i] * h + value[i];
      value[i] = value[i] * h + row(k)[i];
    }
  }
  chain.rhs(value.data(), rate.data());
  EXPECT_LT(test::largest_difference(slope, rate), 1e-12 * test::largest(rate)) << n << " links";
  std::vector<double> zero(dimension, 0.0);
  EXPECT_LT(chain.constraint_error(value.data(), zero.data()), 1e-13 * std::max(1.0, test::largest(rate)));
}

template <int D>
void expect_rigid_series(const ChainLinks& links, ChainSolver solver, unsigned seed) {
  expect_series_to_solve_the_equation(RigidChain<D>(links, down<D>(), solver),
                                      random_state<D>(links.count(), seed));
}

template <int D>
void expect_elastic_series(const ChainLinks& links, unsigned seed) {
  expect_series_to_solve_the_equation(ElasticChain<D>(links, down<D>()), random_spring_state<D>(links, seed));
}

TEST(ChainSeries, SolvesTheEquationOfMotion) {
  for (const std::size_t n : {1, 2, 3, 4, 5, 8, 9, 17, 40}) {
    expect_rigid_series<2>(random_links(n, 1, false, false), ChainSolver::tension, 2);
    expect_rigid_series<3>(random_links(n, 3, false, false), ChainSolver::tension, 4);
    expect_rigid_series<2>(random_links(n, 5, true, false), ChainSolver::articulated, 6);
    expect_rigid_series<3>(random_links(n, 7, true, true), ChainSolver::articulated, 8);
    for (const bool tree : {false, true}) {
      expect_elastic_series<2>(random_springs(n, 1, tree), 2);
      expect_elastic_series<3>(random_springs(n, 3, tree), 4);
    }
  }
}

// Order by order, not only their sum: every coefficient of two independent algorithms.
TEST(ChainSeries, BothSolversGiveTheSameCoefficients) {
  for (const std::size_t n : {1, 2, 3, 4, 6, 20}) {
    const ChainLinks links = random_links(n, 3, false, false);
    const std::vector<double> x = random_state<3>(n, 5);
    const int order = 30;
    std::vector<double> a((order + 1) * 6 * n), b(a.size());
    RigidChain<3>(links, down<3>(), ChainSolver::tension).taylor(x.data(), order, a.data());
    RigidChain<3>(links, down<3>(), ChainSolver::articulated).taylor(x.data(), order, b.data());
    for (int k = 0; k <= order; ++k) {
      double size = 0.0, difference = 0.0;
      for (std::size_t i = 0; i < 6 * n; ++i) {
        size = std::max(size, std::fabs(a[k * 6 * n + i]));
        difference = std::max(difference, std::fabs(a[k * 6 * n + i] - b[k * 6 * n + i]));
      }
      // Roundoff adds up over the convolutions of k orders.
      EXPECT_LT(difference, 1e-13 * (k + 1) * size) << n << " links, order " << k;
    }
  }
}

// Of many links where their coefficients go, with reciprocals that are computed anew; kept, they have rows
// and reciprocals of their own. Counts that no register's width divides.
template <int D>
void expect_same_series_in_place_and_kept(std::size_t n) {
  const std::vector<double> x = random_state<D>(n, 5);
  const ChainLinks links = random_links(n, 3, false, false);
  for (const int order : {1, 2, 7, 14}) {
    RigidChain<D> chain(links, down<D>(), ChainSolver::tension);
    std::vector<double> in_place(static_cast<std::size_t>(order + 1) * 2 * D * n), kept(in_place);
    chain.taylor(x.data(), order, in_place.data());
    chain.tension()->keep_series();
    chain.taylor(x.data(), order, kept.data());
    EXPECT_EQ(in_place, kept) << n << " links, order " << order;
  }
}

TEST(ChainSeries, OfManyLinksHasTheSameBitsInPlaceAndKept) {
  for (const std::size_t n : {4096, 4099}) {
    expect_same_series_in_place_and_kept<2>(n);
    expect_same_series_in_place_and_kept<3>(n);
  }
}

TEST(ChainSeries, OrderOneIsTheRightHandSide) {
  for (const bool rods : {false, true}) {
    for (const std::size_t n : {2, 7}) {
      RigidChain<3> chain(random_links(n, 1, rods, rods), down<3>(),
                          rods ? ChainSolver::articulated : ChainSolver::tension);
      const std::vector<double> x = random_state<3>(n, 2);
      std::vector<double> c(3 * 6 * n), dx(6 * n);
      chain.taylor(x.data(), 2, c.data());
      chain.rhs(x.data(), dx.data());
      for (std::size_t i = 0; i < 6 * n; ++i) EXPECT_NEAR(c[6 * n + i], dx[i], 1e-14 * test::largest(dx));
    }
  }
}

}  // namespace
}  // namespace catena
