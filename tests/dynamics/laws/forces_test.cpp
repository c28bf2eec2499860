// Force laws: closed forms, known thresholds, the balance of energy and the order of the series under each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>

#include "dynamics/laws/law.h"
#include "support/chains.h"
#include "support/series.h"

namespace catena {
namespace {

using test::kPi;
using test::law;
using test::Recorded;
using test::scene_of;

constexpr double kGravity = 9.81;

// A mass on a spring so weak that it is free, 1 m below the pivot.
std::string free_mass(double mass, const std::string& link, const std::string& simulation,
                      const std::string& forces) {
  return fmt::format(
      "[simulation]\n{}\n[chain]\nkind = \"elastic\"\nplane = \"none\"\n[[chain.links]]\nlength = 1\nmass = "
      "{}\n"
      "stiffness = 1e-60\n{}\n{}\n",
      simulation, mass, link, forces);
}

TEST(Forces, AFreeChargeCirclesAtTheCyclotronFrequency) {
  const double omega = 0.3 * 5.0 / 0.2;
  const Recorded run(scene_of(free_mass(0.2, "charge = 0.3\ntheta_dot = 2", "duration = 3\ngravity = 0",
                                        "[[forces]]\nkind = \"magnetic\"\nfield = [0, 0, 5]")));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "x_1"), 2 / omega * std::sin(omega * t), 1e-13);
    EXPECT_NEAR(run.at(i, "y_1"), 2 / omega * (std::cos(omega * t) - 1), 1e-13);
  }
}

// In the frame that turns at -q B/(2 m) a charged pendulum swings as an uncharged one does, but for terms of
// second order in the field: at B/omega_0 of 1e-4 these are 1e-8 of the turning.
TEST(Forces, LarmorPrecessionTurnsThePlaneOfASwing) {
  const double rate = 1e-3 * 0.5 / 2;  // q B / (2 m)
  const double frequency = std::sqrt(kGravity + rate * rate);
  const double t = 200 * kPi / frequency;  // whole swings of small amplitude
  const Recorded run(
      scene_of(fmt::format("[simulation]\nduration = {0}\nsample = {0}\n[[chain.links]]\nlength = "
                           "1\nmass = 1\ntheta = 1e-5\ncharge = 1e-3\n[[forces]]\nkind = "
                           "\"magnetic\"\nfield = [0, 0, 0.5]\n",
                           t)));
  const double turned = std::atan2(run.last("y_1"), run.last("x_1"));
  EXPECT_NEAR(turned, -rate * t, 1e-5 * rate * t);
}

TEST(Forces, AFallingBallReachesItsTerminalVelocity) {
  const Recorded linear(scene_of(
      free_mass(0.5, "", "duration = 4", "[[forces]]\nkind = \"drag\"\nlinear = 0.7\ncoefficient = 0")));
  const Recorded quadratic(
      scene_of(free_mass(0.5, "drag_area = 0.1", "duration = 4",
                         "[[forces]]\nkind = \"drag\"\ncoefficient = 0.5\ndensity = 1.2")));
  const double terminal = 0.5 * kGravity / 0.7;
  const double terminal_quadratic = std::sqrt(2 * 0.5 * kGravity / (1.2 * 0.5 * 0.1));
  for (std::size_t i = 0; i < linear.count(); ++i) {
    const double t = linear.at(i, "t");
    EXPECT_NEAR(linear.at(i, "vz_1"), terminal * std::expm1(-0.7 * t / 0.5), 1e-13 * terminal);
    EXPECT_NEAR(quadratic.at(i, "vz_1"), -terminal_quadratic * std::tanh(kGravity * t / terminal_quadratic),
                1e-13 * terminal_quadratic);
  }
}

TEST(Forces, BuoyancyTakesFromTheWeightWhatTheMediumWeighs) {
  const Recorded run(scene_of(
      free_mass(2.0, "volume = 1e-3", "duration = 1", "[[forces]]\nkind = \"buoyancy\"\ndensity = 500")));
  EXPECT_NEAR(run.last("vz_1"), -kGravity * (2.0 - 0.5) / 2.0, 1e-14);
}

// Velocities alone fall by exp(-rate t); the classic trick multiplies them by a factor each step.
TEST(Forces, VelocityDampingIsTheFactorPerStepMadeHonest) {
  const Recorded run(scene_of(free_mass(2.0, "theta_dot = 3", "duration = 2\ngravity = 0", ""),
                              {"chain.velocity_damping=0.6"}));
  EXPECT_NEAR(run.last("vx_1"), 3 * std::exp(-1.2), 1e-14);
  EXPECT_NEAR(run.last("x_1"), 3 * -std::expm1(-1.2) / 0.6, 1e-14);
  EXPECT_NEAR(run.last("dissipated"), 9 * -std::expm1(-2.4), 1e-13);
}

// theta = A exp(-d t) (cos w t + d/w sin w t), d = c/(2 m l^2): small swings, the cubic term is 1e-12 of it.
TEST(Forces, SmallSwingsDieOutAsTheClosedFormSays) {
  const double damping = 0.3, decay = damping / (2 * 0.5 * 0.8 * 0.8);
  const double omega = std::sqrt(kGravity / 0.8 - decay * decay), amplitude = 1e-6;
  const Recorded run(
      scene_of(fmt::format("[simulation]\nduration = 5\n[[chain.links]]\nlength = 0.8\nmass = "
                           "0.5\ntheta = {}\ndamping = {}\n",
                           amplitude, damping)));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double t = run.at(i, "t");
    const double expected =
        amplitude * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
    EXPECT_NEAR(run.at(i, "theta_1"), expected, 1e-11 * amplitude);
  }
}

// A swing that friction alone slows: the amplitude falls by 2 friction/(m g l) each half swing, in a straight
// line; rounding friction off at 1e-4 rad/s and the swing's finite size (0.02 rad) leave 1 %.
TEST(Forces, DryFrictionShortensSwingsInAStraightLine) {
  const double friction = 1e-3;
  const double half = kPi / std::sqrt(kGravity);
  const Recorded run(
      scene_of(fmt::format("[simulation]\nduration = {0}\nsample = {1}\n[[chain.links]]\nlength = "
                           "1\nmass = 1\ntheta = 0.02\nfriction = {2}\nfriction_rate = 1e-4\n",
                           20 * half, half, friction)));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double expected = (i % 2 == 0 ? 1 : -1) * (0.02 - 2 * friction / kGravity * static_cast<double>(i));
    EXPECT_NEAR(run.at(i, "theta_1"), expected, 2e-4 * 0.02 * (1 + static_cast<double>(i)));
  }
}

// Stable upside down when a^2 w^2 > 2 g l: not far above and below the threshold of a w = 4.43.
TEST(Forces, KapitzasPendulumStandsWhenItShould) {
  const auto highest = [](double frequency) {
    const Recorded run(scene_of(fmt::format(
        "[simulation]\nduration = 20\n[chain]\npivot = [0, 0, \"0.05*cos({}*t)\"]\n[[chain.links]]\n"
        "length = 1\nmass = 1\ntheta = \"175 deg\"\n",
        frequency)));
    double lowest = 4.0;
    for (const double theta : run.column("theta_1")) lowest = std::min(lowest, theta);
    return lowest;
  };
  EXPECT_GT(highest(5.5 / 0.05), 2.8);  // stays within 20 degrees of the top
  EXPECT_LT(highest(3.9 / 0.05), 1.0);  // falls
}

// theta'' + theta'/2 + sin theta = g cos(2 t/3): one period at g = 0.9, two at 1.07 (G. L. Baker and J. P.
// Gollub, Chaotic Dynamics).
TEST(Forces, TheDrivenPendulumDoublesItsPeriod) {
  const double period = 3 * kPi;
  const auto apart = [&](double drive, int periods) {
    const Recorded run(scene_of(
        fmt::format("[simulation]\nduration = {0}\nsample = {1}\ngravity = 1\n[[chain.links]]\nlength = "
                    "1\nmass = 1\ndamping = 0.5\n[[forces]]\nkind = \"formula\"\nforce = "
                    "[\"-drive*z*cos(2*t/3)\", 0, \"drive*x*cos(2*t/3)\"]\nparameters = {{drive = {2}}}\n",
                    200 * period, period, drive)));
    const std::size_t last = run.count() - 1;
    return std::fabs(run.at(last, "theta_dot_1") -
                     run.at(last - static_cast<std::size_t>(periods), "theta_dot_1"));
  };
  EXPECT_LT(apart(0.9, 1), 1e-10);
  EXPECT_GT(apart(1.07, 1), 1e-3);
  EXPECT_LT(apart(1.07, 2), 1e-6);
}

// A pivot that falls into a sideways acceleration is gravity that leans: the same motion seen from it.
TEST(Forces, AnAcceleratedPivotFeelsLikeLeaningGravity) {
  const std::string links =
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1.2\nphi = 0.4\nphi_dot = 1\n[[chain.links]]\nlength = "
      "0.6\nmass = 0.5\ntheta = 0.3\n";
  for (const std::string kind : {"", "kind = \"elastic\"\n"}) {
    std::string own = links;
    if (!kind.empty()) {
      for (std::size_t at = 0; (at = own.find("mass", at)) != std::string::npos; at += 20)
        own.insert(at, "stiffness = 90\n");
    }
    const Recorded moving(scene_of("[simulation]\nduration = 3\n[chain]\n" + kind +
                                   "pivot = [\"1 + 0.75*t^2\", \"-t\", \"0.25*t^2\"]\n" + own));
    const Recorded leaning(
        scene_of("[simulation]\nduration = 3\ngravity = [-1.5, 0, -10.31]\n[chain]\n" + kind + own));
    for (std::size_t i = 0; i < moving.count(); ++i) {
      const double t = moving.at(i, "t");
      EXPECT_NEAR(moving.at(i, "x_2") - 1 - 0.75 * t * t, leaning.at(i, "x_2"), 1e-12);
      EXPECT_NEAR(moving.at(i, "y_2") + t, leaning.at(i, "y_2"), 1e-12);
      EXPECT_NEAR(moving.at(i, "vz_2") - 0.5 * t, leaning.at(i, "vz_2"), 1e-12);
      EXPECT_NEAR(moving.at(i, "tension_1"), leaning.at(i, "tension_1"), 1e-11);
    }
    EXPECT_LT(std::fabs(moving.last("energy_error")), 1e-11);
    EXPECT_GT(std::fabs(moving.last("work")), 1.0);
  }
}

// Two equal pendulums and a weak spring: normal modes sqrt(g/l) and sqrt(g/l + 2 k/m), to the cubes of small
// swings.
TEST(Forces, PendulumsOnASpringExchangeTheirSwing) {
  const double k = 0.4, slow = std::sqrt(kGravity), fast = std::sqrt(kGravity + 2 * k), amplitude = 1e-5;
  const Recorded run(scene_of(fmt::format(
      "[simulation]\nduration = 30\n[[chains]]\nname = \"a\"\nlinks = [{{length = 1, mass = 1, theta = "
      "{}}}]\n"
      "[[chains]]\nname = \"b\"\npivot = [2, 0, 0]\nlinks = [{{length = 1, mass = 1}}]\n[[forces]]\nkind = "
      "\"spring\"\nbetween = [\"a.1\", \"b.1\"]\nstiffness = {}\nlength = 2\n",
      amplitude, k)));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "x_b_1") - 2, amplitude / 2 * (std::cos(slow * t) - std::cos(fast * t)),
                2e-4 * amplitude);
  }
  EXPECT_LT(run.summary.energy_error_relative * run.summary.energy_scale, 1e-14);
}

// ---- slack links with damping -----------------------------------------------------------------------------

std::string damped_rope(double damping, const std::string& start, const std::string& simulation) {
  return fmt::format(
      "[simulation]\nsample = 0.01\n{}\n[chain]\nkind = \"elastic\"\nslack = true\n[[chain.links]]\nlength = "
      "1\n"
      "mass = 0.5\nstiffness = 80\naxial_damping = {}\n{}\n",
      simulation, damping, start);
}

// While it is short, a damped rope neither pulls nor pushes, however fast its length changes.
TEST(Forces, DampingOfASlackRopeDoesNothingWhileItIsShort) {
  for (const double damping : {0.1, 5.0, 300.0}) {
    for (const char* start : {"stretch = -0.5", "stretch = -0.5\ntheta = \"90 deg\"\nstretch_dot = 1.5",
                              "stretch = -0.3\ntheta = 0.4\nstretch_dot = -2\ntheta_dot = 1"}) {
      const Recorded run(scene_of(damped_rope(damping, start, "duration = 0.2")));
      const double vx = run.at(0, "vx_1"), vz = run.at(0, "vz_1");
      for (std::size_t i = 0; i < run.count(); ++i) {
        const double t = run.at(i, "t");
        EXPECT_NEAR(run.at(i, "x_1"), run.at(0, "x_1") + vx * t, 1e-14) << start;
        EXPECT_NEAR(run.at(i, "z_1"), run.at(0, "z_1") + vz * t - 0.5 * kGravity * t * t, 1e-14) << start;
        EXPECT_EQ(run.at(i, "tension_1"), 0.0);
        EXPECT_EQ(run.at(i, "dissipated"), 0.0);
      }
    }
  }
}

// Up and down: while T = c e + b e' > 0 a damped oscillation about m g / c, else free fall.
struct Bounce {
  double damping, e, v;  // at `since`
  double since = 0.0;
  bool pulls = true;
  static constexpr double kMass = 0.5, kStiffness = 80.0;

  std::pair<double, double> at(double t) const {
    const double s = t - since;
    if (!pulls) return {e + v * s + 0.5 * kGravity * s * s, v + kGravity * s};
    const double rest = kMass * kGravity / kStiffness, decay = damping / (2 * kMass);
    const double w = std::sqrt(kStiffness / kMass - decay * decay), a = e - rest, b = (v + decay * a) / w;
    const double c = std::cos(w * s), n = std::sin(w * s), fade = std::exp(-decay * s);
    return {rest + fade * (a * c + b * n), fade * (w * (b * c - a * n) - decay * (a * c + b * n))};
  }
  bool is_over(double t) const {
    const auto [stretch, rate] = at(t);
    const bool pulling = stretch > 0.0 && kStiffness * stretch + damping * rate > 0.0;
    return pulling != pulls;
  }
  void go_to(double t) {
    for (double look = since; look < t; look += 1e-4) {
      if (!is_over(std::min(look + 1e-4, t))) continue;
      double low = look, high = std::min(look + 1e-4, t);
      for (int i = 0; i < 60; ++i) (is_over(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
      std::tie(e, v) = at(high);
      since = high;
      pulls = !pulls;
      return go_to(t);
    }
  }
};

TEST(Forces, ADampedRopePullsOrDoesNothing) {
  for (const double damping : {0.4, 3.0, 8.0}) {
    const Recorded run(scene_of(damped_rope(damping, "stretch = 0.3", "duration = 3")));
    Bounce bounce{damping, 0.3, 0.0};
    bool was_free = false;
    for (std::size_t i = 0; i < run.count(); ++i) {
      const double t = run.at(i, "t");
      bounce.go_to(t);
      const auto [e, v] = bounce.at(t);
      EXPECT_NEAR(run.at(i, "z_1"), -1.0 - e, 2e-12) << damping << " " << t;
      EXPECT_NEAR(run.at(i, "vz_1"), -v, 2e-11) << damping << " " << t;
      EXPECT_GE(run.at(i, "tension_1"), 0.0);
      // The pivot holds what the rope pulls.
      EXPECT_NEAR(run.at(i, "fz_pivot"), run.at(i, "tension_1"), 1e-12 * (1 + run.at(i, "tension_1")));
      was_free = was_free || (e > 0.01 && run.at(i, "tension_1") == 0.0);  // stretched, and yet limp
    }
    EXPECT_EQ(was_free, damping == 3.0) << damping;
    // What is dissipated takes no part in the choice of steps.
    EXPECT_LT(run.summary.energy_error_relative, 2e-11);
  }
}

// With and without slack, in space: the tension of a link on the pivot is the pivot's force, dampers
// included.
TEST(Forces, TensionsCountTheDampersIn) {
  for (const char* slack : {"true", "false"}) {
    const Recorded run(
        scene_of(damped_rope(2.0, "stretch = 0.2\ntheta = 1.2\nphi_dot = 2\nstretch_dot = 1", "duration = 2"),
                 {std::string("chain.slack=") + slack}));
    for (std::size_t i = 0; i < run.count(); ++i) {
      const double along = run.at(i, "fx_pivot") * run.at(i, "ux_1") +
                           run.at(i, "fy_pivot") * run.at(i, "uy_1") +
                           run.at(i, "fz_pivot") * run.at(i, "uz_1");
      EXPECT_NEAR(-along, run.at(i, "tension_1"), 1e-12 * (1 + std::fabs(run.at(i, "tension_1"))));
    }
  }
}

// Implicit methods have the derivatives of the same law.
TEST(Forces, ADampedRopeIsTheSameForImplicitMethods) {
  const std::string rope = damped_rope(3.0, "stretch = 0.3", "duration = 1");
  const Recorded a(scene_of(rope)),
      b(scene_of(rope, {"simulation.method=\"radau5\"", "simulation.tolerance=1e-9"}));
  EXPECT_NEAR(a.last("z_1"), b.last("z_1"), 1e-7);
}

// ---- springs ----------------------------------------------------------------------------------------------

// A spring without length is a vector of springs, and damped along its way: through its anchor and back.
TEST(Forces, ADampedSpringWithoutLengthGoesThroughItsAnchor) {
  const double c = 40.0, b = 1.5, m = 0.5, decay = b / (2 * m), w = std::sqrt(c / m - decay * decay);
  const std::vector<std::pair<std::string, double>> anchor{{"x_1", 0.4}, {"y_1", -0.1}, {"z_1", -1.5}};
  for (const char* method : {"taylor", "dop853"}) {
    for (const char* start : {"theta = \"90 deg\"", "direction = [1, 2, -2]"}) {
      const std::string spring = law(
          "spring",
          fmt::format("between = [\"chain.1\", [0.4, -0.1, -1.5]]\nlength = 0\nstiffness = {}\ndamping = {}",
                      c, b));
      const Recorded run(scene_of(free_mass(m, start, "duration = 2\nsample = 0.05\ngravity = 0", spring),
                                  {std::string("simulation.method=\"") + method + "\""}));
      ASSERT_EQ(run.summary.outcome, Outcome::done) << method << start << run.summary.message;
      for (std::size_t i = 0; i < run.count(); ++i) {
        const double t = run.at(i, "t");
        const double part = std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
        for (const auto& [column, at] : anchor)
          EXPECT_NEAR(run.at(i, column), at + (run.at(0, column) - at) * part,
                      method[0] == 't' ? 1e-12 : 1e-8)
              << method << t;
      }
    }
  }
}

// The shipped rope: links 2 to 12 are at their own lengths and fall freely, on their kinks, until the first
// one is taut again after sqrt(4 L sin(60 deg) / g) = 0.297 s; in the next 0.2 s links change over 57 times.
// The places come from the equations of motion written down once more, integrated by another program's DOP853
// (1e-13, restarted at every change), which is right to 4e-13 as steps of 1e-4 and 3e-5 s show.
TEST(Forces, ARopeThatSnapsTautIsWhereAnotherProgramHasIt) {
  const std::string text =
      "[simulation]\nduration = 0.5\nsample = 0.1\n[chain]\nkind = \"elastic\"\nslack = "
      "true\n[[chain.links]]\n"
      "length = 0.25\nmass = 0.05\nrepeat = 12\ntheta = \"150 deg\"\ntheta_step = \"-6 deg\"\nstiffness = "
      "2000\n"
      "axial_damping = 0.5\n";
  for (const char* how : {"simulation.order=24", "simulation.method=dop853"}) {
    const Recorded run(scene_of(text, {how, "simulation.tolerance=1e-14"}));
    EXPECT_NEAR(run.at(4, "x_6"), 1.0367998194267, 2e-12) << how;
    EXPECT_NEAR(run.at(4, "x_12"), 2.5004172937642, 2e-12) << how;
    EXPECT_NEAR(run.at(4, "z_6"), 0.2502592251842, 2e-12) << how;
    EXPECT_NEAR(run.last("x_6"), 1.0305109833657, 2e-12) << how;
    EXPECT_NEAR(run.last("x_12"), 2.3981126625192, 2e-12) << how;
    EXPECT_NEAR(run.last("z_6"), -0.2256470354698, 2e-12) << how;
    EXPECT_NEAR(run.last("z_12"), 0.0589922045933, 2e-12) << how;
  }
}

// A slack rope does not act: the ball flies a parabola until the rope is taut.
TEST(Forces, ABallOnASlackRopeFliesFreely) {
  const std::string text =
      "[simulation]\nduration = 0.4\n[chain]\nkind = \"elastic\"\nslack = true\n[[chain.links]]\nlength = 1\n"
      "mass = 1\nstiffness = 500\ntheta = \"90 deg\"\nstretch = -0.5\ntheta_dot = -2\n";
  const Recorded run(scene_of(text));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double t = run.at(i, "t");
    const double x = 0.5, z = -1.0 * t - 0.5 * kGravity * t * t;  // theta_dot = -2 at r = 0.5: 1 m/s down
    if (std::hypot(x, z) > 1.0) break;
    EXPECT_NEAR(run.at(i, "x_1"), x, 1e-14);
    EXPECT_NEAR(run.at(i, "z_1"), z, 1e-14);
    EXPECT_EQ(run.at(i, "tension_1"), 0.0);
    EXPECT_EQ(run.at(i, "elastic"), 0.0);
  }
  Scene longer = scene_of(text, {"simulation.duration=10"});
  const Recorded bounces(longer);
  EXPECT_LT(bounces.summary.energy_error_relative, 1e-12);
  // Orders differ in where their steps end, so agreement says that the switches are met and not stepped over.
  longer.simulation.order = 15;
  const Recorded again(longer);
  EXPECT_NEAR(again.at(200, "x_1"), bounces.at(200, "x_1"), 1e-11);
}

// Hinges that all turn about y keep a chain in its plane, in whatever space it is computed.
TEST(Forces, HingesAboutOneAxisMakeAPlanarChain) {
  const std::string links =
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2\ninertia = \"rod\"\nhinge = [0, 1, 0]\n"
      "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = 1\ntheta_dot = -1\nhinge = [0, 2, 0]\n";
  const Recorded plane(scene_of("[simulation]\nduration = 5\n[chain]\n" + links));
  const Recorded space(scene_of("[simulation]\nduration = 5\n[chain]\nplane = \"none\"\n" + links));
  EXPECT_EQ(plane.summary.degrees_of_freedom, 2u);
  EXPECT_EQ(space.summary.degrees_of_freedom, 2u);
  for (const std::string column : {"x_1", "z_1", "x_2", "z_2", "vx_2", "tension_1", "tension_2"}) {
    const double size = std::max(1.0, test::largest(plane.column(column)));
    EXPECT_LT(test::largest_difference(plane.column(column), space.column(column)), 1e-12 * size) << column;
  }
}

// A side force on a hinged link is carried by the hinge: only the part across the axis counts.
TEST(Forces, AHingeCarriesWhatPushesAlongItsAxis) {
  const std::string link = "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\nhinge = [0, 1, 0]\n";
  const std::string forces = "[[forces]]\nkind = \"formula\"\nforce = [0.5, 3, 0]\n";
  const Recorded held(scene_of("[simulation]\nduration = 5\n" + link + forces));
  const Recorded plane(scene_of("[simulation]\nduration = 5\ngravity = [0.5, 0, -9.81]\n" + link));
  EXPECT_LT(test::largest_difference(held.column("x_1"), plane.column("x_1")), 1e-12);
  EXPECT_LT(test::largest(held.column("y_1")), 1e-14);
}

// ---- every law by itself and all together -----------------------------------------------------------------

struct LawCase {
  const char* name;
  std::string forces;
  std::vector<std::string> overrides;
  bool smooth = true;  // no kinks on the way, so that the order can be measured
};

void PrintTo(const LawCase& law, std::ostream* out) { *out << law.name; }

const char* kLinks = R"(
[simulation]
duration = 5
sample = 0.1
[chain]
[[chain.links]]
length = 1
mass = 1
theta = 2.0
theta_dot = 0.5
phi_dot = 0.4
charge = 0.2
drag_area = 0.05
volume = 1e-3
[[chain.links]]
length = 0.7
mass = 0.5
theta = 0.5
phi = 1.0
theta_dot = -1.2
charge = 0.3
drag_area = 0.02
volume = 2e-3
)";

const std::vector<LawCase>& laws() {
  static const std::string drag = law("drag", "linear = 0.1");
  static const std::string magnets = law("magnet", "position = [0.3, 0.1, -3]\nmoment = [1e3, 0, 1e5]") +
                                     law("magnet", "position = [-0.5, 0.4, -3]\nmoment = [0, 2e4, 8e4]");
  static const std::vector<LawCase> all{
      {"drag", drag, {}},
      {"wind", drag + law("wind", "velocity = [\"2*sin(t)\", 1, \"0.1*x\"]"), {}},
      {"profile",
       drag + law("wind", "velocity = [2, \"cos(t)\", 0]\nheight = 3\nground = -4\nexponent = 0.2"),
       {}},
      {"buoyancy", law("buoyancy", "density = 200"), {}},
      {"velocity_damping", law("velocity-damping", "rate = 0.3"), {"chain.velocity_damping=0.1"}},
      {"gravity", law("gravity", "field = [\"sin(t)\", \"0.3*x\", \"-0.1*z\"]"), {}},
      {"gravity_potential", law("gravity", "potential = \"0.5*x^2*sin(t) + y*z\""), {}},
      {"point_mass", law("point-mass", "strength = 30\nposition = [1, 2, 1]"), {}},
      {"electric", law("electric", "field = [1, \"x*cos(t)\", 0]"), {}},
      {"electric_potential", law("electric", "potential = \"3*x*y*exp(-t)\""), {}},
      {"magnetic", law("magnetic", "field = [0, \"0.1*x\", \"0.5 + 0.1*sin(t)\"]"), {}},
      {"moments",
       law("magnetic", "field = [\"0.1*z\", \"0.1*x\", \"0.3 + 0.1*sin(t)\"]"),
       {"chain.links.1.moment=4", "chain.links.2.moment=[1,2,-3]"}},
      {"point_charge", law("point-charge", "charge = 2\nposition = [0, 0, -3]\nconstant = 5"), {}},
      {"magnets", magnets, {"chain.links.*.susceptibility=2"}},
      {"coulomb", law("coulomb", "constant = 20"), {}},
      {"dipoles",
       magnets + law("dipoles", ""),
       {"chain.links.1.moment=60", "chain.links.2.moment=[0,30,40]", "chain.links.2.susceptibility=1"}},
      {"spring", law("spring", "between = [\"chain.2\", [1, 1, 0]]\nstiffness = 4\nlength = 0.5"), {}},
      {"damper", law("spring", "between = [\"chain.2\", [1, 1, 0]]\ndamping = 0.4"), {}},
      {"formula",
       law("formula",
           "force = [\"-0.1*vx*speed\", \"m*q*i\", \"k*sin(omega*t)\"]\nparameters = "
           "{k = 0.5, omega = 2}"),
       {}},
      {"formula_potential",
       law("formula", "potential = \"k*(x^2 + y^2)*cos(t)\"\nparameters = {k = 0.5}"),
       {}},
      {"joint_damping", "", {"chain.links.*.damping=0.05"}},
      {"directed_damping", "", {"chain.links.*.damping=[0.05,0.01,0.1]"}},
      {"friction", "", {"chain.links.*.friction=0.05", "chain.links.*.friction_rate=0.3"}},
      {"joint_stiffness", "", {"chain.links.*.joint_stiffness=2"}},
      {"pivot", "", {"chain.pivot=[\"0.1*sin(5*t)\",\"0.2*cos(t)\",\"0.05*t^2\"]"}},
      {"floor", law("formula", "potential = \"40*max(0, -1.2 - z)^2 + 2*abs(x)\""), {}, false},
      {"gusts", drag + law("wind", "velocity = [\"4*step(t - 1) - 3*abs(sin(2*t))\", 0, 0]"), {}, false},
  };
  return all;
}

LawCase everything() {
  LawCase all{"everything", "", {}};
  for (const LawCase& one : laws()) {
    if (!one.smooth) continue;
    all.forces += one.forces;
    all.overrides.insert(all.overrides.end(), one.overrides.begin(), one.overrides.end());
  }
  return all;
}

// The same laws on rigid links, on rods with mass along them, on elastic links, and in a plane.
std::vector<std::vector<std::string>> chains() {
  return {{},
          {"chain.links.*.inertia=\"rod\""},
          {"chain.kind=\"elastic\"", "chain.links.*.stiffness=200", "chain.links.*.axial_damping=1.5"},
          {"chain.links.*.phi=0", "chain.links.*.phi_dot=0"}};
}

class EveryLaw : public testing::TestWithParam<LawCase> {};

// 1e-10 is asked for; roundoff and the tolerance of 1e-15 leave 1e-12 of energies around 20 J.
TEST_P(EveryLaw, BalancesTheEnergy) {
  for (std::vector<std::string> overrides : chains()) {
    overrides.insert(overrides.end(), GetParam().overrides.begin(), GetParam().overrides.end());
    const Recorded run(scene_of(kLinks + GetParam().forces, overrides));
    EXPECT_EQ(run.summary.outcome, Outcome::done);
    EXPECT_LT(test::largest(run.column("energy_error")), 1e-12 * std::max(1.0, run.summary.energy_scale))
        << (overrides.empty() ? "" : overrides[0]);
  }
}

// Against a method that knows no series: what it evaluates is the right-hand side alone.
TEST_P(EveryLaw, MovesAsRungeKuttaSays) {
  for (std::vector<std::string> overrides : chains()) {
    overrides.insert(overrides.end(), GetParam().overrides.begin(), GetParam().overrides.end());
    Scene scene = scene_of(kLinks + GetParam().forces, overrides);
    scene.simulation.duration = 1.0;  // chaos multiplies the methods' errors by less than 100
    const Recorded series(scene);
    scene.simulation.method = "dop853";
    scene.simulation.tolerance = 1e-14;
    const Recorded slopes(scene);
    const double bound = GetParam().smooth ? 2e-10 : 1e-7;  // a kink costs dop853 its order
    for (const std::string column : {"x_2", "y_2", "z_2", "vx_1", "dissipated", "work"}) {
      EXPECT_LT(test::largest_difference(series.column(column), slopes.column(column)), bound)
          << column << (overrides.empty() ? "" : overrides[0]);
    }
  }
}

TEST_P(EveryLaw, KeepsTheOrderOfTheSeries) {
  if (!GetParam().smooth) return;  // the kinks' own test compares orders
  for (std::vector<std::string> overrides : chains()) {
    overrides.insert(overrides.end(), GetParam().overrides.begin(), GetParam().overrides.end());
    World world(scene_of(kLinks + GetParam().forces, overrides));
    EXPECT_GT(test::series_order(world, 0.3, 8, 0.04), 7.5) << (overrides.empty() ? "" : overrides[0]);
  }
}

std::string name_of(const testing::TestParamInfo<LawCase>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Laws, EveryLaw, testing::ValuesIn(laws()), name_of);
INSTANTIATE_TEST_SUITE_P(Together, EveryLaw, testing::Values(everything()), name_of);

// ---- planes -----------------------------------------------------------------------------------------------

bool stays_planar(const std::string& forces, const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all{"chain.links.*.phi_dot=0", "chain.links.*.phi=0"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return World(scene_of(kLinks + forces, all)).chains()[0].planar();
}

TEST(Forces, PlanesHoldWhereNothingPushesOutOfThem) {
  EXPECT_TRUE(stays_planar(law("drag", "linear = 1")));
  EXPECT_TRUE(stays_planar(law("drag", "") + law("wind", "velocity = [\"step(t)\", 0, \"abs(x)\"]")));
  EXPECT_FALSE(stays_planar(law("drag", "") + law("wind", "velocity = [0, \"step(t - 1)\", 0]")));
  EXPECT_TRUE(stays_planar(law("spring", "between = [\"chain.1\", [3, 0, 1]]\nstiffness = 1")));
  EXPECT_FALSE(stays_planar(law("spring", "between = [\"chain.1\", [3, 1, 1]]\nstiffness = 1")));
  EXPECT_FALSE(stays_planar(law("magnetic", "field = [0, 0, 1]")));
  EXPECT_TRUE(stays_planar(law("magnetic", "field = [0, 1, 0]")));
  EXPECT_TRUE(stays_planar("", {"chain.links.*.damping=0.1", "chain.links.*.joint_stiffness=1"}));
  EXPECT_TRUE(stays_planar("", {"chain.pivot=[\"sin(t)\",0,\"t\"]"}));
  EXPECT_FALSE(stays_planar("", {"chain.pivot=[0,\"sin(t)\",0]"}));
}

// Nothing is sampled: what acts late, or only somewhere far away, is seen in the formulas.
TEST(Forces, PlanesAreLeftByWhatActsLate) {
  const std::string late = "\"5*(1 + tanh(200*(t - 10)))\"", far = "\"exp(-(50*(x - 40))^2)\"",
                    then = "\"choose(t - 100, 1, 0)\"";
  for (const std::string& aside : {late, far, then}) {
    EXPECT_FALSE(stays_planar(law("formula", "force = [0, " + aside + ", 0]"))) << aside;
    EXPECT_FALSE(stays_planar(law("formula", "torque = [" + aside + ", 0, 0]"))) << aside;
    EXPECT_FALSE(stays_planar(law("electric", "field = [0, " + aside + ", 0]"))) << aside;
    EXPECT_FALSE(stays_planar(law("magnetic", "field = [0, 0, " + aside + "]"))) << aside;
    EXPECT_FALSE(stays_planar(law("gravity", "field = [0, " + aside + ", 0]"))) << aside;
    EXPECT_FALSE(stays_planar(law("drag", "") + law("wind", "velocity = [0, " + aside + ", 0]"))) << aside;
    // The same along the plane.
    EXPECT_TRUE(stays_planar(law("formula", "force = [" + aside + ", 0, 1]"))) << aside;
    EXPECT_TRUE(stays_planar(law("formula", "torque = [0, " + aside + ", 0]"))) << aside;
    EXPECT_TRUE(stays_planar(law("magnetic", "field = [0, " + aside + ", 0]"))) << aside;
    EXPECT_TRUE(stays_planar(law("drag", "") + law("wind", "velocity = [" + aside + ", 0, 0]"))) << aside;
  }
  EXPECT_FALSE(stays_planar(law("formula", "potential = \"y*(1 + tanh(200*(t - 10)))\"")));
  EXPECT_TRUE(stays_planar(law("formula", "potential = \"(x + y^2)*(1 + tanh(200*(t - 10)))\"")));
  EXPECT_FALSE(stays_planar("", {"chain.pivot=[0,\"1 + tanh(200*(t - 10))\",0]"}));
  EXPECT_FALSE(stays_planar("", {"chain.pivot=[0,\"choose(t - 100000, t - 100000, 0)\",0]"}));
}

// A force that acts late moves the chain then, in a plane or not.
TEST(Forces, AChainThatIsPushedAsideLateSwingsAside) {
  const std::string push = law("formula", "force = [0, \"0.3*(1 + tanh(5*(t - 6)))\", 0]");
  const std::vector<std::string> from{"chain.links.*.phi_dot=0", "chain.links.*.phi=0",
                                      "simulation.duration=8"};
  std::vector<std::string> space = from;
  space.push_back("chain.plane=\"none\"");
  const Recorded a(scene_of(kLinks + push, from)), b(scene_of(kLinks + push, space));
  EXPECT_GT(std::fabs(a.last("y_1")), 1e-3);
  EXPECT_EQ(a.last("y_1"), b.last("y_1"));
}

TEST(Forces, PlanesHoldInAllDirections) {
  const std::vector<std::string> turned{"chain.links.*.phi=\"33 deg\""};
  EXPECT_TRUE(stays_planar(law("drag", "linear = 1"), turned));
  EXPECT_TRUE(
      stays_planar(law("coulomb", "") + law("point-mass", "strength = 1\nposition = [0, 0, 3]"), turned));
  EXPECT_FALSE(stays_planar(law("drag", "") + law("wind", "velocity = [1, 0, 0]"), turned));
  EXPECT_TRUE(stays_planar("", {"chain.links.*.phi=\"33 deg\"", "chain.links.*.damping=0.1"}));
  EXPECT_FALSE(stays_planar("", {"chain.links.*.phi=\"33 deg\"", "chain.links.*.damping=[0.1,0.2,0]"}));
  const std::string along = "parameters = { c = 0.838670567945424, s = 0.5446390350150271 }\n";
  EXPECT_TRUE(stays_planar(
      law("formula", along + "force = [\"c*tanh(t - 10)\", \"s*tanh(t - 10)\", \"x*y\"]"), turned));
  EXPECT_FALSE(stays_planar(law("formula", along + "force = [\"c*tanh(t - 10)\", \"s*tanh(t - 10.001)\", 0]"),
                            turned));
  EXPECT_TRUE(
      stays_planar("", {"chain.links.*.phi=\"45 deg\"", "chain.pivot=[\"min(t, 1)\", \"min(t, 1)\", 0]"}));
  // Each spring goes to a place of its own in the plane.
  std::string springs;
  for (const double far : {2.0, 3.0, 4.0}) {
    springs += law("spring", fmt::format("between = [\"chain.1\", [{:.17g}, {:.17g}, 1]]\nstiffness = 1",
                                         far * 0.838670567945424, far * 0.5446390350150271));
  }
  EXPECT_TRUE(stays_planar(springs, turned));
}

TEST(Forces, APlanarRunIsTheSpatialOne) {
  const std::string forces =
      law("drag", "linear = 0.2") + law("wind", "velocity = [\"sin(t)\", 0, 0.3]") +
      law("spring", "between = [\"chain.1\", [3, 0, 1]]\nstiffness = 1\ndamping = 0.2");
  const std::vector<std::string> plane{"chain.links.*.phi_dot=0", "chain.links.*.phi=0",
                                       "chain.links.*.damping=0.05", "chain.links.*.joint_stiffness=1"};
  std::vector<std::string> space = plane;
  space.push_back("chain.plane=\"none\"");
  const Recorded a(scene_of(kLinks + forces, plane)), b(scene_of(kLinks + forces, space));
  for (const std::string column : {"x_2", "z_2", "vx_1", "dissipated", "work", "tension_1", "energy"}) {
    EXPECT_LT(test::largest_difference(a.column(column), b.column(column)), 1e-11) << column;
  }
}

}  // namespace
}  // namespace catena
