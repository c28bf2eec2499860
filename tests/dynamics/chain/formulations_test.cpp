// The classic formulations against the tensions: accelerations, series, and the change of charts.
#include <gtest/gtest.h>

#include "catena/dynamics/chain/coordinate_chain.h"
#include "catena/dynamics/chain/lie_chain.h"
#include "catena/dynamics/chain/rigid_chain.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::down;
using test::largest;
using test::largest_difference;
using test::random_links;
using test::random_state;

LanePair pair_of(std::vector<double> hi) {
  std::vector<double> lo(hi.size(), 0.0);
  return {std::move(hi), std::move(lo)};
}

template <int D>
std::array<double, D> slanted() {  // gravity in no special direction
  std::array<double, D> gravity = down<D>();
  gravity[0] = 2.5;
  if (D == 3) gravity[1] = -1.5;
  return gravity;
}

// How [u, w] changes when the state changes at the rate dx: a symmetric difference of fourth order.
template <class Chain>
std::vector<double> rates_of_directions(Chain& chain, const std::vector<double>& x,
                                        const std::vector<double>& dx, std::size_t size) {
  const auto along = [&](double h) {
    std::vector<double> moved(x.size()), u(size);
    for (std::size_t i = 0; i < x.size(); ++i) moved[i] = x[i] + h * dx[i];
    chain.directions(moved.data(), u.data());
    return u;
  };
  const double h = 2e-4;
  const std::vector<double> a = along(-2 * h), b = along(-h), c = along(h), d = along(2 * h);
  std::vector<double> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = (8 * (c[i] - b[i]) - (d[i] - a[i])) / (12 * h);
  return out;
}

template <int D>
std::vector<double> tension_rates(const ChainLinks& links, const std::vector<double>& u) {
  RigidChain<D> chain(links, slanted<D>(), ChainSolver::tension);
  std::vector<double> du(u.size());
  chain.rhs(u.data(), du.data());
  return du;
}

template <class Chain, int D>
void expect_same_accelerations() {
  for (const unsigned n : {1, 2, 3, 5, 10, 20}) {
    const ChainLinks links = random_links(n, 7 + n, false, false);
    const std::vector<double> u = random_state<D>(n, 3 * n);
    Chain chain(links, slanted<D>());
    const std::vector<double> x = chain.state_of(pair_of(u)).hi;
    std::vector<double> dx(x.size());
    chain.rhs(x.data(), dx.data());
    const std::vector<double> expected = tension_rates<D>(links, u);
    // The difference errs by h^4 of the fifth derivative and by eps/h: 1e-11 of the accelerations.
    EXPECT_LT(largest_difference(rates_of_directions(chain, x, dx, u.size()), expected),
              1e-9 * largest(expected))
        << n << " links in " << D << " dimensions";
  }
}

TEST(Formulations, AccelerationsInAnglesAreThoseOfTheTensions) {
  expect_same_accelerations<CoordinateChain<2>, 2>();
  expect_same_accelerations<CoordinateChain<3>, 3>();
}

TEST(Formulations, AccelerationsOfTheDenseLieFormAreThoseOfTheTensions) {
  expect_same_accelerations<LieChain<2>, 2>();
  expect_same_accelerations<LieChain<3>, 3>();
}

template <int D>
void expect_dense_lie_is_linear_lie() {
  for (const unsigned n : {1, 2, 4, 10, 40}) {
    LieChain<D> chain(random_links(n, 70 + n, false, false), slanted<D>());
    const std::vector<double> x = chain.state_of(pair_of(random_state<D>(n, 5 * n))).hi;
    std::vector<double> dense(x.size()), linear(x.size());
    chain.rhs(x.data(), dense.data());
    chain.rhs_by_tensions(x.data(), linear.data());
    // Roundoff of the dense solve: eps times the matrix's condition, a few hundred here.
    EXPECT_LT(largest_difference(dense, linear), 1e-12 * largest(linear)) << n << " links, D = " << D;
  }
}

TEST(Formulations, TheDenseMatrixOfTheLieFormAgreesWithTheLinearSolve) {
  expect_dense_lie_is_linear_lie<2>();
  expect_dense_lie_is_linear_lie<3>();
}

template <int D>
std::vector<double> polynomial(const std::vector<double>& c, std::size_t row, int order, double t) {
  std::vector<double> x(c.begin() + order * row, c.begin() + (order + 1) * row);
  for (int k = order - 1; k >= 0; --k) {
    for (std::size_t i = 0; i < row; ++i) x[i] = x[i] * t + c[k * row + i];
  }
  return x;
}

// Series to order 20 over a short time, as directions: the same motion to roundoff.
template <class Chain, int D>
void expect_same_series() {
  const int order = 20;
  for (const unsigned n : {1, 2, 3, 7}) {
    const ChainLinks links = random_links(n, 11 + n, false, false);
    const std::vector<double> u = random_state<D>(n, 13 * n);
    Chain chain(links, slanted<D>());
    RigidChain<D> tension(links, slanted<D>(), ChainSolver::tension);
    const std::vector<double> x = chain.state_of(pair_of(u)).hi;
    std::vector<double> own((order + 1) * x.size()), expected((order + 1) * u.size());
    chain.reserve(order);
    chain.taylor(x.data(), order, own.data());
    tension.reserve(order);
    tension.taylor(u.data(), order, expected.data());
    const double t = 0.02;
    std::vector<double> reached(u.size());
    chain.directions(polynomial<D>(own, x.size(), order, t).data(), reached.data());
    EXPECT_LT(largest_difference(reached, polynomial<D>(expected, u.size(), order, t)),
              1e-13 * largest(expected))
        << n << " links in " << D << " dimensions";

    std::vector<double> dx(x.size());
    chain.rhs(x.data(), dx.data());
    const std::vector<double> first(own.begin() + x.size(), own.begin() + 2 * x.size());
    EXPECT_LT(largest_difference(first, dx), 1e-12 * largest(dx)) << n << " links: order 1 is the slope";
  }
}

TEST(Formulations, SeriesInAnglesAreThoseOfTheTensions) {
  expect_same_series<CoordinateChain<2>, 2>();
  expect_same_series<CoordinateChain<3>, 3>();
}

TEST(Formulations, SeriesOfTheLieFormAreThoseOfTheTensions) {
  expect_same_series<LieChain<2>, 2>();
  expect_same_series<LieChain<3>, 3>();
}

TEST(Formulations, EnergiesAndReactionsAreThoseOfTheSameChainInUnitVectors) {
  const unsigned n = 4;
  const ChainLinks links = random_links(n, 1, false, false);
  const std::vector<double> u = random_state<3>(n, 2), none(u.size(), 0.0);
  RigidChain<3> tension(links, down<3>(), ChainSolver::tension);
  const Energies expected = tension.energy(u.data(), none.data());
  std::vector<double> pulls(n), own_pulls(n);
  tension.reactions(u.data(), pulls.data());
  const auto check = [&](auto&& chain) {
    const LanePair x = chain.state_of(pair_of(u));
    const Energies energy = chain.energy(x.hi.data(), x.lo.data());
    const double scale = std::fabs(static_cast<double>(expected.kinetic)) + 30.0;
    EXPECT_NEAR(static_cast<double>(energy.kinetic), static_cast<double>(expected.kinetic), 1e-15 * scale);
    EXPECT_NEAR(static_cast<double>(energy.potential), static_cast<double>(expected.potential),
                1e-15 * scale);
    chain.reactions(x.hi.data(), own_pulls.data());
    EXPECT_LT(largest_difference(own_pulls, pulls), 1e-13 * largest(pulls));
  };
  check(CoordinateChain<3>(links, down<3>()));
  check(LieChain<3>(links, down<3>()));
}

// Near each pole, and beyond: the chart changes, place and velocity do not.
TEST(Charts, AChangeOfChartLeavesDirectionsAndRates) {
  const std::size_t n = 200;
  CoordinateChain<3> chain(test::equal_links(n), down<3>());
  std::vector<double> x(5 * n), lo(5 * n, 0.0), before(6 * n), after(6 * n);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = (k % 4 < 2 ? 0.0 : std::acos(-1.0)) + 0.52 * unit(random);  // within 30 degrees of a pole
    if (std::fabs(std::sin(x[k])) < 1e-3) x[k] += 0.1;
    for (int i = 1; i < 4; ++i) x[i * n + k] = 4 * unit(random);
    x[4 * n + k] = k % 2 == 0 ? 1.0 : 0.0;
  }
  const std::vector<double> poles(x.begin() + 4 * n, x.end());
  chain.directions(x.data(), before.data());
  EXPECT_TRUE(chain.settle(x.data(), lo.data()));
  chain.directions(x.data(), after.data());
  EXPECT_LT(largest_difference(before, after), 8e-16 * largest(before));
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_NE(x[4 * n + k], poles[k]);
    EXPECT_GT(std::fabs(std::sin(x[k])), 0.5) << "the new chart's pole is far";
  }
  EXPECT_FALSE(chain.settle(x.data(), lo.data())) << "nothing changes twice";
}

TEST(Charts, ALinkKeepsItsChartUntilItsSineIsOneHalf) {
  CoordinateChain<3> chain(test::equal_links(2), down<3>());
  const auto pole_after = [&](double theta) {
    std::vector<double> x{theta, 1.5, 0.3, 0.3, 1, 1, 2, 2, 1, 1}, lo(10, 0.0);
    chain.settle(x.data(), lo.data());
    EXPECT_EQ(x[9], 1.0) << "the other link stays";
    return x[8];
  };
  EXPECT_EQ(pole_after(0.52), 0.0);  // sin 0.4969
  EXPECT_EQ(pole_after(0.53), 1.0);  // sin 0.5055
  EXPECT_EQ(pole_after(2.61), 1.0);
  EXPECT_EQ(pole_after(2.62), 0.0);
}

}  // namespace
}  // namespace catena
