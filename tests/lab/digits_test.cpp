// Kinks, slack links, hinges and forces on bodies with more digits than a double: against closed forms and
// against other formulations of the same motion.
#include "lab/digits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/math/functions_digits.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;

// A column at time t, with all digits.
class Digits {
 public:
  Digits(const std::string& precision, const std::string& text, double t)
      : run_(scene_of(fmt::format("[simulation]\nduration = {}\nprecision = \"{}\"\n{}", t, precision, text)),
             Schedule::grid(t, t)) {
    EXPECT_EQ(run_.summary.outcome, Outcome::done) << run_.summary.message;
  }

  DoubleDouble operator()(const std::string& column) const {
    return {run_.last(column), run_.last("lo_" + column)};
  }
  double energy_error() const { return run_.summary.energy_error_relative; }

 private:
  test::Recorded run_;
};

void expect_near(const DoubleDouble& a, const DoubleDouble& b, double tolerance, const std::string& what) {
  EXPECT_LT(abs(a - b), tolerance) << what;
}

// Pushed back beyond 0.3, and gone on freely on the other side: x = 0.3 + s - s^2/2 with s = t - 0.3 up to
// s = 2.
TEST(Digits, JumpsArePassedToAllDigits) {
  for (const std::string& precision : kPrecisions) {
    const std::string text =
        "[equations]\nstates = { x = 0, v = 1 }\ndot = { x = \"v\", v = \"choose(x - 0.3, -1, 0)\" }\n";
    const DoubleDouble tenth = DoubleDouble(1.0) / DoubleDouble(10.0);
    const Digits later(precision, text, 3.0);
    expect_near(later("x"), DoubleDouble(-4.0) * tenth, 1e-28, precision);
    expect_near(later("v"), DoubleDouble(-1.0), 1e-28, precision);
  }
}

// A mass that falls half a metre before its spring is taut, and then swings about where it would hang.
TEST(Digits, SlackLinksGoTautToAllDigits) {
  using S = DoubleDouble;
  for (const std::string& precision : kPrecisions) {
    const Digits run(precision,
                     "gravity = 10\n[chain]\nkind = \"elastic\"\nslack = true\n[[chain.links]]\nlength = 1\n"
                     "mass = 2\nstiffness = 200\ntheta = 0\nstretch = -0.5\n",
                     0.625);
    const S g(10.0), w(10.0), fall = square_root(S(1.0) / S(10.0)), v = g * fall;
    const S s = S(0.625) - fall, hang = g / (w * w);
    const auto of = digits::sin_cos<S>(w * s);
    expect_near(run("z_1"), -(S(1.0) + hang - hang * of.cos + v / w * of.sin), 1e-28, precision);
    EXPECT_LT(run.energy_error(), 1e-28) << precision;
  }
}

// The norm of a velocity has its kink where the pendulum turns.
TEST(Digits, DragIsFollowedThroughTurningPoints) {
  for (const std::string& precision : kPrecisions) {
    const Digits chain(
        precision,
        "gravity = 9.8125\n[[chain.links]]\nlength = 0.5\nmass = 2\ntheta = 2\ndrag_area = 1\n[[forces]]\n"
        "kind = \"drag\"\ndensity = 2\ncoefficient = 0.25\nlinear = 0\n",
        3.0);
    const Digits equations(precision,
                           "[equations]\nstates = { a = 2, w = 0 }\n"
                           "dot = { a = \"w\", w = \"-2*9.8125*sin(a) - abs(w)*w/16\" }\n",
                           3.0);
    expect_near(chain("theta_1"), equations("a"), 1e-28, precision);
    expect_near(chain("theta_dot_1"), equations("w"), 1e-27, precision);
  }
}

// A rod as a link and as a body on a pin, under a force with jumps and kinks: another solver.
TEST(Digits, ForcesActOnBodiesAsOnLinks) {
  const std::string force =
      "[[forces]]\nkind = \"formula\"\nforce = [\"choose(x - 0.25, 2, -1) + 0.5*cos(3*t)\", 0, "
      "\"abs(vx)/4\"]\n";
  for (const std::string& precision : kPrecisions) {
    const Digits chain(precision,
                       "gravity = 9.8125\n[[chain.links]]\nlength = 1\nmass = 1\ncenter_of_mass = 0.5\n"
                       "inertia = 0.125\ntheta = \"90 deg\"\ntheta_dot = 0.5\n" +
                           force,
                       1.5);
    const Digits body(
        precision,
        "gravity = 9.8125\n[[bodies]]\nname = \"bar\"\nmass = 1\ninertia = [0.125, 0.125, 0.125]\n"
        "position = [0.5, 0, 0]\n[[joints]]\nname = \"pin\"\nkind = \"revolute\"\n"
        "bodies = [\"ground\", \"bar\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\nrate = -0.5\n" +
            force,
        1.5);
    expect_near(DoubleDouble(2.0) * body("x_bar"), chain("x_1"), 1e-28, precision);
    expect_near(DoubleDouble(2.0) * body("z_bar"), chain("z_1"), 1e-28, precision);
    expect_near(DoubleDouble(2.0) * body("vz_bar"), chain("vz_1"), 1e-27, precision);
  }
}

// A torque about the axis of a wheel, and one that turns with the world: theta'' = tau / I.
TEST(Digits, TorquesActOnBodies) {
  for (const std::string& precision : kPrecisions) {
    const Digits run(
        precision,
        "gravity = 0\n[[bodies]]\nname = \"wheel\"\nmass = 1\ninertia = [0.5, 0.25, 0.5]\n[[joints]]\n"
        "name = \"axle\"\nkind = \"revolute\"\nbodies = [\"ground\", \"wheel\"]\npoint = [0, 0, 0]\n"
        "axis = [0, 1, 0]\n[[forces]]\nkind = \"formula\"\ntorque = [0, \"0.125*cos(t)\", 0]\n",
        2.0);
    const DoubleDouble half(0.5);
    expect_near(run("angle_axle"), half * (DoubleDouble(1.0) - digits::cos(DoubleDouble(2.0))), 1e-28,
                precision);
    expect_near(run("angle_axle_dot"), half * digits::sin(DoubleDouble(2.0)), 1e-28, precision);
  }
}

// A hinged link, and a body on a hinge about the same axis.
TEST(Digits, HingesTurnAboutTheirAxesToAllDigits) {
  for (const std::string& precision : kPrecisions) {
    const Digits chain(precision,
                       "gravity = 9.8125\n[[chain.links]]\nlength = 1\nmass = 1\ncenter_of_mass = 0.5\n"
                       "inertia = 0.125\ndirection = [1, 0, 0]\nhinge = [0, 3, 4]\n",
                       1.0);
    const Digits body(
        precision,
        "gravity = 9.8125\n[[bodies]]\nname = \"bar\"\nmass = 1\ninertia = [0.125, 0.125, 0.125]\n"
        "position = [0.5, 0, 0]\n[[joints]]\nname = \"pin\"\nkind = \"revolute\"\n"
        "bodies = [\"ground\", \"bar\"]\npoint = [0, 0, 0]\naxis = [0, 3, 4]\n",
        1.0);
    for (const std::string axis : {"x", "y", "z"})
      expect_near(chain(axis + "_1"), DoubleDouble(2.0) * body(axis + "_bar"), 1e-29, precision + axis);
    EXPECT_LT(chain.energy_error(), 1e-29) << precision;
  }
}

// A sine that a motor prescribes, a spring with damping in the joint behind it: the same in coordinates.
TEST(Digits, MotorsSpringsAndDampersHaveAllDigits) {
  for (const std::string& precision : kPrecisions) {
    const Digits bodies(precision,
                        "gravity = 0\n[[bodies]]\nname = \"rotor\"\nmass = 1\ninertia = [0.5, 0.25, 0.5]\n"
                        "[[bodies]]\nname = \"wheel\"\nmass = 1\ninertia = [0.5, 0.25, 0.5]\n"
                        "[[joints]]\nname = \"axle\"\nkind = \"revolute\"\nbodies = [\"ground\", "
                        "\"rotor\"]\npoint = [0, 0, 0]\n"
                        "axis = [0, 1, 0]\nmotor = { angle = \"0.1*sin(3*t)\" }\n"
                        "[[joints]]\nname = \"spring\"\nkind = \"revolute\"\nbodies = [\"rotor\", "
                        "\"wheel\"]\npoint = [0, 0, 0]\n"
                        "axis = [0, 1, 0]\nstiffness = 0.7\nrest = \"30 deg\"\ndamping = 0.1\n",
                        2.0);
    const Digits equations(
        precision,
        "[equations]\nstates = { a = 0, w = 0 }\n"
        "dot = { a = \"w\", w = \"4*(-0.7*(a - 0.1*sin(3*t) - pi/6) - 0.1*(w - 0.3*cos(3*t)))\" }\n",
        2.0);
    const DoubleDouble driven = digits::sin(DoubleDouble(6.0)) / DoubleDouble(10.0);
    expect_near(bodies("angle_axle"), driven, 1e-29, precision);
    expect_near(bodies("angle_spring") + driven, equations("a"), 1e-28, precision);
  }
}

// Beyond its limit a spring pushes the wheel back: a half wave of a sine, and free flight again.
TEST(Digits, LimitsArePassedToAllDigits) {
  for (const std::string& precision : kPrecisions) {
    const Digits run(
        precision,
        "gravity = 0\n[[bodies]]\nname = \"wheel\"\nmass = 1\ninertia = [0.5, 0.25, 0.5]\n[[joints]]\n"
        "name = \"axle\"\nkind = \"revolute\"\nbodies = [\"ground\", \"wheel\"]\npoint = [0, 0, 0]\n"
        "axis = [0, 1, 0]\nrate = 1\nlimits = [\"-90 deg\", \"30 deg\"]\nlimit_stiffness = 25\n",
        1.5);
    // At the limit after pi/6 s, beyond it for pi/10 s.
    using S = DoubleDouble;
    const S pi = digits::pi<S>(), away = S(1.5) - pi / S(6.0) - pi / S(10.0);
    expect_near(run("angle_axle"), pi / S(6.0) - away, 1e-28, precision);
    expect_near(run("angle_axle_dot"), S(-1.0), 1e-27, precision);
  }
}

// A rod that goes round and round against a spring in its pin, and one that is kept within limits: rows
// inside steps and at their ends, few and many, have the energy of the turns that were made.
TEST(Digits, SpringsAndLimitsHaveTheEnergyOfTheirTurns) {
  for (const std::string& precision : kPrecisions) {
    for (const double sample : {1.0, 0.1}) {
      for (const std::string held : {"stiffness = 0.01\n", "limits = [-10, 10]\nlimit_stiffness = 3\n"}) {
        const test::Recorded run(
            scene_of(
                fmt::format("[simulation]\nduration = 2\nprecision = \"{}\"\n", precision) +
                "[[bodies]]\nname = \"rod\"\nshape = \"rod\"\nlength = 1\nmass = 1\n"
                "position = [0, 0, -0.5]\nangular_velocity = [0, 12, 0]\n"
                "orientation = { axis = [0, 1, 0], angle = \"90 deg\" }\n[[joints]]\nname = \"pin\"\n"
                "kind = \"revolute\"\nbodies = [\"ground\", \"rod\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n" +
                held),
            Schedule::grid(sample, 2.0));
        ASSERT_EQ(run.summary.outcome, Outcome::done) << run.summary.message;
        EXPECT_LT(run.summary.energy_error_relative, 1e-16) << precision << held << sample;
        double most = 0.0;
        for (std::size_t row = 0; row < run.count(); ++row) {
          const double angle = run.at(row, "angle_pin"), beyond = std::max(std::fabs(angle) - 10.0, 0.0);
          const double energy = held[0] == 's' ? 0.005 * angle * angle : 1.5 * beyond * beyond;
          EXPECT_NEAR(run.at(row, "elastic"), energy, 1e-13 * (1.0 + energy)) << precision << held << sample;
          most = std::max(most, std::fabs(angle));
        }
        EXPECT_GT(most, 6.3);
      }
    }
  }
}

// Several turns, in gears, racks and screws, under a constant torque: (I + what it drives) a'' = 1.
TEST(Digits, GearsRacksAndScrewsHaveAllDigits) {
  using S = DoubleDouble;
  const std::string first =
      "gravity = 0\n[[bodies]]\nname = \"a\"\nmass = 1\ninertia = [0.5, 0.25, 0.5]\n"
      "[[bodies]]\nname = \"b\"\nmass = 2\ninertia = [0.5, 0.25, 0.5]\nposition = [1, 0, 0]\n"
      "[[joints]]\nname = \"one\"\nkind = \"revolute\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\n"
      "axis = [0, 1, 0]\nmotor = { torque = \"1\" }\n[[joints]]\nname = \"two\"\nbodies = [\"ground\", "
      "\"b\"]\n"
      "point = [1, 0, 0]\naxis = [0, 1, 0]\n";
  const std::string tie = "[[joints]]\nname = \"tie\"\njoints = [\"one\", \"two\"]\nratio = -0.3\n";
  for (const std::string& precision : kPrecisions) {
    const double t = precision == "quad" ? 1.5 : 3.0;  // 4 and 16 rad
    const auto turned = [t](const S& inertia) { return S(0.5 * t * t) / inertia; };
    const S own(0.25), square = S(9.0) / S(100.0), ratio = S(-3.0) / S(10.0);
    const auto with = [](std::string text, const std::string& kind) {
      return text + "kind = \"" + kind + "\"\n";
    };
    const Digits gear(precision, with(first, "revolute") + with(tie, "gear"), t);
    const S by_gear = turned(own + own * square);
    expect_near(gear("angle_one"), by_gear, 1e-28, precision + " gear");
    expect_near(gear("angle_two"), ratio * by_gear, 1e-28, precision + " gear");
    const Digits rack(precision, with(first, "prismatic") + with(tie, "rack"), t);
    const S by_rack = turned(own + S(2.0) * square);
    expect_near(rack("angle_one"), by_rack, 1e-28, precision + " rack");
    expect_near(rack("travel_two"), ratio * by_rack, 1e-28, precision + " rack");
    const Digits screw(
        precision,
        "gravity = 0\n[[bodies]]\nname = \"nut\"\nmass = 2\ninertia = [0.5, 0.25, 0.5]\n[[joints]]\n"
        "name = \"thread\"\nkind = \"screw\"\nbodies = [\"ground\", \"nut\"]\npoint = [0, 0, 0]\n"
        "axis = [0, 1, 0]\npitch = 0.1\nmotor = { torque = \"1\" }\n",
        t);
    const S lead = S(1.0) / S(10.0);
    expect_near(screw("angle_thread"), turned(own + S(2.0) * lead * lead), 1e-28, precision + " screw");
  }
}

// A wheel on an arm, geared to how the arm turns: the arm is on two sides of one equation. Under a torque of
// 1 the arm turns by t^2/2 over 0.5 + 2 + 0.25 (1 - 0.3)^2.
TEST(Digits, GearsOnAnArmHaveAllDigits) {
  const std::string arm =
      "gravity = 0\n"
      "[[bodies]]\nname = \"arm\"\nmass = 1\ninertia = [0.5, 0.5, 0.5]\n"
      "[[bodies]]\nname = \"wheel\"\nmass = 2\ninertia = [0.25, 0.25, 0.25]\nposition = [1, 0, 0]\n"
      "[[joints]]\nname = \"one\"\nkind = \"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0, 0, 0]\n"
      "axis = [0, 1, 0]\nmotor = { torque = \"1\" }\n"
      "[[joints]]\nname = \"two\"\nkind = \"revolute\"\nbodies = [\"arm\", \"wheel\"]\npoint = [1, 0, 0]\n"
      "axis = [0, 1, 0]\n"
      "[[joints]]\nname = \"tie\"\nkind = \"gear\"\njoints = [\"one\", \"two\"]\nratio = -0.3\n";
  for (const std::string& precision : kPrecisions) {
    const Digits run(precision, arm, 1.5);
    const DoubleDouble turned =
        DoubleDouble(1.125) / (DoubleDouble(2.5) + DoubleDouble(49.0) / DoubleDouble(400.0));
    expect_near(run("angle_one"), turned, 1e-28, precision);
    expect_near(run("angle_two"), -(turned * DoubleDouble(3.0) / DoubleDouble(10.0)), 1e-28, precision);
    EXPECT_LT(run.energy_error(), 1e-28) << precision;
  }
}

// A row of parallelograms goes flat, a singular position that is leapt over. It moves as one crank does:
// three rods and two that do not turn, 3 a'' = 3.5 g sin(a) from straight up.
TEST(Digits, LeapsOverSingularPositionsKeepTwentyThreeDigits) {
  for (const double t : {1.0, 2.0}) {
    const test::Recorded row(test::shipped_scene("four-bar-row", {"simulation.precision=double-double",
                                                                  fmt::format("simulation.duration={}", t)}),
                             Schedule::grid(t, t));
    EXPECT_EQ(row.summary.outcome, Outcome::done) << row.summary.message;
    // Assembly finds the start's velocities in double: its rate is 1 to 16 digits, and known to all.
    const DoubleDouble rest =
        DoubleDouble(row.at(0, "angle_foot1_dot"), row.at(0, "lo_angle_foot1_dot")) - DoubleDouble(1.0);
    const Digits crank(
        "double-double",
        fmt::format("[equations]\nstates = {{ a = 0, w = 1}}\nparameters = {{ e = \"{:.17g}\" }}\n"
                    "dot = {{ a = \"w + e\", w = \"3.5*9.81/3*sin(a)\"}}\n",
                    rest.hi),
        t);
    const DoubleDouble x(row.last("x_coupler1"), row.last("lo_x_coupler1"));
    expect_near(x, DoubleDouble(0.5) + digits::sin(crank("a")), 1e-21, fmt::format("{} s", t));
    EXPECT_LT(row.summary.energy_error_relative, 1e-21);
  }
}

// A wall that is far away in time, in units of its width: v = integral of tanh = (0.715 - 1.285) + e^-1000.
TEST(Digits, FunctionsFarOutHaveSlopesOfZero) {
  const std::string text =
      "gravity = 0\n[[bodies]]\nname = \"a\"\nshape = \"point\"\nmass = 1\n[[forces]]\nkind = \"formula\"\n"
      "force = [\"tanh(708*(t-1.285))\", 0, 0]\n";
  for (const std::string& precision : kPrecisions)
    expect_near(Digits(precision, text, 2.0)("vx_a"), DoubleDouble(-57.0) / 100.0, 1e-28, precision);
}

// Extrapolation wants smooth motions.
TEST(Digits, BulirschStoerRefusesKinks) {
  const std::string text =
      "[simulation]\nduration = 1\nprecision = \"double-double\"\nmethod = \"bulirsch-stoer\"\n[equations]\n"
      "states = { x = 0 }\ndot = { x = \"max(0, t - 0.5)\" }\n";
  try {
    Lab lab(scene_of(text));
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("taylor"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace catena
