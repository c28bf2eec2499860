// What assembly keeps of a drawing, and what it tells.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace catena
