// Taylor's step rule where it is known to fail, its defect check, and exact time keeping.
#include "catena/integrate/taylor.h"

#include <gtest/gtest.h>

#include <limits>

#include "catena/lab/wiring.h"
#include "integrate/systems.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::state_of;

// The state at t by many short steps of high order: exact to roundoff.
std::vector<double> finely(const System& system, const std::vector<double>& start, double t) {
  State state = state_of(start);
  const auto stepper = make_taylor(system, {.tolerance = 1e-30, .order = 30});
  while (state.t < t) stepper->step(state, t);
  std::vector<double> hi(start.size()), lo(start.size());
  stepper->dense().evaluate(t, hi.data(), lo.data());
  return hi;
}

void expect_honest_steps(const System& system, const std::vector<double>& start, const char* what) {
  for (int order = 2; order <= 40; ++order) {
    for (const double tolerance : {1e-5, 1e-8, 1e-11, 1e-14}) {
      const auto stepper = make_taylor(system, {.tolerance = tolerance, .order = order});
      State state = state_of(start);
      ASSERT_EQ(stepper->step(state, 100.0), StepStatus::done);
      const std::vector<double> exact = finely(system, start, state.t);
      const double scale = std::max(1.0, test::largest(start));
      EXPECT_LE(test::largest_difference(state.hi, exact), 10 * tolerance * scale)
          << what << ", order " << order << ", tolerance " << tolerance << ", step " << state.t;
    }
  }
}

// Released at rest from exactly 90 degrees every second coefficient vanishes, in angles twice in a row.
TEST(TaylorStep, ErrsAtMostTenTolerancesAtRestFromNinetyDegrees) {
  RigidChain<2> single(test::equal_links(1), {0.0, -9.81}, ChainSolver::tension);
  expect_honest_steps(wired_chain(single), {1, 0, 0, 0}, "unit vector");
  RigidChain<2> pair(test::equal_links(2), {0.0, -9.81}, ChainSolver::tension);
  expect_honest_steps(wired_chain(pair), {1, 1, 0, 0, 0, 0, 0, 0}, "two unit vectors");
  expect_honest_steps(test::angle_pendulum(9.81), {std::acos(0.0), 0.0}, "angle");
}

TEST(TaylorStep, ErrsAtMostTenTolerancesFromOrdinaryStarts) {
  expect_honest_steps(test::angle_pendulum(9.81), {1.0, 0.0}, "angle at rest");
  expect_honest_steps(test::angle_pendulum(9.81), {3.0, 2.0}, "angle in motion");
  expect_honest_steps(test::oscillator(), {1.0, 0.0}, "oscillator");
}

// What stands still is looked at again at twice the time, whatever the horizon: a run in parts has the bits
// of one.
TEST(TaylorStep, AMotionThatStandsStillDoublesItsTime) {
  RigidChain<2> chain(test::equal_links(3), {0.0, 0.0}, ChainSolver::tension);
  const System system = wired_chain(chain);
  const auto stepper = make_taylor(system, {.tolerance = 1e-15});
  State state = state_of({0, 0, 0, -1, -1, -1, 0, 0, 0, 0, 0, 0});
  for (const double t : {1.0, 2.0, 4.0, 8.0}) {
    ASSERT_EQ(stepper->step(state, 50.0), StepStatus::done);
    EXPECT_EQ(state.t, t);
  }
}

// A first step far too long for its order is cut by the defect check, not believed.
TEST(TaylorStep, ADefectTooLargeIsRejected) {
  const System system = test::angle_pendulum(9.81);
  const auto stepper = make_taylor(system, {.tolerance = 1e-12, .step = 1.5, .order = 20});
  State state = state_of({2.0, 0.0});
  ASSERT_EQ(stepper->step(state, 100.0), StepStatus::done);
  EXPECT_GT(stepper->counts().rejected, 0);
  EXPECT_LE(test::largest_difference(state.hi, finely(system, {2.0, 0.0}, state.t)), 1e-11 * 2);
}

TEST(TaylorStep, AStateThatIsNotFiniteIsReportedAndKept) {
  System system = test::oscillator();
  system.rhs = [](double, const double*, double* dx) { dx[0] = dx[1] = std::nan(""); };
  const auto stepper = make_taylor(system, {.tolerance = 1e-12, .order = 10});
  State state = state_of({1.0, 0.0});
  EXPECT_EQ(stepper->step(state, 1.0), StepStatus::not_finite);
  EXPECT_EQ(state.t, 0.0);
  EXPECT_EQ(state.hi, (std::vector<double>{1.0, 0.0}));
}

// A million steps of 1e-3 end at 1000 exactly: time is a pair hi + lo too.
TEST(FixedSteps, TimeDoesNotDrift) {
  const System system = test::oscillator();
  const auto stepper = find_method("euler")->make(system, {.step = 1e-3});
  State state = state_of({0.0, 0.0});
  for (int i = 0; i < 1000000; ++i) stepper->step(state, 1e9);
  EXPECT_NEAR(state.t + state.t_lo, 1e6 * 1e-3, 1e-13);
}

// Going on with another stepper from state and memory gives the same bits.
TEST(Stepper, MemoryCarriesOnWithTheSameBits) {
  const System system = test::angle_pendulum(9.81);
  for (const Method& method : test::methods_for(system)) {
    StepOptions options{.tolerance = 1e-9};
    if (!method.adaptive) options.step = 0.01;
    const auto first = method.make(system, options);
    State state = state_of({2.5, 0.3});
    for (int i = 0; i < 20; ++i) first->step(state, 1e9);
    const auto second = method.make(system, options);
    second->restore(first->memory());
    State other = state;
    for (int i = 0; i < 20; ++i) first->step(state, 1e9), second->step(other, 1e9);
    EXPECT_EQ(state.hi, other.hi) << method.name;
    EXPECT_EQ(state.lo, other.lo) << method.name;
    EXPECT_EQ(state.t, other.t) << method.name;
  }
}

TEST(Catalog, RefusesWhatAMethodCannotDo) {
  const System system = test::oscillator();
  EXPECT_NE(refusal(*find_method("rk4"), system, {}).find("`step`"), std::string::npos);
  EXPECT_NE(refusal(*find_method("rk4"), system, {.step = 0.1, .order = 7}).find("`order`"),
            std::string::npos);
  System no_series = system;
  no_series.taylor = nullptr;
  EXPECT_NE(refusal(*find_method("taylor"), no_series, {}).find("power series"), std::string::npos);
  EXPECT_EQ(refusal(*find_method("dopri5"), no_series, {}), "");
}

}  // namespace
}  // namespace catena
