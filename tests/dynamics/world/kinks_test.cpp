// Prescribed motions with kinks: impulses at pivots, motors and constraints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

std::string trolley(const std::string& motion, const std::string& more = "") {
  return "[simulation]\nduration = 3\nsample = 0.5\n" + more + "[chain]\npivot = [\"" + motion +
         "\", 0, 0]\n[[chain.links]]\nlength = 1\nmass = 2\n";
}

// sin(theta/2) = k sn(w t, k), k = v / (2 w): a pendulum struck at rest to v = 1 and 3 rad/s, g = 9.81, after
// 0.5, 1 and 2 s; by 30 digits of mpmath.
struct Struck {
  double after, theta_1, rate_1, theta_3, rate_3;
};
const Struck kStruck[] = {
    {0.5, 0.32061229472913935573, 0.014712368585612939773, 0.9938684792474572131, 0.28593821824586467657},
    {1.0, 0.0095155652219462828912, -0.99955577664473891856, 0.20657936655129648965, -2.9296492265600221525},
    {2.0, -0.019022676498767177986, 0.99822354142541802612, -0.4035364379382095845, 2.7247172327335126835}};

std::size_t row_at(double t) { return static_cast<std::size_t>(2 * t + 0.5); }

TEST(Kinks, ALoadSwingsOnWhenItsTrolleyStops) {
  for (const char* formulation : {"tension", "articulated", "angles", "chart", "lie"}) {
    const Recorded run(
        scene_of(trolley("min(t, 1)"), {std::string("chain.formulation=\"") + formulation + "\""}));
    for (const Struck& then : kStruck) {
      const std::size_t row = row_at(1 + then.after);
      EXPECT_NEAR(run.at(row, "x_1"), 1 + std::sin(then.theta_1), 1e-13) << formulation;
      EXPECT_NEAR(run.at(row, "vx_1"), std::cos(then.theta_1) * then.rate_1, 1e-13) << formulation;
    }
    EXPECT_LT(run.summary.energy_error_relative, 1e-14) << formulation;
  }
}

// In space links are in one of two charts, which is part of their state and no rate; in a plane Lie's chains
// have fewer rates than components.
TEST(Kinks, FormulationsAreStruckAlikeInSpaceAndInAPlane) {
  const auto scene = [](const std::string& formulation, const std::string& azimuth) {
    return "[simulation]\nduration = 1.5\nsample = 0.5\n[chain]\nformulation = \"" + formulation +
           "\"\npivot = [\"0.2*abs(t - 0.3) + 0.1*max(0, t - 0.9)\", 0, \"0.1*min(t, 0.6)\"]\n"
           "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 0.3\n"
           "[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = 1.4\nphi = " +
           azimuth + "\n[[chain.links]]\nlength = 0.4\nmass = 0.8\ntheta = 2.9\ntheta_dot = 1.5\n";
  };
  for (const std::string azimuth : {"0", "1.1"}) {
    const Recorded tension(scene_of(scene("tension", azimuth)));
    for (const std::string formulation : {"articulated", "angles", "chart", "lie"}) {
      if (azimuth != "0" && formulation == "angles") continue;
      const Recorded run(scene_of(scene(formulation, azimuth)));
      EXPECT_LT(run.summary.energy_error_relative, 1e-13) << formulation << azimuth;
      for (const char* column : {"x_1", "x_2", "y_3", "z_3", "vx_3"})
        EXPECT_NEAR(run.last(column), tension.last(column), 1e-12) << formulation << azimuth << column;
    }
  }
}

TEST(Kinks, ALoadStaysBehindWhenItsTrolleyStarts) {
  const Recorded run(scene_of(trolley("3*max(t - 0.5, 0)")));
  for (const Struck& then : kStruck) {
    if (then.after == 0.5) continue;
    EXPECT_NEAR(run.at(row_at(0.5 + then.after), "theta_1"), -then.theta_3, 1e-13);
    EXPECT_NEAR(run.at(row_at(0.5 + then.after), "x_1"), 3 * then.after - std::sin(then.theta_3), 1e-13);
  }
  EXPECT_EQ(run.at(row_at(0.5), "theta_1"), 0.0);
  // Lambda . (0 + V)/2 at the start, with Lambda = 0 for a load that hangs straight down: all work comes
  // later.
  EXPECT_LT(run.summary.energy_error_relative, 1e-14);
}

// Methods that do not stop at kinks by themselves do so here.
TEST(Kinks, AllMethodsPassThem) {
  const Struck& then = kStruck[1];
  for (const char* method :
       {"dop853", "vern9", "tsit5", "bulirsch-stoer", "gauss8", "rk4", "rkmk54", "radau5"}) {
    const Recorded run(scene_of(trolley("min(t, 1)"), {std::string("simulation.method=\"") + method + "\"",
                                                       "simulation.step=0.0013"}));
    EXPECT_EQ(run.summary.outcome, Outcome::done) << method;
    EXPECT_NEAR(run.at(row_at(2), "theta_1"), then.theta_1, 2e-7) << method;
    EXPECT_NEAR(run.at(row_at(2), "theta_dot_1"), then.rate_1, 2e-7) << method;
  }
}

// A chain on a cart that a motor moves has another solver: M dv = J^T Lambda with all joints in J.
TEST(Kinks, APivotAndACartThatAMotorMovesAreStruckAlike) {
  const std::string links =
      "[[chain.links]]\nlength = 0.7\nmass = 1\ntheta = 0.9\nphi_dot = 0.6\n[[chain.links]]\nlength = 0.5\n"
      "mass = 0.4\ntheta = 2\nphi = 1\n[[chain.links]]\nlength = 0.4\nmass = 0.3\ninertia = \"rod\"\ntheta = "
      "1\n";
  const std::string simulation = "[simulation]\nduration = 2\nsample = 0.1\n";
  const std::pair<std::string, double> motions[] = {{"min(0.8*t, 0.4)", 0.8},
                                                    {"abs(t - 1) - 1", -1.0},
                                                    {"0.3*max(sin(4*t), 0.2) - 0.06", 0.0},
                                                    {"choose(t - 0.7, 0.49, t^2)", 0.0}};
  for (const auto& [motion, rate] : motions) {  // the cart starts at the motor's rate
    const Recorded pivot(scene_of(simulation + "[chain]\npivot = [\"" + motion + "\", 0, \"0.5*(" + motion +
                                  ")\"]\n" + links));
    const Recorded cart(scene_of(
        simulation + "[[bodies]]\nname = \"cart\"\nsize = [0.4, 0.2, 0.2]\nmass = 1\nvelocity = " +
        fmt::format("[{}, 0, {}]", rate, 0.5 * rate) +
        "\n[[joints]]\nname = \"rail\"\nkind = "
        "\"prismatic\"\nbodies = [\"ground\", \"cart\"]\npoint = [0, 0, 0]\naxis = [1, 0, 0.5]\nmotor = { "
        "travel "
        "= \"1.118033988749894848*(" +
        motion + ")\" }\n[chain]\npivot = \"cart\"\n" + links));
    ASSERT_EQ(pivot.summary.outcome, Outcome::done) << pivot.summary.message;
    ASSERT_EQ(cart.summary.outcome, Outcome::done) << cart.summary.message;
    for (const char* column : {"x_1", "y_2", "z_3", "x_3"}) {
      EXPECT_LT(test::largest_difference(pivot.column(column), cart.column(column)), 2e-9)
          << motion << column;
    }
    EXPECT_LT(pivot.summary.energy_error_relative, 1e-12) << motion;
    EXPECT_LT(cart.summary.energy_error_relative, 1e-12) << motion;
  }
}

// Springs pass no impulse: the mass goes on as it did, and the spring's rate jumps.
TEST(Kinks, ElasticLinksPassNoImpulse) {
  const double w = std::sqrt(50.0 / 2.0);
  const Recorded run(
      scene_of("[simulation]\nduration = 3\nsample = 0.25\ngravity = 0\n[chain]\nkind = \"elastic\"\npivot = "
               "[\"min(t, "
               "1)\", 0, 0]\n[[chain.links]]\nlength = 1\nmass = 2\nstiffness = 50\ntheta = \"90 deg\"\n"));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "x_1"), t <= 1 ? 1 + t : 2 + std::sin(w * (t - 1)) / w, 1e-13) << t;
    EXPECT_NEAR(run.at(i, "vx_1"), t <= 1 ? 1 : std::cos(w * (t - 1)), 1e-13) << t;
  }
  EXPECT_LT(run.summary.energy_error_relative, 1e-13);
}

// A body on two rails, one of which is redundant, stops and starts: its work is that of its mass.
TEST(Kinks, RedundantLoopsAreStruck) {
  std::string text =
      "[simulation]\nduration = 3\nsample = 0.5\ngravity = 0\n[[bodies]]\nname = \"slide\"\nsize = [1, 1, "
      "1]\nmass = 4\n";
  for (const char* point : {"[0, 0.5, 0]", "[0, -0.5, 0]"}) {
    text += fmt::format(
        "[[joints]]\nname = \"rail{}\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"slide\"]\npoint = "
        "{}\naxis "
        "= [1, 0, 0]\n",
        point[4] == '0' ? "a" : "b", point);
    text += "motor = { travel = \"max(t - 1, 0) + max(t - 2, 0)\" }\n";
  }
  const Recorded run(scene_of(text));
  ASSERT_EQ(run.summary.outcome, Outcome::done) << run.summary.message;
  EXPECT_NEAR(run.at(3, "work"), 2.0, 1e-13);
  EXPECT_NEAR(run.last("work"), 8.0, 1e-13);
  EXPECT_NEAR(run.last("x_slide"), 3.0, 1e-13);
  EXPECT_LT(run.summary.energy_error_relative, 1e-14);
}

// A motor that turns a crank: I w^2 / 2 at each jump of the rate.
TEST(Kinks, MotorsThatTurnAreStruck) {
  const Recorded run(
      scene_of("[simulation]\nduration = 4\nsample = 0.5\ngravity = 0\n[[bodies]]\nname = \"crank\"\nshape = "
               "\"rod\"\nlength = 2\nmass = 3\nposition = [1, 0, 0]\n[[joints]]\nname = \"axle\"\nkind = "
               "\"revolute\"\nbodies = [\"ground\", \"crank\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\nmotor = "
               "{ angle = "
               "\"4*min(max(t - 1, 0), 2)\" }\n"));
  ASSERT_EQ(run.summary.outcome, Outcome::done) << run.summary.message;
  EXPECT_NEAR(run.at(4, "work"), 0.5 * 4.0 * 16.0, 1e-12);
  EXPECT_NEAR(run.last("work"), 0.0, 1e-12);
  EXPECT_NEAR(run.last("angle_axle"), 8.0, 1e-12);
}

// The same trolley by a constraint of a Lagrangian, and with the pendulum's rod as a constraint, too.
TEST(Kinks, ConstraintsOfLagrangiansAreStruck) {
  const Recorded run(scene_of(
      "[simulation]\nduration = 3\nsample = 0.5\n[lagrangian]\ncoordinates = { s = 0, x = 0, z = -1 }\nrates "
      "= { "
      "s = 1, x = 1 }\nparameters = { g = 9.81 }\nkinetic = \"0.5*(3*s'^2 + 2*x'^2 + 2*z'^2)\"\npotential = "
      "\"2*g*z\"\nconstraints = [\"s - min(t, 1)\", \"(x - s)^2 + z^2 - 1\"]\n"));
  ASSERT_EQ(run.summary.outcome, Outcome::done) << run.summary.message;
  for (const Struck& then : kStruck) {
    const std::size_t row = row_at(1 + then.after);
    EXPECT_NEAR(run.at(row, "x"), 1 + std::sin(then.theta_1), 1e-12);
    EXPECT_NEAR(run.at(row, "x_dot"), std::cos(then.theta_1) * then.rate_1, 1e-12);
  }
  EXPECT_LT(run.summary.energy_error_relative, 1e-13);
}

// Laws that see the pivot's velocity see its jump.
TEST(Kinks, DragSeesTheSamePivot) {
  const std::string drag = "[[forces]]\nkind = \"drag\"\nlinear = 0.5\n";
  const Recorded taylor(scene_of(trolley("abs(t - 1)") + drag));
  const Recorded other(
      scene_of(trolley("abs(t - 1)") + drag, {"simulation.method=\"vern9\"", "simulation.tolerance=1e-13"}));
  EXPECT_LT(taylor.summary.energy_error_relative, 1e-12);
  EXPECT_LT(test::largest_difference(taylor.column("theta_1"), other.column("theta_1")), 1e-11);
}

// A row of kinks: a pivot that goes to and fro like a saw.
TEST(Kinks, ManyKinksKeepTheBalance) {
  const Recorded run(scene_of(trolley("0.1*abs(sin(5*t)) + 0.02*abs(sin(7*t))"), {"simulation.duration=20"}));
  ASSERT_EQ(run.summary.outcome, Outcome::done) << run.summary.message;
  EXPECT_LT(run.summary.energy_error_relative, 1e-11);
}

std::string refusal(const std::string& motion) {
  const Recorded run(scene_of(trolley(motion)));
  EXPECT_EQ(run.summary.outcome, Outcome::failed) << motion;
  return run.summary.message;
}

TEST(Kinks, WhatCannotBePassedIsRefusedByName) {
  EXPECT_NE(refusal("0.3*sign(t - 1)").find("the pivot jumps by 0.6 at t = 1 s"), std::string::npos);
  EXPECT_NE(refusal("choose(t - 1, 0.5, 0)").find("the pivot jumps by 0.5 at t = 1 s"), std::string::npos);
  // Before the run starts, and where one goes on beyond the end that the scene says: there it ends.
  const auto names = [](const std::string& motion, const std::string& at_once, const std::string& then) {
    try {
      scene_of(trolley(motion));
      ADD_FAILURE() << motion;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(at_once), std::string::npos) << error.what();
    }
    Lab lab(scene_of(trolley(motion), {"simulation.duration=0.5"}));
    while (lab.time() < 3.0 && lab.advance() == StepStatus::done) continue;
    EXPECT_LE(lab.time(), 1.0) << motion;
    EXPECT_NE(lab.obstacle().find(then), std::string::npos) << motion << ": " << lab.obstacle();
  };
  names("sqrt(abs(t - 1))", "what stands under a root vanishes", "the rate of the pivot is not finite");
  names("0.1*(1 - t)^2*abs(sin(1/(1 - t)))", "it divides by zero", "the pivot has one kink after the other");
  const Recorded motor(scene_of(
      "[simulation]\nduration = 2\n[[bodies]]\nname = \"slide\"\nsize = [1, 1, 1]\nmass = "
      "4\n[[joints]]\nname = "
      "\"rail\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"slide\"]\npoint = [0, 0, 0]\naxis = [1, 0, "
      "0]\nmotor = { travel = \"choose(t - 1, 2, 0)\" }\n"));
  EXPECT_NE(motor.summary.message.find("the motor of joint 'rail' jumps by 2 at t = 1 s"), std::string::npos)
      << motor.summary.message;
}

// Taken up again before, at and after a kink, a run goes on with the same bits.
TEST(Kinks, CheckpointsGoOnWithTheSameBits) {
  const Scene scene = scene_of(trolley("min(t, 1) + 0.5*max(t - 2, 0)"));
  Lab lab(scene);
  std::vector<std::string> checkpoints;
  while (lab.time() < 3.0) {
    ASSERT_EQ(lab.advance(), StepStatus::done);
    checkpoints.push_back(lab.checkpoint());
  }
  for (const std::string& checkpoint : checkpoints) {
    Lab again(scene);
    again.restore(checkpoint);
    while (again.time() < 3.0) ASSERT_EQ(again.advance(), StepStatus::done);
    EXPECT_EQ(again.state().hi, lab.state().hi);
  }
}

}  // namespace
}  // namespace catena
