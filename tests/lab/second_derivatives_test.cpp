// Second derivatives of motions: against closed forms, against differences of first ones, and their symmetry.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "catena/base/mistake.h"
#include "catena/io/record/record.h"
#include "catena/io/scene/paths.h"
#include "catena/lab/second_variation.h"
#include "catena/lab/variation.h"
#include "catena/math/stencil.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;
using test::shipped_scene;

std::vector<Direction> directions_of(const Scene& scene, const std::vector<SceneNumber>& numbers) {
  std::vector<Direction> out;
  for (const SceneNumber& number : numbers) {
    out.push_back({number.path, number.value,
                   [scene, path = number.path](double value) { return with_number(scene, path, value); }});
  }
  return out;
}

// Along these numbers of the scene, with weights.
SecondVariation::Along along_of(const Scene& scene, const std::vector<SceneNumber>& numbers,
                                const std::vector<double>& weights) {
  SecondVariation::Along out;
  out.scale = HUGE_VAL;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double size = numbers[k].value != 0.0 ? std::fabs(numbers[k].value) : 1.0;
    if (weights[k] != 0.0) out.scale = std::min(out.scale, size / std::fabs(weights[k]));
  }
  out.scene = [=](std::size_t j, double by, double moved) {
    std::vector<std::string> paths;
    std::vector<double> values;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      paths.push_back(numbers[k].path);
      values.push_back(numbers[k].value + (k == j ? by : 0.0) + weights[k] * moved);
    }
    return with_numbers(scene, paths, values);
  };
  return out;
}

// At time t: [number][column].
struct Bent {
  std::vector<SceneNumber> numbers;
  Lab lab;
  Columns columns;
  std::vector<double> second;
  std::vector<std::string> names;

  Bent(const Scene& scene, const std::vector<std::string>& paths, const std::vector<double>& weights,
       double t, const std::vector<std::string>& asked)
      : numbers(scene_numbers(scene, paths)), lab(scene), columns(lab.columns(asked)) {
    SecondVariation variation(lab, directions_of(scene, numbers), along_of(scene, numbers, weights), true);
    while (lab.time() < t) {
      const StepStatus status = variation.advance();
      EXPECT_EQ(status, StepStatus::done);
      if (status != StepStatus::done) break;
    }
    second = variation.rows(t, columns);
    names = column_names(columns.stems());
  }
  double at(std::size_t number, const std::string& name) const {
    return second[number * columns.width() + place(name)];
  }
  std::size_t place(const std::string& name) const {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
};

std::vector<double> unit(std::size_t count, std::size_t which) {
  std::vector<double> out(count, 0.0);
  out[which] = 1.0;
  return out;
}

// x = a cos(w t), w = sqrt(k)
TEST(SecondDerivatives, OscillatorHasItsClosedForm) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 9\n[equations]\nstates = { x = 1.5, v = 0 }\nparameters = { k = 2.5 }\n"
      "dot = { x = \"v\", v = \"-k*x\" }\n");
  const double w = std::sqrt(2.5);
  const std::vector<std::string> paths{"equations.parameters.k", "equations.states.x"};
  for (const double t : {0.7, 9.0}) {
    const Bent by_k(scene, paths, {1, 0}, t, {"x", "v"}), by_start(scene, paths, {0, 1}, t, {"x", "v"});
    const double dw = 0.5 / w, ddw = -0.25 / (w * w * w);
    const double bend = 1.5 * (-t * t * std::cos(w * t) * dw * dw - t * std::sin(w * t) * ddw);
    EXPECT_NEAR(by_k.at(0, "x"), bend, 2e-11);
    EXPECT_NEAR(by_k.at(1, "x"), -t * std::sin(w * t) * dw, 2e-11);
    EXPECT_NEAR(by_start.at(0, "x"), -t * std::sin(w * t) * dw, 2e-11);
    EXPECT_NEAR(by_start.at(1, "x"), 0.0, 2e-12);  // what is linear has none
    EXPECT_NEAR(by_start.at(1, "v"), 0.0, 2e-12);
  }
}

// Where a wind's profile has no slope, none is given: at whatever order, and not a wrong one.
TEST(SecondDerivatives, EndAtTheGroundOfAWind) {
  for (const int order : {12, 20, 30}) {
    const Scene scene = scene_of(fmt::format(
        "[simulation]\nduration = 2\norder = {}\n[chain]\nvelocity_damping = 0.1\n[[chain.links]]\n"
        "length = 1\nmass = 1\ntheta = 1.8\ndrag_area = 0.1\n[[forces]]\nkind = \"wind\"\n"
        "velocity = [5, 0, 0]\nheight = 10\n[[forces]]\nkind = \"drag\"\nlinear = 0.3\ncoefficient = 0\n",
        order));
    Lab lab(scene);
    const std::vector<SceneNumber> numbers = scene_numbers(scene, {"chain.links.1.theta"});
    SecondVariation variation(lab, directions_of(scene, numbers), along_of(scene, numbers, {1.0}), true);
    StepStatus status = StepStatus::done;
    while (status == StepStatus::done && lab.time() < 2.0) status = variation.advance();
    EXPECT_NE(status, StepStatus::done) << order;
  }
}

// After a period T(A), theta = A and theta_dot = 0 for every amplitude: differentiated twice,
//     theta_AA = theta'' T'(A)^2        theta_dot_A = -theta'' T'(A)
TEST(SecondDerivatives, PendulumsReturnWithThatOfTheirPeriod) {
  constexpr double kA = 1.2, kG = 9.81;
  const double k = std::sin(kA / 2), rest = 1.0 - k * k;
  const double period = 4.0 * std::comp_ellint_1(k) / std::sqrt(kG);
  const double slope = 4.0 / std::sqrt(kG) * (std::comp_ellint_2(k) - rest * std::comp_ellint_1(k)) /
                       (k * rest) * 0.5 * std::cos(kA / 2);
  const Scene chain = scene_of(fmt::format(
      "[simulation]\nduration = 4\ngravity = {}\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = {}\n", kG,
      kA));
  const Scene lagrangian = scene_of(fmt::format(
      "[simulation]\nduration = 4\n[lagrangian]\ncoordinates = {{ q = {} }}\nparameters = {{ g = {} }}\n"
      "kinetic = \"q'^2/2\"\npotential = \"-g*cos(q)\"\n",
      kA, kG));
  const double acceleration = -kG * std::sin(kA);
  const Bent links(chain, {"chain.links.1.theta"}, {1}, period, {"theta_1"});
  EXPECT_NEAR(links.at(0, "theta_1"), acceleration * slope * slope, 1e-11);
  const std::vector<SceneNumber> numbers = scene_numbers(lagrangian, {"lagrangian.coordinates.q"});
  ASSERT_EQ(numbers.size(), 1u);
  const Bent coordinates(lagrangian, {numbers[0].path}, {1}, period, {"q"});
  EXPECT_NEAR(coordinates.at(0, "q"), acceleration * slope * slope, 1e-11);
}

// Against ten runs with first derivatives, at numbers moved along; and d2/dp dq = d2/dq dp.
void expect_differences(const Scene& scene, const std::vector<std::string>& paths, double t,
                        const std::vector<std::string>& asked, double tolerance) {
  const std::vector<SceneNumber> numbers = scene_numbers(scene, paths);
  const std::size_t count = numbers.size();
  std::vector<std::string> names;
  for (const SceneNumber& number : numbers) names.push_back(number.path);
  std::deque<Bent> bent;
  for (std::size_t v = 0; v < count; ++v) bent.emplace_back(scene, paths, unit(count, v), t, asked);
  std::vector<double> sizes(asked.size(), 1.0);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (std::size_t v = 0; v < count; ++v) {
      for (std::size_t j = 0; j < count; ++j)
        sizes[i] = std::max(sizes[i], std::fabs(bent[v].at(j, asked[i])));
    }
  }
  const Stencil stencil = Stencil::central();
  for (std::size_t v = 0; v < count; ++v) {
    const double spacing = 0x1p-8 * (numbers[v].value != 0.0 ? std::fabs(numbers[v].value) : 1.0);
    std::vector<double> expected(count * asked.size(), 0.0);
    for (std::size_t node = 0; node < stencil.nodes.size(); ++node) {
      const Scene beside =
          with_number(scene, numbers[v].path, numbers[v].value + stencil.nodes[node] * spacing);
      Lab lab(beside);
      lab.follow(directions_of(beside, scene_numbers(beside, names)));
      while (lab.time() < t) ASSERT_EQ(lab.advance(), StepStatus::done);
      const Columns columns = lab.columns(asked);
      std::vector<double> row(columns.width()), rates(columns.width() * count);
      lab.sample(t, columns, row.data());
      lab.derivatives(columns, rates.data());
      for (std::size_t j = 0; j < count; ++j) {
        for (std::size_t i = 0; i < asked.size(); ++i)
          expected[j * asked.size() + i] +=
              stencil.slope[node] / spacing * rates[j * columns.width() + bent[v].place(asked[i])];
      }
    }
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        EXPECT_NEAR(bent[v].at(j, asked[i]) / sizes[i], expected[j * asked.size() + i] / sizes[i], tolerance)
            << asked[i] << " by " << names[j] << " and " << names[v] << ", of size " << sizes[i];
        EXPECT_NEAR(bent[v].at(j, asked[i]) / sizes[i], bent[j].at(v, asked[i]) / sizes[i], 1e-11)
            << "symmetry of " << asked[i] << " by " << names[j] << " and " << names[v];
      }
    }
  }
}

TEST(SecondDerivatives, ChainsInAPlane) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1.5\n[[chain.links]]\nlength = 0.8\nmass = 1.5\ntheta = 2\ntheta_dot = 0.3\n"
      "[[chain.links]]\nlength = 1.1\nmass = 0.7\ntheta = 1.3\n");
  expect_differences(scene,
                     {"chain.links.1.length", "chain.links.2.mass", "chain.links.*.theta",
                      "chain.links.1.theta_dot", "simulation.gravity"},
                     1.5, {"theta_1", "theta_2", "x_2", "z_2", "energy", "tension_1"}, 1e-9);
}

TEST(SecondDerivatives, RodsInSpaceUnderForces) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1\n[chain]\npivot = [\"0.1*sin(3*t)\", 0, 0]\n[[chain.links]]\nlength = 0.8\n"
      "mass = 1.5\ninertia = \"rod\"\ntheta = 1\nphi_dot = 2\ndrag_area = 0.3\n[[chain.links]]\nlength = "
      "1.1\n"
      "mass = 0.7\ntheta = 2\nphi = 1\ndamping = 0.1\n[[forces]]\nkind = \"drag\"\ndensity = 1.2\n"
      "[[forces]]\nkind = \"formula\"\nforce = [\"a*sin(w*t)\", \"b*tanh(x)\", \"b*exp(-x^2/4)\"]\n"
      "parameters = { a = 2, b = 0.5, w = 3 }\n");
  expect_differences(scene, {"chain.links.2.length", "forces.2.parameters.w", "chain.links.1.phi_dot"}, 1.0,
                     {"x_1", "y_2", "vz_2", "energy", "dissipated"}, 1e-9);
}

TEST(SecondDerivatives, ElasticChains) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1\n[chain]\nkind = \"elastic\"\n"
      "[[chain.links]]\nlength = 0.8\nmass = 1.5\nstiffness = 300\ntheta = 1\n"
      "[[chain.links]]\nlength = 1.1\nmass = 0.7\nstiffness = 200\ntheta = 1.3\n");
  expect_differences(scene, {"chain.links.1.stiffness", "chain.links.2.length", "chain.links.1.theta"}, 1.0,
                     {"x_2", "z_2", "tension_1", "energy"}, 1e-9);
}

TEST(SecondDerivatives, LagrangiansWithConstraints) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 1.2\n[lagrangian]\ncoordinates = { x = 0.54, z = -0.72 }\n"
      "rates = { x = 0.8, z = 0.6 }\nkinetic = \"0.5*m*(x'^2 + z'^2)\"\npotential = \"m*g*z + 0.25*k*x^4\"\n"
      "constraints = [\"x^2 + z^2 - l^2\"]\nparameters = { m = 1.3, g = 9.81, l = 0.9, k = 2 }\n");
  expect_differences(scene, {"lagrangian.parameters.k", "lagrangian.parameters.g", "lagrangian.parameters.m"},
                     1.2, {"x", "z", "energy"}, 1e-9);
}

// Pushed back beyond a, x = a + s - f s^2/2 with s = t - a; and gone on freely from t = a + 2/f on,
// x = 2 a - t + 2/f.
TEST(SecondDerivatives, JumpsOfAForceMoveWithWhereTheyAre) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 3\n[equations]\nstates = { x = 0, v = 1 }\nparameters = { a = 0.3, f = 1.25 "
      "}\n"
      "dot = { x = \"v\", v = \"choose(x - a, -f, 0)\" }\n");
  const std::vector<std::string> paths{"equations.parameters.a", "equations.parameters.f"};
  const Bent by_a(scene, paths, {1, 0}, 1.5, {"x", "v"}), by_f(scene, paths, {0, 1}, 1.5, {"x", "v"});
  EXPECT_NEAR(by_a.at(0, "x"), -1.25, 1e-10);
  EXPECT_NEAR(by_a.at(1, "x"), 1.2, 1e-10);
  EXPECT_NEAR(by_f.at(0, "x"), 1.2, 1e-10);
  EXPECT_NEAR(by_f.at(1, "x"), 0.0, 1e-10);
  EXPECT_NEAR(by_f.at(0, "v"), 1.0, 1e-10);
  const Bent beyond(scene, paths, {0, 1}, 3.0, {"x", "v"});
  EXPECT_NEAR(beyond.at(0, "x"), 0.0, 1e-9);
  EXPECT_NEAR(beyond.at(1, "x"), 4.0 / (1.25 * 1.25 * 1.25), 1e-9);
}

// Along several numbers at once it is the sum; and changes of the state are directions as others are.
TEST(SecondDerivatives, CombinationsAddUpAndStatesAreDirections) {
  const Scene scene = shipped_scene("double-pendulum", {"simulation.duration=2"});
  const std::vector<std::string> paths{"chain.links.1.length", "chain.links.2.theta"};
  const Bent first(scene, paths, {1, 0}, 2.0, {"x_2"}), other(scene, paths, {0, 1}, 2.0, {"x_2"}),
      both(scene, paths, {0.5, -2}, 2.0, {"x_2"});
  for (const std::size_t j : {0u, 1u}) {
    const double expected = 0.5 * first.at(j, "x_2") - 2 * other.at(j, "x_2");
    EXPECT_NEAR(both.at(j, "x_2") / expected, 1.0, 1e-10);
  }
  const Scene lorenz = shipped_scene("lorenz", {"simulation.duration=1"});
  Lab lab(lorenz), plus(lorenz), minus(lorenz);
  SecondVariation::Along along;
  along.start = {1.0, 0.0, 0.5};
  SecondVariation second(lab, {{"x", 0.0, {}, {1, 0, 0}}, {"y", 0.0, {}, {0, 1, 0}}}, along, false);
  while (lab.time() < 1.0) ASSERT_EQ(second.advance(), StepStatus::done);
  const SecondVariation::OfState of = second.at(1.0);
  const Stencil stencil = Stencil::central();
  std::vector<double> expected(6, 0.0);
  for (std::size_t node = 0; node < stencil.nodes.size(); ++node) {
    const double spacing = 1e-3;
    Lab beside(lorenz);
    State from = beside.state();
    for (std::size_t i = 0; i < 3; ++i) from.hi[i] += stencil.nodes[node] * spacing * along.start[i];
    beside.place(from);
    beside.follow({{"x", 0.0, {}, {1, 0, 0}}, {"y", 0.0, {}, {0, 1, 0}}});
    while (beside.time() < 1.0) ASSERT_EQ(beside.advance(), StepStatus::done);
    beside.state_at(1.0);
    const std::vector<double>& rates = beside.state_derivatives();
    for (std::size_t q = 0; q < 6; ++q) expected[q] += stencil.slope[node] / spacing * rates[q];
  }
  double size = 0.0;
  for (const double one : expected) size = std::max(size, std::fabs(one));
  for (std::size_t q = 0; q < 6; ++q) EXPECT_NEAR(of.second[q] / size, expected[q] / size, 1e-9);
}

TEST(SecondDerivatives, WhatHasNoneIsRefusedByName) {
  const auto refusal = [](const Scene& scene, const std::string& path) -> std::string {
    try {
      Bent(scene, {path}, {1}, 0.01, {"t"});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal(shipped_scene("four-bar"), "simulation.gravity").find("bodies with joints"),
            std::string::npos);
  const Scene rk4 = shipped_scene("double-pendulum", {"simulation.method=rk4", "simulation.step=0.001"});
  EXPECT_NE(refusal(rk4, "simulation.gravity").find("not by rk4"), std::string::npos);
}

}  // namespace
}  // namespace catena
