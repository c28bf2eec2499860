// [equations]: any first-order system, against closed forms, against the same motion as a chain, and with
// more digits than a double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;

Scene equations(const std::string& table, const std::string& settings = "") {
  return scene_of("[simulation]\nduration = 20\n" + settings + "[equations]\n" + table);
}

// Columns at time t.
std::vector<double> columns_at(const Scene& scene, double t, const std::vector<std::string>& names) {
  Lab lab(scene);
  while (lab.time() < t) {
    EXPECT_EQ(lab.advance(), StepStatus::done);
  }
  const Columns columns = lab.columns(names);
  std::vector<double> row(columns.width());
  lab.sample(t, columns, row.data());
  row.erase(row.begin());
  return row;
}

TEST(Equations, HaveTheirClosedForms) {
  // Logistic growth, a driven line, and an oscillator.
  const Scene scene = equations(
      "states = { n = 0.1, s = 0, x = 1, v = 0 }\nparameters = { w = \"3/2\" }\n"
      "dot = { n = \"n*(1 - n)\", s = \"cos(t)\", x = \"v\", v = \"-w^2*x\" }\n");
  for (const double t : {0.7, 3.0, 11.0}) {
    const std::vector<double> row = columns_at(scene, t, {"n", "s", "x", "v"});
    EXPECT_NEAR(row[0], 1.0 / (1.0 + 9.0 * std::exp(-t)), 2e-15);
    EXPECT_NEAR(row[1], std::sin(t), 4e-15);
    EXPECT_NEAR(row[2], std::cos(1.5 * t), 2e-14);
    EXPECT_NEAR(row[3], -1.5 * std::sin(1.5 * t), 2e-14);
  }
}

TEST(Equations, AgreeWithTheChainThatTheyDescribe) {
  const Scene chain = scene_of(
      "[simulation]\nduration = 20\ngravity = 9.81\n[[chain.links]]\nlength = 0.8\nmass = 2\ntheta = 2.5\n"
      "theta_dot = 0.3\n");
  const Scene same = equations(
      "states = { theta = 2.5, w = 0.3 }\nparameters = { g = 9.81, l = 0.8 }\n"
      "dot = { theta = \"w\", w = \"-g/l*sin(theta)\" }\n");
  for (const std::string method : {"taylor", "dop853", "vern9", "bulirsch-stoer"}) {
    Scene by_method = same;
    by_method.simulation.method = method;
    if (method != "taylor") by_method.simulation.tolerance = 1e-13;
    const double theta = columns_at(by_method, 10.0, {"theta"})[0];
    EXPECT_NEAR(theta, columns_at(chain, 10.0, {"theta_1"})[0], 1e-10) << method;
  }
}

TEST(Equations, KeepTheirInvariants) {
  const Scene scene = equations(
      "states = { x = 0, y = 0.1, px = 0.49, py = 0 }\n"
      "dot = { x = \"px\", y = \"py\", px = \"-x - 2*x*y\", py = \"-y - x^2 + y^2\" }\n"
      "invariants = { H = \"(px^2 + py^2 + x^2 + y^2)/2 + x^2*y - y^3/3\" }\n");
  const std::vector<double> row = columns_at(scene, 20.0, {"H", "H_error"});
  EXPECT_NEAR(row[0], 0.5 * (0.49 * 0.49 + 0.01) - 0.001 / 3.0, 1e-15);
  EXPECT_NE(row[1], 0.0);
  EXPECT_LT(std::fabs(row[1]), 1e-15);
}

// A pulse of a millisecond and less, that a step rule alone would step over.
TEST(Equations, StepOverNoPulse) {
  for (const double width : {1e-1, 1e-3, 1e-6}) {
    for (const std::string method : {"taylor", "dop853", "tsit5", "bulirsch-stoer"}) {
      Scene scene =
          equations(fmt::format("states = {{ x = 0, y = 1 }}\n"
                                "dot = {{ x = \"exp(-((t - 3.3)/{0})^2)/({0}*sqrt(pi))\", y = \"-y\" }}\n",
                                width));
      scene.simulation.method = method;
      EXPECT_NEAR(columns_at(scene, 10.0, {"x"})[0], 1.0, 1e-7) << method << " " << width;
    }
  }
}

TEST(Equations, EndStepsAtKinks) {
  const Scene scene =
      equations("states = { x = 0 }\ndot = { x = \"max(0, t - 1) - choose(t - 2.5, 1, 0)\" }\n");
  EXPECT_NEAR(columns_at(scene, 4.0, {"x"})[0], 4.5 - 1.5, 1e-13);
}

// Numbers are those that were written, to all digits, and so are their formulas.
TEST(Equations, HaveAllDigitsOfTheirRun) {
  for (const std::string precision : {"double-double", "quad"}) {
    if (precision == "quad" && !CATENA_HAS_QUAD) continue;
    const Scene scene = equations(
        "states = { x = 1, y = 0.1, z = 0 }\nparameters = { a = \"8/3\", b = \"pi/7\" }\n"
        "dot = { x = \"-x\", y = \"a\", z = \"b*cos(t)\" }\n",
        fmt::format("precision = \"{}\"\n", precision));
    const std::vector<double> row = columns_at(scene, 1.0, {"x", "y", "z", "lo_x", "lo_y", "lo_z"});
    const auto near = [&](std::size_t i, DoubleDouble expected) {
      const DoubleDouble error = DoubleDouble(row[i], row[i + 3]) - expected;
      EXPECT_LT(std::fabs(static_cast<double>(error)), 1e-30) << precision << " " << i;
    };
    near(0, DoubleDouble(0.36787944117144233, -1.2428753672788363e-17));  // exp(-1)
    near(1, DoubleDouble(83.0) / DoubleDouble(30.0));                     // 1/10 + 8/3
    near(2, DoubleDouble(0.37765129486877946, -9.39394418586397e-18));    // pi/7 sin(1)
  }
}

TEST(Equations, MethodsThatNeedStructureAreRefused) {
  for (const std::string method : {"verlet", "rattle", "lie-euler", "variational", "rkmk4"}) {
    Scene scene = equations("states = { x = 1, v = 0 }\ndot = { x = \"v\", v = \"-x\" }\n");
    scene.simulation.method = method;
    scene.simulation.step = 0.01;
    EXPECT_THROW(Lab lab(scene), InputError) << method;
  }
}

TEST(Equations, FormulasWithoutAValueAtTheStartAreRefused) {
  EXPECT_THROW(Lab(equations("states = { x = 0 }\ndot = { x = \"1/x\" }\n")), InputError);
  EXPECT_THROW(Lab(equations("states = { x = 0 }\ndot = { x = \"1\" }\ninvariants = { H = \"log(x)\" }\n")),
               InputError);
}

// x' = x^2 has no solution beyond t = 1.
TEST(Equations, ThatExplodeEndThere) {
  Lab lab(equations("states = { x = 1 }\ndot = { x = \"x^2\" }\n"));
  StepStatus status = StepStatus::done;
  while (status == StepStatus::done && lab.time() < 2.0) status = lab.advance();
  EXPECT_NE(status, StepStatus::done);
  EXPECT_NEAR(lab.time(), 1.0, 1e-6);
}

}  // namespace
}  // namespace catena
