// Methods that need the geometry of rigid chains: the same promises that the shared suite checks for all
// others, on chains, and what is theirs alone.
#include <gtest/gtest.h>

#include <optional>

#include "support/chain_system.h"

namespace catena {
namespace {

using test::ChainSystem;
using test::largest_difference;

// Two links in space, in motion, far from symmetric points.
const char* kSpatial = R"(
[simulation]
duration = 1
gravity = 2.0
[[chain.links]]
length = 1.0
mass = 1.0
theta = 1.0
phi = 0.4
phi_dot = 0.7
theta_dot = -0.3
[[chain.links]]
length = 0.8
mass = 0.5
theta = 1.4
phi = 1.3
theta_dot = 0.5
)";

const char* kPlanar = R"(
[simulation]
duration = 1
gravity = 2.0
[[chain.links]]
length = 1.0
mass = 1.0
theta = 1.0
theta_dot = 0.4
[[chain.links]]
length = 0.8
mass = 0.5
theta = 0.3
theta_dot = -0.6
)";

bool is_geometric(const Method& method) { return method.needs == Capability::lie; }

std::vector<Method> geometric_methods(const System& system) {
  std::vector<Method> out;
  for (const Method& method : methods()) {
    if (is_geometric(method) && refusal(method, system, {.step = 0.1}).empty()) out.push_back(method);
  }
  return out;
}

int order_of(const Method& method) { return std::stoi(method.order); }

// Error of one step of length h: of its end (at = 1) or of its dense output inside.
double step_error(const Method& method, const ChainSystem& chain, double h, double at) {
  const auto stepper = method.make(chain.system, {.tolerance = 1e3, .step = h});
  State state = chain.start;
  EXPECT_EQ(stepper->step(state, 1e9), StepStatus::done);
  EXPECT_EQ(stepper->last_step(), h);
  std::vector<double> x(state.hi.size()), lo(x);
  stepper->dense().evaluate(at * h, x.data(), lo.data());
  return largest_difference(at == 1.0 ? state.hi : x, test::exact_state(chain, at * h));
}

// As in order_test.cpp: steps as short as they can be while the smaller error stays above roundoff.
double measured_exponent(const Method& method, const ChainSystem& chain, double at) {
  double h = 0.4, error = 1.0, half_error = 1.0;
  do {
    h /= 1.25;
    error = step_error(method, chain, h, at);
    half_error = step_error(method, chain, h / 2, at);
  } while (half_error > 1e-12);
  return std::log2(error / half_error);
}

// Three kinds of states: (u, w) in space and in a plane, (q, omega) in space and in a plane.
template <class Check>
void on_all_states(Check&& check) {
  for (const char* scene : {kSpatial, kPlanar}) {
    for (const char* formulation : {"tension", "articulated", "lie"}) {
      const ChainSystem chain(scene, {std::string("chain.formulation=\"") + formulation + "\""});
      check(chain, std::string(formulation) + (scene == kPlanar ? " in a plane" : " in space"));
    }
  }
}

TEST(Geometric, OneStepErrsLikeTheOrderPlusOne) {
  on_all_states([](const ChainSystem& chain, const std::string& what) {
    for (const Method& method : geometric_methods(chain.system)) {
      EXPECT_EQ(method.make(chain.system, {.step = 0.1})->order(), order_of(method));
      EXPECT_NEAR(measured_exponent(method, chain, 1.0), order_of(method) + 1, 0.3)
          << method.name << ", " << what;
    }
  });
}

TEST(Geometric, DenseOutputHasTheOrderOfTheMethod) {
  const ChainSystem chain(kSpatial);
  for (const Method& method : geometric_methods(chain.system)) {
    for (const double at : {0.3, 0.6}) {
      EXPECT_GT(measured_exponent(method, chain, at), order_of(method) + 0.55) << method.name;
    }
  }
}

TEST(Geometric, FixedStepMethodsConvergeLikeTheirOrder) {
  const ChainSystem chain(kSpatial);
  const std::vector<double> end = test::exact_state(chain, 2.0);
  for (const Method& method : geometric_methods(chain.system)) {
    if (method.adaptive) continue;
    std::vector<double> errors;
    for (const int steps : {256, 512}) {
      const auto stepper = method.make(chain.system, {.step = 2.0 / steps});
      State state = chain.start;
      for (int i = 0; i < steps; ++i) ASSERT_EQ(stepper->step(state, 2.0), StepStatus::done);
      errors.push_back(largest_difference(state.hi, end));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order_of(method), 0.15) << method.name;
  }
}

TEST(Geometric, ErrorsFollowTheTolerance) {
  const ChainSystem chain(kSpatial);
  const std::vector<double> end = test::exact_state(chain, 5.0);
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const auto stepper = find_method("rkmk54")->make(chain.system, {.tolerance = tolerance});
    State state = chain.start;
    while (state.t < 5.0) ASSERT_EQ(stepper->step(state, 5.0), StepStatus::done);
    std::vector<double> x(end.size()), lo(end.size());
    stepper->dense().evaluate(5.0, x.data(), lo.data());
    // As in order_test.cpp: some hundred steps, each of an error up to the tolerance, which the motion
    // stretches.
    EXPECT_LT(largest_difference(x, end), 1e3 * tolerance) << tolerance;
  }
}

TEST(Geometric, AToleranceBelowRoundoffEndsAtRoundoff) {
  const ChainSystem chain(kSpatial);
  const auto stepper = find_method("rkmk54")->make(chain.system, {.tolerance = 1e-30});
  State state = chain.start;
  while (state.t < 1.0 && stepper->counts().steps < 100000) {
    ASSERT_EQ(stepper->step(state, 1.0), StepStatus::done);
  }
  ASSERT_GE(state.t, 1.0);
  std::vector<double> x(state.hi.size()), lo(x);
  stepper->dense().evaluate(1.0, x.data(), lo.data());
  EXPECT_LT(largest_difference(x, test::exact_state(chain, 1.0)), 1e-13);
}

TEST(Geometric, GoesOnFromItsMemoryWithTheSameBits) {
  const ChainSystem chain(kSpatial);
  for (const Method& method : geometric_methods(chain.system)) {
    const StepOptions options{.tolerance = 1e-8,
                              .step = method.adaptive ? std::nullopt : std::optional(0.01)};
    const auto whole = method.make(chain.system, options), first = method.make(chain.system, options);
    const auto second = method.make(chain.system, options);
    State one = chain.start, two = chain.start;
    for (int i = 0; i < 40; ++i) whole->step(one, 1e9);
    for (int i = 0; i < 20; ++i) first->step(two, 1e9);
    second->restore(first->memory());
    for (int i = 0; i < 20; ++i) second->step(two, 1e9);
    EXPECT_EQ(one.hi, two.hi) << method.name;
    EXPECT_EQ(one.lo, two.lo) << method.name;
    EXPECT_EQ(one.t, two.t) << method.name;
  }
}

// 1000 s of a wild motion: lengths and tangency stay by the group's action alone. Each step rounds its change
// of some hundredths of a radian: 1e-18 a step, were it always to the same side.
TEST(Geometric, LengthsAreKeptWithoutProjection) {
  on_all_states([](const ChainSystem& given, const std::string& what) {
    System system = given.system;
    system.project = [](const double*, double*) { FAIL() << "no projection is allowed"; };
    for (const Method& method : geometric_methods(system)) {
      if (method.adaptive || method.name == "lie-euler") continue;
      const auto stepper = method.make(system, {.step = 0.02});
      State state = given.start;
      for (int i = 0; i < 50000; ++i) ASSERT_EQ(stepper->step(state, 1e9), StepStatus::done);
      EXPECT_LT(given.world.constraint_error(state.hi.data(), state.lo.data()), 1e-12)
          << method.name << ", " << what;
    }
  });
}

TEST(Geometric, AreRefusedWhereThereIsNoActionByItsName) {
  for (const char* formulation : {"angles", "chart"}) {
    const ChainSystem chain(kPlanar, {std::string("chain.formulation=\"") + formulation + "\""});
    const std::string reason = refusal(*find_method("rkmk4"), chain.system, {.step = 0.1});
    EXPECT_NE(reason.find("method 'rkmk4' needs the Lie-group action"), std::string::npos) << reason;
  }
}

// Several chains at once, planar and spatial, in (u, w) and in (q, omega), move as each of them alone.
TEST(Geometric, ActOnSeveralChainsAsOnEach) {
  const std::string head = "[simulation]\nduration = 1\n";
  const std::string a =
      "[[chains]]\nname = 'a'\nlinks = [{length = 1, mass = 1, theta = 1.0}, {length = 1, mass = 2}]\n";
  const std::string b =
      "[[chains]]\nname = 'b'\nformulation = 'lie'\nlinks = [{length = 1, mass = 1, theta = 1, phi_dot = "
      "1}]\n";
  const auto after = [&](const std::string& scene, const Method& method) {
    const ChainSystem chain(scene);
    const auto stepper = method.make(chain.system, {.step = 0.01});
    State state = chain.start;
    for (int i = 0; i < 100; ++i) stepper->step(state, 1e9);
    return state.hi;
  };
  const ChainSystem both(head + a + b);
  for (const Method& method : geometric_methods(both.system)) {
    if (method.adaptive) continue;
    std::vector<double> alone = after(head + a, method);
    const std::vector<double> other = after(head + b, method);
    alone.insert(alone.end(), other.begin(), other.end());
    // Vector registers may fuse other products here than there.
    EXPECT_LT(largest_difference(after(head + a + b, method), alone), 1e-13) << method.name;
  }
}

}  // namespace
}  // namespace catena
