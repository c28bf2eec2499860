// No force is stepped over: pulses in time and thin fields in space against closed forms, by every method
// that chooses its step, whatever their centre and width.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

const double kRootPi = std::sqrt(std::numbers::pi);

// A mass on a spring so weak that it is free, 1 m below the pivot, under a force.
std::string free_mass(const std::string& simulation, const std::string& force, const std::string& link = "") {
  return fmt::format(
      "[simulation]\ngravity = 0\n{}\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
      "stiffness = 1e-60\n{}\n[[forces]]\nkind = \"formula\"\n{}\n",
      simulation, link, force);
}

Recorded at_the_end(const Scene& scene) {
  return Recorded(scene, Schedule::list({scene.simulation.duration}));
}

// A Gaussian pulse of the impulse p about the time c leaves the velocity p and the place p (t - c).
void expect_pulse(const std::string& method, double width, double center, double duration, double bound) {
  const std::string scene =
      free_mass(fmt::format("duration = {}\nmethod = \"{}\"", duration, method),
                fmt::format("force = [\"{:.17g}*exp(-((t - {:.17g})/{:.17g})^2)\", 0, 0]",
                            1.0 / (width * kRootPi), center, width));
  const Recorded run = at_the_end(scene_of(scene));
  EXPECT_EQ(run.summary.outcome, Outcome::done) << run.summary.message;
  EXPECT_NEAR(run.last("vx_1"), 1.0, bound) << method << ", width " << width << ", centre " << center;
  EXPECT_NEAR(run.last("x_1"), duration - center, bound * duration) << method << ", width " << width;
}

TEST(Pulses, TaylorMissesNoneOfAnyWidthAndCentre) {
  for (const double width : {1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    for (int i = 0; i < 20; ++i) {
      const double center = 6.0 * width + 0.037 + 0.4937 * i;
      expect_pulse("taylor", width, center, center + 7.0 * width + 0.5, 1e-9);
    }
  }
}

TEST(Pulses, MethodsWithoutSeriesMissNoneEither) {
  for (const char* method :
       {"dopri5", "tsit5", "dop853", "vern7", "vern9", "rkf78", "bulirsch-stoer", "radau5"}) {
    for (const double width : {0.1, 1e-2, 1e-4, 1e-6}) {
      for (int i = 0; i < 3; ++i) {
        const double center = 6.0 * width + 0.037 + 0.937 * i;
        expect_pulse(method, width, center, center + 7.0 * width + 0.5,
                     method == std::string("radau5") ? 1e-6 : 1e-7);
      }
    }
  }
}

// A double tells hours to a picosecond: of a pulse of a nanosecond that is a thousandth.
TEST(Pulses, AreFoundInRunsOfHours) {
  for (const char* method : {"taylor", "dop853", "vern9", "tsit5", "dopri5", "bulirsch-stoer", "radau5"}) {
    for (const double width : {1e-3, 1e-6, 1e-7, 1e-8, 1e-9}) {
      expect_pulse(method, width, 5000.3, 7200.0, 1e-9);
      expect_pulse(method, width, 20000.123, 20010.0, 1e-9);
    }
  }
}

TEST(Pulses, OfRectanglesAndTrianglesAreFoundBetweenTheirKinks) {
  const auto last_velocity = [](const std::string& method, const std::string& force) {
    const Recorded run = at_the_end(scene_of(free_mass(fmt::format("duration = 6\nmethod = \"{}\"", method),
                                                       "force = [\"" + force + "\", 0, 0]")));
    return run.last("vx_1");
  };
  // 500 N for a time that is known to a few ulp(3.1) = 4e-16 s at both ends, and is passed by 1e-15 of the
  // step.
  EXPECT_NEAR(last_velocity("taylor", "choose(0.001 - abs(t - 3.1), 500, 0)"), 1.0, 1e-11);
  EXPECT_NEAR(last_velocity("taylor", "max(0, 1e3*(1 - 1e3*abs(t - 3.1)))"), 1.0, 1e-12);
  for (const char* method : {"dop853", "vern9", "tsit5"}) {
    EXPECT_NEAR(last_velocity(method, "choose(0.001 - abs(t - 3.1), 500, 0)"), 1.0, 1e-6) << method;
    EXPECT_NEAR(last_velocity(method, "max(0, 1e3*(1 - 1e3*abs(t - 3.1)))"), 1.0, 1e-6) << method;
  }
}

// High powers of something slow are narrow, too: sums over many pieces by Gauss's rule of three points.
// The condition of a kink may itself be a narrow pulse. With s = w (t - 5), max(0, exp(-s^2) - 1/2) acts for
// |s| < sqrt(log 2), and its integral over s is sqrt(pi) erf(sqrt(log 2)) - sqrt(log 2).
TEST(Pulses, NarrowConditionsOfKinksAreFound) {
  const double edge = std::sqrt(std::numbers::ln2), impulse = kRootPi * std::erf(edge) - edge;
  for (const char* method : {"taylor", "dop853", "tsit5", "vern9"}) {
    for (const double rate : {1e2, 1e4, 1e6}) {
      const Recorded run = at_the_end(scene_of(free_mass(
          fmt::format("duration = 10\nmethod = \"{}\"", method),
          fmt::format("force = [\"{:g}*max(0, exp(-({:g}*(t - 5))^2) - 0.5)\", 0, 0]", rate, rate))));
      const double bound = method == std::string("taylor") ? 1e-14 : 1e-8;
      EXPECT_NEAR(run.last("vx_1"), impulse, bound) << method << rate;
      EXPECT_NEAR(run.last("x_1"), 5.0 * impulse, 5.0 * bound) << method << rate;
    }
  }
}

// A bob falls past its pivot until its rope is taut, and is thrown back. Estimates of errors that look at
// both ends of a step alone say nothing of a long step of free fall with the rope taut inside it.
TEST(Pulses, RopesThatBecomeTautAreFoundByEveryMethod) {
  const auto run = [](const char* method) {
    return Recorded(scene_of(fmt::format(
        "[simulation]\nduration = 2\nsample = 0.5\nmethod = \"{}\"\ntolerance = 1e-13\n[chain]\nkind = "
        "\"elastic\"\nslack = true\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.5\nstiffness = 1e6\n",
        method)));
  };
  const Recorded wanted = run("taylor");
  for (const char* method : {"dopri5", "tsit5", "dop853", "vern7", "vern9", "rkf78"}) {
    const Recorded found = run(method);
    EXPECT_LT(found.summary.energy_error_relative, 1e-8) << method;
    for (std::size_t row = 0; row < wanted.count(); ++row) {
      EXPECT_NEAR(found.at(row, "x_1"), wanted.at(row, "x_1"), 1e-6) << method << row;
      EXPECT_NEAR(found.at(row, "z_1"), wanted.at(row, "z_1"), 1e-6) << method << row;
    }
  }
}

// Links that go slack and taut dozens of times, at the methods' own tolerances of 1e-10: kinks, which an
// estimate of high order takes for nothing.
TEST(Pulses, StiffRopesAreAsExactAsTheTolerance) {
  const auto run = [](const char* method) {
    std::string scene = fmt::format(
        "[simulation]\nduration = 0.6\nsample = 0.6\nmethod = \"{}\"\n[chain]\nkind = \"elastic\"\n"
        "slack = true\n",
        method);
    const double links[3][4] = {{0.7, 0.5, 2.5, 1}, {0.5, 1.2, 1.2, -2}, {0.9, 0.3, 0.4, 3}};
    for (const auto& [length, mass, theta, rate] : links) {
      scene += fmt::format(
          "[[chain.links]]\nlength = {}\nmass = {}\ntheta = {}\ntheta_dot = {}\nstretch = -0.05\n"
          "stiffness = 1e5\n",
          length, mass, theta, rate);
    }
    return Recorded(scene_of(scene));
  };
  const Recorded wanted = run("taylor");
  for (const char* method :
       {"dopri5", "tsit5", "dop853", "vern7", "vern9", "rkf78", "bulirsch-stoer", "radau5"}) {
    const Recorded found = run(method);
    for (const char* column : {"x_1", "z_1", "x_2", "z_2", "x_3", "z_3"})
      EXPECT_NEAR(found.last(column), wanted.last(column), 2e-9) << method << column;
  }
}

TEST(Pulses, OfWholePowersAreFound) {
  const auto impulse = [](const auto& force) {
    double sum = 0.0;
    const int pieces = 60000;
    for (int i = 0; i < pieces; ++i) {
      const double h = 6.0 / pieces, middle = (i + 0.5) * h;
      for (const double offset : {-std::sqrt(0.6), 0.0, std::sqrt(0.6)}) {
        sum += (offset == 0.0 ? 8.0 : 5.0) / 18.0 * h * force(middle + 0.5 * h * offset);
      }
    }
    return sum;
  };
  struct Case {
    const char* text;
    double right;
  };
  const auto hill = [](double t) { return 1.0 - (t - 3) * (t - 3) / 9; };
  const Case cases[] = {
      {"50*cos(t - 3)^1000", impulse([](double t) { return 50 * std::pow(std::cos(t - 3), 1000); })},
      {"50*(4*t*(6 - t)/36)^64", impulse([&](double t) { return 50 * std::pow(hill(t), 64); })},
      {"50*(1 - (t - 3)^2/9)^9", impulse([&](double t) { return 50 * std::pow(hill(t), 9); })},
      {"50*(((1 - (t - 3)^2/9)^10)^10)^10", impulse([&](double t) { return 50 * std::pow(hill(t), 1000); })},
      {"50*(sin(t)^2)^500", impulse([](double t) { return 50 * std::pow(std::sin(t), 1000); })},
      {"50*(t/6)^20*(2 - t/3)^20",
       impulse([](double t) { return 50 * std::pow(t / 6, 20) * std::pow(2 - t / 3, 20); })},
  };
  for (const Case& one : cases) {
    for (const char* method : {"taylor", "dop853", "vern9", "tsit5", "bulirsch-stoer"}) {
      const double bound =
          method == std::string("taylor") ? 1e-13 + 1e-12 * one.right : 1e-10 + 1e-8 * one.right;
      const Recorded run = at_the_end(scene_of(free_mass(fmt::format("duration = 6\nmethod = \"{}\"", method),
                                                         fmt::format("force = [\"{}\", 0, 0]", one.text))));
      EXPECT_NEAR(run.last("vx_1"), one.right, bound) << method << " " << one.text;
    }
    for (const int order : {2, 4, 6, 8, 12, 16}) {  // what few orders show is little
      const Recorded run =
          at_the_end(scene_of(free_mass(fmt::format("duration = 6\norder = {}\ntolerance = 1e-6", order),
                                        fmt::format("force = [\"{}\", 0, 0]", one.text))));
      EXPECT_NEAR(run.last("vx_1"), one.right, 1e-5 + 1e-4 * one.right)
          << "order " << order << " " << one.text;
    }
  }
}

// A Lorentzian, which has tails, and a tall step there and back.
TEST(Pulses, OfOtherShapesAreFound) {
  const Recorded lorentz =
      at_the_end(scene_of(free_mass("duration = 10", "force = [\"1/(1 + (1e5*(t - 5))^2)\", 0, 0]")));
  EXPECT_NEAR(lorentz.last("vx_1"), 2e-5 * std::atan(5e5), 1e-14);
  const Recorded steps = at_the_end(
      scene_of(free_mass("duration = 10", "force = [\"tanh(1e4*(t - 5)) - tanh(1e4*(t - 5.01))\", 0, 0]")));
  EXPECT_NEAR(steps.last("vx_1"), 2 * 0.01, 1e-12);
}

// A mass that flies through a thin hill of potential energy V = A exp(-(x/w)^2) comes out with its old speed,
// late by the integral of 1/v - 1/v0 over the hill, here by Gauss-Legendre of many pieces.
double delay_at_hill(double height, double width, double v0) {
  double sum = 0.0;
  const int pieces = 4000;
  for (int i = 0; i < pieces; ++i) {
    const double h = 16.0 * width / pieces, middle = -8.0 * width + (i + 0.5) * h;
    for (const double offset : {-std::sqrt(0.6), 0.0, std::sqrt(0.6)}) {
      const double x = middle + 0.5 * h * offset;
      const double v = std::sqrt(v0 * v0 - 2 * height * std::exp(-x * x / (width * width)));
      sum += (offset == 0.0 ? 8.0 : 5.0) / 18.0 * h * (1.0 / v - 1.0 / v0);
    }
  }
  return sum;
}

TEST(Pulses, ThinWallsInSpaceAreNotFlownThrough) {
  for (const double width : {0.1, 1e-2, 1e-3, 1e-4}) {
    // Down from 1 m below the pivot at 3 m/s, through a hill at z = -4.
    const double duration = 2.0, late = delay_at_hill(2.0, width, 3.0);
    for (const char* method : {"taylor", "dop853", "vern9", "tsit5"}) {
      const Recorded run = at_the_end(scene_of(
          free_mass(fmt::format("duration = {}\nmethod = \"{}\"", duration, method),
                    fmt::format("potential = \"2*exp(-((z + 4)/{:.17g})^2)\"", width), "stretch_dot = 3")));
      EXPECT_NEAR(run.last("z_1"), -1.0 - 3.0 * (duration - late),
                  method == std::string("taylor") ? 1e-11 : 1e-7)
          << method << ", width " << width;
      EXPECT_NEAR(run.last("vz_1"), -3.0, method == std::string("taylor") ? 1e-11 : 1e-7);
    }
  }
}

// A ramp of two kinks: U = 2 step((-4 - z)/width). Down from 1 m below the pivot at 3 m/s, up the ramp and on
// at sqrt(5) m/s.
TEST(Pulses, WallsOfTwoKinksAreNotFlownThrough) {
  for (const double width : {0.1, 1e-2, 1e-3, 1e-4}) {
    double inside = 0.0;  // s, by Gauss's rule of three points
    for (int i = 0; i < 1000; ++i) {
      for (const double offset : {-std::sqrt(0.6), 0.0, std::sqrt(0.6)}) {
        const double u = (i + 0.5 + 0.5 * offset) / 1000;
        inside += (offset == 0.0 ? 8.0 : 5.0) / 18000 * width / std::sqrt(9 - 4 * u * u * (3 - 2 * u));
      }
    }
    for (const char* method : {"taylor", "dop853", "vern9", "tsit5", "bulirsch-stoer", "radau5"}) {
      const Recorded run = at_the_end(scene_of(
          free_mass(fmt::format("duration = 2\nmethod = \"{}\"", method),
                    fmt::format("potential = \"2*step((-4 - z)/{:.17g})\"", width), "stretch_dot = 3")));
      const double bound = method == std::string("taylor")   ? 1e-11
                           : method == std::string("radau5") ? 1e-5
                                                             : 1e-7;
      EXPECT_NEAR(run.last("vz_1"), -std::sqrt(5.0), bound) << method << ", width " << width;
      EXPECT_NEAR(run.last("z_1"), -4.0 - width - std::sqrt(5.0) * (1.0 - inside), bound) << method;
    }
  }
}

// Pulses whose parts overflow far away from them: v = (1 + tanh(k (t - c)))/2.
TEST(Pulses, OfHyperbolicAndLogisticShapesVanishFarOut) {
  const double center = 0.612345;
  for (const double k : {30.0, 1e3, 1e5}) {
    const std::string forms[] = {fmt::format("{:.17g}/cosh({:.17g}*(t - 0.612345))^2", k / 2, k),
                                 fmt::format("{:.17g}*cosh({:.17g}*(t - 0.612345))^(-2)", k / 2, k),
                                 fmt::format("{0:.17g}*exp({0:.17g}*(t - 0.612345))/"
                                             "(1 + exp({0:.17g}*(t - 0.612345)))^2",
                                             2 * k)};
    for (const std::string& form : forms) {
      for (const char* method : {"taylor", "dop853", "vern9"}) {
        const Recorded run = at_the_end(scene_of(free_mass(
            fmt::format("duration = 2\nmethod = \"{}\"", method), "force = [\"" + form + "\", 0, 0]")));
        EXPECT_EQ(run.summary.outcome, Outcome::done) << run.summary.message;
        const auto log_cosh = [&](double t) {
          const double u = std::fabs(k * (t - center));
          return (u + std::log1p(std::exp(-2 * u))) / k;
        };
        const double bound = method == std::string("taylor") ? 1e-12 : 1e-8;
        EXPECT_NEAR(run.last("x_1"), 0.5 * (2.0 + log_cosh(2.0) - log_cosh(0.0)), bound) << form << method;
        EXPECT_NEAR(run.last("vx_1"), 0.5 * (1.0 + std::tanh(k * (2.0 - center))), bound) << form << method;
      }
    }
  }
}

// A pivot that is moved aside within milliseconds, and a motor that turns: against steps so short that
// nothing can be missed.
TEST(Pulses, PivotsAndMotorsAreNotSteppedOver) {
  const std::string pivot =
      "[simulation]\nduration = 3\n{}\n[chain]\npivot = [\"0.003*tanh(500*(t - 1.3))\", 0, 0]\n"
      "[[chain.links]]\nlength = 1\nmass = 1\n";
  const std::string motor =
      "[simulation]\nduration = 2\n{}\n[[bodies]]\nname = \"arm\"\nshape = \"rod\"\nsize = [1, 0.1, "
      "0.1]\nmass = "
      "1\nposition = [0.5, 0, 0]\n[[bodies]]\nname = \"bob\"\nshape = \"sphere\"\nsize = [0.1, 0.1, "
      "0.1]\nmass = "
      "1\nposition = [1, 0, -1]\n[[joints]]\nname = \"hub\"\nkind = \"revolute\"\nbodies = [\"ground\", "
      "\"arm\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\nmotor = {{ angle = \"0.002*tanh(500*(t - 0.73)) + "
      "0.002\" }}\n"
      "[[joints]]\nkind = \"revolute\"\nbodies = [\"arm\", \"bob\"]\npoint = [1, 0, 0]\naxis = [0, 1, 0]\n";
  for (const std::string& scene : {pivot, motor}) {
    const Recorded fine = at_the_end(scene_of(fmt::format(fmt::runtime(scene), "max_step = 2e-4")));
    for (const char* method : {"taylor", "dop853"}) {
      const Recorded run =
          at_the_end(scene_of(fmt::format(fmt::runtime(scene), fmt::format("method = \"{}\"", method))));
      for (const char* column : {"x_1", "vx_1", "x_bob", "vx_bob"}) {
        if (!run.has(column)) continue;
        EXPECT_NEAR(run.last(column), fine.last(column), 1e-9) << method << " " << column;
        EXPECT_GT(std::fabs(fine.last(column)), 1e-5) << column;
      }
    }
  }
}

// A mass on a spring, or a wheel on a torsion spring, at rest until its other end is moved by
// d (1 + tanh((t - c)/w))/2. Then x(T) = integral of d/2w sech^2((t - c)/w) (1 - cos omega (T - t)).
double response(double d, double width, double omega, double after) {
  double sum = 0.0;
  for (double u = -25.0; u <= 25.0; u += 0.0625) {
    const double sech = 1.0 / std::cosh(u);
    sum += 0.0625 * 0.5 * d * sech * sech * 2 * std::pow(std::sin(0.5 * omega * (after - width * u)), 2);
  }
  return sum;
}

TEST(Pulses, SuddenMovesOfPivotsAndMotorsHaveTheirResponse) {
  for (const double width : {1e-1, 1e-3, 1e-5, 1e-7, 1e-9}) {
    for (int i = 0; i < 20; ++i) {
      const double center = 25.0 * width + 0.037 + 0.4937 * i, duration = center + 25.0 * width + 0.7;
      const double d = 0.01, omega = 3.0, right = response(d, width, omega, duration - center);
      const std::string move =
          fmt::format("{:.17g}*(1 + tanh((t - {:.17g})/{:.17g}))", 0.5 * d, center, width);
      for (const char* method : {"taylor", "dop853"}) {
        const bool series = method == std::string("taylor");
        if (!series && i % 5 != 0) continue;
        // Meanwhile things move at d/2w: what a tolerance of so much leaves, in a tenth of the time, or
        // roundoff.
        const double bound = series ? 1e-12 + 1e-15 * d / width : 1e-9 + 1e-10 * d / width;
        const std::string simulation =
            fmt::format("[simulation]\ngravity = 0\nduration = {:.17g}\nmethod = \"{}\"\n", duration, method);
        const Recorded spring = at_the_end(scene_of(fmt::format(
            "{}[chain]\nkind = \"elastic\"\npivot = [0, 0, \"{}\"]\n[[chain.links]]\nlength = 1\nmass = "
            "1\nstiffness = {}\n",
            simulation, move, omega * omega)));
        EXPECT_NEAR(spring.last("z_1"), right - 1.0, bound) << method << ", width " << width;
        const Recorded wheel = at_the_end(scene_of(
            fmt::format("{}[[bodies]]\nname = \"hub\"\nshape = \"sphere\"\nsize = [0.1, 0.1, 0.1]\nmass = 1\n"
                        "[[bodies]]\nname = \"wheel\"\nmass = 1\ninertia = [1, 1, 1]\n"
                        "[[joints]]\nname = \"drive\"\nkind = \"revolute\"\nbodies = [\"ground\", "
                        "\"hub\"]\npoint = [0, 0, 0]\naxis = [0, 0, "
                        "1]\nmotor = {{ angle = \"{}\" }}\n"
                        "[[joints]]\nname = \"torsion\"\nkind = \"revolute\"\nbodies = [\"hub\", "
                        "\"wheel\"]\npoint = [0, 0, 0]\naxis = [0, 0, "
                        "1]\nstiffness = {}\n",
                        simulation, move, omega * omega)));
        const double turned =
            std::fmod(wheel.last("angle_drive") + wheel.last("angle_torsion"), 6.283185307179586);
        EXPECT_NEAR(turned, right, bound) << method << ", width " << width;
      }
    }
  }
}

// A corner that is rounded within a width hardly shows in places, and its acceleration is a pulse: what hangs
// on it is struck as by the sharp corner, but for what the width makes. The sharp one is exact (kinks_test).
TEST(Pulses, RoundedCornersOfPivotsAndMotorsStrike) {
  const auto load = [](const std::string& simulation, const std::string& motion, bool motor) {
    if (!motor)
      return simulation + "[chain]\npivot = [\"" + motion +
             "\", 0, 0]\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.2\n";
    return simulation +
           "[[bodies]]\nname = \"cart\"\nshape = \"box\"\nsize = [0.1, 0.1, 0.1]\nmass = 1\n[[bodies]]\n"
           "name = \"load\"\nshape = \"point\"\nmass = 2\nposition = [0.6, 0, -0.8]\n[[joints]]\n"
           "kind = \"prismatic\"\nbodies = [\"ground\", \"cart\"]\npoint = [0, 0, 0]\naxis = [1, 0, 0]\n"
           "motor = { travel = \"" +
           motion +
           " - 0.3\" }\n[[joints]]\nkind = \"distance\"\nbodies = [\"cart\", \"load\"]\n"
           "points = [[0, 0, 0], [0.6, 0, -0.8]]\n";
  };
  for (const bool motor : {false, true}) {
    const std::string column = motor ? "x_load" : "x_1";
    const std::string plain = "[simulation]\nduration = 2\n";
    const double sharp = at_the_end(scene_of(load(plain, "0.3*abs(t - 1)", motor))).last(column);
    for (const char* method : {"taylor", "dop853", "vern9", "tsit5", "radau5"}) {
      for (const double width : {1e-5, 1e-7, 1e-8, 1e-9}) {
        const std::string simulation = plain + "method = \"" + method + "\"\n";
        const std::string w = fmt::format("{:.17g}", width);
        for (const std::string& corner : {"0.3*sqrt(" + w + "^2 + (t - 1)^2)", "0.3*norm(" + w + ", t - 1)",
                                          "0.6*" + w + "*softplus((t - 1)/" + w + ") - 0.3*(t - 1)"}) {
          const Recorded run = at_the_end(scene_of(load(simulation, corner, motor)));
          EXPECT_NEAR(run.last(column), sharp, 1e-8 + 10.0 * width) << method << " " << corner;
        }
      }
    }
  }
}

// A switch that goes over because what decides it jumps does so at that instant, and not after it.
TEST(Pulses, SwitchesThatAnotherMakesJumpArePassedWithMoreDigits) {
  for (const char* rate : {"min(choose(a + 1.64*t - 0.74, -1, 1), 0.24)",
                           "max(choose(a + 1.64*t - 0.74, -1, 1), 0.24)", "min(0.5, sign(a + 1.64*t - 0.74))",
                           "min(choose(1.23*a + 1.64*t - 0.74, -0.65*a - 0.46, 0.49*t + 0.91), 0.2)"}) {
    const std::string scene =
        "[simulation]\nduration = 1\n[equations]\nstates = { a = -0.4, b = 0 }\ndot = { a = \"0.45*b\", b = "
        "\"" +
        std::string(rate) + "\" }\n";
    const double plain = at_the_end(scene_of(scene)).last("b");
    const auto expect = [&](const std::vector<std::string>& settings, double bound) {
      const Recorded run = at_the_end(scene_of(scene, settings));
      EXPECT_EQ(run.summary.outcome, Outcome::done) << rate << run.summary.message;
      EXPECT_NEAR(run.last("b"), plain, bound) << rate;
    };
    expect({"simulation.precision=\"double-double\""}, 1e-14);
    // A jump inside a step leaves some ten tolerances, one that others follow no more than one alone.
    expect({"simulation.method=\"dop853\"", "simulation.tolerance=1e-12"}, 1e-10);
  }
}

// A body is thrown up and meets the limit of its slider for a moment about the apex: it is off again with the
// speed it came with, after 2/w atan2(v w, g) with w^2 = k / m.
// A function that is steep beyond what its argument jumps by: with more digits a step that ends at the switch
// has not passed it.
TEST(Pulses, SwitchesInsideSteepFunctionsArePassedWithMoreDigits) {
  const double strength = 0.7, mass = 2.963, duration = 1.0;
  for (const char* precision : {"double", "double-double", "quad"}) {
    const Recorded run = at_the_end(scene_of(fmt::format(
        "[simulation]\nduration = {}\nprecision = \"{}\"\n[lagrangian]\ncoordinates = {{ q = 1 }}\n"
        "kinetic = \"0.5*{}*q'^2\"\nforces = {{ q = \"{}*tanh(1.3*sign(0.5 - t))\" }}\n",
        duration, precision, mass, strength)));
    const double push = strength * std::tanh(1.3) / mass;
    EXPECT_NEAR(run.last("q"), 1.0 + 0.25 * push, 1e-14) << precision;  // there and back: s = a T^2/4
    EXPECT_NEAR(run.last("q_dot"), 0.0, 1e-14) << precision;
  }
}

TEST(Pulses, LimitsOfJointsAreNotSteppedOver) {
  const double g = 9.81, up = 10.0, k = 1e8, w = std::sqrt(k), duration = 2.2;
  for (const double depth : {1e-1, 1e-3, 1e-5, 1e-7}) {
    const double limit = 0.5 * up * up / g - depth, speed = std::sqrt(2.0 * g * depth);
    const double after = duration - (up - speed) / g - 2.0 / w * std::atan2(speed * w, g);
    for (const char* method :
         {"taylor", "dop853", "vern7", "vern9", "tsit5", "dopri5", "rkf78", "bulirsch-stoer", "radau5"}) {
      const Recorded run = at_the_end(scene_of(fmt::format(
          "[simulation]\nduration = {}\nmethod = \"{}\"\n[[bodies]]\nname = \"a\"\nshape = \"box\"\nsize = "
          "[0.1, 0.1, 0.1]\nmass = 1\nvelocity = [0, 0, {}]\n[[joints]]\nkind = \"prismatic\"\nbodies = "
          "[\"ground\", \"a\"]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = [-100, {:.17g}]\n"
          "limit_stiffness = {}\n",
          duration, method, up, limit, k)));
      EXPECT_NEAR(run.last("z_a"), limit - speed * after - 0.5 * g * after * after,
                  method == std::string("taylor") ? 1e-10 : 1e-6)
          << method << depth;
    }
  }
}

// A hinge turns evenly until it meets its limit, whatever the number of turns before, and goes back.
TEST(Pulses, LimitsOfHingesAreMetAfterManyTurns) {
  const double k = 1e7, inertia = 1.0, rate = 20.0, limit = 31.0, duration = 3.0;
  const double contact = std::numbers::pi / std::sqrt(k / inertia);
  for (const char* method : {"taylor", "dop853", "tsit5", "radau5"}) {
    const Recorded run = at_the_end(scene_of(fmt::format(
        "[simulation]\nduration = {}\ngravity = 0\nmethod = \"{}\"\n[[bodies]]\nname = \"a\"\nmass = 1\n"
        "inertia = [1, 1, 1]\nangular_velocity = [0, 0, {}]\n[[joints]]\nname = \"pin\"\nkind = "
        "\"revolute\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = [-1000, "
        "{}]\nlimit_stiffness = {}\n",
        duration, method, rate, limit, k)));
    EXPECT_NEAR(run.last("angle_pin"), limit - rate * (duration - limit / rate - contact),
                method == std::string("taylor") ? 1e-9 : 1e-5)
        << method;
  }
}

// Past a heavy point from far away, so close and so fast that it pulls for some hundred-thousandths of the
// time: the hyperbola's own asymptotes, turned by 2 atan(G M / (b v^2)) in all.
TEST(Pulses, PolesOfLawsAreNotPassedUnseen) {
  struct Flight {
    double far, aside, speed, strength;
  };
  for (const Flight& flight : {Flight{1e6, 1e-2, 1e3, 1.0}, Flight{1e4, 1e-3, 1e2, 1e-3},
                               Flight{1e3, 1e-4, 10.0, 1e-5}, Flight{1e2, 1e-5, 1.0, 1e-9}}) {
    const double turned = 2.0 * std::atan(flight.strength / (flight.aside * flight.speed * flight.speed));
    for (const char* method :
         {"taylor", "dop853", "vern7", "vern9", "tsit5", "dopri5", "rkf78", "bulirsch-stoer", "radau5"}) {
      const std::string start = fmt::format(
          "[simulation]\nduration = {}\ngravity = 0\nmethod = \"{}\"\n[[bodies]]\nname = \"a\"\nshape = "
          "\"point\"\nmass = 1\ncharge = -1\nposition = [{}, {}, 0]\nvelocity = [{}, 0, 0]\n",
          2.0 * flight.far / flight.speed, method, -flight.far, flight.aside, flight.speed);
      const std::string laws[] = {
          fmt::format("[[forces]]\nkind = \"point-mass\"\nstrength = {}\nposition = [0, 0, 0]\n",
                      flight.strength),
          fmt::format(
              "[[forces]]\nkind = \"point-charge\"\ncharge = {}\nconstant = 1\nposition = [0, 0, 0]\n",
              flight.strength),
          fmt::format("[[bodies]]\nname = \"sun\"\nshape = \"point\"\nmass = 1\nfixed = true\ncharge = {}\n"
                      "[[forces]]\nkind = \"coulomb\"\nconstant = 1\n",
                      flight.strength)};
      for (const std::string& law : laws) {
        const Recorded run = at_the_end(scene_of(start + law));
        // What is left of the pull at both ends: G M / (far v^2).
        const double rest = flight.strength / (flight.far * flight.speed * flight.speed);
        EXPECT_NEAR(std::atan2(-run.last("vy_a"), run.last("vx_a")), turned,
                    (method == std::string("taylor") ? 1e-8 : 1e-3) * turned + 10.0 * rest)
            << method << law;
      }
    }
  }
}

// Two charges that fly side by side through a field: what they do together shortens no step.
TEST(Pulses, WhatTwoThingsDoTogetherDoesNotShortenSteps) {
  const auto steps = [](double speed) {
    const std::string charge = "mass = 1\ncharge = 1\nshape = \"point\"\n";
    return at_the_end(
               scene_of(fmt::format(
                   "[simulation]\nduration = 2\ngravity = 0\nmethod = \"dop853\"\n[[bodies]]\nname "
                   "= \"a\"\n{0}velocity = [{1}, 0, 0]\n[[bodies]]\nname = \"b\"\n{0}position = [0, 1, "
                   "0]\nvelocity = [{1}, 0, 0]\n[[forces]]\nkind = \"coulomb\"\nconstant = 1\n",
                   charge, speed)))
        .summary.counts.steps;
  };
  EXPECT_LE(steps(1e4), steps(0.0) + 5);
}

// Down through the ground, where the profile of the wind begins with an infinite slope: below, the root of
// nothing is nothing, in rows between steps as well. Linear drag: z by itself, and x by quadrature,
// x' = u e^(-c t) with u' = c W (z/h)^n e^(c t).
TEST(Pulses, BelowTheGroundThereIsNoWindAndNoRowIsLost) {
  const double c = 0.3, g = 9.81, wind = 5.0, height = 10.0, start = 3.0, duration = 1.5;
  const auto z = [&](double t) { return start - g / c * (t - (1.0 - std::exp(-c * t)) / c); };
  double ground = 0.8;
  for (int i = 0; i < 50; ++i) ground += z(ground) / (g / c * (1.0 - std::exp(-c * ground)));
  // x(T) = integral of c W (z(s)/h)^n (1 - e^(-c (T - s)))/c over s up to the ground; s = ground (1 - r^4).
  double wanted = 0.0;
  const int pieces = 4000;
  for (int i = 0; i < pieces; ++i) {
    for (const double offset : {-std::sqrt(0.6), 0.0, std::sqrt(0.6)}) {
      const double r = (i + 0.5 + 0.5 * offset) / pieces, s = ground * (1.0 - std::pow(r, 4));
      wanted += (offset == 0.0 ? 8.0 : 5.0) / 18.0 / pieces * 4.0 * ground * std::pow(r, 3) * wind *
                std::pow(std::max(z(s), 0.0) / height, 1.0 / 7.0) * (1.0 - std::exp(-c * (duration - s)));
    }
  }
  for (const char* method :
       {"taylor", "dop853", "vern7", "vern9", "tsit5", "dopri5", "rkf78", "bulirsch-stoer", "radau5"}) {
    const Recorded run(scene_of(fmt::format(
        "[simulation]\nduration = {}\nsample = 0.05\nmethod = \"{}\"\n[[bodies]]\nname = \"a\"\nshape = "
        "\"point\"\nmass = 1\nposition = [0, 0, {}]\n[[forces]]\nkind = \"wind\"\nvelocity = [{}, 0, 0]\n"
        "height = {}\n[[forces]]\nkind = \"drag\"\nlinear = {}\ncoefficient = 0\n",
        duration, method, start, wind, height, c)));
    EXPECT_EQ(run.summary.outcome, Outcome::done) << method << run.summary.message;
    for (std::size_t row = 0; row < run.count(); ++row) {
      EXPECT_TRUE(std::isfinite(run.at(row, "x_a"))) << method << row;
      EXPECT_NEAR(run.at(row, "z_a"), z(run.at(row, "t")), 1e-6) << method << row;
    }
    EXPECT_NEAR(run.last("x_a"), wanted, method == std::string("taylor") ? 1e-9 : 1e-6) << method;
  }
}

TEST(Pulses, LagrangiansWithExplicitTimeAreNotSteppedOver) {
  for (const char* method : {"taylor", "dop853"}) {
    const Recorded run = at_the_end(
        scene_of(fmt::format("[simulation]\nduration = 5\nmethod = \"{}\"\n[lagrangian]\ncoordinates = {{ x "
                             "= 0.0 }}\nrates = {{ x = 0.0 "
                             "}}\nlagrangian = \"x'^2/2 + x*1000*exp(-(1000*(t - 2.3))^2)\"\n",
                             method)));
    EXPECT_NEAR(run.last("x_dot"), kRootPi, 1e-7) << method;
  }
}

// A potential that changes with time where nobody feels it does work all the same, and takes it back.
TEST(Pulses, OfPotentialsThatNobodyFeelsDoNoWorkInTheEnd) {
  for (const int order : {12, 26, 45}) {
    const Recorded run = at_the_end(scene_of(fmt::format(
        "[simulation]\nduration = 1\norder = {}\n[lagrangian]\ncoordinates = {{ q = 1 }}\nkinetic = "
        "\"q'^2/2\"\npotential = \"q^2/2 - 0.892*exp(-(78*(t - 0.611))^2)\"\n",
        order)));
    EXPECT_NEAR(run.last("work"), 0.0, 1e-9) << order;
  }
}

TEST(Pulses, FixedStepsSayWhatTheyCannotSee) {
  const std::string force = "force = [\"50*exp(-(100*(t - 0.5))^2)\", 0, 0]";
  const Recorded coarse =
      at_the_end(scene_of(free_mass("duration = 1\nmethod = \"rk4\"\nstep = 0.3", force)));
  EXPECT_NE(coarse.summary.advice.find("shorter time than a step"), std::string::npos)
      << coarse.summary.advice;
  const Recorded fine =
      at_the_end(scene_of(free_mass("duration = 1\nmethod = \"rk4\"\nstep = 0.001", force)));
  EXPECT_EQ(fine.summary.advice, "");
}

TEST(Pulses, NoStepIsLongerThanMaxStep) {
  const std::string chain = "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n";
  for (const char* method : {"taylor", "dop853", "bulirsch-stoer", "rkmk54", "radau5"}) {
    const Recorded run(
        scene_of(fmt::format("[simulation]\nduration = 1\nsample = 0.01\nmethod = \"{}\"\nmax_step = 0.004\n",
                             method) +
                 chain));
    for (std::size_t i = 0; i < run.count(); ++i) EXPECT_LE(run.at(i, "step_size"), 0.004) << method;
  }
  EXPECT_THROW(
      Lab(scene_of("[simulation]\nduration = 1\nmethod = \"rk4\"\nstep = 0.1\nmax_step = 0.01\n" + chain)),
      InputError);
}

// Where nothing surprises, the look inside changes no step.
TEST(Pulses, SmoothFormulasKeepTheirSteps) {
  const auto steps = [](const std::string& extra) {
    return at_the_end(
               scene_of("[simulation]\nduration = 20\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2\n"
                        "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n" +
                        extra))
        .summary.counts.steps;
  };
  const auto drag = [](const std::string& kind) { return "[[forces]]\n" + kind + "\n"; };
  const auto built_in = steps(drag("kind = \"drag\"\nlinear = 0.1\ncoefficient = 0"));
  const auto written = steps(drag("kind = \"formula\"\nforce = [\"-0.1*vx\", \"-0.1*vy\", \"-0.1*vz\"]"));
  EXPECT_EQ(built_in, written);
}

}  // namespace
}  // namespace catena
