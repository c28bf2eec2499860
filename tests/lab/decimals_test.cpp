// Runs with more digits take numbers for the decimals that were written, wherever they stand: in formulas, in
// bodies and joints, in angles, rates and directions, in planes turned about z. Against motions computed
// elsewhere to 34 digits, closed forms, and other ways to write the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/math/decimal.h"
#include "catena/math/functions_digits.h"
#include "lab/digits.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

// A column with its digits beyond a double's, in the last row.
DoubleDouble whole(const Recorded& run, const std::string& column) {
  return two_sum(run.last(column), run.last("lo_" + column));
}

std::vector<DoubleDouble> reference(const std::string& name) {
  std::ifstream file(std::string(CATENA_SOURCE_DIR) + "/tests/lab/precision_references.json");
  const nlohmann::json all = nlohmann::json::parse(file);
  std::vector<DoubleDouble> out;
  for (const auto& one : all["cases"]) {
    if (one["name"] != name) continue;
    for (const auto& number : one["ends"][0]) out.push_back(parsed(number));
  }
  return out;
}

// The largest difference of a place in the last row from a reference's.
double error_of(const Recorded& run, const std::string& label, const std::string& name) {
  const std::vector<DoubleDouble> wanted = reference(name);
  double largest = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string column = std::string(1, "xyz"[i]) + "_" + label;
    largest = std::max(largest, abs(whole(run, column) - wanted.at(i)));
  }
  return largest;
}

std::string simulation(const std::string& precision, double duration) {
  return fmt::format("[simulation]\nprecision = \"{}\"\nduration = {}\nsample = {}\n", precision, duration,
                     duration);
}

// The plane's cosine and sine must have all digits: otherwise no step is right, and the run creeps.
TEST(Decimals, QuadraticDragInATurnedPlaneIsRightToThirtyDigits) {
  for (const std::string& precision : kPrecisions) {
    for (const char* plane : {"auto", "none"}) {
      const Recorded run(scene_of(
          simulation(precision, 0.5) + fmt::format("[chain]\nplane = \"{}\"\n", plane) +
          "[[chain.links]]\nlength = 0.9\nmass = 0.7\ntheta = \"60 deg\"\ntheta_dot = \"-30 deg/s\"\n"
          "phi = \"30 deg\"\ndrag_area = 0.3\n[[forces]]\nkind = \"drag\"\ndensity = 1.2\n"));
      EXPECT_LT(error_of(run, "1", "dragged"), 1e-29) << precision << plane;
      EXPECT_LT(run.summary.counts.steps, 40) << precision << plane;
    }
  }
}

TEST(Decimals, ASpringLinearInTheAngleIsRightToThirtyDigits) {
  for (const std::string& precision : kPrecisions) {
    const Recorded run(scene_of(
        simulation(precision, 2.0) +
        "[[chain.links]]\nlength = 0.9\nmass = 0.7\ntheta = \"60 deg\"\ntheta_dot = 0.3\nphi = \"20 deg\"\n"
        "joint_stiffness = 1.3\njoint_stiffness_law = \"linear\"\n"));
    EXPECT_LT(error_of(run, "1", "bent"), 1e-28) << precision;
  }
}

// x'' = -(2/3) x - (0.1 + 0.2): neither 2/3 nor the sum is a double.
TEST(Decimals, ConstantsOfFormulasAreNotRounded) {
  const DoubleDouble omega = square_root(DoubleDouble(2.0) / DoubleDouble(3.0)), t(2.0);
  const DoubleDouble rest = DoubleDouble(-9.0) / DoubleDouble(20.0);
  const DoubleDouble wanted = (decimal(0.7) - rest) * digits::cos<DoubleDouble>(omega * t) + rest;
  for (const std::string& precision : kPrecisions) {
    const Recorded run(scene_of(simulation(precision, 2.0) +
                                "[lagrangian]\ncoordinates = { x = 0.7 }\nkinetic = \"x'^2/2\"\n"
                                "potential = \"x^2/3 + (0.1 + 0.2)*x\"\n"));
    EXPECT_LT(abs(whole(run, "x") - wanted), 1e-30) << precision;
  }
}

// Two ways to write the same force agree, and one that differs in the seventeenth digit does not.
TEST(Decimals, ConstantsOfForcesAreNotRounded) {
  const auto end = [](const std::string& force) {
    const Recorded run(scene_of(simulation("double-double", 1.0) +
                                "[[chain.links]]\nlength = 0.9\nmass = 0.7\ntheta = 0.3\ntheta_dot = 0.1\n"
                                "[[forces]]\nkind = \"formula\"\nforce = [\"" +
                                force + "\", 0, 0]\n"));
    return whole(run, "x_1");
  };
  EXPECT_LT(abs(end("(1/3)*x + 0.1*0.7*t") - end("x/3 + 0.07*t")), 1e-30);
  EXPECT_LT(abs(end("(0.1 + 0.2)*cos(t)") - end("0.3*cos(t)")), 1e-30);
  EXPECT_GT(abs(end("(0.1 + 0.2)*cos(t)") - end("0.30000000000000004*cos(t)")), 1e-18);
}

// A bar on a hinge, swinging: places, velocities, masses, inertias and the joint's own frames are decimals.
const char* kBar = R"([[bodies]]
name = "bar"
{}
mass = 1.5
position = [0.4, 0, -0.3]
velocity = [-0.28, 0, -0.21]
angular_velocity = [0, 0.7, 0]
[[joints]]
name = "pin"
kind = "revolute"
bodies = ["ground", "bar"]
point = [0.1, 0, 0.1]
axis = [0, 0.3, 0]
)";

TEST(Decimals, BodiesAndJointsAreRightToTwentyEightDigits) {
  for (const std::string& precision : kPrecisions) {
    for (const char* inertia :
         {"inertia = [0.01, 0.08, 0.08]", "shape = \"rod\"\nlength = 0.8",
          "shape = \"rod\"\nlength = 0.8\norientation = { axis = [0, 0.1, 0], angle = \"30 deg\" }",
          "shape = \"rod\"\nlength = 0.8\norientation = { euler_xyz = [\"90 deg\", 0, \"70 deg\"] }"}) {
      const Recorded run(scene_of(simulation(precision, 1.0) + fmt::format(fmt::runtime(kBar), inertia)));
      // Of the pivot's place: 0.1 along x and z.
      const std::vector<DoubleDouble> wanted = reference("body");
      EXPECT_LT(abs(whole(run, "x_bar") - decimal(0.1) - wanted[0]), 1e-28) << precision << inertia;
      EXPECT_LT(abs(whole(run, "z_bar") - decimal(0.1) - wanted[2]), 1e-28) << precision << inertia;
    }
  }
}

// Free flight: x + v t, z - g t^2/2, and a turn about a principal axis.
TEST(Decimals, AFreeBodyFliesByItsDecimals) {
  for (const std::string& precision : kPrecisions) {
    const Recorded run(scene_of(simulation(precision, 1.0) +
                                "[[bodies]]\nname = \"box\"\nshape = \"box\"\nsize = [0.3, 0.2, 0.1]\n"
                                "density = 0.7\nposition = [0.1, 0.2, 0.3]\nvelocity = [0.7, -0.1, 0.9]\n"
                                "angular_velocity = [0, 0, 1.1]\n"));
    EXPECT_LT(abs(whole(run, "x_box") - decimal(0.8)), 1e-31) << precision;
    EXPECT_LT(abs(whole(run, "y_box") - decimal(0.1)), 1e-31) << precision;
    EXPECT_LT(abs(whole(run, "z_box") - (decimal(1.2) - decimal(4.905))), 1e-30) << precision;
    EXPECT_LT(abs(whole(run, "qz_box") - digits::sin<DoubleDouble>(decimal(0.55))), 1e-30) << precision;
  }
}

// The same numbers, written otherwise.
// What a rate has along its link does not count, to the last digit: [0.62, 0, 0.34] is [0.56, 0, 0.42] and a
// tenth of the direction.
TEST(Decimals, TheRateOfADirectionIsNormalToItInAllDigits) {
  for (const char* more : {"plane = \"auto\"\n", "plane = \"none\"\n", "formulation = \"multibody\"\n"}) {
    const auto run = [&](const char* rate) {
      return Recorded(scene_of(
          simulation("double-double", 0.5) + "[chain]\n" + more +
          "[[chain.links]]\nlength = 0.7\nmass = 0.3\ndirection = [0.6, 0, -0.8]\nrate = " + rate + "\n"));
    };
    const Recorded normal = run("[0.56, 0, 0.42]"), other = run("[0.62, 0, 0.34]");
    for (const char* column : {"x_1", "z_1", "vx_1", "vz_1", "theta_dot_1"})
      EXPECT_LT(abs(whole(normal, column) - whole(other, column)), 1e-30) << more << column;
    EXPECT_LT(abs(two_sum(normal.at(0, "theta_dot_1"), normal.at(0, "lo_theta_dot_1")) - decimal(0.7)),
              1e-31);
  }
}

// A capsule of radius 0.3 and length 1.2: moments over mass 0.1089 across and 0.0414 along, and a volume of
// 0.09 pi, from the formulas by hand.
TEST(Decimals, ACapsuleHasAllDigitsOfItsInertia) {
  const std::string start = "position = [0, 0, 0]\nangular_velocity = [1.1, 0.7, -2.3]\n";
  const Recorded shape(scene_of(
      simulation("double-double", 1.0) +
      "[[bodies]]\nname = \"a\"\nshape = \"capsule\"\nradius = 0.3\nlength = 1.2\nmass = 0.7\n" + start));
  const Recorded given(scene_of(simulation("double-double", 1.0) +
                                "[[bodies]]\nname = \"a\"\nmass = 0.7\ninertia = [0.07623, 0.07623, "
                                "0.02898]\n" +
                                start));
  for (const char* column : {"qw_a", "qx_a", "qy_a", "qz_a", "wx_a", "wy_a", "wz_a"})
    EXPECT_LT(abs(whole(shape, column) - whole(given, column)), 1e-29) << column;
  const Scene heavy = scene_of(simulation("double-double", 1.0) +
                               "[[bodies]]\nname = \"a\"\nshape = \"capsule\"\nradius = 0.3\nlength = 1.2\n"
                               "density = 10\n");
  const Body& body = heavy.mechanism.bodies[0];
  const DoubleDouble wanted = digits::pi<DoubleDouble>() * decimal(0.9);
  EXPECT_LT(abs(two_sum(body.mass, body.mass_rest) - wanted), 1e-30);
}

// The largest difference of the orientations and angular velocities of body a in the last rows.
double turned_apart(const Recorded& one, const Recorded& other) {
  double largest = 0.0;
  for (const char* column : {"qw_a", "qx_a", "qy_a", "qz_a", "wx_a", "wy_a", "wz_a"})
    largest = std::max(largest, abs(whole(one, column) - whole(other, column)));
  return largest;
}

Recorded tumbling(const std::string& precision, const std::string& shape) {
  return Recorded(scene_of(simulation(precision, 1.0) + "[[bodies]]\nname = \"a\"\n" + shape +
                           "angular_velocity = [1.1, 0.7, -2.3]\n"));
}

// A box in parts, turned and not, and as a mesh, is the box: its inertia has all digits.
TEST(Decimals, CompoundsAndMeshesHaveAllDigitsOfTheirInertia) {
  const std::string box = "shape = \"box\"\nsize = [0.7, 0.3, 0.1]\ndensity = 70\n";
  const std::string mesh =
      "shape = \"mesh\"\ndensity = 70\nscale = 0.05\nvertices = [[-7, -3, -1], [7, -3, -1], [7, 3, -1], "
      "[-7, 3, -1], [-7, -3, 1], [7, -3, 1], [7, 3, 1], [-7, 3, 1]]\ntriangles = [[0, 2, 1], [0, 3, 2], "
      "[4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], "
      "[3, 4, 7]]\n";
  const std::string halves =
      "shape = \"compound\"\nparts = [{ shape = \"box\", size = [0.2, 0.3, 0.1], density = 70, position = "
      "[0.11, 0.1, 0] }, { shape = \"box\", size = [0.3, 0.5, 0.1], density = 70, position = [0.46, 0.1, 0], "
      "orientation = { axis = [0, 0, 1], angle = \"90 deg\" } }]\n";
  const std::string aslant =
      "shape = \"compound\"\nparts = [{ shape = \"box\", size = [0.7, 0.3, 0.1], mass = 1.47, orientation = "
      "{ axis = [0, 0, 1], angle = \"30 deg\" } }]\norientation = { axis = [0, 0, 1], angle = \"-30 deg\" "
      "}\n";
  for (const std::string& precision : kPrecisions) {
    const Recorded wanted = tumbling(precision, box);
    EXPECT_LT(turned_apart(wanted, tumbling(precision, mesh)), 1e-29) << precision;
    EXPECT_LT(turned_apart(wanted, tumbling(precision, halves)), 1e-29) << precision;
    const Recorded turned = tumbling(precision, aslant);
    for (const char* column : {"wx_a", "wy_a", "wz_a"})
      EXPECT_LT(abs(whole(wanted, column) - whole(turned, column)), 1e-29) << precision << column;
  }
}

// A ball in water: z'' = -g + 1000 g V / m, whose volume 4/3 pi r^3 is no decimal; and a mass of parts that
// is no sum of doubles, 0.1 + 0.2, in a law of masses.
TEST(Decimals, VolumesAndMassesOfShapesHaveAllDigitsInLaws) {
  const Recorded ball(
      scene_of(simulation("double-double", 1.0) +
               "[[bodies]]\nname = \"a\"\nshape = \"sphere\"\nradius = 0.1\nmass = 0.7\n[[forces]]\nkind = "
               "\"buoyancy\"\ndensity = 1000\n"));
  const DoubleDouble g = decimal(9.81);
  const DoubleDouble volume = DoubleDouble(4.0) / DoubleDouble(3000.0) * digits::pi<DoubleDouble>();
  const DoubleDouble up = g * (DoubleDouble(1000.0) * volume / decimal(0.7) - DoubleDouble(1.0));
  EXPECT_LT(abs(whole(ball, "z_a") - up / DoubleDouble(2.0)), 1e-29);

  const Recorded parts(scene_of(simulation("double-double", 1.0) +
                                "[[bodies]]\nname = \"a\"\nshape = \"compound\"\nparts = [{ shape = "
                                "\"sphere\", radius = 0.1, mass = 0.1 "
                                "}, { shape = \"sphere\", radius = 0.1, mass = 0.2 }]\n[[forces]]\nkind = "
                                "\"formula\"\nforce = [\"m^2\", 0, "
                                "0]\n"));
  EXPECT_LT(abs(whole(parts, "x_a") - decimal(0.15)), 1e-30);
}

// The largest difference of these columns, with all their digits, in the last rows.
double apart(const Recorded& one, const Recorded& other, const std::vector<std::string>& columns) {
  double largest = 0.0;
  for (const std::string& column : columns)
    largest = std::max(largest, abs(whole(one, column) - whole(other, column)));
  return largest;
}

// Two boxes in water, one as heavy again as the other: their common centre of mass is at 1/15 m, and what
// they displace has its centre at 1/20 m. As one body, and as two that are held together, each with buoyancy
// of its own.
TEST(Decimals, TheArmOfBuoyancyHasAllDigits) {
  const std::string water = "[[forces]]\nkind = \"buoyancy\"\ndensity = 300\n";
  const std::string box = "shape = \"box\", size = [0.1, 0.1, 0.1], ";
  const auto part = [&](const char* mass, const char* x) {
    return fmt::format("{{ {}mass = {}, position = [{}, 0, 0] }}", box, mass, x);
  };
  const auto body = [&](const char* name, const char* mass, const char* x) {
    return fmt::format(
        "[[bodies]]\nname = \"{}\"\nshape = \"box\"\nsize = [0.1, 0.1, 0.1]\nmass = {}\n"
        "position = [{}, 0, 0]\n",
        name, mass, x);
  };
  for (const std::string& precision : kPrecisions) {
    const Recorded one(scene_of(simulation(precision, 0.5) +
                                "[[bodies]]\nname = \"a\"\nshape = \"compound\"\nparts = [" +
                                part("0.1", "0") + ", " + part("0.2", "0.1") + "]\n" + water));
    const Recorded two(scene_of(simulation(precision, 0.5) + body("a", "0.1", "0") + body("b", "0.2", "0.1") +
                                "[[joints]]\nkind = \"fixed\"\nbodies = [\"a\", \"b\"]\npoint = [0.05, 0, "
                                "0]\n" +
                                water));
    EXPECT_LT(apart(one, two, {"qw_a", "qx_a", "qy_a", "qz_a", "wx_a", "wy_a", "wz_a"}), 1e-29) << precision;
    EXPECT_GT(std::fabs(one.last("wy_a")), 0.1);
  }
}

// Laws whose numbers are products or distances of what was written, beside formulas of the same numbers.
TEST(Decimals, WhatLawsComputeFromTheirNumbersHasAllDigits) {
  const std::string mass =
      "[[bodies]]\nname = \"a\"\nshape = \"point\"\nmass = 0.7\ncharge = 0.1\nposition = [0.7, 0.1, "
      "-0.2]\nvelocity = [0.3, 1.1, 0.9]\n";
  const std::string fixed =
      "[[bodies]]\nname = \"b\"\nshape = \"point\"\nmass = 1\nfixed = true\ncharge = 0.3\n";
  const auto formula = [](const std::string& what) { return "[[forces]]\nkind = \"formula\"\n" + what; };
  const auto drag = [](const char* v) { return fmt::format("\"-0.5*1.225*0.47*0.3*speed*{}\"", v); };
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"[[forces]]\nkind = \"drag\"\ndensity = 1.225\ncoefficient = 0.47\narea = 0.3\n",
       formula("force = [" + drag("vx") + ", " + drag("vy") + ", " + drag("vz") + "]\n")},
      {fixed + "[[forces]]\nkind = \"coulomb\"\nconstant = 0.7\n",
       formula("potential = \"0.1*0.3*0.7/norm(x, y, z)\"\n")},
      {"[[forces]]\nkind = \"point-charge\"\ncharge = 0.3\nconstant = 0.7\nposition = [0, 0, 0]\n",
       formula("potential = \"0.1*0.3*0.7/norm(x, y, z)\"\n")},
      {"[[forces]]\nkind = \"spring\"\nbetween = [\"a\", [0.1, 0.2, 0.3]]\nstiffness = 7.7\n",
       formula("potential = \"0.5*7.7*(norm(x - 0.1, y - 0.2, z - 0.3) - sqrt(0.62))^2\"\n")}};
  for (const std::string& precision : kPrecisions) {
    for (const auto& [law, same] : pairs) {
      const Recorded one(scene_of(simulation(precision, 0.5) + mass + law));
      const Recorded other(scene_of(simulation(precision, 0.5) + mass + same));
      EXPECT_LT(apart(one, other, {"x_a", "y_a", "z_a", "vx_a", "vy_a", "vz_a"}), 1e-29) << precision << law;
    }
  }
}

// A spring on a turned body at rest, as a law and as a joint; and three magnets held together, beside one
// with the moments of all.
TEST(Decimals, PointsAndMomentsOfBodiesHaveAllDigits) {
  const std::string held =
      "[[bodies]]\nname = \"b\"\nfixed = true\norientation = { axis = [0, 1, 0], angle = \"30 deg\" }\n"
      "position = [0, 0.3, 0]\n[[bodies]]\nname = \"a\"\nshape = \"box\"\nsize = [0.3, 0.2, 0.1]\nmass = "
      "0.7\nposition = [0.9, 0, 0]\n";
  const auto magnets = [](const char* first, const char* second, const char* third) {
    std::string text = "[[forces]]\nkind = \"magnetic\"\nfield = [0.3, 0, 0.7]\n";
    const char* const moments[] = {first, second, third};
    for (int i = 0; i < 3; ++i) {
      text += fmt::format(
          "[[bodies]]\nname = \"{}\"\nshape = \"box\"\nsize = [0.1, 0.2, 0.3]\nmass = 0.3\nposition = [0.{}, "
          "0, 0]\nmoment = {}\n",
          "abc"[i], i, moments[i]);
    }
    return text +
           "[[joints]]\nkind = \"fixed\"\nbodies = [\"a\", \"b\"]\npoint = [0, 0, 0]\n[[joints]]\nkind = "
           "\"fixed\"\nbodies = [\"a\", \"c\"]\npoint = [0, 0, 0]\n";
  };
  for (const std::string& precision : kPrecisions) {
    const Recorded law(scene_of(simulation(precision, 0.5) + held +
                                "[[forces]]\nkind = \"spring\"\nbetween = [\"b\", \"a\"]\npoints = [[0.1, 0, "
                                "0.2], [0.15, 0.1, 0]]\nstiffness = 7.7\nlength = 0.3\n"));
    const Recorded joint(
        scene_of(simulation(precision, 0.5) + held +
                 "[[joints]]\nkind = \"distance\"\nbodies = [\"b\", \"a\"]\nanchors = [[0.1, "
                 "0, 0.2], [0.15, 0.1, 0]]\nstiffness = 7.7\nlength = 0.3\n"));
    EXPECT_LT(apart(law, joint, {"x_a", "y_a", "z_a", "wx_a", "wy_a", "wz_a"}), 1e-29) << precision;
    const Recorded three(
        scene_of(simulation(precision, 0.5) + magnets("[1, 0, 0]", "[0, 2, 0]", "[0, 0, 3]")));
    const Recorded one(scene_of(simulation(precision, 0.5) + magnets("[1, 2, 3]", "[0, 0, 0]", "[0, 0, 0]")));
    EXPECT_LT(apart(three, one, {"qw_a", "qx_a", "qy_a", "qz_a", "wx_a", "wy_a", "wz_a"}), 1e-29)
        << precision;
  }
}

// What assembly finds: velocities that the joints ask for, start values of joints, in degrees too.
TEST(Decimals, VelocitiesThatAssemblyFindsHaveAllDigits) {
  const std::vector<DoubleDouble> wanted = reference("body");
  for (const std::string& precision : kPrecisions) {
    std::string left_out = fmt::format(fmt::runtime(kBar), "shape = \"rod\"\nlength = 0.8");
    left_out.erase(left_out.find("velocity"), left_out.find("angular_velocity") - left_out.find("velocity"));
    const Recorded run(scene_of(simulation(precision, 1.0) + left_out));
    EXPECT_LT(abs(whole(run, "x_bar") - decimal(0.1) - wanted[0]), 1e-28) << precision;
    EXPECT_LT(abs(whole(run, "z_bar") - decimal(0.1) - wanted[2]), 1e-28) << precision;
  }
}

TEST(Decimals, StartValuesOfJointsHaveAllDigits) {
  const std::string rods =
      "[[bodies]]\nname = \"a\"\nshape = \"rod\"\nlength = 0.8\nmass = 1.5\nposition = [0.4, 0, 0]\n"
      "[[bodies]]\nname = \"b\"\nshape = \"rod\"\nlength = 0.6\nmass = 0.7\nposition = [1.1, 0, 0]\n"
      "[[joints]]\nkind = \"revolute\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n"
      "angle = \"30 deg\"\nrate = \"40 deg/s\"\n"
      "[[joints]]\nkind = \"revolute\"\nbodies = [\"a\", \"b\"]\npoint = [0.8, 0, 0]\naxis = [0, 1, 0]\n"
      "angle = \"-70 deg\"\nrate = 0.3\n";
  const Recorded joints(scene_of(simulation("double-double", 1.0) + rods));
  EXPECT_EQ(joints.summary.outcome, Outcome::done);
  const DoubleDouble pi = digits::pi<DoubleDouble>();
  const auto at_start = [&](const std::string& column) {
    return two_sum(joints.at(0, column), joints.at(0, "lo_" + column));
  };
  EXPECT_LT(abs(at_start("angle_revolute1") - pi / DoubleDouble(6.0)), 1e-31);
  EXPECT_LT(abs(at_start("angle_revolute1_dot") - pi * DoubleDouble(2.0) / DoubleDouble(9.0)), 1e-31);
  EXPECT_LT(abs(at_start("angle_revolute2") + pi * DoubleDouble(7.0) / DoubleDouble(18.0)), 1e-31);
  EXPECT_LT(abs(at_start("angle_revolute2_dot") - decimal(0.3)), 1e-31);
}

TEST(Decimals, ANumberIsTheSameHoweverItIsWritten) {
  const auto end = [](const std::string& start) {
    const Recorded run(scene_of(simulation("double-double", 1.0) +
                                "[[chain.links]]\nlength = 0.9\nmass = 0.7\n" + start +
                                "\n[[chain.links]]\nlength = 0.3\nmass = 0.2\ntheta = 0.1\n"));
    return whole(run, "x_2");
  };
  const auto expect_same = [&](const char* a, const char* b) {
    EXPECT_LT(abs(end(a) - end(b)), 1e-30) << a << "\n" << b;
  };
  expect_same("theta = 0.1", "theta = 1e-1");
  expect_same("theta = \"45 deg\"", "theta = \"0.25 pi\"");
  expect_same("theta_dot = \"45 deg/s\"", "theta_dot = \"0.25 pi/s\"");
  expect_same("direction = [0.3, 0, -0.4]", "direction = [3, 0, -4]");
  expect_same("direction = [1, 1, -1]\nrate = [0.1, 0.1, 0.2]",
              "direction = [0.7, 0.7, -0.7]\nrate = [0.1, 0.1, 0.2]");
  expect_same("direction = [0, 0.1, 0]\nrate = [0, 0, 0.7]",
              "theta = \"90 deg\"\nphi = \"90 deg\"\ntheta_dot = 0.7");
}

}  // namespace
}  // namespace catena
