// Force laws on bodies: closed forms, the same law on a link, the balance of energy and the order of the
// series under each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dynamics/laws/law.h"
#include "support/chains.h"
#include "support/series.h"

namespace catena {
namespace {

using test::kPi;
using test::law;
using test::Recorded;
using test::scene_of;

// A sphere of 0.5 m and 2 kg, alone and without weight; its inertia is 0.2 kg m^2.
std::string sphere(const std::string& more) {
  return "[simulation]\nduration = 3\nsample = 0.1\ngravity = 0\n[[bodies]]\nname = \"ball\"\nshape = "
         "\"sphere\"\nradius = 0.5\nmass = 2\n" +
         more;
}

// theta'' = -(m B / I) sin theta, for a swing of 1e-6 rad: the cubic term is 1e-12 of it. Steps are good to
// 1e-15, however small the swing.
TEST(BodyForces, ACompassNeedleSwingsAsItsMomentSays) {
  const double omega = std::sqrt(4.0 * 0.3 / 0.2);
  const Recorded run(
      scene_of(sphere("moment = [4, 0, 0]\norientation = { axis = [0, 0, 1], angle = 1e-6 }\n" +
                      law("magnetic", "field = [0.3, 0, 0]"))));
  for (std::size_t i = 0; i < run.count(); ++i) {
    EXPECT_NEAR(2 * run.at(i, "qz_ball"), 1e-6 * std::cos(omega * run.at(i, "t")), 1e-15);
  }
}

// A constant force at a point turns the body as weight turns a pendulum, and moves its centre freely.
TEST(BodyForces, AForceActsAtItsPoint) {
  const double omega = std::sqrt(0.4 * 1.5 / 0.2);
  const Recorded run(scene_of(sphere("orientation = { axis = [0, 0, 1], angle = 1e-6 }\n" +
                                     law("formula", "force = [1.5, 0, 0]\npoint = [0.4, 0, 0]"))));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(2 * run.at(i, "qz_ball"), 1e-6 * std::cos(omega * t), 1e-15);
    EXPECT_NEAR(run.at(i, "x_ball"), 0.5 * 1.5 / 2.0 * t * t, 1e-14);
  }
}

TEST(BodyForces, ATorqueTurnsABodyAboutItsCentre) {
  const Recorded run(
      scene_of(sphere(law("formula", "torque = [0, \"0.6*t\", \"-0.1*wz\"]\nforce = [0, 0, 0.2]")),
               {"bodies.1.angular_velocity=[0,0,3]"}));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "wy_ball"), 0.5 * 0.6 * t * t / 0.2, 1e-12);
    EXPECT_NEAR(run.at(i, "wz_ball"), 3 * std::exp(-0.5 * t), 1e-13);
    EXPECT_NEAR(run.at(i, "z_ball"), 0.5 * 0.1 * t * t, 1e-14);
  }
}

TEST(BodyForces, VelocityDampingSlowsTurningToo) {
  const Recorded run(scene_of(sphere("velocity = [1, 0, 0]\nangular_velocity = [0, 2, 0]\n" +
                                     law("velocity-damping", "rate = 0.7"))));
  EXPECT_NEAR(run.last("vx_ball"), std::exp(-2.1), 1e-14);
  EXPECT_NEAR(run.last("wy_ball"), 2 * std::exp(-2.1), 1e-14);
  EXPECT_NEAR(run.last("dissipated"), 0.5 * (2 + 0.2 * 4) * -std::expm1(-4.2), 1e-13);
}

// Springs at opposite points, along and across: both modes of a body between two walls.
TEST(BodyForces, SpringsHoldABodyAtItsPoints) {
  const std::string springs =
      law("spring", "between = [\"ball\", [2, 0, 0]]\npoints = [[0.5, 0, 0], [0, 0, 0]]\nstiffness = 30") +
      law("spring", "between = [[-2, 0, 0], \"ball\"]\npoints = [[0, 0, 0], [-0.5, 0, 0]]\nstiffness = 30");
  const Recorded run(scene_of(sphere("position = [1e-6, 0, 0]\n" + springs), {"forces.*.length=1.5"}));
  const double omega = std::sqrt(2 * 30 / 2.0);
  for (std::size_t i = 0; i < run.count(); ++i) {
    EXPECT_NEAR(run.at(i, "x_ball"), 1e-6 * std::cos(omega * run.at(i, "t")), 1e-15);
  }
}

// A fixed body is a wall with springs and charges in it: it feels nothing and acts all the same.
TEST(BodyForces, FixedBodiesActAndAreNotMoved) {
  const std::string wall =
      "[[bodies]]\nname = \"wall\"\nfixed = true\nsize = [1, 1, 1]\nposition = [3, 0, 0]\n"
      "charge = 0.5\n";
  const Recorded body(scene_of(sphere("charge = 0.2\n" + wall + law("coulomb", "constant = 20"))));
  const Recorded field(scene_of(
      sphere("charge = 0.2\n" + law("point-charge", "charge = 0.5\nposition = [3, 0, 0]\nconstant = 20"))));
  EXPECT_LT(test::largest_difference(body.column("x_ball"), field.column("x_ball")), 1e-14);
  EXPECT_LT(body.last("x_ball"), -0.1);
  EXPECT_EQ(body.last("x_wall"), 3.0);
}

// ---- every law by itself ----------------------------------------------------------------------------------

struct BodyLawCase {
  const char* name;
  std::string forces;
};

void PrintTo(const BodyLawCase& one, std::ostream* out) { *out << one.name; }

const std::vector<BodyLawCase>& body_laws() {
  static const std::string drag = law("drag", "linear = 0.1");
  static const std::string magnets = law("magnet", "position = [0.3, 0.1, -3]\nmoment = [1e3, 0, 1e5]");
  static const std::vector<BodyLawCase> all{
      {"drag", drag},
      {"wind", drag + law("wind", "velocity = [\"2*sin(t)\", 1, \"0.1*x\"]")},
      {"buoyancy", law("buoyancy", "density = 2")},
      {"velocity_damping", law("velocity-damping", "rate = 0.3")},
      {"gravity", law("gravity", "field = [\"sin(t)\", \"0.3*x\", \"-0.1*z\"]")},
      {"gravity_potential", law("gravity", "potential = \"0.5*x^2*sin(t) + y*z\"")},
      {"point_mass", law("point-mass", "strength = 30\nposition = [1, 2, 1.5]")},
      {"electric", law("electric", "field = [1, \"x*cos(t)\", 0]")},
      {"electric_potential", law("electric", "potential = \"3*x*y*exp(-t)\"")},
      {"magnetic", law("magnetic", "field = [\"0.1*z\", \"0.1*x\", \"0.5 + 0.1*sin(t)\"]")},
      {"point_charge", law("point-charge", "charge = 2\nposition = [0, 0, -3]\nconstant = 5")},
      {"magnets", magnets},
      {"coulomb", law("coulomb", "constant = 20")},
      {"dipoles", magnets + law("dipoles", "")},
      {"spring", law("spring", "between = [\"a\", [1, 1, 0]]\nstiffness = 4\nlength = 0.5")},
      {"formula", law("formula",
                      "force = [\"-0.1*vx*speed\", \"m*q*i\", \"k*sin(2*t)\"]\n"
                      "parameters = {k = 0.5}")},
      {"formula_potential", law("formula", "potential = \"0.5*(x^2 + y^2)*cos(t)\"")},
  };
  return all;
}

std::string name_of_case(const testing::TestParamInfo<BodyLawCase>& info) { return info.param.name; }

// A link with mass along it, and a rod on a ball joint that starts alike.
std::string rod_link(const std::string& forces) {
  return "[simulation]\nduration = 3\nsample = 0.1\n[chain]\n[[chain.links]]\nlength = 1.2\nmass = "
         "1\ninertia = "
         "\"rod\"\ntheta = 2\ntheta_dot = 0.7\ncharge = 0.2\ndrag_area = 0.05\nvolume = 1e-3\n"
         "susceptibility = 2\nmoment = 4\n" +
         forces;
}

std::string rod_body(const std::string& forces) {
  return fmt::format(
             "[simulation]\nduration = 3\nsample = 0.1\n[[bodies]]\nname = \"a\"\nshape = \"rod\"\nmass = 1\n"
             "inertia = [0.05, 0.12, 0.12]\ncharge = 0.2\ndrag_area = 0.05\nvolume = 1e-3\n"
             "susceptibility = 2\nmoment = [4, 0, 0]\nposition = [{:.17g}, 0, {:.17g}]\n"
             "orientation = {{ axis = [0, 1, 0], angle = {:.17g} }}\nangular_velocity = [0, -0.7, 0]\n"
             "velocity = [{:.17g}, 0, {:.17g}]\n"
             "[[joints]]\nname = \"hook\"\nkind = \"ball\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, "
             "0]\n",
             0.6 * std::sin(2), -0.6 * std::cos(2), 0.5 * kPi - 2, 0.6 * 0.7 * std::cos(2),
             0.6 * 0.7 * std::sin(2)) +
         forces;
}

class LawOnARod : public testing::TestWithParam<BodyLawCase> {};

// Two systems of equations and one motion; the link's mass is half way along it.
TEST_P(LawOnARod, MovesABodyAsItMovesALink) {
  std::string on_link = GetParam().forces;
  for (std::size_t at = 0; (at = on_link.find("\"a\"", at)) != std::string::npos;)
    on_link.replace(at, 3, "\"chain.1\"");
  const Recorded link(scene_of(rod_link(on_link)));
  const Recorded body(scene_of(rod_body(GetParam().forces)));
  for (const std::string axis : {"x", "y", "z"}) {
    std::vector<double> end = body.column(axis + "_a");
    for (double& value : end) value *= 2;
    EXPECT_LT(test::largest_difference(link.column(axis + "_1"), end), 1e-11) << axis;
  }
  for (const std::string column : {"dissipated", "work", "potential", "elastic"}) {
    EXPECT_LT(test::largest_difference(link.column(column), body.column(column)), 1e-10) << column;
  }
  const std::string force = "fx_hook";
  EXPECT_LT(test::largest_difference(link.column("fx_pivot"), body.column(force)), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Laws, LawOnARod, testing::ValuesIn(body_laws()), name_of_case);

const std::string kTraits = "charge = 0.2\ndrag_area = 0.05\nsusceptibility = 1e-3\nmoment = [1, 2, -3]\n";

const std::string kSimulation = "[simulation]\nduration = 3\nsample = 0.1\n";

const std::string kPair =
    "[[bodies]]\nname = \"a\"\nsize = [0.6, 0.3, 0.2]\nmass = 1\nposition = [0.5, 0.2, 0]\n"
    "velocity = [0.3, 0, 0.4]\nangular_velocity = [1, 0.5, -0.7]\n" +
    kTraits +
    "[[bodies]]\nname = \"b\"\nsize = [0.2, 0.4, 0.5]\nmass = 0.6\nposition = [-0.6, 0.1, "
    "0.5]\norientation = { axis = [1, 2, 0], angle = 0.6 }\nvelocity = [0, 0.5, 0]\n"
    "angular_velocity = [0.3, -1, 0.4]\n" +
    kTraits;

const std::string kBallJoints =
    "[[joints]]\nname = \"hook\"\nkind = \"ball\"\nbodies = [\"ground\", \"a\"]\npoint = [0.2, 0.2, 0.1]\n"
    "[[joints]]\nname = \"elbow\"\nkind = \"ball\"\nbodies = [\"a\", \"b\"]\npoint = [0, 0.1, 0.3]\n";

const std::string kLoop =
    "[[bodies]]\nname = \"a\"\nsize = [0.1, 0.1, 1]\nmass = 1\nposition = [0, 0, 0.5]\n" + kTraits +
    "[[bodies]]\nname = \"coupler\"\nsize = [2, 0.1, 0.1]\nmass = 0.7\nposition = [1, 0, 1.1]\n" + kTraits +
    "[[bodies]]\nname = \"b\"\nsize = [0.1, 0.1, 1.2]\nmass = 1.1\nposition = [2, 0, 0.6]\n" + kTraits +
    "[[joints]]\nname = \"first\"\nkind = \"revolute\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\n"
    "axis = [0, 1, 0]\nrate = 1.5\n"
    "[[joints]]\nname = \"second\"\nkind = \"revolute\"\nbodies = [\"a\", \"coupler\"]\npoint = [0, 0, 1]\n"
    "axis = [0, 1, 0]\n"
    "[[joints]]\nname = \"third\"\nkind = \"revolute\"\nbodies = [\"coupler\", \"b\"]\npoint = [2, 0, 1.2]\n"
    "axis = [0, 1, 0]\n"
    "[[joints]]\nname = \"fourth\"\nkind = \"revolute\"\nbodies = [\"ground\", \"b\"]\npoint = [2, 0, 0]\n"
    "axis = [0, 1, 0]\n";

struct Host {
  const char* name;
  std::string scene;
};

const std::vector<Host>& hosts() {
  static const std::vector<Host> all{{"free", kSimulation + kPair},
                                     {"joints", kSimulation + kPair + kBallJoints},
                                     {"loop", kSimulation + kLoop}};
  return all;
}

// Each law at the centres of mass and at a point beside them, where it can name one.
std::vector<std::string> variants(const BodyLawCase& one) {
  std::vector<std::string> out{one.forces};
  std::string aside = one.forces;
  if (one.name == std::string("spring")) {
    return {one.forces,
            law("spring",
                "between = [\"a\", \"b\"]\npoints = [[0.1, 0.1, 0], [0, 0.2, -0.1]]\nstiffness = 7\n"
                "damping = 0.4")};
  }
  for (std::size_t at = 0; (at = aside.find("\n[[forces]]", at)) != std::string::npos; at += 1)
    aside.insert(at, "\npoint = [0.2, 0.1, -0.05]"), at += 30;
  if (one.name == std::string("wind")) return {one.forces};
  out.push_back(aside + "point = [0.2, 0.1, -0.05]\n");
  return out;
}

class LawOnBodies : public testing::TestWithParam<BodyLawCase> {};

// 1e-10 is asked for; roundoff and the tolerance of 1e-15 leave 1e-12 of energies around 10 J.
TEST_P(LawOnBodies, BalancesTheEnergy) {
  for (const Host& host : hosts()) {
    for (const std::string& forces : variants(GetParam())) {
      const Recorded run(scene_of(host.scene + forces));
      EXPECT_EQ(run.summary.outcome, Outcome::done);
      EXPECT_LT(test::largest(run.column("energy_error")), 1e-12 * std::max(1.0, run.summary.energy_scale))
          << host.name << "\n"
          << forces;
      EXPECT_LT(run.summary.constraint_error, 1e-12) << host.name;
    }
  }
}

// Against a method that knows no series: what it evaluates is the right-hand side alone.
TEST_P(LawOnBodies, MovesThemAsRungeKuttaSays) {
  for (const Host& host : hosts()) {
    for (const std::string& forces : variants(GetParam())) {
      Scene scene = scene_of(host.scene + forces);
      scene.simulation.duration = 1.0;
      const Recorded series(scene);
      scene.simulation.method = "dop853";
      scene.simulation.tolerance = 1e-13;
      const Recorded slopes(scene);
      for (const std::string column : {"x_b", "y_b", "z_b", "wx_a", "dissipated", "work"}) {
        EXPECT_LT(test::largest_difference(series.column(column), slopes.column(column)), 2e-10)
            << column << ", " << host.name << "\n"
            << forces;
      }
    }
  }
}

TEST_P(LawOnBodies, KeepsTheOrderOfTheSeries) {
  for (const Host& host : hosts()) {
    World world(scene_of(host.scene + variants(GetParam()).back()));
    EXPECT_GT(test::series_order(world, 0.3, 8, 0.08), 7.5) << host.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, LawOnBodies, testing::ValuesIn(body_laws()), name_of_case);

// ---- bodies and chains ------------------------------------------------------------------------------------

// A spring between a bob and a body, and charges on both: nothing is lost in between.
TEST(BodyForces, ActBetweenBobsAndBodies) {
  const std::string chain =
      "[chain]\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\nphi_dot = 0.5\ncharge = "
      "0.3\n[[chain.links]]\nlength = 0.5\nmass = 0.5\ncharge = 0.2\nmoment = 3\n";
  const std::string between =
      law("spring",
          "between = [\"chain.2\", \"a\"]\npoints = [[0, 0, 0], [0.2, 0.1, 0]]\nstiffness = 5\n"
          "damping = 0.2") +
      law("coulomb", "constant = 3") + law("dipoles", "");
  const Recorded run(scene_of(kSimulation + chain + kPair + between));
  EXPECT_LT(test::largest(run.column("energy_error")), 1e-12 * run.summary.energy_scale);
  EXPECT_GT(run.last("dissipated"), 1e-3);
}

TEST(BodyForces, NamesChooseWhatTheyActOn) {
  const Recorded run(scene_of(kSimulation + kPair + law("formula", "force = [1, 0, 0]\non = [\"b\"]"),
                              {"simulation.gravity=0"}));
  EXPECT_NEAR(run.last("vx_a"), 0.3, 1e-14);
  EXPECT_NEAR(run.last("vx_b"), 3.0 / 0.6, 1e-13);
}

}  // namespace
}  // namespace catena
