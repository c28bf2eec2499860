// Systems given by their Lagrangian: against other formulations, closed forms and published digits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>
#include <optional>

#include "catena/dynamics/lagrangian/lagrangian.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::number;
using test::Recorded;
using test::reference;
using test::scene_of;

constexpr double kPi = std::numbers::pi;

Recorded at_times(const std::string& toml, std::vector<double> times, const std::string& method = "taylor") {
  Scene scene = scene_of("[simulation]\nduration = 1\n" + toml);
  scene.simulation.method = method;
  if (method == "taylor") scene.simulation.tolerance = 1e-18;
  scene.simulation.duration = times.back();
  return Recorded(scene, Schedule::list(std::move(times)));
}

constexpr const char* kDoublePendulum = R"toml(
[lagrangian]
coordinates = { a = "80 deg", b = "-20 deg" }
rates = { b = 0.7 }
parameters = { m1 = 1.2, m2 = 0.7, l1 = 0.9, l2 = 1.3, g = 9.81 }
kinetic = "0.5*(m1 + m2)*l1^2*a'^2 + 0.5*m2*l2^2*b'^2 + m2*l1*l2*a'*b'*cos(a - b)"
potential = "-(m1 + m2)*g*l1*cos(a) - m2*g*l2*cos(b)"
)toml";

TEST(Lagrangian, DoublePendulumMovesAsTheChain) {
  const std::vector<double> times{0.5, 1, 2, 5, 10};
  const Recorded text = at_times(kDoublePendulum, times);
  const Recorded chain = at_times(
      "[[chain.links]]\nlength = 0.9\nmass = 1.2\ntheta = \"80 deg\"\n[[chain.links]]\nlength = 1.3\nmass = "
      "0.7\n"
      "theta = \"-20 deg\"\ntheta_dot = 0.7\n",
      times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    // Differences grow like exp(t) here: 3e-15 to begin with.
    const double tolerance = 3e-15 * std::exp(times[i]);
    EXPECT_NEAR(text.at(i, "a"), chain.at(i, "theta_1"), tolerance) << times[i];
    EXPECT_NEAR(text.at(i, "b_dot"), chain.at(i, "theta_dot_2"), 10 * tolerance) << times[i];
    EXPECT_NEAR(text.at(i, "kinetic"), chain.at(i, "kinetic"), 50 * tolerance) << times[i];
    EXPECT_NEAR(text.at(i, "potential"), chain.at(i, "potential"), 50 * tolerance) << times[i];
  }
  EXPECT_LT(text.summary.energy_error_relative, 1e-14);
  EXPECT_EQ(text.summary.degrees_of_freedom, 2U);
}

// The same as one formula: kinetic and potential are taken from it.
TEST(Lagrangian, OneFormulaIsTheSameAsTwo) {
  const std::string one =
      R"toml([lagrangian]
coordinates = { x = 0.1, y = 0.3 }
rates = { x = 1.0 }
lagrangian = "0.5*(x'^2 + 2*y'^2) + x'*y'*cos(x) - 3*x^2 - y^4")toml";
  const std::string two =
      R"toml([lagrangian]
coordinates = { x = 0.1, y = 0.3 }
rates = { x = 1.0 }
kinetic = "0.5*(x'^2 + 2*y'^2) + x'*y'*cos(x)"
potential = "3*x^2 + y^4")toml";
  const Recorded a = at_times(one, {3.0}), b = at_times(two, {3.0});
  for (const char* column : {"x", "y", "x_dot", "y_dot", "kinetic", "potential", "energy"})
    EXPECT_NEAR(a.last(column), b.last(column), 1e-13) << column;
}

std::string cart_pole(bool massless) {
  const std::string start = "[lagrangian]\nparameters = { M = 1.0, m = 1.0, l = 1.0, g = 9.8 }\n";
  if (!massless)
    return start +
           "coordinates = { x = 0.0, theta = 1.4707963267948966 }\n"
           "kinetic = \"0.5*(M + m)*x'^2 - m*l*sin(theta)*x'*theta' + 0.5*m*l^2*theta'^2\"\n"
           "potential = \"m*g*l*sin(theta)\"\n";
  // The angle has no kinetic energy of its own: the constraints determine it.
  return start +
         "coordinates = { x = 0.0, theta = 1.4707963267948966, u = 0.1, w = 0.995 }\n"
         "kinetic = \"0.5*M*x'^2 + 0.5*m*(u'^2 + w'^2)\"\npotential = \"m*g*w\"\n"
         "constraints = [\"u - x - l*cos(theta)\", \"w - l*sin(theta)\"]\nindependent = [\"x\", \"theta\"]\n";
}

TEST(Lagrangian, CartPoleMatchesItsReferenceAlsoWithAMasslessAngle) {
  const nlohmann::json samples = reference("cartpole")["samples"];
  std::vector<double> times;
  for (const auto& sample : samples) times.push_back(number(sample["t"]));
  for (const bool massless : {false, true}) {
    const Recorded run = at_times(cart_pole(massless), times);
    for (std::size_t i = 0; i < times.size(); ++i) {
      // The pole passes its upright position: roundoff grows a hundredfold on each of the passages.
      const double tolerance = times[i] < 2.5 ? 1e-13 : 1e-11;
      EXPECT_NEAR(run.at(i, "x"), number(samples[i]["x_cart"]), tolerance) << times[i];
      EXPECT_NEAR(run.at(i, "theta"), number(samples[i]["theta"]), tolerance) << times[i];
      EXPECT_NEAR(run.at(i, "theta_dot"), number(samples[i]["omega"]), 20 * tolerance) << times[i];
      const double ball = massless ? run.at(i, "u") : run.at(i, "x") + std::cos(run.at(i, "theta"));
      EXPECT_NEAR(ball, number(samples[i]["ball"][0]), 2 * tolerance) << times[i];
    }
    EXPECT_LT(run.summary.constraint_error, 1e-12);
    EXPECT_EQ(run.summary.degrees_of_freedom, 2U);
  }
}

constexpr const char* kKepler = R"toml(
[lagrangian]
coordinates = { x = 0.4, y = 0.0 }
rates = { y = 2.0 }
lagrangian = "0.5*(x'^2 + y'^2) + 1/sqrt(x^2 + y^2)"
)toml";

// Position from Kepler's equation E - e sin E = t.
TEST(Lagrangian, PlanetFollowsKeplersEquation) {
  const double e = 0.6, t = 20 * kPi + 1.0;
  double anomaly = 1.5;
  for (int i = 0; i < 50; ++i)
    anomaly -= (anomaly - e * std::sin(anomaly) - 1.0) / (1 - e * std::cos(anomaly));
  const Recorded run = at_times(kKepler, {t});
  // Ten turns: phase errors grow like t^1.5.
  EXPECT_NEAR(run.last("x"), std::cos(anomaly) - e, 1e-12);
  EXPECT_NEAR(run.last("y"), std::sqrt(1 - e * e) * std::sin(anomaly), 1e-12);
}

TEST(Lagrangian, SpringPendulumMovesAsTheElasticLink) {
  const std::vector<double> times{1, 3, 6};
  const Recorded text = at_times(R"toml(
[lagrangian]
coordinates = { r = 1.2, theta = "50 deg" }
parameters = { m = 0.8, k = 35.0, l = 1.0, g = 9.81 }
kinetic = "0.5*m*(r'^2 + r^2*theta'^2)"
potential = "0.5*k*(r - l)^2 - m*g*r*cos(theta)"
)toml",
                                 times);
  const Recorded link = at_times(
      "[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 0.8\nstiffness = 35\nstretch = 0.2\n"
      "theta = \"50 deg\"\n",
      times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(text.at(i, "r") * std::sin(text.at(i, "theta")), link.at(i, "x_1"), 1e-12) << times[i];
    EXPECT_NEAR(text.at(i, "r") * std::cos(text.at(i, "theta")), -link.at(i, "z_1"), 1e-12) << times[i];
  }
}

TEST(Lagrangian, SphericalPendulumMovesAsTheChain) {
  const std::vector<double> times{1, 3, 6};
  const Recorded text = at_times(R"toml(
[lagrangian]
coordinates = { theta = "70 deg", phi = 0.3 }
rates = { theta = 0.4, phi = 1.7 }
parameters = { m = 1.0, l = 1.0, g = 9.81 }
kinetic = "0.5*m*l^2*(theta'^2 + sin(theta)^2*phi'^2)"
potential = "-m*g*l*cos(theta)"
)toml",
                                 times);
  const Recorded chain = at_times(
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"70 deg\"\nphi = 0.3\ntheta_dot = 0.4\nphi_dot = "
      "1.7\n",
      times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double theta = text.at(i, "theta"), phi = text.at(i, "phi");
    EXPECT_NEAR(std::sin(theta) * std::cos(phi), chain.at(i, "x_1"), 1e-12) << times[i];
    EXPECT_NEAR(std::sin(theta) * std::sin(phi), chain.at(i, "y_1"), 1e-12) << times[i];
  }
}

constexpr const char* kConstrained = R"toml(
[lagrangian]
coordinates = { x = 1.0, z = 0.0 }
rates = { z = 1.0 }
kinetic = "0.5*(x'^2 + z'^2)"
potential = "z"
constraints = ["0.5*(x^2 + z^2 - 1)"]
)toml";

// The multiplier is minus the tension here.
TEST(Lagrangian, ConstrainedPendulumMatchesCorrectedDigits) {
  const nlohmann::json exact = reference("pendulum_dae_index3")["reference"]["x,y,vx,vy,lam"];
  const Recorded run = at_times(kConstrained, {1.0});
  const std::vector<std::string> columns{"x", "z", "x_dot", "z_dot"};
  for (std::size_t i = 0; i < columns.size(); ++i)
    EXPECT_NEAR(run.last(columns[i]), number(exact[i]), 4e-15) << columns[i];
  EXPECT_NEAR(-run.last("multiplier_1"), number(exact[4]), 4e-15);
  EXPECT_LT(run.summary.constraint_error, 1e-15);
}

// A pivot that shakes: written into the kinetic energy, and as the chain's own pivot motion. Work is the
// same.
TEST(Lagrangian, DrivenPendulumMovesAsTheChainAndItsWorkIsTheSame) {
  const std::vector<double> times{1, 3, 5};
  const Recorded text = at_times(R"toml(
[lagrangian]
coordinates = { theta = "30 deg" }
parameters = { m = 1.5, l = 0.8, g = 9.81, A = 0.1, w = 7.0 }
kinetic = "0.5*m*((l*theta'*cos(theta) + A*w*cos(w*t))^2 + l^2*theta'^2*sin(theta)^2)"
potential = "-m*g*l*cos(theta)"
)toml",
                                 times);
  const Recorded chain = at_times(
      "[chain]\npivot = [\"0.1*sin(7*t)\", 0, 0]\n[[chain.links]]\nlength = 0.8\nmass = 1.5\ntheta = \"30 "
      "deg\"\n",
      times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(text.at(i, "theta"), chain.at(i, "theta_1"), 1e-12) << times[i];
    EXPECT_NEAR(text.at(i, "kinetic"), chain.at(i, "kinetic"), 1e-11) << times[i];
    EXPECT_NEAR(text.at(i, "work"), chain.at(i, "work"), 1e-11) << times[i];
    EXPECT_NEAR(text.at(i, "energy_error"), 0.0, 1e-12) << times[i];
  }
}

constexpr const char* kBead = R"toml(
[lagrangian]
coordinates = { x = 0.6, y = 0.0, z = -0.8 }
rates = { y = 3.0 }
parameters = { m = 1.0, g = 9.81, r = 1.0, w = 5.0, c = 0.1 }
kinetic = "0.5*m*(x'^2 + y'^2 + z'^2)"
potential = "m*g*z"
dissipation = "0.5*c*((x' + w*y)^2 + (y' - w*x)^2 + z'^2)"
constraints = ["x^2 + y^2 + z^2 - r^2", "x*sin(w*t) - y*cos(w*t)"]
)toml";

// The same bead by its angle from the lowest point: no constraint, the turning written out.
TEST(Lagrangian, MovingConstraintsAreThoseOfTheReducedSystem) {
  const std::vector<double> times{0.5, 1, 2, 4};
  const Recorded bead = at_times(kBead, times);
  const Recorded angle = at_times(R"toml(
[lagrangian]
coordinates = { s = 0.6435011087932844 }
parameters = { m = 1.0, g = 9.81, r = 1.0, w = 5.0, c = 0.1 }
kinetic = "0.5*m*r^2*(s'^2 + w^2*sin(s)^2)"
potential = "-m*g*r*cos(s)"
dissipation = "0.5*c*r^2*s'^2"
)toml",
                                  times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(bead.at(i, "z"), -std::cos(angle.at(i, "s")), 1e-12) << times[i];
    EXPECT_NEAR(bead.at(i, "energy"), angle.at(i, "energy"), 1e-11) << times[i];
    EXPECT_NEAR(bead.at(i, "dissipated"), angle.at(i, "dissipated"), 1e-11) << times[i];
    EXPECT_NEAR(bead.at(i, "work"), angle.at(i, "work"), 1e-11) << times[i];
    EXPECT_NEAR(bead.at(i, "energy_error"), 0.0, 2e-12) << times[i];
  }
  EXPECT_EQ(bead.summary.degrees_of_freedom, 1U);
}

TEST(Lagrangian, ForcesAlongCoordinatesDoWork) {
  const Recorded run = at_times(R"toml(
[lagrangian]
coordinates = { x = 1.0 }
parameters = { k = 4.0, c = 0.3 }
kinetic = "0.5*x'^2"
potential = "0.5*k*x^2"
forces = { x = "-c*x'" }
)toml",
                                {2.0});
  const double decay = 0.15, w = std::sqrt(4.0 - decay * decay);
  const double exact = std::exp(-decay * 2.0) * (std::cos(w * 2.0) + decay / w * std::sin(w * 2.0));
  EXPECT_NEAR(run.last("x"), exact, 1e-14);
  EXPECT_NEAR(run.last("energy") - 2.0, run.last("work"), 1e-14);
}

TEST(Lagrangian, RedundantConstraintsChangeNothing) {
  std::string doubled = kConstrained;
  doubled.replace(doubled.find("[\"0.5"), 1, "[\"x^2 + z^2 - 1\", \"3*z^2 + 3*x^2 - 3\", ");
  const Recorded once = at_times(kConstrained, {4.0}), thrice = at_times(doubled, {4.0});
  EXPECT_NEAR(once.last("x"), thrice.last("x"), 1e-13);
  EXPECT_NEAR(once.last("z_dot"), thrice.last("z_dot"), 1e-13);
  EXPECT_EQ(thrice.summary.degrees_of_freedom, 1U);
}

// A mass that depends on the rate: relativistic motion under a constant force, x = sqrt(1 + t^2) - 1.
TEST(Lagrangian, MassesMayDependOnRates) {
  const Recorded run =
      at_times("[lagrangian]\ncoordinates = { x = 0.0 }\nlagrangian = \"-sqrt(1 - x'^2) + x\"\n", {3.0});
  EXPECT_NEAR(run.last("x"), std::sqrt(10.0) - 1, 1e-14);
  EXPECT_NEAR(run.last("energy_error"), 0.0, 1e-14);
}

// ---- methods
// ------------------------------------------------------------------------------------------------

// The error of a polynomial of order p over h is of order p + 1, with constraints as without.
TEST(Lagrangian, SeriesHaveTheirFullOrder) {
  for (const char* toml : {kDoublePendulum, kConstrained, kBead}) {
    LagrangianSystem system(scene_of(std::string("[simulation]\nduration = 1\n") + toml).lagrangian);
    const std::size_t lanes = system.dimension();
    const auto value = [&](int order, double h) {
      std::vector<double> c((static_cast<std::size_t>(order) + 1) * lanes), sum(lanes, 0.0);
      system.taylor(0.0, system.start().hi.data(), order, c.data(), lanes, LagrangianSystem::kNoAccounts);
      for (int k = order; k >= 0; --k) {
        for (std::size_t i = 0; i < lanes; ++i)
          sum[i] = sum[i] * h + c[static_cast<std::size_t>(k) * lanes + i];
      }
      return sum;
    };
    const auto error = [&](int order, double h) {
      return test::largest_difference(value(order, h), value(order + 20, h));
    };
    for (const int order : {2, 5, 9}) {
      const double h = order < 5 ? 0.02 : order < 9 ? 0.05 : 0.12;  // errors well above roundoff
      const double measured = std::log2(error(order, h) / error(order, h / 2));
      EXPECT_NEAR(measured, order + 1, 0.35) << order << toml;
    }
  }
}

TEST(Lagrangian, MethodsConvergeWithTheirOrders) {
  struct Case {
    const char* method;
    double order;
  };
  for (const char* toml : {kDoublePendulum, kConstrained}) {
    Scene scene = scene_of(std::string("[simulation]\nduration = 1\n") + toml);
    const auto end = [&](const char* method, std::optional<double> step) {
      scene.simulation.method = method;
      scene.simulation.step = step;
      return Recorded(scene, Schedule::list({1.0}), {"position", "velocity"}).rows().back();
    };
    const std::vector<double> truth = end("taylor", std::nullopt);
    for (const Case& one : {Case{"euler", 1}, Case{"heun", 2}, Case{"rk4", 4}, Case{"gauss4", 4},
                            Case{"gauss6", 6}, Case{"rattle", 2}}) {
      if (one.method == std::string("rattle") && toml == kDoublePendulum) continue;  // its masses change
      const auto error = [&](double step) { return test::largest_difference(end(one.method, step), truth); };
      const double step = one.order < 2 ? 1e-4 : one.order < 6 ? 2.5e-3 : 2e-2;
      EXPECT_NEAR(std::log2(error(step) / error(step / 2)), one.order, 0.3) << one.method << toml;
    }
  }
}

TEST(Lagrangian, StiffMethodsApply) {
  for (const char* method : {"radau5", "dop853", "bulirsch-stoer", "vern9"}) {
    const double truth = at_times(kConstrained, {2.0}).last("x");
    // Their tolerance is 1e-10 per step, some tens of steps.
    EXPECT_NEAR(at_times(kConstrained, {2.0}, method).last("x"), truth, 3e-8) << method;
  }
}

std::string refusal_of(const char* toml, const char* method) {
  Scene scene = scene_of(std::string("[simulation]\nduration = 1\n") + toml);
  scene.simulation.method = method;
  scene.simulation.step = 0.01;
  try {
    Lab lab(scene);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Lagrangian, SymplecticMethodsAreForSeparableSystems) {
  EXPECT_EQ(refusal_of(kKepler, "verlet"), "");
  EXPECT_EQ(refusal_of(kKepler, "yoshida8"), "");
  EXPECT_NE(refusal_of(kDoublePendulum, "verlet").find("accelerations that depend on positions alone"),
            std::string::npos);
  EXPECT_NE(refusal_of(kConstrained, "yoshida4").find("accelerations"), std::string::npos);
  EXPECT_NE(refusal_of(kKepler, "rkmk4").find("Lie-group"), std::string::npos);
  EXPECT_EQ(refusal_of(kConstrained, "rattle"), "");
  EXPECT_NE(refusal_of(kDoublePendulum, "rattle").find("Lagrangian with constant masses"), std::string::npos);
  EXPECT_NE(refusal_of(kBead, "rattle").find("do not depend on velocities"), std::string::npos);  // friction
}

// Symplectic with constraints: the energy stays in the band that the first tenth shows.
TEST(Lagrangian, RattleKeepsTheEnergyOfAConstrainedPendulumBounded) {
  Scene scene = scene_of(std::string("[simulation]\nduration = 1e6\n") + kConstrained);
  scene.simulation.method = "rattle";
  scene.simulation.step = 0.02;
  Lab lab(scene);
  double early = 0.0;
  for (int i = 0; i < 20000; ++i) {
    ASSERT_EQ(lab.advance(), StepStatus::done);
    if (i == 2000) early = lab.energies().largest_error;
  }
  EXPECT_GT(early, 1e-7);
  EXPECT_LT(lab.energies().largest_error, 1.2 * early);
}

TEST(Lagrangian, ResumingGivesTheSameBits) {
  const Scene scene = scene_of(std::string("[simulation]\nduration = 3\n") + kBead);
  Lab whole(scene), second(scene);
  for (int i = 0; i < 5; ++i) whole.advance();
  const std::string checkpoint = whole.checkpoint();
  whole.advance();
  second.restore(checkpoint);
  second.advance();
  second.advance();
  EXPECT_EQ(whole.state().hi, second.state().hi);
  EXPECT_EQ(whole.state().lo, second.state().lo);
}

TEST(Lagrangian, EventsSeeTheCoordinates) {
  Scene scene = scene_of(std::string("[simulation]\nduration = 20\n") + kKepler +
                         "[[events]]\nname = \"axis\"\nwhen = \"y\"\ndirection = \"rising\"\n");
  const Recorded run(scene);
  ASSERT_EQ(run.summary.events.size(), 1U);
  ASSERT_EQ(run.summary.events[0].rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(run.summary.events[0].rows[i][0], 2 * kPi * static_cast<double>(i + 1), 1e-11);
}

// ---- the course's cart-pole
// -----------------------------------------------------------------------------------

Recorded course(const char* method) {
  std::string toml = cart_pole(true);
  toml = "[simulation]\nduration = 10.001\nsample = 0.001\nstep = 0.001\n" + toml;
  Scene scene = scene_of(toml);
  scene.simulation.method = method;
  return Recorded(scene, Schedule::grid(0.001, 10.001), {"energy_error", "x", "theta"});
}

double mean_size(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += std::fabs(value);
  return sum / static_cast<double>(values.size());
}

TEST(CourseStudy, EulerAndRk4HaveThePublishedEnergyErrors) {
  const nlohmann::json metrics = reference("cartpole")["source_metrics"];
  const Recorded euler = course("euler"), rk4 = course("rk4");
  const double asked = number(metrics["euler"]["mean_abs_energy_error_J"]);
  EXPECT_NEAR(mean_size(euler.column("energy_error")), asked, 5e-4 * asked);  // three digits
  const double ratio =
      mean_size(rk4.column("energy_error")) / number(metrics["rk4"]["mean_abs_energy_error_J"]);
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 2.0);
  const nlohmann::json end = metrics["end_state_rk4_at_t_10_001"];
  EXPECT_NEAR(rk4.last("x"), number(end["x_cart"]), 1e-8);
  EXPECT_NEAR(rk4.last("theta"), number(end["theta"]), 1e-8);
  // Newton-Raphson stops at corrections of 1e-11; what is left is their square and roundoff.
  EXPECT_LT(euler.summary.constraint_error, 1e-12);
  EXPECT_LT(rk4.summary.constraint_error, 1e-12);
}

}  // namespace
}  // namespace catena
