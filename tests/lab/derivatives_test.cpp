// Derivatives of motions with respect to numbers of their scenes: against closed forms, against differences
// of runs with twice the digits, and against laws that need no reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/base/mistake.h"
#include "catena/io/record/record.h"
#include "catena/io/scene/paths.h"
#include "catena/lab/variation.h"
#include "catena/math/stencil.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;
using test::shipped_scene;

std::vector<Direction> directions_of(const Scene& scene, const std::vector<std::string>& paths) {
  std::vector<Direction> out;
  for (const SceneNumber& number : scene_numbers(scene, paths)) {
    out.push_back({number.path, number.value,
                   [scene, path = number.path](double value) { return with_number(scene, path, value); }});
  }
  return out;
}

// The last row of a run and its derivatives.
struct Derived {
  Lab lab;
  Columns columns;
  std::vector<double> row, rates;

  Derived(const Scene& scene, const std::vector<std::string>& paths, double t,
          const std::vector<std::string>& asked = {})
      : lab(scene), columns(lab.columns(asked)) {
    lab.follow(directions_of(scene, paths));
    while (lab.time() < t) {
      const StepStatus status = lab.advance();
      EXPECT_EQ(status, StepStatus::done) << failure_text(lab, status);
      if (status != StepStatus::done) break;
    }
    row.resize(columns.width());
    rates.resize(columns.width() * lab.variation()->count());
    lab.sample(t, columns, row.data());
    lab.derivatives(columns, rates.data());
  }
  std::size_t column(const std::string& name) const {
    const std::vector<std::string> names = column_names(columns.stems());
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  double rate(std::size_t direction, const std::string& name) const {
    return rates[direction * columns.width() + column(name)];
  }
};

// By ten runs with twice the digits, at neighbouring numbers.
std::vector<double> by_differences(const Scene& scene, const SceneNumber& of, double t,
                                   const std::vector<std::string>& asked) {
  const Scene digits =
      scene_of(scene.json, {"simulation.precision=double-double", "simulation.tolerance=1e-19"});
  const Stencil stencil = Stencil::central();
  const double spacing = 1e-3;  // of numbers with few decimals neighbours have few decimals
  std::vector<DoubleDouble> sums;
  for (std::size_t node = 0; node < stencil.nodes.size(); ++node) {
    const test::Recorded run(with_number(digits, of.path, of.value + stencil.nodes[node] * spacing),
                             Schedule::list({t}), asked);
    EXPECT_EQ(run.summary.outcome, Outcome::done) << run.summary.message;
    sums.resize(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
      sums[i] += DoubleDouble(stencil.slope[node] / spacing) * DoubleDouble(run.last(asked[i]));
  }
  std::vector<double> out;
  for (const DoubleDouble& sum : sums) out.push_back(static_cast<double>(sum));
  return out;
}

// Against differences, for all of these numbers; relative to the largest.
void expect_differences(const Scene& scene, const std::vector<std::string>& paths, double t,
                        const std::vector<std::string>& asked, double tolerance) {
  const Derived derived(scene, paths, t, asked);
  std::size_t j = 0;
  for (const SceneNumber& number : scene_numbers(scene, paths)) {
    const std::vector<double> expected = by_differences(scene, number, t, asked);
    double size = 1.0;
    for (const double one : expected) size = std::max(size, std::fabs(one));
    for (std::size_t i = 0; i < asked.size(); ++i)
      EXPECT_NEAR(derived.rate(j, asked[i]) / size, expected[i] / size, tolerance)
          << number.path << ": " << asked[i] << ", of size " << size;
    ++j;
  }
}

// How much changes of the start have grown at t: the largest rate of the state.
double growth_of(const Scene& scene, double t) {
  Lab lab(scene);
  std::vector<Direction> directions;
  for (const std::vector<double>& one : lab.allowed_directions()) {
    Direction& direction = directions.emplace_back();
    direction.path = "start";
    direction.start = one;
  }
  lab.follow(std::move(directions));
  while (lab.time() < t) {
    const StepStatus status = lab.advance();
    EXPECT_EQ(status, StepStatus::done) << failure_text(lab, status);
    if (status != StepStatus::done) break;
  }
  double largest = 1.0;
  for (const double rate : lab.variation()->at_end()) largest = std::max(largest, std::fabs(rate));
  return largest;
}

// Where nothing has kinks: 1e-12 of the largest, times the growth of tangents, and no more than this.
void expect_all_digits(const Scene& scene, const std::vector<std::string>& paths, double t,
                       const std::vector<std::string>& asked, double at_most) {
  expect_differences(scene, paths, t, asked, std::min(at_most, 1e-12 * growth_of(scene, t)));
}

// x = cos(sqrt(k) t): dx/dk = -t sin(sqrt(k) t) / (2 sqrt(k)).
TEST(Derivatives, OscillatorHasItsClosedForm) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 9\n[equations]\nstates = { x = 1, v = 0 }\nparameters = { k = 2.5 }\n"
      "dot = { x = \"v\", v = \"-k*x\" }\n");
  const Scene in_words = scene_of(scene.json, {"equations.parameters.k='5/2'"});  // is a number, too
  for (const double t : {0.7, 9.0}) {
    const Derived run(t < 1.0 ? scene : in_words, {"equations.parameters.k", "equations.states.x"}, t,
                      {"x", "v"});
    const double w = std::sqrt(2.5);
    EXPECT_NEAR(run.rate(0, "x"), -t * std::sin(w * t) / (2 * w), 1e-13);
    EXPECT_NEAR(run.rate(0, "v"), -std::sin(w * t) / (2 * w) - 0.5 * t * std::cos(w * t), 1e-13);
    EXPECT_NEAR(run.rate(1, "x"), std::cos(w * t), 1e-13);
    EXPECT_NEAR(run.rate(1, "v"), -w * std::sin(w * t), 1e-13);
  }
}

// At k = 1 the formula has another form than beside it. Pushed by s = t - 1 from t = 1 on,
// x = cos(w t) + (s - sin(w s)/w)/k with w = sqrt(k).
TEST(Derivatives, KinksInTimeStayWhereTheyAreWhereAFormChanges) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 3\n[lagrangian]\ncoordinates = { x = 1 }\nparameters = { k = 1 }\n"
      "kinetic = \"x'^2/2\"\npotential = \"k*x^2/2 - x*max(t - 1, 0)\"\n");
  for (const double t : {0.9, 1.7, 3.0}) {
    const double s = std::max(t - 1.0, 0.0);
    const Derived run(scene, {"lagrangian.parameters.k"}, t, {"x"});
    EXPECT_NEAR(run.rate(0, "x"),
                -0.5 * t * std::sin(t) - (s - std::sin(s)) - 0.5 * (s * std::cos(s) - std::sin(s)), 1e-11)
        << t;
  }
}

// Pushed back beyond a, x = a + s - s^2/2 with s = t - a: dx/da = 1 - 1 + s = s, and later, gone on freely on
// the other side from t = a + 2 on with v = -1, x = a - (t - a - 2): dx/da = 2.
TEST(Derivatives, JumpsOfAForceMoveWithWhereTheyAre) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 3\n[equations]\nstates = { x = 0, v = 1 }\nparameters = { a = 0.3, f = 1 }\n"
      "dot = { x = \"v\", v = \"choose(x - a, -f, 0)\" }\n");
  const Derived inside(scene, {"equations.parameters.a", "equations.parameters.f"}, 1.5, {"x", "v"});
  EXPECT_NEAR(inside.rate(0, "x"), 1.2, 1e-12);
  EXPECT_NEAR(inside.rate(0, "v"), 1.0, 1e-12);
  EXPECT_NEAR(inside.rate(1, "x"), -0.72, 1e-12);
  EXPECT_NEAR(inside.rate(1, "v"), -1.2, 1e-12);
  const Derived beyond(scene, {"equations.parameters.a", "equations.parameters.f"}, 3.0, {"x", "v"});
  EXPECT_NEAR(beyond.rate(0, "x"), 2.0, 1e-12);
  EXPECT_NEAR(beyond.rate(0, "v"), 0.0, 1e-12);
  EXPECT_NEAR(beyond.rate(1, "x"), -2.0, 1e-11);  // x = a - (t - a - 2/f): -2/f^2
}

// A mass that falls before its spring is taut: where that is, and how it swings then.
TEST(Derivatives, SlackLinksGoTaut) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 0.625\ngravity = 10\n[chain]\nkind = \"elastic\"\nslack = true\n"
      "[[chain.links]]\nlength = 1\nmass = 2\nstiffness = 200\ntheta = 0\nstretch = -0.5\n");
  expect_differences(scene, {"chain.links.1.stiffness", "chain.links.1.length", "simulation.gravity"}, 0.625,
                     {"z_1", "vz_1", "tension_1", "energy"}, 1e-10);
}

TEST(Derivatives, ChainsInAPlane) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1.5\n[[chain.links]]\nlength = 0.8\nmass = 1.5\ntheta = 2\ntheta_dot = 0.3\n"
      "[[chain.links]]\nlength = 1.1\nmass = 0.7\ntheta = 1.3\n");
  expect_all_digits(
      scene,
      {"chain.links.*.length", "chain.links.*.mass", "chain.links.*.theta", "chain.links.1.theta_dot",
       "simulation.gravity"},
      1.5, {"x_1", "z_2", "theta_1", "theta_2", "theta_dot_2", "vx_2", "tension_2", "kinetic_2", "energy"},
      1e-11);
}

TEST(Derivatives, RodsInSpaceUnderForces) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 2\n[chain]\npivot = [\"0.1*sin(3*t)\", 0, 0]\n[[chain.links]]\nlength = "
      "0.8\nmass = 1.5\n"
      "inertia = \"rod\"\ntheta = 1\nphi_dot = 2\ndrag_area = 0.3\n[[chain.links]]\nlength = 1.1\nmass = "
      "0.7\n"
      "theta = 2\nphi = 1\ndamping = 0.1\n[[forces]]\nkind = \"drag\"\ndensity = 1.2\n"
      "[[forces]]\nkind = \"formula\"\nforce = [\"a*sin(w*t)\", \"b*x\", 0]\nparameters = { a = 2, b = 0.5, "
      "w = 3 }\n");
  expect_all_digits(scene,
                    {"chain.links.1.length", "chain.links.2.mass", "chain.links.2.phi",
                     "chain.links.2.damping", "forces.1.density", "forces.2.parameters.*"},
                    2.0, {"x_1", "y_2", "z_2", "vy_2", "energy", "dissipated"}, 1e-11);
}

TEST(Derivatives, ElasticTrees) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
      "stiffness = 300\ntheta = 1\n[[chain.links]]\nlength = 0.6\nmass = 0.5\nstiffness = 200\ntheta = 2\n"
      "phi = 1\n[[chain.links]]\nlength = 0.7\nmass = 0.8\nstiffness = 250\ntheta = 0.5\nparent = 1\n");
  expect_all_digits(scene, {"chain.links.*.stiffness", "chain.links.3.mass", "chain.links.2.length"}, 1.0,
                    {"x_2", "z_3", "vy_2", "strain_1", "energy"}, 1e-11);
}

TEST(Derivatives, BodiesInLoops) {
  const Scene scene = shipped_scene("four-bar", {"simulation.duration=1"});
  const Lab lab(scene);
  std::vector<std::string> names = column_names(lab.columns({}).stems());
  std::vector<std::string> asked;
  for (const std::string& name : names) {
    const bool wanted = name.rfind("x_", 0) == 0 || name.rfind("z_", 0) == 0 || name.rfind("vx_", 0) == 0;
    if (wanted) asked.push_back(name);
  }
  expect_all_digits(scene, {"bodies.2.mass", "bodies.3.mass", "simulation.gravity"}, 1.0, asked, 1e-10);
}

// Joints that hold more than they need to: accelerations are unique, multipliers are not.
TEST(Derivatives, RedundantLoops) {
  const Scene scene = shipped_scene("six-hinges", {"simulation.duration=0.4"});
  std::vector<std::string> asked;
  for (const std::string& name : column_names(Lab(scene).columns({}).stems())) {
    if (name.rfind("x_", 0) == 0 || name.rfind("vz_", 0) == 0) asked.push_back(name);
  }
  expect_all_digits(scene, {"bodies.2.mass", "simulation.gravity"}, 0.4, asked, 1e-10);
}

// A rod on a hinge that swings into its limits and out again.
TEST(Derivatives, LimitsOfJoints) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1.5\n[[bodies]]\nname = \"a\"\nshape = \"box\"\nsize = [0.1, 0.1, 1]\nmass = "
      "2\n"
      "position = [0, 0, -0.5]\n[[joints]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = [\"ground\", "
      "\"a\"]\n"
      "point = [0, 0, 0]\naxis = [0, 1, 0]\nrate = 2.5\nlimits = [-0.5, 0.4]\nlimit_stiffness = 200\n"
      "limit_damping = 30\ndamping = 0.1\n");
  expect_differences(scene,
                     {"joints.pin.limits.2", "joints.pin.limit_stiffness", "joints.pin.limit_damping",
                      "joints.pin.damping", "bodies.a.mass"},
                     1.5, {"x_a", "vx_a", "angle_pin"}, 1e-9);
}

// At every turning the speed is zero and its rates are not.
TEST(Derivatives, TurningsUnderDrag) {
  const Scene rod = scene_of(
      "[simulation]\nduration = 2\ngravity = 4\n[[bodies]]\nname = \"a\"\nshape = \"rod\"\nlength = 0.333\n"
      "mass = 0.455\nposition = [0.0815424080947830, 0, -0.1451657179987888]\n"
      "orientation = { axis = [0, 1, 0], angle = 1.059 }\n[[joints]]\nname = \"pin\"\nkind = \"revolute\"\n"
      "bodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n"
      "[[forces]]\nkind = \"drag\"\nlinear = 0.174\ndensity = 16.85\narea = 0.127\n");
  expect_differences(rod, {"simulation.gravity", "bodies.a.mass", "forces.1.density"}, 2.0,
                     {"x_a", "vx_a", "energy", "dissipated"}, 1e-9);
  const Scene chain = scene_of(
      "[simulation]\nduration = 6\n[chain]\n[[chain.links]]\nlength = 1\nmass = 0.3\ntheta = 2\n"
      "[[forces]]\nkind = \"drag\"\ndensity = 1.2\narea = 0.2\n");
  expect_differences(chain, {"chain.links.1.theta_dot", "chain.links.1.length", "forces.1.density"}, 6.0,
                     {"x_1", "vz_1", "dissipated"}, 1e-9);
}

// Down through the ground, where a wind's profile has no slope: rates at a given time go to infinity like a
// root on the way there, and what they do in the last 1e-9 s counts in every digit. z follows linear drag by
// itself, and x' = u with u' = c (W (z/h)^n - u): the integral of its derivatives up to the ground at G, with
// s = G (1 - r^7).
TEST(Derivatives, PassTheGroundOfAWind) {
  const double c = 0.3, g = 9.81, wind = 5.0, height = 10.0, start = 3.0, end = 1.5, n = 1.0 / 7.0;
  const auto fallen = [&](double t) { return (t - (1.0 - std::exp(-c * t)) / c) / c; };
  double ground = 0.8;
  for (int i = 0; i < 50; ++i)
    ground += (start - g * fallen(ground)) / (g / c * (1.0 - std::exp(-c * ground)));
  // z(s) over G - s, without the cancellation at the ground.
  const auto steepness = [&](double before) {
    const double e = std::exp(-c * ground);
    return g / c * (1.0 - e * std::expm1(c * before) / (c * before));
  };
  double by_start = 0.0, by_gravity = 0.0;
  const int pieces = 4000;
  for (int i = 0; i < pieces; ++i) {
    for (const double offset : {-std::sqrt(0.6), 0.0, std::sqrt(0.6)}) {
      const double r = (i + 0.5 + 0.5 * offset) / pieces, before = ground * std::pow(r, 7);
      const double weight =
          (offset == 0.0 ? 8.0 : 5.0) / 18.0 / pieces * 7.0 * ground;  // r^6 is in the profile
      const double profile = wind * n * std::pow(ground * steepness(before), n - 1.0) /
                             std::pow(height, n);  // r^(7 n - 7) taken out
      const double part = weight * profile * (1.0 - std::exp(-c * (end - ground + before)));
      by_start += part;
      by_gravity -= part * fallen(ground - before);
    }
  }
  for (const char* order : {"", "order = 12\n", "order = 18\n"}) {
    const Scene scene = scene_of(fmt::format(
        "[simulation]\nduration = {}\ngravity = {}\n{}[[bodies]]\nname = \"a\"\nshape = \"point\"\nmass = 1\n"
        "position = [0, 0, {}]\n[[forces]]\nkind = \"wind\"\nvelocity = [{}, 0, 0]\nheight = {}\n"
        "[[forces]]\nkind = \"drag\"\nlinear = {}\ncoefficient = 0\n",
        end, g, order, start, wind, height, c));
    const Derived run(scene, {"bodies.a.position.3", "simulation.gravity"}, end, {"x_a"});
    EXPECT_NEAR(run.rate(0, "x_a"), by_start, 2e-12) << order;
    EXPECT_NEAR(run.rate(1, "x_a"), by_gravity, 2e-12) << order;
  }
}

// A wheel on an arm, geared to how the arm turns: the arm is on two sides of one equation. Under a torque of
// 1 the arm turns by t^2/2 over I = 0.5 + m L^2 + J (1 + ratio)^2, with m = 2, L = 1, J = 0.25.
TEST(Derivatives, GearsOnAnArm) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1.5\ngravity = 0\n"
      "[[bodies]]\nname = \"arm\"\nmass = 1\ninertia = [0.5, 0.5, 0.5]\n"
      "[[bodies]]\nname = \"wheel\"\nmass = 2\ninertia = [0.25, 0.25, 0.25]\nposition = [1, 0, 0]\n"
      "[[joints]]\nname = \"one\"\nkind = \"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0, 0, 0]\n"
      "axis = [0, 1, 0]\nmotor = { torque = \"1\" }\n"
      "[[joints]]\nname = \"two\"\nkind = \"revolute\"\nbodies = [\"arm\", \"wheel\"]\npoint = [1, 0, 0]\n"
      "axis = [0, 1, 0]\n"
      "[[joints]]\nname = \"tie\"\nkind = \"gear\"\njoints = [\"one\", \"two\"]\nratio = -0.3\n");
  const Derived run(scene, {"joints.tie.ratio", "bodies.wheel.mass"}, 1.5, {"angle_one", "angle_two"});
  const double ratio = -0.3, inertia = 2.5 + 0.25 * (1 + ratio) * (1 + ratio), turned = 1.125 / inertia;
  const double by_ratio = -turned / inertia * 0.5 * (1 + ratio), by_mass = -turned / inertia;
  EXPECT_NEAR(run.rate(0, "angle_one"), by_ratio, 1e-13);
  EXPECT_NEAR(run.rate(0, "angle_two"), turned + ratio * by_ratio, 1e-13);
  EXPECT_NEAR(run.rate(1, "angle_one"), by_mass, 1e-13);
  EXPECT_NEAR(run.rate(1, "angle_two"), ratio * by_mass, 1e-13);
}

// Over a position in which two motions would be possible.
TEST(Derivatives, LeapsOverSingularPositions) {
  const Scene scene = shipped_scene("four-bar-row", {"simulation.duration=2"});
  std::vector<std::string> asked;
  for (const std::string& name : column_names(Lab(scene).columns({}).stems())) {
    if (name.rfind("x_", 0) == 0 || name.rfind("vx_", 0) == 0) asked.push_back(name);
  }
  expect_differences(scene, {"bodies.1.mass", "simulation.gravity"}, 2.0, asked, 1e-9);
}

TEST(Derivatives, LagrangiansWithConstraints) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 2\n[lagrangian]\ncoordinates = { x = 0.54, z = -0.72 }\nrates = { x = 0.8, z "
      "= 0.6 }\n"
      "kinetic = \"0.5*m*(x'^2 + z'^2)\"\npotential = \"m*g*z + 0.5*k*x^2\"\n"
      "constraints = [\"x^2 + z^2 - l^2\"]\nparameters = { m = 1.3, g = 9.81, l = 0.9, k = 2 }\n");
  expect_all_digits(scene, {"lagrangian.parameters.k", "lagrangian.parameters.g", "lagrangian.parameters.m"},
                    2.0, {"x", "z", "x_dot"}, 1e-11);
}

// The Jacobian of the flow of a conservative chain keeps the two-form that its Lagrangian has; the energy's
// derivative along each direction stays what it was.
TEST(Derivatives, TheFlowKeepsTheEnergysDerivative) {
  const Scene scene = shipped_scene("double-pendulum", {"simulation.duration=5"});
  const std::vector<std::string> paths = {"chain.links.*.theta", "chain.links.*.theta_dot"};
  const Derived start(scene, paths, 0.0, {"energy", "energy_error"});
  const Derived end(scene, paths, 5.0, {"energy", "energy_error"});
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(end.rate(j, "energy"), start.rate(j, "energy"), 1e-10) << j;
    EXPECT_NEAR(end.rate(j, "energy_error"), 0.0, 1e-10) << j;
  }
}

// Jacobians of the flow of a conservative chain keep its two-form, the sum of d theta ^ dp over the links.
TEST(Derivatives, TheFlowIsSymplectic) {
  const double l1 = 0.8, l2 = 1.1, m1 = 1.5, m2 = 0.7;
  const Scene scene = scene_of(fmt::format(
      "[simulation]\nduration = 2\n[[chain.links]]\nlength = {}\nmass = {}\ntheta = 2\ntheta_dot = 0.3\n"
      "[[chain.links]]\nlength = {}\nmass = {}\ntheta = 1.3\ntheta_dot = -0.5\n",
      l1, m1, l2, m2));
  double largest = 0.0;
  const auto two_form = [&](double t) {
    const Derived at(scene, {"chain.links.*.theta", "chain.links.*.theta_dot"}, t, {"theta", "theta_dot"});
    const auto value = [&](const char* name) { return at.row[at.column(name)]; };
    const double apart = value("theta_1") - value("theta_2");
    const double w1 = value("theta_dot_1"), w2 = value("theta_dot_2");
    std::array<std::array<double, 4>, 4> of{};  // of each direction: theta_1, theta_2, p_1, p_2
    for (std::size_t j = 0; j < 4; ++j) {
      const double a = at.rate(j, "theta_1"), b = at.rate(j, "theta_2");
      const double da = at.rate(j, "theta_dot_1"), db = at.rate(j, "theta_dot_2");
      const double mixed = m2 * l1 * l2 * std::cos(apart), turned = -m2 * l1 * l2 * std::sin(apart) * (a - b);
      of[j] = {a, b, (m1 + m2) * l1 * l1 * da + mixed * db + turned * w2,
               m2 * l2 * l2 * db + mixed * da + turned * w1};
      for (const double one : of[j]) largest = std::max(largest, std::fabs(one));
    }
    std::array<double, 16> out{};
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 4; ++k)
        out[4 * j + k] =
            of[j][0] * of[k][2] + of[j][1] * of[k][3] - of[k][0] * of[j][2] - of[k][1] * of[j][3];
    }
    return out;
  };
  const auto start = two_form(0.0), end = two_form(2.0);
  EXPECT_GT(largest, 5.0);  // it has stretched
  EXPECT_LT(largest, 1e3);
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_NEAR(end[i], start[i], 1e-12 * largest * largest) << i;
}

// Thrown up with v: back at t = 2 v / g with the speed -v.
TEST(Derivatives, EventsMoveWithTheNumbers) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 3\n[equations]\nstates = { x = 0, v = 4 }\nparameters = { g = 5 }\n"
      "dot = { x = \"v\", v = \"-g\" }\n[[events]]\nname = \"back\"\nwhen = \"x\"\ndirection = \"falling\"\n"
      "record = [\"x\", \"v\"]\nstop = 1\n");
  Lab lab(scene);
  lab.follow(directions_of(scene, {"equations.parameters.g", "equations.states.v"}));
  EventWatch watch(lab, scene.events);
  while (!watch.look(3.0)) ASSERT_EQ(lab.advance(), StepStatus::done);
  const EventTable table = watch.tables()[0];
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_NEAR(table.rows[0][0], 1.6, 1e-14);
  ASSERT_EQ(table.columns, (std::vector<std::string>{"t", "x", "v"}));
  const std::vector<double> expected{-8.0 / 25, 2.0 / 5, 0, 0, 0, -1};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(table.rates[0][i], expected[i], 1e-12) << i;
}

// Derivatives of a Runge-Kutta method are those of its steps: of fixed steps they are those of the rows,
// however large its error.
TEST(Derivatives, RungeKuttaMethodsHaveThoseOfTheirSteps) {
  for (const char* method : {"euler", "heun", "midpoint", "rk4", "rk38"}) {
    const Scene scene =
        scene_of(fmt::format("[simulation]\nduration = 1\nmethod = \"{}\"\nstep = "
                             "0.05\n[[chain.links]]\nlength = 0.8\nmass = 1.5\n"
                             "theta = 2\n[[chain.links]]\nlength = 1.1\nmass = 0.7\ntheta = 1.3\n",
                             method));
    const std::vector<std::string> asked{"x_1", "z_2", "theta_2", "vx_2"};
    for (const std::string& path :
         {std::string("chain.links.1.length"), std::string("chain.links.2.theta")}) {
      const Derived derived(scene, {path}, 1.0, asked);
      const SceneNumber number = scene_numbers(scene, {path})[0];
      const Stencil stencil = Stencil::central();
      const double spacing = 0x1p-10;
      std::vector<double> expected(asked.size(), 0.0);
      for (std::size_t node = 0; node < stencil.nodes.size(); ++node) {
        const test::Recorded run(with_number(scene, path, number.value + stencil.nodes[node] * spacing),
                                 Schedule::list({1.0}), asked);
        for (std::size_t i = 0; i < asked.size(); ++i)
          expected[i] += stencil.slope[node] / spacing * run.last(asked[i]);
      }
      for (std::size_t i = 0; i < asked.size(); ++i)
        EXPECT_NEAR(derived.rate(0, asked[i]), expected[i], 1e-9 * (1 + std::fabs(expected[i])))
            << method << ": " << path << ": " << asked[i];
    }
  }
}

// Those that choose their step agree with taylor's to their tolerance, at any time of a step.
TEST(Derivatives, RungeKuttaMethodsComeCloseToTheFlow) {
  for (const char* method : {"dopri5", "tsit5", "vern7", "rkf78", "dop853", "vern9"}) {
    const auto scene = [](const char* name) {
      return shipped_scene(
          "double-pendulum",
          {"simulation.duration=2", fmt::format("simulation.method={}", name), "simulation.tolerance=1e-12"});
    };
    const std::vector<std::string> paths{"chain.links.1.length", "chain.links.*.theta"};
    for (const double t : {0.777, 2.0}) {
      const Derived one(scene(method), paths, t, {"x", "vz"}), other(scene("taylor"), paths, t, {"x", "vz"});
      for (std::size_t i = 0; i < one.rates.size(); ++i)
        EXPECT_NEAR(one.rates[i], other.rates[i], 1e-6 * (1 + std::fabs(other.rates[i])))
            << method << " at " << t;
    }
  }
}

// Values are those of the run without derivatives, wherever rates did not make a step shorter.
TEST(Derivatives, ValuesKeepTheirBits) {
  const Scene scene = shipped_scene("double-pendulum", {"simulation.duration=5", "simulation.max_step=0.01"});
  const test::Recorded plain(scene, Schedule::list({5.0}));
  const Derived with(scene, {"chain.links.1.length", "chain.links.2.theta"}, 5.0);
  EXPECT_EQ(with.lab.variation()->shortened(), 0);
  EXPECT_EQ(with.row[with.column("theta_1")], plain.last("theta_1"));
  EXPECT_EQ(with.row[with.column("vx_2")], plain.last("vx_2"));
}

// Directions that go through the equations together do not know of each other.
TEST(Derivatives, ManyAtOnceAreThoseOfEach) {
  struct Case {
    Scene scene;
    std::vector<std::string> paths;
    double t;
  };
  const std::vector<Case> cases{
      {shipped_scene("four-bar", {"simulation.duration=0.6"}),
       {"bodies.*.mass", "bodies.*.length", "joints.*.anchors.*.1", "joints.drive.rate",
        "simulation.gravity"},
       0.6},
      {shipped_scene("double-pendulum", {"simulation.duration=2"}),
       {"chain.links.*.length", "chain.links.*.mass", "chain.links.*.theta", "chain.links.*.theta_dot",
        "simulation.gravity"},
       2.0},
      {scene_of(
           "[simulation]\nduration = 2\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 2\n"
           "stiffness = 80\ntheta = 1\ndamping = 0.1\n[[chain.links]]\nlength = 0.5\nmass = 1\n"
           "stiffness = 60\ntheta = 2\ntheta_dot = 1\n"),
       {"chain.links.*.length", "chain.links.*.mass", "chain.links.*.theta", "chain.links.*.theta_dot",
        "chain.links.*.stiffness", "chain.links.1.damping", "simulation.gravity"},
       2.0}};
  for (const Case& one : cases) {
    const std::vector<SceneNumber> numbers = scene_numbers(one.scene, one.paths);
    EXPECT_GE(numbers.size(), 9u);
    // The same steps, however many directions would like them shorter.
    const Scene scene = scene_of(one.scene.json, {"simulation.max_step=0.02"});
    const Derived together(scene, one.paths, one.t, {"position", "velocity", "energies"});
    for (std::size_t j = 0; j < numbers.size(); j += 4) {
      const Derived alone(scene, {numbers[j].path}, one.t, {"position", "velocity", "energies"});
      double size = 1.0;
      for (const double rate : alone.rates) size = std::max(size, std::fabs(rate));
      for (std::size_t i = 0; i < alone.rates.size(); ++i)
        EXPECT_NEAR(together.rates[j * alone.rates.size() + i] / size, alone.rates[i] / size, 1e-12)
            << one.scene.name << " " << numbers[j].path;
    }
  }
}

// A pendulum that hangs at rest steps as far as it likes; what it would do beside that does not.
TEST(Derivatives, WhatRestsHasRatesThatMove) {
  const Scene scene = scene_of("[simulation]\nduration = 10\n[[chain.links]]\nlength = 0.7\nmass = 2\n");
  const double w = std::sqrt(9.81 / 0.7);
  for (const double t : {0.3, 4.0, 10.0}) {
    const Derived derived(scene, {"chain.links.1.theta", "chain.links.1.theta_dot"}, t, {"theta", "x"});
    EXPECT_NEAR(derived.rate(0, "theta_1"), std::cos(w * t), 1e-12) << t;
    EXPECT_NEAR(derived.rate(1, "theta_1"), std::sin(w * t) / w, 1e-12) << t;
    EXPECT_NEAR(derived.rate(0, "x_1"), 0.7 * std::cos(w * t), 1e-12) << t;
  }
}

// ---- changes of the state itself ----

void advance_to(Lab& lab, double t) {
  while (lab.time() < t) ASSERT_EQ(lab.advance(), StepStatus::done);
}

std::vector<Direction> state_directions(Lab& lab) {
  std::vector<Direction> out;
  for (std::vector<double>& start : lab.allowed_directions())
    out.push_back({"state", 0.0, {}, std::move(start)});
  return out;
}

// Two for each degree of freedom, however many lanes the state has; of equations, all.
TEST(Derivatives, AllowedDirectionsAreTwoForEachDegreeOfFreedom) {
  for (const char* name :
       {"double-pendulum", "demo", "four-bar", "gyroscope", "six-hinges", "spring-pendulum"}) {
    Lab lab(shipped_scene(name));
    EXPECT_EQ(lab.allowed_directions().size(), 2 * lab.degrees_of_freedom()) << name;
  }
  Lab lab(shipped_scene("lorenz"));
  EXPECT_EQ(lab.allowed_directions().size(), 3u);
}

// dx(3)/dx(0) = dx(3)/dx(1) dx(1)/dx(0), with the second factor put where the motion has come to.
TEST(Derivatives, ChangesOfTheStateCompose) {
  for (const char* name : {"double-pendulum", "four-bar", "spring-pendulum", "lorenz"}) {
    const Scene scene = shipped_scene(name, {"simulation.duration=3"});
    Lab whole(scene), part(scene);
    const Columns columns = whole.columns({"t"});
    std::vector<double> row(columns.width());
    whole.follow(state_directions(whole));
    advance_to(whole, 1.0);
    whole.sample(whole.time(), columns, row.data());
    part.place(whole.state(), whole.row_angles());
    std::vector<Direction> directions(whole.variation()->count());
    for (Direction& direction : directions) direction.start.assign(whole.dimension(), 0.0);
    part.follow(directions);
    part.set_state_derivatives(whole.end_derivatives());
    const auto rates_at_end = [&](Lab& lab) {
      advance_to(lab, 3.0);
      lab.sample(3.0, columns, row.data());
      return lab.state_derivatives();
    };
    const std::vector<double> expected = rates_at_end(whole), composed = rates_at_end(part);
    double largest = 0.0;
    for (const double rate : expected) largest = std::max(largest, std::fabs(rate));
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(composed[i], expected[i], 1e-12 * largest) << name;
  }
}

// The start of a scene depends on its numbers; a state that a motion has come to is itself what it starts
// from.
TEST(Derivatives, NumbersDoNotChangeAStateThatAMotionHasComeTo) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 2\n[equations]\nstates = { x = 3.0 }\nparameters = { k = 0.7 }\n"
      "dot = { x = \"-k*x\" }\n");
  Lab lab(scene);
  advance_to(lab, 0.5);
  const double t0 = lab.time(), x0 = lab.state().hi[0];
  std::vector<Direction> directions = directions_of(scene, {"equations.parameters.k"});
  directions.push_back({"x", 0.0, {}, {1.0}});
  lab.follow(directions);
  EXPECT_EQ(lab.end_derivatives()[0], 0.0);
  advance_to(lab, 2.0);
  const double span = lab.time() - t0, decay = std::exp(-0.7 * span);
  EXPECT_NEAR(lab.end_derivatives()[0], -span * x0 * decay, 1e-14);
  EXPECT_NEAR(lab.end_derivatives()[1], decay, 1e-14);
}

// y is prescribed, v max(0, t - a), and pulls x along through the kinetic energy: the momentum x' + c y' is
// kept in the kink, so x = x_0 cos(w t) - (c v / w) sin(w (t - a)) behind it.
TEST(Derivatives, KinksOfConstraintsMoveWithTheNumbers) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 3\n[lagrangian]\ncoordinates = { x = 0.7, y = 0 }\n"
      "kinetic = \"0.5*x'^2 + c*x'*y' + y'^2\"\npotential = \"0.5*w^2*x^2\"\n"
      "constraints = [\"y - v*max(0, t - a)\"]\nparameters = { c = 0.6, v = 0.8, a = 1.1, w = 1.7 }\n");
  const double t = 2.6, c = 0.6, v = 0.8, w = 1.7, s = t - 1.1, x0 = 0.7;
  const Derived run(scene,
                    {"lagrangian.parameters.a", "lagrangian.parameters.v", "lagrangian.parameters.c",
                     "lagrangian.parameters.w", "lagrangian.coordinates.x"},
                    t, {"x", "x_dot"});
  EXPECT_NEAR(run.row[run.column("x")], x0 * std::cos(w * t) - c * v / w * std::sin(w * s), 1e-13);
  EXPECT_NEAR(run.rate(0, "x"), c * v * std::cos(w * s), 1e-11);
  EXPECT_NEAR(run.rate(0, "x_dot"), -c * v * w * std::sin(w * s), 1e-11);
  EXPECT_NEAR(run.rate(1, "x"), -c / w * std::sin(w * s), 1e-11);
  EXPECT_NEAR(run.rate(2, "x"), -v / w * std::sin(w * s), 1e-11);
  EXPECT_NEAR(run.rate(3, "x"),
              -x0 * t * std::sin(w * t) + c * v / (w * w) * std::sin(w * s) - c * v / w * s * std::cos(w * s),
              1e-11);
  EXPECT_NEAR(run.rate(4, "x"), std::cos(w * t), 1e-11);
}

// Without weight, whose pivot starts at tau with the speed V: theta' falls by V cos(theta) / L there.
TEST(Derivatives, PivotsThatStartAtOnceStrikeTheirChain) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 2\ngravity = 0\n[chain]\npivot = [\"0.9*max(0, t - 0.75)\", 0, 0]\n"
      "[[chain.links]]\nlength = 1.3\nmass = 2\ntheta = 0.4\ntheta_dot = 0.5\n");
  const double tau = 0.75, s = 1.75 - tau, at = 0.4 + 0.5 * tau, sine = std::sin(at), cosine = std::cos(at);
  const Derived run(scene, {"chain.links.1.theta_dot", "chain.links.1.theta", "chain.links.1.length"}, 1.75,
                    {"theta_1", "theta_dot_1"});
  EXPECT_NEAR(run.row[run.column("theta_1")], at + (0.5 - 0.9 * cosine / 1.3) * s, 1e-13);
  EXPECT_NEAR(run.rate(0, "theta_1"), tau + (1 + 0.9 * sine * tau / 1.3) * s, 1e-11);
  EXPECT_NEAR(run.rate(1, "theta_1"), 1 + 0.9 * sine / 1.3 * s, 1e-11);
  EXPECT_NEAR(run.rate(2, "theta_1"), 0.9 * cosine / (1.3 * 1.3) * s, 1e-11);
  EXPECT_NEAR(run.rate(2, "theta_dot_1"), 0.9 * cosine / (1.3 * 1.3), 1e-11);
}

// A motor that stops and goes swings what hangs on its arm: against differences of ten runs.
TEST(Derivatives, MotorsWithKinksStrikeWhatTheyMove) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1.6\n"
      "[[bodies]]\nname = \"arm\"\nmass = 1\ninertia = [0.5, 0.5, 0.5]\n"
      "[[bodies]]\nname = \"rod\"\nmass = 2\ninertia = [0.25, 0.25, 0.25]\nposition = [1, 0, -0.4]\n"
      "[[joints]]\nname = \"one\"\nkind = \"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0, 0, 0]\n"
      "axis = [0, 1, 0]\nmotor = { angle = \"b*max(0, t - a) - b*max(0, t - 2*a)\", parameters = { a = 0.5, "
      "b "
      "= 1.2 } }\n"
      "[[joints]]\nname = \"two\"\nkind = \"revolute\"\nbodies = [\"arm\", \"rod\"]\npoint = [1, 0, 0]\n"
      "axis = [0, 1, 0]\ndamping = 0.1\n");
  const std::vector<std::string> paths{"joints.one.motor.parameters.a", "joints.one.motor.parameters.b",
                                       "bodies.rod.mass"};
  const Derived run(scene, paths, 1.6, {"angle_two", "x_rod"});
  const Stencil stencil = Stencil::central();
  std::size_t j = 0;
  for (const SceneNumber& number : scene_numbers(scene, paths)) {
    const double spacing = number.value / 64;
    double angle = 0.0, x = 0.0;
    for (std::size_t node = 0; node < stencil.nodes.size(); ++node) {
      const test::Recorded beside(
          with_number(scene, number.path, number.value + stencil.nodes[node] * spacing),
          Schedule::list({1.6}), {"angle_two", "x_rod"});
      angle += stencil.slope[node] / spacing * beside.last("angle_two");
      x += stencil.slope[node] / spacing * beside.last("x_rod");
    }
    EXPECT_NEAR(run.rate(j, "angle_two"), angle, 1e-9) << number.path;
    EXPECT_NEAR(run.rate(j, "x_rod"), x, 1e-9) << number.path;
    ++j;
  }
}

// A run behind a kink is taken up again with the same derivatives.
TEST(Derivatives, KinksAreBehindARunThatIsTakenUpAgain) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 3\n[lagrangian]\ncoordinates = { x = 0.7, y = 0 }\n"
      "kinetic = \"0.5*x'^2 + c*x'*y' + y'^2\"\npotential = \"0.5*w^2*x^2\"\n"
      "constraints = [\"y - v*max(0, t - a)\"]\nparameters = { c = 0.6, v = 0.8, a = 1.1, w = 1.7 }\n");
  const std::vector<std::string> paths{"lagrangian.parameters.a", "lagrangian.parameters.w"};
  Derived whole(scene, paths, 2.0, {"x"});
  Lab again(scene);
  again.follow(directions_of(scene, paths));
  again.restore(whole.lab.checkpoint());
  std::vector<double> row(2), first(4), second(4);
  for (Lab* lab : {&whole.lab, &again}) {
    while (lab->time() < 3.0) ASSERT_EQ(lab->advance(), StepStatus::done);
    lab->sample(3.0, whole.columns, row.data());
    lab->derivatives(whole.columns, (lab == &again ? second : first).data());
  }
  EXPECT_EQ(first, second);
}

// The motion is the same by whatever equations, and so are its derivatives.
TEST(Derivatives, FormulationsHaveThoseOfTheFlow) {
  const auto chain = [](const std::string& formulation, const std::string& phi) {
    return scene_of(
        fmt::format("[simulation]\nduration = 1.5\n[chain]\nformulation = \"{}\"\n[[chain.links]]\nlength = "
                    "0.8\nmass = 1.5\n"
                    "theta = 2\ntheta_dot = 0.3\n[[chain.links]]\nlength = 1.1\nmass = 0.7\ntheta = 1.3\n{}"
                    "[[events]]\nname = \"low\"\nwhen = \"z_2 + 1\"\n",
                    formulation, phi));
  };
  const std::vector<std::string> paths{"chain.links.1.length", "chain.links.2.mass", "chain.links.*.theta"};
  const std::vector<std::string> asked{"theta_1", "theta_2", "x_2", "vz_2", "tension_1", "energy"};
  for (const std::string& phi : {std::string(), std::string("phi = 0.7\nphi_dot = 0.4\n")}) {
    const Derived in_plane(chain("tension", phi), paths, 1.5, asked);
    const Derived in_space(scene_of(chain("tension", phi).json, {"chain.plane=none"}), paths, 1.5, asked);
    for (const char* formulation : {"angles", "lie", "chart"}) {
      const Derived& expected = formulation == std::string("chart") ? in_space : in_plane;
      if (formulation == std::string("angles") && !phi.empty()) continue;
      const Scene scene = chain(formulation, phi);
      const Derived run(scene, paths, 1.5, asked);
      for (std::size_t j = 0; j < 4; ++j) {
        for (const std::string& name : asked) {
          // Charts may have their angles about x: ChartsHaveThoseOfTheirOwnAngles.
          if (formulation == std::string("chart") && name.rfind("theta", 0) == 0) continue;
          EXPECT_NEAR(run.rate(j, name), expected.rate(j, name), 1e-10) << formulation << " " << name;
        }
      }
      Lab plain(scene);  // the motion itself keeps its bits
      while (plain.time() < 1.5) ASSERT_EQ(plain.advance(), StepStatus::done);
      EXPECT_EQ(plain.state().hi, run.lab.state().hi) << formulation;
      // From a checkpoint on the same comes out.
      Lab again(scene);
      again.follow(directions_of(scene, paths));
      again.restore(run.lab.checkpoint());
      ASSERT_EQ(again.advance(), StepStatus::done);
      std::vector<double> row(run.columns.width()), rates(run.rates.size());
      again.sample(1.5, run.columns, row.data());
      again.derivatives(run.columns, rates.data());
      EXPECT_EQ(rates, run.rates) << formulation;
      EXPECT_THROW(again.state_derivatives(), InputError);
    }
  }
  Lab by_steps(scene_of(chain("angles", "").json, {"simulation.method=dopri5"}));
  EXPECT_THROW(by_steps.follow(directions_of(chain("angles", ""), paths)), InputError);
}

// Charts show angles about the pole that they have; those of the other motion are about z.
TEST(Derivatives, ChartsHaveThoseOfTheirOwnAngles) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1\n[chain]\nformulation = \"chart\"\n[[chain.links]]\nlength = 0.8\nmass = "
      "1.5\n"
      "theta = 0.05\nphi = 0.3\ntheta_dot = 0.3\nphi_dot = 0.4\n[[chain.links]]\nlength = 1.1\nmass = 0.7\n"
      "theta = 1.3\nphi = 0.7\n[[events]]\nname = \"turn\"\nwhen = \"theta_1 - 1.5\"\n");
  const std::vector<std::string> asked{"theta_1",     "theta_2",   "phi_1",       "phi_2",
                                       "theta_dot_1", "phi_dot_1", "theta_dot_2", "phi_dot_2",
                                       "pole_1",      "pole_2",    "x_2"};
  const std::vector<std::string> paths{"chain.links.1.length", "chain.links.2.theta"};
  const Derived derived(scene, paths, 1.0, asked);
  ASSERT_EQ(derived.row[derived.column("pole_1")], 0.0);  // about x
  std::size_t j = 0;
  for (const SceneNumber& number : scene_numbers(scene, paths)) {
    const Stencil stencil = Stencil::central();
    constexpr double kSpacing = 1e-3;
    std::vector<double> slopes(asked.size(), 0.0);
    for (std::size_t node = 0; node < stencil.nodes.size(); ++node) {
      const test::Recorded run(with_number(scene, number.path, number.value + stencil.nodes[node] * kSpacing),
                               Schedule::list({1.0}), asked);
      for (std::size_t i = 0; i < asked.size(); ++i)
        slopes[i] += stencil.slope[node] / kSpacing * run.last(asked[i]);
    }
    for (std::size_t i = 0; i < asked.size(); ++i)
      EXPECT_NEAR(derived.rate(j, asked[i]), slopes[i], 1e-9) << number.path << " " << asked[i];
    ++j;
  }
}

// A pendulum at rest hangs at the pole of its angles: its place has derivatives, its angles and the size of
// its momentum have a corner there, and say so.
TEST(Derivatives, CornersOfColumnsHaveNone) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1\n[chain]\nplane = \"none\"\n[[chain.links]]\nlength = 1\nmass = 1\n");
  const Derived derived(scene, {"chain.links.1.theta"}, 0.5, {"theta", "phi", "p_1", "x", "kinetic"});
  EXPECT_TRUE(std::isnan(derived.rate(0, "theta_1")));
  EXPECT_TRUE(std::isnan(derived.rate(0, "phi_1")));
  EXPECT_TRUE(std::isnan(derived.rate(0, "p_1")));
  EXPECT_NEAR(derived.rate(0, "x_1"), std::cos(0.5 * std::sqrt(9.81)), 1e-12);
  EXPECT_NEAR(derived.rate(0, "kinetic"), 0.0, 1e-12);
}

}  // namespace
}  // namespace catena
