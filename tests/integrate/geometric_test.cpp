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

bool is_geometric(const Method& method) {
  return method.needs == Capability::lie || method.needs == Capability::constraints;
}

std::vector<Method> geometric_methods(const System& system) {
  std::vector<Method> out;
  for (const Method& method : methods()) {
    if (is_geometric(method) && refusal(method, system, {.step = 0.1}).empty()) out.push_back(method);
  }
  return out;
}

int order_of(const Method& method) { return std::stoi(method.order); }

// Error of one step of length h: of its end (at = 1) or of its dense output inside.
double step_error(const Method& method, ChainSystem& chain, double h, double at) {
  const auto stepper = method.make(chain.system, {.tolerance = 1e3, .step = h});
  State state = chain.start;
  EXPECT_EQ(stepper->step(state, 1e9), StepStatus::done);
  EXPECT_EQ(stepper->last_step(), h);
  std::vector<double> x(state.hi.size()), lo(x);
  stepper->dense().evaluate(at * h, x.data(), lo.data());
  return largest_difference(at == 1.0 ? state.hi : x, test::exact_state(chain, at * h));
}

// As in order_test.cpp: steps as short as they can be while the smaller error stays above roundoff.
double measured_exponent(const Method& method, ChainSystem& chain, double at) {
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
      ChainSystem chain(scene, {std::string("chain.formulation=\"") + formulation + "\""});
      check(chain, std::string(formulation) + (scene == kPlanar ? " in a plane" : " in space"));
    }
  }
}

TEST(Geometric, OneStepErrsLikeTheOrderPlusOne) {
  on_all_states([](ChainSystem& chain, const std::string& what) {
    for (const Method& method : geometric_methods(chain.system)) {
      EXPECT_EQ(method.make(chain.system, {.step = 0.1})->order(), order_of(method));
      EXPECT_NEAR(measured_exponent(method, chain, 1.0), order_of(method) + 1, 0.3)
          << method.name << ", " << what;
    }
  });
}

TEST(Geometric, DenseOutputHasTheOrderOfTheMethod) {
  ChainSystem chain(kSpatial);
  for (const Method& method : geometric_methods(chain.system)) {
    for (const double at : {0.3, 0.6}) {
      EXPECT_GT(measured_exponent(method, chain, at), order_of(method) + 0.55) << method.name;
    }
  }
}

TEST(Geometric, FixedStepMethodsConvergeLikeTheirOrder) {
  ChainSystem chain(kSpatial);
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
  ChainSystem chain(kSpatial);
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
  ChainSystem chain(kSpatial);
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
  ChainSystem chain(kSpatial);
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

// 400 s of a wild motion: lengths and tangency stay by the action alone. Each step rounds its change of some
// hundredths of a radian: a random walk, which came to 4e-15 at most (measured). Ten times that.
TEST(Geometric, LengthsAreKeptWithoutProjection) {
  on_all_states([](ChainSystem& given, const std::string& what) {
    System system = given.system;
    system.project = [](double, const double*, double*) { FAIL() << "no projection is allowed"; };
    for (const Method& method : geometric_methods(system)) {
      if (method.adaptive || method.name == "lie-euler") continue;
      const auto stepper = method.make(system, {.step = 0.02});
      State state = given.start;
      for (int i = 0; i < 20000; ++i) ASSERT_EQ(stepper->step(state, 1e9), StepStatus::done);
      EXPECT_LT(given.world.constraint_error(state.t, state.hi.data(), state.lo.data()), 4e-14)
          << method.name << ", " << what;
    }
  });
}

TEST(Geometric, AreRefusedWhereThereIsNoActionByItsName) {
  for (const char* formulation : {"angles", "chart"}) {
    ChainSystem chain(kPlanar, {std::string("chain.formulation=\"") + formulation + "\""});
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
    ChainSystem chain(scene);
    const auto stepper = method.make(chain.system, {.step = 0.01});
    State state = chain.start;
    for (int i = 0; i < 100; ++i) stepper->step(state, 1e9);
    return state.hi;
  };
  ChainSystem both(head + a + b);
  for (const Method& method : geometric_methods(both.system)) {
    if (method.adaptive) continue;
    std::vector<double> alone = after(head + a, method);
    const std::vector<double> other = after(head + b, method);
    alone.insert(alone.end(), other.begin(), other.end());
    // Vector registers may fuse other products here than there.
    EXPECT_LT(largest_difference(after(head + a + b, method), alone), 1e-13) << method.name;
  }
}

double vertical_momentum(ChainSystem& chain, const std::vector<double>& x) {
  const ChainLinks& links = chain.world.chains()[0].parameters();
  const std::size_t n = links.count();
  double px = 0.0, py = 0.0, vx = 0.0, vy = 0.0, sum = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    px += links.length[k] * x[k];
    py += links.length[k] * x[n + k];
    vx += links.length[k] * x[3 * n + k];
    vy += links.length[k] * x[4 * n + k];
    sum += links.mass[k] * (px * vy - py * vx);
  }
  return sum;
}

double energy_of(ChainSystem& chain, const State& state) {
  return static_cast<double>(chain.world.energy(state.t, state.hi.data(), state.lo.data()).total());
}

// Symplectic methods keep a nearby energy for exponentially long times: the error swings with h^2 and does
// not drift. Over the last fifth of half a million steps it is what it was over the first.
TEST(Constrained, EnergySwingsButDoesNotDrift) {
  ChainSystem chain(kSpatial);
  for (const char* name : {"rattle", "variational"}) {
    const auto stepper = find_method(name)->make(chain.system, {.step = 0.02});
    State state = chain.start;
    const double start = energy_of(chain, state), momentum = vertical_momentum(chain, state.hi);
    const int steps = 500000, fifth = steps / 5;
    double largest[5] = {}, mean[5] = {}, momentum_error = 0.0;
    for (int i = 0; i < steps; ++i) {
      ASSERT_EQ(stepper->step(state, 1e9), StepStatus::done) << name << ", step " << i;
      if (i % 10 != 0) continue;
      const double error = energy_of(chain, state) - start;
      largest[i / fifth] = std::max(largest[i / fifth], std::fabs(error));
      mean[i / fifth] += error / (fifth / 10);
      momentum_error = std::max(momentum_error, std::fabs(vertical_momentum(chain, state.hi) - momentum));
    }
    EXPECT_LT(largest[0], 10 * 0.02 * 0.02) << name;  // of order h^2; energies are a few joule here
    EXPECT_LT(largest[4], 1.2 * largest[0]) << name;
    // Means over 2000 s differ by what a wild motion visits, a few hundredths of the swing.
    EXPECT_LT(std::fabs(mean[4] - mean[0]), 0.1 * largest[0]) << name;
    // Rods pull along themselves, so the momentum about the vertical is kept whatever their pulls: what is
    // left is a random walk of 1e-17 a step.
    EXPECT_LT(momentum_error, 1e-13) << name;
    EXPECT_LT(chain.world.constraint_error(state.t, state.hi.data(), state.lo.data()), 1e-13) << name;
  }
}

TEST(Constrained, AMillionStepsOfAPendulumKeepItsEnergy) {
  ChainSystem chain("[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.5\n");
  const auto stepper = find_method("rattle")->make(chain.system, {.step = 0.01});
  State state = chain.start;
  const double start = energy_of(chain, state);
  double early = 0.0, late = 0.0;
  for (int i = 0; i < 1000000; ++i) {
    ASSERT_EQ(stepper->step(state, 1e9), StepStatus::done);
    if (i < 1000 || i >= 999000) {
      double& largest = i < 1000 ? early : late;
      largest = std::max(largest, std::fabs(energy_of(chain, state) - start));
    }
  }
  // The same swing in the last ten seconds as in the first, up to the phase in which the steps meet it.
  EXPECT_NEAR(late / early, 1.0, 0.01);
}

// The step of the discrete Lagrangian is that of rattle, found another way.
TEST(Constrained, RattleAndVariationalMakeTheSameSteps) {
  for (const char* scene : {kSpatial, kPlanar}) {
    ChainSystem chain(scene);
    const auto one = find_method("rattle")->make(chain.system, {.step = 0.05});
    const auto other = find_method("variational")->make(chain.system, {.step = 0.05});
    State a = chain.start, b = chain.start;
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(one->step(a, 1e9), StepStatus::done);
      ASSERT_EQ(other->step(b, 1e9), StepStatus::done);
    }
    EXPECT_LT(largest_difference(a.hi, b.hi), 1e-13);  // roundoff, stretched over 5 s
  }
}

// The discrete equations themselves: q_k x (M (q_+ - 2 q_0 + q_-) / h - h F) = 0 for the discrete Lagrangian
// (q_1 - q_0) . M (q_1 - q_0) / (2 h) - h (V(q_0) + V(q_1)) / 2.
TEST(Constrained, VariationalStepsSolveTheDiscreteEulerLagrangeEquations) {
  ChainSystem chain(kSpatial);
  const ChainLinks& links = chain.world.chains()[0].parameters();
  const double h = 0.05, g = 2.0;
  const auto stepper = find_method("variational")->make(chain.system, {.step = h});
  std::vector<std::vector<double>> q;
  State state = chain.start;
  for (int i = 0; i < 3; ++i) {
    q.push_back(state.hi);
    ASSERT_EQ(stepper->step(state, 1e9), StepStatus::done);
  }
  const double carried[2] = {links.mass[0] + links.mass[1], links.mass[1]};
  for (std::size_t k = 0; k < 2; ++k) {
    double force[3] = {0.0, 0.0, -h * carried[k] * links.length[k] * g};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const std::size_t lane = 2 * i + j;
        force[i] -= carried[std::max(j, k)] * links.length[k] * links.length[j] / h *
                    (q[2][lane] - 2 * q[1][lane] + q[0][lane]);
      }
    }
    const double u[3] = {q[1][k], q[1][2 + k], q[1][4 + k]};
    for (int i = 0; i < 3; ++i) {
      const int a = (i + 1) % 3, b = (i + 2) % 3;
      EXPECT_NEAR(u[a] * force[b] - u[b] * force[a], 0.0, 1e-14)
          << "roundoff of the second difference, over h";
    }
  }
}

TEST(Constrained, ReversedVelocitiesLeadBack) {
  ChainSystem chain(kSpatial);
  for (const char* name : {"rattle", "variational"}) {
    const auto stepper = find_method(name)->make(chain.system, {.step = 0.02});
    State state = chain.start;
    for (int i = 0; i < 200; ++i) stepper->step(state, 1e9);
    for (std::size_t i = 6; i < 12; ++i) state.hi[i] = -state.hi[i], state.lo[i] = -state.lo[i];
    for (int i = 0; i < 200; ++i) stepper->step(state, 1e9);
    for (std::size_t i = 6; i < 12; ++i) state.hi[i] = -state.hi[i];
    EXPECT_LT(largest_difference(state.hi, chain.start.hi), 1e-12) << name;
  }
}

// Elimination loses digits on long chains, iteration finds them again.
TEST(Constrained, LongChainsAreSolvedToRoundoff) {
  ChainSystem chain(
      "[simulation]\nduration = 1\n[[chain.links]]\nlength = 0.1\nmass = 0.1\ntheta = 1.0\nphi_step = "
      "0.3\nrepeat = 300\n");
  for (const char* name : {"rattle", "variational"}) {
    const auto stepper = find_method(name)->make(chain.system, {.step = 0.002});
    State state = chain.start;
    const double start = energy_of(chain, state);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(stepper->step(state, 1e9), StepStatus::done) << name;
    EXPECT_LT(chain.world.constraint_error(state.t, state.hi.data(), state.lo.data()), 1e-13) << name;
    EXPECT_NEAR(energy_of(chain, state) / start, 1.0, 1e-3) << name;
  }
}

TEST(Constrained, AStepTooLongToSolveIsReportedAndLeavesTheState) {
  ChainSystem chain(kSpatial);
  for (const char* name : {"rattle", "variational"}) {
    const auto stepper = find_method(name)->make(chain.system, {.step = 30.0});
    State state = chain.start;
    EXPECT_EQ(stepper->step(state, 1e9), StepStatus::not_solved) << name;
    EXPECT_EQ(state.hi, chain.start.hi) << name;
    EXPECT_EQ(state.t, 0.0) << name;
  }
}

TEST(Constrained, AreRefusedWhereThereAreNoRodsBetweenPoints) {
  const std::string rods =
      "[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\ninertia = 'rod'\n";
  const std::string elastic =
      "[simulation]\nduration = 1\n[chain]\nkind = 'elastic'\n[[chain.links]]\nlength = 1\nmass = "
      "1\nstiffness = 9\n";
  for (const std::string& scene : {rods, elastic}) {
    ChainSystem chain(scene);
    const std::string reason = refusal(*find_method("rattle"), chain.system, {.step = 0.1});
    EXPECT_NE(reason.find("method 'rattle' needs constraints of rods"), std::string::npos) << reason;
  }
}

const char* kDriven = R"~(
[simulation]
duration = 1
[chain]
pivot = ["0.1*sin(2*t)", 0, 0]
[[chain.links]]
length = 1
mass = 1
theta = 0.4
phi_dot = 1.0
[[chain.links]]
length = 0.7
mass = 0.5
theta = 0.6
)~";

// A driven pivot makes the motion depend on time and does work, whose account rides along.
TEST(Geometric, TimeAndAccountsAreFollowedToTheOrderOfTheMethod) {
  ChainSystem chain(kDriven);
  ASSERT_EQ(chain.world.dimension(), chain.world.motion_lanes() + 2);
  const std::vector<double> end = test::exact_state(chain, 1.0);
  ASSERT_GT(std::fabs(end.back()), 1e-3);
  for (const Method& method : geometric_methods(chain.system)) {
    if (method.adaptive) continue;
    std::vector<double> errors;
    for (const int steps : {128, 256}) {
      const auto stepper = method.make(chain.system, {.step = 1.0 / steps});
      State state = chain.start;
      for (int i = 0; i < steps; ++i) ASSERT_EQ(stepper->step(state, 1e9), StepStatus::done);
      errors.push_back(largest_difference(state.hi, end));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order_of(method), 0.25) << method.name;
  }
}

TEST(Constrained, AreRefusedWhereForcesDependOnVelocities) {
  ChainSystem chain(kPlanar, {"chain.velocity_damping=0.1"});
  const std::string reason = refusal(*find_method("rattle"), chain.system, {.step = 0.1});
  EXPECT_NE(reason.find("do not depend on velocities"), std::string::npos) << reason;
}

TEST(Geometric, AreRefusedForHinges) {
  ChainSystem chain(
      "[simulation]\nduration = 1\n[chain]\nplane = 'none'\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "
      "1.0\n"
      "hinge = [0, 1, 0]\n");
  EXPECT_FALSE(chain.system.lie.field);
}

}  // namespace
}  // namespace catena
