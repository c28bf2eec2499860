// Methods that keep what the motion keeps: symplectic maps, bounded energy, quadratic invariants, exact
// reversal.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/integrate/composition.h"
#include "catena/integrate/gauss.h"
#include "catena/math/order_conditions.h"
#include "integrate/systems.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::angle_pendulum;
using test::state_of;

const std::vector<std::string> kSymplectic{"symplectic-euler", "verlet", "yoshida4", "yoshida6",
                                           "yoshida8",         "gauss4", "gauss6",   "gauss8"};

std::vector<double> after_one_step(const std::string& method, const System& system, std::vector<double> x,
                                   double h) {
  const auto stepper = find_method(method)->make(system, {.step = h});
  State state = state_of(std::move(x));
  EXPECT_EQ(stepper->step(state, 1e9), StepStatus::done) << method;
  return state.hi;
}

// A map of the plane is symplectic where it keeps areas: the determinant of its derivative is 1. Differences
// of 1e-5 err by 1e-10 from the third derivative and by 1e-11 from roundoff.
TEST(Symplectic, StepsKeepAreas) {
  const System system = angle_pendulum(2.0);
  constexpr double kH = 0.3, kSmall = 1e-5;
  for (const std::string& method : kSymplectic) {
    double jacobian[2][2];
    for (int j = 0; j < 2; ++j) {
      std::vector<double> plus{0.9, 1.3}, minus{0.9, 1.3};
      plus[j] += kSmall, minus[j] -= kSmall;
      const auto up = after_one_step(method, system, plus, kH),
                 down = after_one_step(method, system, minus, kH);
      for (int i = 0; i < 2; ++i) jacobian[i][j] = (up[i] - down[i]) / (2 * kSmall);
    }
    const double area = jacobian[0][0] * jacobian[1][1] - jacobian[0][1] * jacobian[1][0];
    EXPECT_NEAR(area, 1.0, 1e-9) << method;
  }
}

// A step forward and the same step backward end where they began, but for roundoff of the few slopes.
TEST(Symplectic, SymmetricStepsUndoThemselves) {
  const System system = angle_pendulum(2.0);
  for (const std::string& method : kSymplectic) {
    if (method == "symplectic-euler") continue;
    const auto there = after_one_step(method, system, {0.9, 1.3}, 0.2);
    const auto back = after_one_step(method, system, there, -0.2);
    EXPECT_LT(test::largest_difference(back, {0.9, 1.3}), 2e-15) << method;
  }
}

double pendulum_energy(const State& state) {
  const double rate = state.hi[1] + state.lo[1], angle = state.hi[0];
  return 0.5 * rate * rate + 2.0 * (1 - std::cos(angle)) + 2.0 * std::sin(angle) * state.lo[0];
}

struct EnergyRange {
  double early;  // largest |E - E0| in the first hundredth of the steps
  double all;
};

EnergyRange energy_range(const std::string& method, double h, int steps) {
  const System system = angle_pendulum(2.0);
  const auto stepper = find_method(method)->make(system, {.step = h});
  State state = state_of({2.5, 0.0});
  const double start = pendulum_energy(state);
  EnergyRange range{};
  for (int i = 0; i < steps; ++i) {
    stepper->step(state, 1e9);
    range.all = std::max(range.all, std::fabs(pendulum_energy(state) - start));
    if (i < steps / 100) range.early = range.all;
  }
  return range;
}

// Energy of a symplectic method swings within a band that does not widen: after a million steps (some 20 000
// swings) it is still that of the first hundredth, which holds all phases of the swing. Backward error
// analysis promises it for exponentially long times (E. Hairer, C. Lubich, G. Wanner, IX.8).
TEST(Symplectic, EnergyStaysInItsBandOverAMillionSteps) {
  for (const std::string& method : kSymplectic) {
    if (method == "gauss6" || method == "gauss8") continue;  // their band is roundoff; see below
    const EnergyRange range = energy_range(method, 0.1, 1000000);
    EXPECT_GT(range.early, 1e-12) << method;
    EXPECT_LT(range.all, 1.02 * range.early) << method;
  }
  // The same measure tells a method that is not symplectic: rk4 loses energy all along.
  const EnergyRange drifting = energy_range("rk4", 0.1, 1000000);
  EXPECT_GT(drifting.all, 20 * drifting.early);
}

// Where the method's own error is below roundoff, a million steps with compensated sums leave a random walk:
// the roundoff of one step, eps h |x'| and less, times a thousand.
TEST(Gauss, EnergyDriftsNoMoreThanARandomWalkOfRoundoff) {
  const EnergyRange range = energy_range("gauss8", 0.02, 1000000);
  EXPECT_LT(range.all, 2e-14);
}

// Gauss methods keep every quadratic invariant (G. J. Cooper, 1987). A free rigid body has two, its energy
// and the square of its angular momentum (L. Euler): both stay within the roundoff of 10 000 steps.
TEST(Gauss, KeepsBothQuadraticInvariantsOfAFreeBody) {
  constexpr double kInertia[3] = {1.0, 2.0, 3.0};
  System body;  // angular momentum in the body's frame: L' = L x (L / I)
  body.dimension = 3;
  body.rhs = [&](double, const double* x, double* dx) {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      dx[i] = x[j] * x[k] * (1 / kInertia[k] - 1 / kInertia[j]);
    }
  };
  const auto invariants = [&](const State& state) {
    double energy = 0.0, square = 0.0;
    for (int i = 0; i < 3; ++i) {
      energy += 0.5 * state.hi[i] * state.hi[i] / kInertia[i];
      square += state.hi[i] * state.hi[i];
    }
    return std::vector<double>{energy, square};
  };
  const auto change = [&](const char* method) {
    const auto stepper = find_method(method)->make(body, {.step = 0.3});
    State state = state_of({0.6, 1.1, -0.4});
    const std::vector<double> start = invariants(state);
    for (int i = 0; i < 10000; ++i) EXPECT_EQ(stepper->step(state, 1e9), StepStatus::done);
    return test::largest_difference(invariants(state), start);
  };
  for (const char* method : {"gauss4", "gauss6", "gauss8"}) EXPECT_LT(change(method), 5e-14) << method;
  EXPECT_GT(change("rk4"), 1e-4);
}

// c, a and b against their closed forms (J. C. Butcher 1964; E. Hairer, G. Wanner, IV.5).
TEST(Gauss, CoefficientsHaveTheirClosedForms) {
  const GaussTableau two(2), three(3), four(4);
  const long double root3 = std::sqrt(3.0L), root15 = std::sqrt(15.0L);
  const auto off = [](const DoubleDouble& x, long double exact) {
    return static_cast<double>(std::fabs(static_cast<long double>(x.hi) + x.lo - exact));
  };
  constexpr double kLastDigit = 2e-19;  // of long double
  EXPECT_LT(off(two.c[0], 0.5L - root3 / 6), kLastDigit);
  EXPECT_LT(off(two.a[0][1], 0.25L - root3 / 6), kLastDigit);
  EXPECT_LT(off(two.a[1][0], 0.25L + root3 / 6), kLastDigit);
  EXPECT_LT(off(three.c[2], 0.5L + root15 / 10), kLastDigit);
  EXPECT_LT(off(three.b[1], 4.0L / 9), kLastDigit);
  EXPECT_LT(off(three.a[0][1], 2.0L / 9 - root15 / 15), kLastDigit);
  EXPECT_LT(off(three.a[2][0], 5.0L / 36 + root15 / 30), kLastDigit);
  EXPECT_LT(off(four.b[0], 0.25L - std::sqrt(30.0L) / 72), kLastDigit);
}

TEST(Gauss, TableausMeetTheConditionsOfTheirOrderAndOfSymplecticity) {
  for (const int stages : {2, 3, 4}) {
    const GaussTableau tableau(stages);
    std::vector<std::vector<double>> a(tableau.a.size());
    std::vector<double> b;
    for (int i = 0; i < stages; ++i) {
      b.push_back(tableau.b[i].hi);
      for (int j = 0; j < stages; ++j) {
        a[i].push_back(tableau.a[i][j].hi);
        // b_i a_ij + b_j a_ji = b_i b_j, to the digits of double-double.
        const DoubleDouble excess =
            tableau.b[i] * tableau.a[i][j] + tableau.b[j] * tableau.a[j][i] - tableau.b[i] * tableau.b[j];
        EXPECT_LT(abs(excess), 1e-31) << stages;
      }
    }
    EXPECT_EQ(measured_order(a, b), 2 * stages);
  }
}

// Sums of odd powers of the parts vanish: necessary for the order, and blind to no mistyped digit.
TEST(Composition, PartsMeetTheConditionsOfTheirOrder) {
  for (const Composition* composition : {&kVerlet, &kYoshida4, &kYoshida6, &kYoshida8}) {
    long double drift = 0.0L, kick = 0.0L;
    for (const DriftKick& part : composition->parts) drift += part.drift, kick += part.kick;
    EXPECT_NEAR(static_cast<double>(drift), 1.0, 1e-15);
    EXPECT_NEAR(static_cast<double>(kick), 1.0, 1e-15);
    for (int power = 3; power < composition->order; power += 2) {
      long double sum = 0.0L;
      for (const DriftKick& part : composition->parts) sum += std::pow(1.0L * part.kick, power);
      EXPECT_NEAR(static_cast<double>(sum), 0.0, 5e-15) << composition->order << ", power " << power;
    }
  }
}

// Work is an integral whose rate is linear in the velocity; a symplectic method integrates it to its own
// order.
TEST(Composition, IntegralsBesideTheMotionHaveTheOrderOfTheMethod) {
  System system = angle_pendulum(2.0);
  system.dimension = 3;
  system.controlled = 2;
  system.taylor = nullptr;
  system.rhs = [](double, const double* x, double* dx) {
    dx[0] = x[1];
    dx[1] = -2.0 * std::sin(x[0]);
    dx[2] = dx[1] * x[1];  // the rate of the kinetic energy
  };
  for (const char* method : {"verlet", "yoshida4", "yoshida6"}) {
    std::vector<double> errors;
    for (const int steps : {64, 128}) {
      const auto stepper = find_method(method)->make(system, {.step = 2.0 / steps});
      State state = state_of({0.9, 1.3, 0.0});
      for (int i = 0; i < steps; ++i) stepper->step(state, 1e9);
      errors.push_back(std::fabs(state.hi[2] + 2.0 * (std::cos(0.9) - std::cos(state.hi[0]))));
    }
    const int order = std::stoi(find_method(method)->order);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.35) << method;
  }
}

TEST(Symplectic, AreRefusedWhereAccelerationsDependOnVelocities) {
  System system = angle_pendulum(2.0);
  system.separable.clear();
  for (const char* method : {"symplectic-euler", "verlet", "yoshida4", "yoshida6", "yoshida8"}) {
    const std::string reason = refusal(*find_method(method), system, {.step = 0.1});
    EXPECT_NE(reason.find("depend on velocities"), std::string::npos) << reason;
  }
  EXPECT_EQ(refusal(*find_method("gauss4"), system, {.step = 0.1}), "");
}

// A step far too long for the iteration is an outcome, not an endless loop, and leaves the state.
TEST(Gauss, AStepThatCannotBeSolvedIsReported) {
  System system = test::oscillator();
  system.taylor = nullptr;
  system.rhs = [](double, const double* x, double* dx) {
    dx[0] = 1e3 * x[1];
    dx[1] = -1e3 * x[0] + std::sin(1e3 * x[1]);
  };
  const auto stepper = find_method("gauss4")->make(system, {.step = 0.1});
  State state = state_of({1.0, 0.0});
  const StepStatus status = stepper->step(state, 1.0);
  EXPECT_TRUE(status == StepStatus::not_solved || status == StepStatus::not_finite);
  EXPECT_EQ(state.hi, (std::vector<double>{1.0, 0.0}));
}

}  // namespace
}  // namespace catena
