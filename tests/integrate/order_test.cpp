// Every method has the order it declares.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "catena/integrate/hermite.h"
#include "catena/integrate/runge_kutta.h"
#include "catena/integrate/taylor.h"
#include "catena/math/order_conditions.h"
#include "integrate/systems.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::angle_pendulum;
using test::state_of;

// A pendulum in motion, far from symmetric points where orders look better than they are.
const std::vector<double> kStart{0.9, 1.3};

std::vector<double> exact(const System& system, double t) {
  const auto stepper = make_taylor(system, {.tolerance = 1e-20, .order = 40});
  State state = state_of(kStart);
  while (state.t < t) stepper->step(state, t);
  std::vector<double> x(2), lo(2);
  stepper->dense().evaluate(t, x.data(), lo.data());
  return x;
}

double error_at(const System& system, double t, const std::vector<double>& x) {
  return test::largest_difference(x, exact(system, t));
}

// Error of one step of length h: of its end (at = 1) or of its dense output inside.
double step_error(const Method& method, const System& system, double h, double at,
                  std::optional<int> order = {}) {
  // Loose enough for any step; radau5 solves its equations no better than it has to, so its tolerance follows
  // what it estimates, some h^4.
  const double tolerance = method.name == "radau5" ? std::pow(300 * std::pow(h, 4), 1.5) : 1e3;
  StepOptions options{.tolerance = tolerance, .step = h, .order = order};
  const auto stepper = method.make(system, options);
  State state = state_of(kStart);
  EXPECT_EQ(stepper->step(state, 1e9), StepStatus::done);
  EXPECT_EQ(stepper->last_step(), h);
  std::vector<double> x(2), lo(2);
  stepper->dense().evaluate(at * h, x.data(), lo.data());
  return error_at(system, at * h, at == 1.0 ? state.hi : x);
}

// The exponent q of error ~ h^q from one halving: at steps as short as they can be while the smaller error
// stays three digits above roundoff, so that the error's first term is what is seen.
double measured_exponent(const Method& method, const System& system, double at,
                         std::optional<int> order = {}) {
  constexpr double kSmallestError = 2e-13;
  double h = 0.8, error = 1.0, half_error = 1.0;
  do {
    h /= 1.25;
    error = step_error(method, system, h, at, order);
    half_error = step_error(method, system, h / 2, at, order);
  } while (half_error > kSmallestError);
  return std::log2(error / half_error);
}

// One step of the method at a loose tolerance tells its order there, also where it varies.
int order_of(const Method& method, const System& system) {
  const auto stepper = method.make(system, {.tolerance = 1e3, .step = 0.1});
  State state = state_of(kStart);
  stepper->step(state, 1e9);
  return stepper->order();
}

TEST(Order, EveryMethodReportsTheOrderItDeclares) {
  const System system = angle_pendulum(2.0);
  for (const Method& method : test::methods_for(system)) {
    if (method.order == "any" || method.order == "variable") continue;
    EXPECT_EQ(method.order.substr(0, method.order.find('(')), std::to_string(order_of(method, system)))
        << method.name;
  }
}

TEST(Order, OneStepOfEveryMethodErrsLikeItsOrderPlusOne) {
  const System system = angle_pendulum(2.0);
  for (const Method& method : test::methods_for(system)) {
    if (method.order == "any" || method.name == "radau5") continue;
    const int order = order_of(method, system);
    // From order 8 on the window above roundoff is so short that the error's next term is seen as well.
    EXPECT_NEAR(measured_exponent(method, system, 1.0), order + 1, order >= 8 ? 0.45 : 0.3) << method.name;
  }
}

// radau5 by its steps on average: the error at the end falls with the fifth power of their number.
TEST(Order, ErrorsOfRadau5FallWithTheFifthPowerOfTheSteps) {
  const System system = angle_pendulum(2.0);
  std::vector<double> errors, steps;
  for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
    const auto stepper = find_method("radau5")->make(system, {.tolerance = tolerance});
    State state = state_of(kStart);
    while (state.t < 5.0) ASSERT_EQ(stepper->step(state, 5.0), StepStatus::done);
    errors.push_back(error_at(system, state.t, state.hi));
    steps.push_back(static_cast<double>(stepper->counts().steps));
  }
  for (int i = 0; i < 2; ++i) {
    const double order = std::log(errors[i] / errors[i + 1]) / std::log(steps[i + 1] / steps[i]);
    EXPECT_NEAR(order, 5.0, 0.5) << errors[i] << " in " << steps[i] << " steps";
  }
}

// Dense output: dopri5's continuous extension has order 4, dop853's has 7, radau5's collocation polynomial 3;
// every other method's has the order of the method. Local errors are one power higher.
TEST(Order, DenseOutputHasAtLeastTheOrderItPromises) {
  const System system = angle_pendulum(2.0);
  for (const Method& method : test::methods_for(system)) {
    if (method.order == "any") continue;
    const std::map<std::string, int> lower{{"dopri5", 4}, {"dop853", 7}, {"radau5", 3}};
    const int order = lower.contains(method.name) ? lower.at(method.name) : order_of(method, system);
    for (const double at : {0.3, 0.6}) {
      EXPECT_GT(measured_exponent(method, system, at), order + 0.55) << method.name;
    }
  }
}

// The two-point polynomial reproduces polynomials of its own degree: x' = a polynomial of t.
TEST(Hermite, ReproducesAPolynomialOfItsDegree) {
  System system;
  system.dimension = 2;  // x = (1 + t)^9 and t
  system.rhs = [](double t, const double*, double* dx) { dx[0] = 9 * std::pow(1 + t, 8), dx[1] = 1.0; };
  system.taylor = [](double t, const double* x, int order, double* c) {
    double binomial = 1.0;
    c[0] = x[0], c[1] = x[1];
    for (int k = 1; k <= order; ++k) {
      binomial = binomial * (10 - k) / k;
      c[2 * k] = binomial * std::pow(1 + t, 9 - k);
      c[2 * k + 1] = k == 1 ? 1.0 : 0.0;
    }
  };
  TwoPointHermite hermite(system, 4);
  StepPolynomial polynomial;
  polynomial.resize(hermite.degree(4), 2);
  ASSERT_EQ(polynomial.degree, 9);
  polynomial.length = polynomial.unit = 0.7;
  const std::vector<double> start{1.0, 0.0}, end{std::pow(1.7, 9), 0.7};
  StepCounts counts;
  hermite.fill(0.0, start.data(), 0.7, end.data(), 4, polynomial, counts);
  for (const double t : {0.1, 0.35, 0.6}) {
    std::vector<double> x(2), lo(2);
    polynomial.evaluate(t, x.data(), lo.data());
    // Roundoff of the end value, 1.7^9 = 119, magnified by the binomials of the shift.
    EXPECT_NEAR(x[0], std::pow(1 + t, 9), 1e-11) << t;
    EXPECT_NEAR(x[1], t, 1e-15) << t;
  }
}

TEST(Order, OneTaylorStepErrsLikeItsOrderPlusOneForEveryOrder) {
  const System system = angle_pendulum(2.0);
  for (int order = 2; order <= 12; ++order) {
    EXPECT_NEAR(measured_exponent(*find_method("taylor"), system, 1.0, order), order + 1, 0.35) << order;
  }
}

TEST(Order, FixedStepMethodsConvergeLikeTheirOrder) {
  const System system = angle_pendulum(2.0);
  const std::vector<double> end = exact(system, 2.0);
  for (const Method& method : test::methods_for(system)) {
    if (method.adaptive) continue;
    const int order = std::stoi(method.order);
    std::vector<double> errors;
    // Coarse enough to stay above roundoff.
    const int coarse = order >= 8 ? 8 : order >= 6 ? 32 : 256;
    for (const int steps : {coarse, 2 * coarse}) {
      const auto stepper = method.make(system, {.step = 2.0 / steps});
      State state = state_of(kStart);
      for (int i = 0; i < steps; ++i) stepper->step(state, 2.0);
      errors.push_back(test::largest_difference(state.hi, end));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, order >= 6 ? 0.35 : 0.1) << method.name;
  }
}

// A tighter tolerance gives a proportionally smaller error: what a tolerance is for.
TEST(Order, ErrorsOfAdaptiveMethodsFollowTheTolerance) {
  const System system = angle_pendulum(2.0);
  const std::vector<double> end = exact(system, 5.0);
  for (const Method& method : test::methods_for(system)) {
    if (!method.adaptive) continue;
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      const auto stepper = method.make(system, {.tolerance = tolerance});
      State state = state_of(kStart);
      while (state.t < 5.0) ASSERT_EQ(stepper->step(state, 5.0), StepStatus::done);
      std::vector<double> x(2), lo(2);
      stepper->dense().evaluate(5.0, x.data(), lo.data());
      const double error = test::largest_difference(x, end);
      // Errors of a few hundred steps, each at most the tolerance, carried along by a pendulum that stretches
      // them like t.
      EXPECT_LT(error, 1e3 * tolerance) << method.name;
    }
  }
}

// Tolerances below machine precision are allowed: they ask for the best there is, not for steps without end.
TEST(Order, ToleranceBelowRoundoffEndsAtRoundoff) {
  const System system = angle_pendulum(2.0);
  const std::vector<double> end = exact(system, 1.0);
  for (const Method& method : test::methods_for(system)) {
    if (!method.adaptive || method.order == "any") continue;
    const auto stepper = method.make(system, {.tolerance = 1e-30});
    State state = state_of(kStart);
    while (state.t < 1.0 && stepper->counts().steps < 100000) {
      ASSERT_EQ(stepper->step(state, 1.0), StepStatus::done) << method.name;
    }
    ASSERT_GE(state.t, 1.0) << method.name;
    std::vector<double> x(2), lo(2);
    stepper->dense().evaluate(1.0, x.data(), lo.data());
    // Roundoff, stretched a little by the motion.
    EXPECT_LT(test::largest_difference(x, end), 1e-14) << method.name;
  }
}

// Lanes behind the controlled ones follow along and change no bit of the motion, however wild they are; of
// taylor, whose series may end a step for their sake, what they are is looked at instead.
TEST(StepControl, LooksAtTheControlledLanesAlone) {
  const System plain = angle_pendulum(2.0);
  System with_integral = plain;
  with_integral.dimension = 3;
  with_integral.controlled = 2;
  with_integral.rhs = [&plain](double t, const double* x, double* dx) {
    plain.rhs(t, x, dx);
    dx[2] = 1e6 * std::cos(40 * t);
  };
  with_integral.taylor = [&plain](double t, const double* x, int order, double* c) {
    std::vector<double> own(2 * (order + 1));
    plain.taylor(t, x, order, own.data());
    const double derivative[4] = {std::cos(40 * t), -std::sin(40 * t), -std::cos(40 * t), std::sin(40 * t)};
    double factor = 1e6;
    for (int k = 0; k <= order; ++k) {
      c[3 * k] = own[2 * k], c[3 * k + 1] = own[2 * k + 1];
      if (k == 0) c[2] = x[2];
      if (k > 0) c[3 * k + 2] = factor / k * derivative[(k - 1) % 4], factor *= 40.0 / k;
    }
  };
  for (const Method& method : test::methods_for(plain)) {
    if (!method.adaptive || !refusal(method, with_integral, {}).empty()) continue;
    const auto alone = method.make(plain, {.tolerance = 1e-6});
    const auto together = method.make(with_integral, {.tolerance = 1e-6});
    State two = state_of(kStart), three = state_of({kStart[0], kStart[1], 0.0});
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(alone->step(two, 1e9), StepStatus::done) << method.name;
      ASSERT_EQ(together->step(three, 1e9), StepStatus::done) << method.name;
    }
    if (method.name == "taylor") {  // its series tell how far the integral can be followed
      EXPECT_NEAR(three.hi[2], 1e6 / 40 * std::sin(40 * three.t), 1.0);
      continue;
    }
    EXPECT_EQ(two.t, three.t) << method.name;
    EXPECT_EQ(two.hi[0], three.hi[0]) << method.name;
    EXPECT_EQ(two.hi[1], three.hi[1]) << method.name;
  }
}

TEST(Order, ChoosesTheOrderThatCostsLeast) {
  // (p (p + overhead) + per_step) / tol^(1/p) at the chosen order against all others.
  for (const double tolerance : {1e-8, 1e-12, 1e-15, 1e-18}) {
    for (const double overhead : {10.0, 40.0, 150.0}) {
      for (const double per_step : {0.0, 1000.0}) {
        const int p = cheapest_order(tolerance, overhead, per_step);
        const auto cost = [&](int q) {
          return (q * (q + overhead) + per_step) * std::pow(tolerance, -1.0 / q);
        };
        for (int q = 2; q < 100; ++q) {
          if (q < -0.5 * std::log(tolerance) + 1) continue;          // too low to be trusted
          if (tolerance < 1e-13 && per_step > 0 && q > p) continue;  // too much roundoff
          EXPECT_LE(cost(p), cost(q) * (1 + 1e-12)) << tolerance << " " << overhead << " " << q;
        }
      }
    }
  }
}

// Half a unit in the last place of each coefficient, a few of which enter each product.
constexpr double kEpsilonOfSums = 1e-15;

const std::vector<const Tableau*> kTableaus{&kEuler, &kHeun,  &kMidpoint, &kRk4,    &kRk38, &kDopri5,
                                            &kTsit5, &kVern7, &kRkf78,    &kDop853, &kVern9};

TEST(OrderConditions, AreAsManyAsThereAreRootedTrees) {
  // Number of rooted trees with n vertices: the sequence of A. Cayley.
  const std::vector<int> trees{1, 1, 2, 4, 9, 20, 48, 115, 286, 719};
  std::vector<int> counted(trees.size());
  for (const OrderCondition& condition : order_conditions({{}}, {1.0}, 10)) ++counted[condition.order - 1];
  EXPECT_EQ(counted, trees);
}

// Every condition of every tableau, with sums in 64 bits: the coefficients are known to 53 of them, so no
// more than that may be missing. One order higher something does fail.
TEST(Tableau, MeetsTheConditionsOfItsOrderAndNoMore) {
  for (const Tableau* tableau : kTableaus) {
    for (const OrderCondition& condition : order_conditions(tableau->a, tableau->b, tableau->order)) {
      EXPECT_LE(condition.error, kEpsilonOfSums * std::max(1.0, condition.size)) << tableau->order;
    }
    EXPECT_EQ(measured_order(tableau->a, tableau->b), tableau->order);
  }
}

TEST(Tableau, RowsSumToTheirTimes) {
  for (const Tableau* tableau : kTableaus) {
    for (std::size_t i = 0; i < tableau->a.size(); ++i) {
      double sum = 0.0, size = 1.0;
      for (const double a : tableau->a[i]) sum += a, size += std::fabs(a);
      EXPECT_NEAR(sum, tableau->c[i], 4e-16 * size) << "order " << tableau->order << ", row " << i;
    }
  }
}

// The embedded methods have the orders that the names say: 5(4) differs from a method of order 4.
TEST(Tableau, EmbeddedMethodsHaveTheirOrders) {
  for (const Tableau* tableau : kTableaus) {
    const std::vector<int> expected =
        tableau == &kDop853 ? std::vector<int>{5, 3} : std::vector<int>{tableau->error_order};
    for (std::size_t e = 0; e < tableau->error.size(); ++e) {
      std::vector<std::vector<double>> a = tableau->a;
      a.resize(static_cast<std::size_t>(tableau->stages));
      a.push_back(tableau->b);  // the slope at the end of the step
      std::vector<double> b_hat = tableau->b;
      b_hat.resize(a.size());
      for (std::size_t i = 0; i < tableau->error[e].size(); ++i) b_hat[i] -= tableau->error[e][i];
      EXPECT_EQ(measured_order(a, b_hat), expected[e]) << "of order " << tableau->order;
    }
  }
}

}  // namespace
}  // namespace catena
