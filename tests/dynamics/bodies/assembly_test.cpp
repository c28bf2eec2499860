// What assembly keeps of a drawing, and what it tells.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

// A rod hung at its end: m L^2/12 about its centre is far less than m L^2/4.
std::string hung_rod(const std::string& velocities) {
  return "[simulation]\nduration = 1\n[[bodies]]\nname = \"rod\"\nshape = \"rod\"\nlength = 2\nmass = 3\n"
         "position = [1, 0, 0]\n" +
         velocities +
         "\n[[joints]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = [\"ground\", \"rod\"]\n"
         "point = [0, 0, 0]\naxis = [0, 1, 0]\n";
}

TEST(Mechanisms, VelocitiesThatAreGivenOutrankThoseThatAreNot) {
  {
    const Recorded run(scene_of(hung_rod("angular_velocity = [0, 2, 0]")));
    EXPECT_NEAR(run.at(0, "wy_rod"), 2.0, 1e-14);
    EXPECT_NEAR(run.at(0, "vz_rod"), -2.0, 1e-14);
  }
  {
    const Recorded run(scene_of(hung_rod("velocity = [0, 0, -2]")));
    EXPECT_NEAR(run.at(0, "wy_rod"), 2.0, 1e-14);
    EXPECT_NEAR(run.at(0, "vz_rod"), -2.0, 1e-14);
  }
  // Both given, and at odds: the least kinetic energy of the change. With w the rate, m (w - 0)^2 / 2 of the
  // centre and m L^2/12 (w - 2)^2 / 2 about it: w = 2 (1/3) / (1 + 1/3).
  const Recorded run(scene_of(hung_rod("velocity = [0, 0, 0]\nangular_velocity = [0, 2, 0]")));
  EXPECT_NEAR(run.at(0, "wy_rod"), 0.5, 1e-13);
}

// Of two rods in a row only the second one's rate is given; the first takes part as little as may be.
TEST(Mechanisms, WhatIsNotGivenChangesByTheLeastKineticEnergy) {
  const std::string rods =
      "[simulation]\nduration = 1\n[[bodies]]\nname = \"a\"\nshape = \"rod\"\nlength = 1\nmass = 2\n"
      "position = [0.5, 0, 0]\n[[bodies]]\nname = \"b\"\nshape = \"rod\"\nlength = 1\nmass = 1\n"
      "position = [1.5, 0, 0]\nangular_velocity = [0, 3, 0]\n"
      "[[joints]]\nkind = \"revolute\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n"
      "[[joints]]\nkind = \"revolute\"\nbodies = [\"a\", \"b\"]\npoint = [1, 0, 0]\naxis = [0, 1, 0]\n";
  const Recorded run(scene_of(rods));
  // a turns at w: b's centre goes at -(w + 3/2). Least of (2/3) w^2/2 + (w + 3/2)^2/2: w = -(3/2) / (5/3).
  EXPECT_NEAR(run.at(0, "wy_b"), 3.0, 1e-13);
  EXPECT_NEAR(run.at(0, "wy_a"), -0.9, 1e-13);
}

// A given angular velocity is the world's, also where assembly turns the body to its place.
TEST(Mechanisms, GivenAngularVelocitiesStayTheWorlds) {
  const Recorded run(scene_of(hung_rod("angular_velocity = [0, 2, 0]") + "angle = 0.7\n"));
  EXPECT_NEAR(run.at(0, "angle_pin"), 0.7, 1e-14);
  EXPECT_NEAR(run.at(0, "wy_rod"), 2.0, 1e-14);
}

std::string warnings(const Scene& scene) {
  const World world(scene);
  std::string out;
  for (const Warning& warning : world.warnings()) out += text(warning) + "\n";
  return out;
}

TEST(Mechanisms, AssemblyTellsWhatItChanged) {
  const Scene turned = scene_of(hung_rod("angular_velocity = [0, 2, 0]"));
  EXPECT_EQ(warnings(turned), "");  // what was left out follows what was given
  const World world(turned);
  EXPECT_NEAR(world.assembly().velocity.size, 2.0, 1e-14);
  EXPECT_LT(world.assembly().spin.size, 1e-13);
  const std::string odds = warnings(scene_of(hung_rod("velocity = [0, 0, 0]\nangular_velocity = [0, 2, 0]")));
  EXPECT_NE(odds.find("assembly changed the velocity of 'rod' by 0.5 m/s"), std::string::npos) << odds;
  EXPECT_NE(odds.find("assembly changed the angular velocity of 'rod' by 1.5 rad/s"), std::string::npos)
      << odds;
  const std::string placed = warnings(scene_of(hung_rod("") + "angle = 0.7\n"));
  EXPECT_NE(placed.find("assembly changed the orientation of 'rod' by 0.7 rad"), std::string::npos) << placed;
  EXPECT_NE(placed.find("assembly changed the place of 'rod' by 0.68"), std::string::npos) << placed;
}

// A chain drawn straight down and pinned far away comes there by way of an arc; what counts is the drawing.
TEST(Mechanisms, AChainPulledToItsEndTellsHowFar) {
  const World world(
      scene_of("[simulation]\nduration = 1\n[chain]\nend = [3, 0, 0]\n[[chain.links]]\nlength = 0.5\nmass = "
               "0.1\ntheta = 0\nrepeat = 12\n"));
  EXPECT_GT(world.assembly().move.size, 3.0);
  EXPECT_EQ(world.mechanism()->mechanism().bodies[world.assembly().move.body].name, "chain.12");
}

// Two links between a pivot and an end: the bob between them may be anywhere on a circle about the line from
// one to the other, and comes to the point of it that is closest to where it was drawn. Seen from elsewhere
// it is the same point.
TEST(Mechanisms, AssemblyMovesTheDrawingAsLittleAsMayBeFromWhereverOneLooks) {
  const double first = 0.948, second = 0.61;
  const Vec3 end{0.7, 1.0, -0.5}, drawn{-0.5563, 0.3678, 0.6742};
  const double chord = std::sqrt(dot(end, end));
  const double along = (first * first - second * second + chord * chord) / (2.0 * chord);
  const double radius = std::sqrt(first * first - along * along);
  Vec3 wanted{}, across{};
  const double size = std::sqrt(dot(drawn, drawn)), part = first / size * dot(drawn, end) / (chord * chord);
  for (std::size_t i = 0; i < 3; ++i) across[i] = first / size * drawn[i] - part * end[i];
  const double off = std::sqrt(dot(across, across));
  for (std::size_t i = 0; i < 3; ++i) wanted[i] = along * end[i] / chord + radius * across[i] / off;
  for (const double angle : {0.0, 0.4, 2.0, -2.9}) {
    const auto turned = [angle](const Vec3& v) {
      return Vec3{std::cos(angle) * v[0] - std::sin(angle) * v[1],
                  std::sin(angle) * v[0] + std::cos(angle) * v[1], v[2]};
    };
    const auto written = [&](const Vec3& v) {
      const Vec3 w = turned(v);
      return fmt::format("[{}, {}, {}]", w[0], w[1], w[2]);
    };
    // The second link is drawn so that the bob at its end is far from there: what it weighs does not matter.
    const Recorded run(
        scene_of("[simulation]\nduration = 0.01\n[chain]\nend = " + written(end) +
                 fmt::format("\n[[chain.links]]\nlength = {}\nmass = 0.395\ndirection = {}\nrate = {}\n",
                             first, written(drawn), written({-0.9, 0.6, 1.4})) +
                 fmt::format("[[chain.links]]\nlength = {}\nmass = 1.61\ndirection = {}\n", second,
                             written({-0.68, 0.45, -0.58}))));
    const Vec3 place = turned(wanted);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(run.at(0, std::string(1, "xyz"[i]) + "_1"), place[i], 1e-12) << angle;
  }
}

// A chain that is drawn 5 m from its end: closing the gap at once leads elsewhere from wherever one looks,
// little by little to one place.
TEST(Mechanisms, AssemblyFromFarOffIsTheSameFromWhereverOneLooks) {
  const auto heights_at = [](double angle) {
    const auto written = [angle](const Vec3& v) {
      return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", std::cos(angle) * v[0] - std::sin(angle) * v[1],
                         std::sin(angle) * v[0] + std::cos(angle) * v[1], v[2]);
    };
    const auto link = [&](double length, double mass, const Vec3& direction) {
      return fmt::format("[[chain.links]]\nlength = {}\nmass = {}\ndirection = {}\n", length, mass,
                         written(direction));
    };
    const Recorded run(
        scene_of("[simulation]\nduration = 0.01\n[chain]\nend = " + written({-1.9, -0.2, 2.735}) + "\n" +
                 link(0.943, 0.555, {0.388, -0.402, -0.829}) + link(1.175, 0.758, {0.181, -0.983, -0.035}) +
                 link(1.051, 1.643, {-0.333, 0.818, -0.469}) + link(0.989, 0.425, {1.913, -0.617, 0.699})));
    return std::array<double, 3>{run.at(0, "z_1"), run.at(0, "z_2"), run.at(0, "z_3")};
  };
  const auto wanted = heights_at(0.0);
  for (const double angle : {0.4, 2.0, -2.9, 1.5707963267948966}) {
    const auto found = heights_at(angle);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], wanted[i], 1e-9) << angle << " " << i;
  }
}

// Two chains drawn metres from their ends, in metres and in other units of length: what is closed must not
// depend on how metres and radians compare.
TEST(Mechanisms, AssemblyFromFarOffIsTheSameInAllUnits) {
  struct Drawn {
    std::array<double, 3> end;
    std::vector<std::array<double, 4>> links;  // length, mass, theta, theta_dot
  };
  const Drawn drawings[] = {{{-1.747, -0.744, 1.82},
                             {{0.787, 0.704, 2.406, -1.336},
                              {0.513, 1.621, -0.012, -0.434},
                              {0.865, 0.872, 1.303, -2.265},
                              {1.123, 0.225, -0.158, -1.279}}},
                            {{1, 2, 0},
                             {{0.48, 1.93, 2.028, 2.478},
                              {0.531, 1.664, -1.669, 1.845},
                              {0.986, 1.161, -0.067, -0.274},
                              {0.477, 1.88, -1.342, -2.038}}}};
  for (const Drawn& drawn : drawings) {
    const auto kinetic_in = [&](double unit) {
      std::string scene =
          fmt::format("[simulation]\nduration = 0.01\ngravity = {}\n[chain]\nend = [{}, {}, {}]\n",
                      9.81 * unit, unit * drawn.end[0], unit * drawn.end[1], unit * drawn.end[2]);
      for (const auto& [length, mass, theta, rate] : drawn.links)
        scene += fmt::format(
            "[[chain.links]]\nlength = {}\nmass = {}\ntheta = {}\ntheta_dot = {}\ninertia = "
            "\"rod\"\n",
            unit * length, mass, theta, rate);
      return Recorded(scene_of(scene)).at(0, "kinetic") / (unit * unit);
    };
    const double wanted = kinetic_in(1.0);
    for (const double unit : {0.01, 0.5, 2.361, 40.0})
      EXPECT_NEAR(kinetic_in(unit), wanted, 1e-9 * wanted) << unit;
  }
}

// Joints whose equations depend on how their frames are drawn; the motion that follows is the same as well.
TEST(Mechanisms, AssemblyOfSlidersAndScrewsIsTheSameFromWhereverOneLooks) {
  const auto angles_at = [](double angle) {
    const auto written = [angle](const Vec3& v) {
      return fmt::format("[{}, {}, {}]", v[0], std::cos(angle) * v[1] - std::sin(angle) * v[2],
                         std::sin(angle) * v[1] + std::cos(angle) * v[2]);
    };
    const std::string turn = fmt::format("orientation = {{ axis = [1, 0, 0], angle = {} }}\n", angle);
    const Recorded run(scene_of(
        "[simulation]\nduration = 0.05\nsample = 0.05\ngravity = " + written({0, 0, -9.81}) +
        "\n[[bodies]]\nname = \"a\"\nmass = 2\ninertia = [0.1, 0.2, 0.15]\nposition = [0, 0, 0]\n" + turn +
        "[[bodies]]\nname = \"b\"\nmass = 1\ninertia = [0.02, 0.01, 0.03]\nposition = " +
        written({1.6, -0.1, -0.4}) + "\n" + turn +
        "[[bodies]]\nname = \"c\"\nmass = 1.8\ninertia = [0.12, 0.1, 0.11]\nposition = " +
        written({3, 0.4, -0.2}) + "\nangular_velocity = " + written({0.3, -0.3, -0.1}) + "\n" + turn +
        "[[joints]]\nname = \"s\"\nkind = \"prismatic\"\nbodies = [\"a\", \"b\"]\npoint = " +
        written({1.4, -0.3, 0.1}) + "\naxis = " + written({0.54, 0.72, 0.44}) +
        "\nmotor = { travel = \"0.3 + sin(t)\" }\n"
        "[[joints]]\nname = \"w\"\nkind = \"screw\"\nbodies = [\"b\", \"c\"]\npitch = 0.45\npoint = " +
        written({3.4, -0.1, -0.6}) + "\naxis = " + written({0, 1, 0}) + "\nangle = 0.24\n"));
    EXPECT_GT(run.summary.counts.steps, 0);
    return std::array{run.at(0, "x_c"), run.at(0, "kinetic"), run.last("travel_s"), run.last("angle_w"),
                      run.last("x_a")};
  };
  const auto plain = angles_at(0.0);
  for (const double angle : {0.5, 1.9, -2.6}) {
    const auto seen = angles_at(angle);
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(seen[i], plain[i], 1e-11) << angle << " " << i;
  }
}

// Screws far from closed: where Newton-Raphson's way ends depends on how the axes of the world lie to theirs,
// the place closest to the drawing does not.
TEST(Mechanisms, BodiesComeAsCloseToTheirDrawingAsMayBeFromWhereverOneLooks) {
  const auto start_at = [](double angle) {
    const auto written = [angle](const Vec3& v) {
      return fmt::format("[{}, {}, {}]", v[0], std::cos(angle) * v[1] - std::sin(angle) * v[2],
                         std::sin(angle) * v[1] + std::cos(angle) * v[2]);
    };
    const std::string turn = fmt::format("\norientation = {{ axis = [1, 0, 0], angle = {} }}\n", angle);
    const Recorded run(scene_of(
        "[simulation]\nduration = 0.05\nsample = 0.05\n[[bodies]]\nname = \"a\"\nmass = 1.7\n"
        "inertia = [0.013, 0.013, 0.013]\nposition = " +
        written({0.16, 0.2, -0.57}) + turn +
        "[[bodies]]\nname = \"b\"\nmass = 1.2\ninertia = [0.02, 0.04, 0.04]\nposition = " +
        written({1.67, 0.12, -0.13}) + turn +
        "[[joints]]\nname = \"s\"\nkind = \"screw\"\nbodies = [\"ground\", \"a\"]\npitch = 0.09\npoint = " +
        written({-0.09, 0.16, -0.68}) + "\naxis = " + written({-0.85, 0.27, -0.45}) +
        "\nangle = -0.4\n[[joints]]\nname = \"w\"\nkind = \"screw\"\nbodies = [\"a\", \"b\"]\npitch = 0.29\n"
        "point = " +
        written({1.24, 0.02, -0.01}) + "\naxis = " + written({-0.84, -0.2, -0.51}) + "\n"));
    return std::array{run.at(0, "x_a"), run.at(0, "x_b"), run.at(0, "angle_s"), run.at(0, "angle_w")};
  };
  const auto plain = start_at(0.0);
  for (const double angle : {0.5, 1.9, -2.6}) {
    const auto seen = start_at(angle);
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(seen[i], plain[i], 1e-11) << angle << " " << i;
  }
}

// A rod that assembly turns keeps no spin about itself: its energy is that of the directions it shows.
TEST(Mechanisms, LinksThatAreTurnedHaveNoSpinAboutThemselves) {
  const Recorded run(scene_of(
      "[simulation]\nduration = 1\n[chain]\nend = [0, 1, 0]\n"
      "[[chain.links]]\nlength = 1.118\nmass = 0.94\ntheta = -0.524\nphi = 2.824\ntheta_dot = -1.55\n"
      "inertia = \"rod\"\n[[chain.links]]\nlength = 0.948\nmass = 0.64\ntheta = 1.04\nphi = 2.824\n"
      "theta_dot = 0.302\n"));
  for (std::size_t row = 0; row < run.count(); row += 10)
    EXPECT_NEAR(run.at(row, "kinetic_1") + run.at(row, "kinetic_2"), run.at(row, "kinetic"), 1e-13);
}

// Weight, pivot and end are all that acts: the change of momentum is their impulse. Summed by Simpson's rule.
TEST(Mechanisms, WhatHoldsTheEndOfAChainIsAColumn) {
  const Recorded run(scene_of(
      "[simulation]\nduration = 0.4\nsample = 0.001\n[chain]\nend = [1.2, 0.3, -0.1]\n"
      "[[chain.links]]\nlength = 1\nmass = 0.5\ndirection = [0.5, 0.8, -0.3]\n[[chain.links]]\nlength = "
      "0.8\nmass = 0.7\ndirection = [0.6, -0.5, 0.3]\ninertia = \"rod\"\ncenter_of_mass = 0.5\n"));
  const double weight[3] = {0.0, 0.0, -9.81 * 1.2};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis(1, "xyz"[i]);
    double impulse = 0.0;
    for (std::size_t row = 0; row < run.count(); ++row) {
      const double factor = row == 0 || row + 1 == run.count() ? 1.0 : row % 2 == 1 ? 4.0 : 2.0;
      impulse += 0.001 / 3.0 * factor *
                 (weight[i] + run.at(row, "f" + axis + "_pivot") + run.at(row, "f" + axis + "_end"));
    }
    EXPECT_NEAR(run.last("p" + axis + "_total") - run.at(0, "p" + axis + "_total"), impulse, 1e-9) << axis;
    EXPECT_GT(std::fabs(run.at(0, "f" + axis + "_end")), 0.01) << axis;
  }
}

}  // namespace
}  // namespace catena
