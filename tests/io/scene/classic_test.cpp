// The config.toml of the classic Python simulator.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "io/scene/scene_bits.h"

namespace catena {
namespace {

const std::string kClassic = R"(filename = "triple"

[system.sim]
g = 9.81
timedelta = 0.001
steps = 5000

[[system.sim.pendula]]
length = 1.0
mass = 2.0
theta = [90, "d"]
phi = [0.5, "p"]
thetadot = [0.25, "r"]
phidot = [180, "d"]
zPole = true

[[system.sim.pendula]]
length = 0.5
mass = 1.0
theta = [0.5, "p"]
phi = [90.0, "d"]
thetadot = [1, "r"]
phidot = [2, "r"]
zPole = false

[system.plot]
x = [true, false, true]
pos = [false, true]
KE = true
pole = false
)";

TEST(ClassicConfig, becomes_an_rk4_run_of_steps_times_timedelta) {
  const Scene scene = scene_from(kClassic);
  EXPECT_EQ(scene.simulation.method, "rk4");
  EXPECT_EQ(scene.simulation.step, 0.001);
  EXPECT_EQ(scene.simulation.sample, 0.001);
  EXPECT_EQ(scene.simulation.duration, 5.0);
  EXPECT_EQ(scene.simulation.gravity, (Vec3{0.0, 0.0, -9.81}));
  EXPECT_EQ(scene.output, "triple.h5");
}

TEST(ClassicConfig, has_exact_quarter_turns) {
  const Link link = scene_from(kClassic).chains.at(0).links.at(0);
  EXPECT_EQ(link.theta.cosine, 0.0);
  EXPECT_EQ(link.phi.sine, 1.0);
  EXPECT_EQ(link.theta_dot, 0.25);
  EXPECT_EQ(link.phi_dot, std::acos(-1.0));
}

TEST(ClassicConfig, turns_x_polar_angles_into_a_direction_and_its_rate) {
  const Link link = scene_from(kClassic).chains.at(0).links.at(1);
  EXPECT_TRUE(link.by_direction);
  EXPECT_EQ(link.direction, (Vec3{0.0, 0.0, 1.0}));
  EXPECT_EQ(link.rate, (Vec3{-1.0, -2.0, 0.0}));
}

// The rate is the derivative of the direction: checked with a central difference of step 1e-5, good to 1e-9.
TEST(ClassicConfig, has_the_rate_of_its_x_polar_direction) {
  const auto direction = [](double t) {
    const double th = 0.7 + 0.3 * t;
    const double ph = 1.9 - 1.1 * t;
    return Vec3{std::cos(th), std::sin(th) * std::cos(ph), std::sin(th) * std::sin(ph)};
  };
  const Link link =
      scene_from(kClassic,
                 {"system.sim.pendula.2.theta=[0.7, 'r']", "system.sim.pendula.2.phi=[1.9, 'r']",
                  "system.sim.pendula.2.thetadot=[0.3, 'r']", "system.sim.pendula.2.phidot=[-1.1, 'r']"})
          .chains.at(0)
          .links.at(1);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(link.direction[i], direction(0.0)[i], 1e-15);
    EXPECT_NEAR(link.rate[i], (direction(1e-5)[i] - direction(-1e-5)[i]) / 2e-5, 1e-9);
  }
}

TEST(ClassicConfig, keeps_its_plot_switches) {
  const Scene scene = scene_from(kClassic);
  ASSERT_EQ(scene.plot.size(), 4u);
  EXPECT_EQ(scene.plot[0].name, "x");
  EXPECT_EQ(scene.plot[0].on, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(scene.plot[1].name, "pos");
  EXPECT_EQ(scene.plot[2].on, (std::vector<bool>{false}));
}

TEST(ClassicConfig, reads_back_from_its_json_as_an_ordinary_scene) {
  const Scene scene = scene_from(kClassic);
  EXPECT_EQ(scene.json.find("system"), std::string::npos);
  EXPECT_EQ(bits(scene), bits(scene_from(scene.json)));
}

TEST(ClassicConfig, takes_overrides_of_its_own_keys_and_of_ordinary_ones) {
  const Scene scene =
      scene_from(kClassic, {"simulation.duration=2", "system.sim.g=1", "chain.links.1.mass=9"});
  EXPECT_EQ(scene.simulation.gravity[2], -1.0);
  EXPECT_EQ(scene.simulation.duration, 2.0);
  EXPECT_EQ(scene.chains.at(0).links.at(0).mass, 9.0);
}

TEST(ClassicConfig, reports_its_mistakes_in_its_own_words) {
  EXPECT_EQ(
      complaints("filename = 3\n[system.sim]\ng = nan\ntimedelta = 0\nstep = 10\n"
                 "[[system.sim.pendula]]\nlength = -1\nmass = 1\ntheta = [90, 'deg']\nphi = 3\nzPole = 1\n"
                 "[system.plot]\nx = [true]\nKE = 1\nke = true\n[system.wind]\n"),
      "s.toml:1:12: filename must be a text that is not empty, got 3\n"
      "s.toml:2:1: system.sim: steps is missing; it must be a whole number\n"
      "s.toml:3:5: system.sim: g must be a finite number, got nan\n"
      "s.toml:4:13: system.sim: timedelta must be positive, got 0\n"
      "s.toml:5:1: system.sim: unknown key 'step', did you mean 'steps'?\n"
      "s.toml:7:10: pendulum 1: length must be positive, got -1\n"
      "s.toml:9:9: pendulum 1: theta has the unknown unit 'deg'; units are \"r\" (radians), \"d\" (degrees) "
      "and "
      "\"p\" (multiples of pi)\n"
      "s.toml:10:7: pendulum 1: phi must be a pair such as [120, \"d\"], with the unit r, d or p, got 3\n"
      "s.toml:11:9: pendulum 1: zPole must be true or false, got 1\n"
      "s.toml:13:5: system.plot: x must be a list of 3 booleans, got a list of 1\n"
      "s.toml:14:6: system.plot: KE must be true or false, got 1\n"
      "s.toml:15:1: system.plot: unknown key 'ke', did you mean 'KE'?\n"
      "s.toml:16:9: system: unknown key 'wind'; known are sim, plot");
}

TEST(ClassicConfig, needs_pendula) {
  EXPECT_EQ(complaints("[system.sim]\ntimedelta = 1\nsteps = 2\n"),
            "s.toml:1:1: system.sim: there are no pendula; write at least one [[system.sim.pendula]]");
  EXPECT_EQ(complaints("[system]\n"),
            "s.toml:1:1: system: [system.sim] is missing; it needs timedelta, steps and pendula");
  EXPECT_EQ(complaints("system = 4\n"), "s.toml:1:10: system must be a table, got 4");
}

}  // namespace
}  // namespace catena
