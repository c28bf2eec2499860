// Stiff elastic chains by an implicit method.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "catena/lab/inside.h"
#include "support/chains.h"

namespace catena {
namespace {

// The block elimination against the definition: (s I - J) y = b with J by central differences of the
// right-hand side, whose error (1e-6)^2 of the third derivative and eps / 1e-6 of roundoff is what the bound
// rests on.
template <int D>
void expect_solves_its_equations(bool tree) {
  const ChainLinks links = test::random_springs(7, 3, tree);
  ElasticChain<D> chain(links, test::down<D>());
  const std::vector<double> x = test::random_spring_state<D>(links, 4);
  const std::size_t n = chain.dimension();
  const double real = 3.0;
  const std::complex<double> complex(2.0, 1.5);
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  std::vector<double> b(n), re(n), im(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = normal(random), re[i] = normal(random), im[i] = normal(random);
  chain.linearise(x.data());
  ASSERT_TRUE(chain.blocks().factor(real, complex));
  std::vector<double> y = b, y_re = re, y_im = im;
  chain.blocks().solve_real(y.data());
  chain.blocks().solve_complex(y_re.data(), y_im.data());
  const auto times_jacobian = [&](const std::vector<double>& direction) {
    constexpr double kSmall = 1e-6;
    std::vector<double> plus = x, minus = x, up(n), down(n);
    for (std::size_t i = 0; i < n; ++i) plus[i] += kSmall * direction[i], minus[i] -= kSmall * direction[i];
    chain.rhs(plus.data(), up.data());
    chain.rhs(minus.data(), down.data());
    for (std::size_t i = 0; i < n; ++i) up[i] = (up[i] - down[i]) / (2 * kSmall);
    return up;
  };
  const std::vector<double> j = times_jacobian(y), j_re = times_jacobian(y_re), j_im = times_jacobian(y_im);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(real * y[i] - j[i], b[i], 1e-6);
    const std::complex<double> left = complex * std::complex<double>(y_re[i], y_im[i]);
    EXPECT_NEAR(left.real() - j_re[i], re[i], 1e-6);
    EXPECT_NEAR(left.imag() - j_im[i], im[i], 1e-6);
  }
}

TEST(SpringBlocks, SolveTheirEquationsInChainsAndTrees) {
  for (const bool tree : {false, true}) {
    expect_solves_its_equations<2>(tree);
    expect_solves_its_equations<3>(tree);
  }
}

// A hanging chain in its static stretch, set swinging gently.
Scene stiff_chain(int n, double stiffness, double duration) {
  Scene scene;
  scene.name = "stiff";
  scene.simulation.duration = duration;
  Chain chain;
  chain.kind = ChainKind::elastic;
  for (int k = 0; k < n; ++k) {
    Link link;
    link.length = link.mass = 1.0;
    link.theta_dot = 0.01;
    link.parent = k - 1;
    link.stiffness = stiffness;
    link.stretch = (n - k) * 9.81 / stiffness;
    chain.links.push_back(link);
  }
  scene.chains.push_back(std::move(chain));
  return scene;
}

StepCounts counts_of(Scene scene, const std::string& method, double tolerance, std::vector<double>& end) {
  scene.simulation.method = method;
  scene.simulation.tolerance = tolerance;
  Lab lab(scene);
  while (lab.time() < scene.simulation.duration) EXPECT_EQ(lab.advance(), StepStatus::done) << method;
  const Columns columns = lab.columns({"position"});
  end.resize(columns.width());
  lab.sample(scene.simulation.duration, columns, end.data());
  return lab.counts();
}

// The step of an explicit method is bounded by the fastest link, 1e-4 s and less; that of radau5 by the
// motion.
TEST(Radau5, NeedsFarFewerStepsThanAnExplicitMethodOnAStiffChain) {
  const Scene scene = stiff_chain(100, 1e8, 0.5);
  std::vector<double> implicit_end, explicit_end, exact_end;
  const StepCounts implicit = counts_of(scene, "radau5", 1e-8, implicit_end);
  const StepCounts explicitly = counts_of(scene, "dopri5", 1e-8, explicit_end);
  counts_of(scene, "taylor", 1e-14, exact_end);
  EXPECT_LT(100 * implicit.steps, explicitly.steps);
  EXPECT_LT(10 * implicit.evaluations, explicitly.evaluations);
  // 1e-8 of 100 m and each step, some 30 of them.
  EXPECT_LT(test::largest_difference(implicit_end, exact_end), 3e-5);
}

// Ten thousand times as stiff means a hundred times as many steps of an explicit method. Those of radau5
// hardly know: what they feel is the iteration, which has to follow links that turn.
TEST(Radau5, StepsHardlyDependOnTheStiffness) {
  std::vector<double> end;
  const StepCounts soft = counts_of(stiff_chain(10, 1e6, 2.0), "radau5", 1e-6, end);
  const StepCounts stiff = counts_of(stiff_chain(10, 1e10, 2.0), "radau5", 1e-6, end);
  EXPECT_LT(stiff.steps, 10 * soft.steps);
  EXPECT_LT(stiff.steps, 150);  // over 2 s, with a fastest link of 2e5 rad/s
}

// Where the system offers its own solver, and by differences and dense matrices, the same path comes out.
TEST(Radau5, DenseAndStructuredSolversAgree) {
  const Scene elastic = test::scene_of(
      "[simulation]\nduration = 2\nmethod = \"radau5\"\ntolerance = 1e-9\n"
      "[[chains]]\nname = \"a\"\nkind = \"elastic\"\nlinks = [{length = 1, mass = 1, stiffness = 500, theta "
      "= 1.0, "
      "phi_dot = 1, repeat = 4}]\n");
  // A rigid chain beside it takes the structured solver away.
  Scene both = elastic;
  both.chains.push_back(
      test::scene_of(
          "[simulation]\nduration = 2\n[[chains]]\nname = \"b\"\nlinks = [{length = 1, mass = 1}]\n")
          .chains.front());
  const test::Recorded alone(elastic), beside(both);
  for (const char* column : {"x_a_4", "y_a_4", "z_a_4"}) {
    EXPECT_NEAR(alone.last(column), beside.last(column), 1e-7) << column;
  }
}

// Of rigid links only the rates across them are unknowns. Lengths are left out of the iteration's matrix, so
// the same path must come out, in about as many steps and right-hand sides besides those of the matrix.
void expect_the_path_of_whole_matrices(const std::string& laws) {
  const Scene scene = test::scene_of(
      "[simulation]\nduration = 3\nmethod = \"radau5\"\ntolerance = 1e-9\n"
      "[[chains]]\nname = \"a\"\npivot = [\"0.1*sin(2*t)\", 0, 0]\n"
      "links = [{length = 1, mass = 1.5, theta = 1.0, phi_dot = 1, charge = 0.3, drag_area = 0.1, damping = "
      "0.7, joint_stiffness = 2}, {length = 0.7, mass = 0.5, theta = 0.4, phi = 0.5, charge = -0.2, "
      "drag_area "
      "= 0.2}, {length = 0.5, mass = 0.8, parent = 1, theta = 2.0, phi = 1.0, phi_dot = 3}]\n"
      "[[chains]]\nname = \"b\"\npivot = [2, 0, 0]\n"
      "links = [{length = 1, mass = 1, theta = 0.3, theta_dot = 4, repeat = 3}]\n" +
      laws);
  struct Path {
    State state;
    StepCounts counts;
    double columns = 0.0;  // of the matrix, each by a right-hand side
  };
  const auto path = [&](bool whole) {
    Lab lab(scene);
    System system = lab.inside().system();
    EXPECT_FALSE(system.unit_vectors.empty());
    if (whole) system.unit_vectors.clear();
    const auto stepper = find_method("radau5")->make(system, {.tolerance = *scene.simulation.tolerance});
    State state = lab.state();
    while (state.t < scene.simulation.duration) {
      EXPECT_EQ(stepper->step(state, 1e300), StepStatus::done) << laws;
      if (stepper->counts().steps > 100000) break;
    }
    std::vector<double> hi(state.hi.size()), lo(hi);
    stepper->dense().evaluate(scene.simulation.duration, hi.data(), lo.data());
    state.hi = hi;
    auto columns = static_cast<double>(whole ? system.dimension : system.controlled);
    for (const UnitVectors& of : system.unit_vectors) columns -= 2.0 * static_cast<double>(of.count);
    return Path{state, stepper->counts(), columns};
  };
  const Path across = path(false), whole = path(true);
  for (std::size_t i = 0; i < whole.state.hi.size(); ++i) {
    const double end = whole.state.hi[i];
    EXPECT_NEAR(across.state.hi[i], end, 1e-6 * (1.0 + std::fabs(end))) << laws << i;
  }
  EXPECT_LT(10 * across.counts.steps, 11 * whole.counts.steps) << laws;
  const auto solving = [](const Path& one) {
    return static_cast<double>(one.counts.evaluations) - one.columns * static_cast<double>(one.counts.steps);
  };
  EXPECT_LT(solving(across), 1.5 * solving(whole)) << laws;
}

TEST(Radau5, RigidLinksAreSolvedAcrossThem) {
  for (const char* laws :
       {"", "[[forces]]\nkind = \"drag\"\ncoefficient = 30\n",
        "[[forces]]\nkind = \"spring\"\nbetween = [\"a.2\", \"b.2\"]\nstiffness = 1e5\ndamping = 300\n",
        "[[forces]]\nkind = \"coulomb\"\nconstant = 2\n",
        "[[forces]]\nkind = \"formula\"\nforce = [\"-x*vy\", \"sin(z)*speed\", \"-z^3\"]\n"}) {
    expect_the_path_of_whole_matrices(laws);
  }
}

// The world's linear equations against the definition, as above, under every sort of law: on each mass, in
// the joints, between masses of one chain and of two.
void expect_solves_its_equations_under(const std::string& laws) {
  const Scene scene = test::scene_of(
      "[simulation]\nduration = 1\nmethod = \"radau5\"\n"
      "[[chains]]\nname = \"a\"\nkind = \"elastic\"\npivot = [\"0.1*sin(2*t)\", 0, 0]\n"
      "links = [{length = 1, mass = 1.5, stiffness = 50, axial_damping = 0.4, theta = 1.0, phi_dot = 1, "
      "charge "
      "= 0.3, drag_area = 0.1, damping = 0.7, joint_stiffness = 2, friction = 0.2, theta_dot = 0.5}, {length "
      "= "
      "0.7, mass = 0.5, stiffness = 80, theta = 0.4, phi = 0.5, charge = -0.2, drag_area = 0.2, damping = "
      "0.3, "
      "moment = [0, 0, 1]}, {length = 0.5, mass = 0.8, parent = 1, stiffness = 30, theta = 2.0, phi = 1.0, "
      "phi_dot = 0.3, moment = [1, 0, 0]}]\n"
      "[[chains]]\nname = \"b\"\nkind = \"elastic\"\npivot = [2, 0.3, 0]\n"
      "links = [{length = 1, mass = 1, stiffness = 60, theta = 0.3, theta_dot = 1, repeat = 2}]\n" +
      laws);
  World world(scene);
  std::vector<double> x, rest;
  world.start(x, rest);
  const std::size_t n = world.motion_lanes();
  const double real = 3.0, t = 0.2;
  const std::complex<double> complex(2.0, 1.5);
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  std::vector<double> b(x.size()), re(x.size()), im(x.size());
  for (std::size_t i = 0; i < n; ++i) b[i] = normal(random), re[i] = normal(random), im[i] = normal(random);
  world.linearise(t, x.data());
  ASSERT_TRUE(world.linear_solver().factor(real, complex));
  std::vector<double> y = b, y_re = re, y_im = im;
  world.linear_solver().solve_real(y.data());
  world.linear_solver().solve_complex(y_re.data(), y_im.data());
  const auto times_jacobian = [&](const std::vector<double>& direction) {
    constexpr double kSmall = 1e-6;
    std::vector<double> plus = x, minus = x, up(x.size()), down(x.size());
    for (std::size_t i = 0; i < n; ++i) plus[i] += kSmall * direction[i], minus[i] -= kSmall * direction[i];
    world.rhs(t, plus.data(), up.data());
    world.rhs(t, minus.data(), down.data());
    for (std::size_t i = 0; i < n; ++i) up[i] = (up[i] - down[i]) / (2 * kSmall);
    return up;
  };
  const std::vector<double> j = times_jacobian(y), j_re = times_jacobian(y_re), j_im = times_jacobian(y_im);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(real * y[i] - j[i], b[i], 2e-6) << laws;
    const std::complex<double> left = complex * std::complex<double>(y_re[i], y_im[i]);
    EXPECT_NEAR(left.real() - j_re[i], re[i], 2e-6) << laws;
    EXPECT_NEAR(left.imag() - j_im[i], im[i], 2e-6) << laws;
  }
}

TEST(ImplicitSprings, SolveTheirEquationsUnderEverySortOfLaw) {
  for (const char* laws :
       {"",
        "[[forces]]\nkind = \"drag\"\ncoefficient = 3\n[[forces]]\nkind = \"wind\"\nvelocity = [1, "
        "\"0.3*z\", 0]\n",
        "[[forces]]\nkind = \"magnetic\"\nfield = [0, \"x\", 1]\n",
        "[[forces]]\nkind = \"spring\"\nbetween = [\"a.1\", \"a.3\"]\nstiffness = 20\ndamping = 0.3\n",
        "[[forces]]\nkind = \"spring\"\nbetween = [\"a.2\", \"b.2\"]\nstiffness = 20\n",
        "[[forces]]\nkind = \"coulomb\"\nconstant = 2\n",
        "[[forces]]\nkind = \"formula\"\nforce = [\"-x*vy\", \"sin(z)*speed\", \"-z^3\"]\n"}) {
    expect_solves_its_equations_under(laws);
  }
}

// Drag so strong that it is the stiffest part of the motion: its derivative in the equations makes radau5's
// steps as long as the sinking allows.
TEST(Radau5, StiffDragIsPartOfTheEquations) {
  const Scene sinking = test::scene_of(
      "[simulation]\nduration = 1\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
      "stiffness = 1e3\ntheta = 0.7\nrepeat = 5\n"
      "[[forces]]\nkind = \"formula\"\nforce = [\"-c*vx\", \"-c*vy\", \"-c*vz\"]\nparameters = {c = 1e5}\n");
  std::vector<double> implicit_end, exact_end;
  const StepCounts counts = counts_of(sinking, "radau5", 1e-9, implicit_end);
  counts_of(sinking, "taylor", 1e-12, exact_end);
  EXPECT_LT(test::largest_difference(implicit_end, exact_end), 1e-7);
  EXPECT_LT(counts.steps, 50);  // the decay, 1e5 per second, allows dopri5 30000
}

std::string advice_for(const Scene& scene, const std::string& method, double tolerance) {
  Scene with = scene;
  with.simulation.method = method;
  with.simulation.tolerance = tolerance;
  Lab lab(with);
  while (lab.time() < scene.simulation.duration) EXPECT_EQ(lab.advance(), StepStatus::done) << method;
  return lab.advice();
}

// Explicit methods say so where stability limits their steps, and only there: not for chaotic motion, nor for
// springs whose oscillation is the motion.
TEST(Stiffness, IsNoticedWhereStabilityLimitsTheSteps) {
  const Scene stiff = stiff_chain(20, 1e8, 0.5);
  const Scene wild = test::scene_of(
      "[simulation]\nduration = 40\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nphi_dot = 1\nrepeat "
      "= 5");
  const Scene ringing = test::scene_of(
      "[simulation]\nduration = 20\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
      "stiffness = 1000\nstretch = 0.2\ntheta = 1.0\nrepeat = 3");
  for (const char* method : {"dopri5", "tsit5", "vern7", "rkf78", "dop853", "vern9"}) {
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      EXPECT_NE(advice_for(stiff, method, tolerance).find("radau5"), std::string::npos)
          << method << " at " << tolerance;
      EXPECT_EQ(advice_for(wild, method, tolerance), "") << method << " at " << tolerance;
      EXPECT_EQ(advice_for(ringing, method, tolerance), "") << method << " at " << tolerance;
    }
  }
}

// Damping along the links and a slack chain: the blocks hold their derivatives too, so that the iteration of
// a stiff, strongly damped chain converges in long steps, to what taylor finds.
TEST(Radau5, StiffDampingIsPartOfTheEquations) {
  const Scene damped = test::scene_of(
      "[simulation]\nduration = 1\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
      "stiffness = 1e4\naxial_damping = 2e3\ntheta = 0.7\ntheta_dot = 1.0\nrepeat = 5");
  std::vector<double> implicit_end, exact_end;
  const StepCounts counts = counts_of(damped, "radau5", 1e-8, implicit_end);
  counts_of(damped, "taylor", 1e-14, exact_end);
  EXPECT_LT(test::largest_difference(implicit_end, exact_end), 1e-6);
  EXPECT_LT(counts.steps, 200);  // the fastest decay, 8e3 per second, allows dopri5 2500
}

}  // namespace
}  // namespace catena
