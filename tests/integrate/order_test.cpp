// Every method has the order it declares.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "catena/integrate/runge_kutta.h"
#include "catena/integrate/taylor.h"
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
  StepOptions options{.tolerance = 1e3, .step = h, .order = order};
  const auto stepper = method.make(system, options);
  State state = state_of(kStart);
  EXPECT_EQ(stepper->step(state, 1e9), StepStatus::done);
  EXPECT_EQ(stepper->last_step(), h);
  std::vector<double> x(2), lo(2);
  stepper->dense().evaluate(at * h, x.data(), lo.data());
  return error_at(system, at * h, at == 1.0 ? state.hi : x);
}

// The exponent q of error ~ h^q from one halving. h must be small enough for the error's next term to bend
// the line by a quarter at most, and large enough to stay above roundoff.
double measured_exponent(const Method& method, const System& system, double h, double at,
                         std::optional<int> order = {}) {
  return std::log2(step_error(method, system, h, at, order) / step_error(method, system, h / 2, at, order));
}

TEST(Order, OneStepOfEveryRungeKuttaMethodErrsLikeItsOrderPlusOne) {
  const System system = angle_pendulum(2.0);
  for (const Method& method : methods()) {
    if (method.name == "taylor") continue;
    const int order = method.make(system, {.tolerance = 1.0, .step = 0.1})->order();
    EXPECT_EQ(method.order.substr(0, method.order.find('(')), std::to_string(order));
    const double h = order >= 8 ? 0.2 : 0.02;
    EXPECT_NEAR(measured_exponent(method, system, h, 1.0), order + 1, 0.25) << method.name;
  }
}

// Dense output: dopri5's continuous extension has order 4, dop853's has 7, the quintic Hermite 5 but no more
// than the step itself; local errors are one power higher.
TEST(Order, DenseOutputHasAtLeastTheOrderItPromises) {
  const System system = angle_pendulum(2.0);
  const std::vector<std::pair<std::string, int>> promised{
      {"euler", 1}, {"rk4", 4}, {"dopri5", 4}, {"dop853", 7}};
  for (const auto& [name, order] : promised) {
    const double h = order >= 7 ? 0.2 : 0.02;
    EXPECT_GT(measured_exponent(*find_method(name), system, h, 0.4), order + 0.75) << name;
  }
}

TEST(Order, OneTaylorStepErrsLikeItsOrderPlusOneForEveryOrder) {
  const System system = angle_pendulum(2.0);
  for (int order = 2; order <= 12; ++order) {
    const double h = 0.02 * order;
    EXPECT_NEAR(measured_exponent(*find_method("taylor"), system, h, 1.0, order), order + 1, 0.35) << order;
  }
}

TEST(Order, FixedStepMethodsConvergeLikeTheirOrder) {
  const System system = angle_pendulum(2.0);
  const std::vector<double> end = exact(system, 2.0);
  for (const Method& method : methods()) {
    if (method.adaptive) continue;
    std::vector<double> errors;
    for (const int steps : {256, 512}) {
      const auto stepper = method.make(system, {.step = 2.0 / steps});
      State state = state_of(kStart);
      for (int i = 0; i < steps; ++i) stepper->step(state, 2.0);
      errors.push_back(test::largest_difference(state.hi, end));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), std::stoi(method.order), 0.1) << method.name;
  }
}

// A tighter tolerance gives a proportionally smaller error: what a tolerance is for.
TEST(Order, ErrorsOfAdaptiveMethodsFollowTheTolerance) {
  const System system = angle_pendulum(2.0);
  const std::vector<double> end = exact(system, 5.0);
  for (const Method& method : methods()) {
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
  for (const char* name : {"dopri5", "dop853"}) {
    const auto stepper = find_method(name)->make(system, {.tolerance = 1e-30});
    State state = state_of(kStart);
    while (state.t < 1.0 && stepper->counts().steps < 100000) {
      ASSERT_EQ(stepper->step(state, 1.0), StepStatus::done) << name;
    }
    ASSERT_GE(state.t, 1.0) << name;
    std::vector<double> x(2), lo(2);
    stepper->dense().evaluate(1.0, x.data(), lo.data());
    EXPECT_LT(test::largest_difference(x, end), 1e-14) << name;  // roundoff, stretched a little by the motion
  }
}

TEST(Order, ChoosesTheOrderThatCostsLeast) {
  // p (p + overhead) / tol^(1/p) at the chosen order against its neighbours.
  for (const double tolerance : {1e-8, 1e-12, 1e-15, 1e-18}) {
    for (const double overhead : {10.0, 40.0, 150.0}) {
      const int p = cheapest_order(tolerance, overhead);
      const auto cost = [&](int q) { return q * (q + overhead) * std::pow(tolerance, -1.0 / q); };
      EXPECT_LE(cost(p), cost(p + 1)) << tolerance << " " << overhead;
      EXPECT_LE(cost(p), cost(p - 1) * (1 + 1e-3)) << tolerance << " " << overhead;
    }
  }
}

// Rows of a sum to c, weights integrate powers exactly up to the order: no digit was mistyped.
TEST(Tableau, RowSumsAndQuadratureConditionsHold) {
  for (const Tableau* tableau : {&kEuler, &kRk4, &kDopri5, &kDop853}) {
    for (std::size_t i = 0; i < tableau->a.size(); ++i) {
      double sum = 0.0, size = 1.0;
      for (const double a : tableau->a[i]) sum += a, size += std::fabs(a);
      EXPECT_NEAR(sum, tableau->c[i], 4e-16 * size) << "order " << tableau->order << ", row " << i;
    }
    for (int power = 0; power < tableau->order; ++power) {
      double sum = 0.0, size = 1.0;
      for (int i = 0; i < tableau->stages; ++i) {
        const double term = tableau->b[i] * (power == 0 ? 1.0 : std::pow(tableau->c[i], power));
        sum += term, size += std::fabs(term);
      }
      EXPECT_NEAR(sum, 1.0 / (power + 1), 4e-16 * size) << "order " << tableau->order << ", power " << power;
    }
    for (const std::vector<double>& weights : tableau->error) {
      double sum = 0.0, size = 1.0;
      for (const double weight : weights) sum += weight, size += std::fabs(weight);
      EXPECT_NEAR(sum, 0.0, 4e-16 * size) << "an error estimate vanishes for constant slopes";
    }
  }
}

}  // namespace
}  // namespace catena
