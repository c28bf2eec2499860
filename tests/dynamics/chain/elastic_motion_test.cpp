// Motions of elastic chains: conservation laws, closed forms, resonance and the rigid limit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

constexpr double kPi = std::numbers::pi;
constexpr double kGravity = 9.81;

const char* kSpatial = R"(
[simulation]
duration = 100
sample = 1
[chain]
kind = "elastic"
pivot = [1, -2, 3]
[[chain.links]]
length = 1.0
mass = 1.0
stiffness = 60
theta = 1.0
phi_dot = 2.0
stretch = 0.1
[[chain.links]]
length = 0.7
mass = 0.5
stiffness = 80
theta = 1.5
phi = 1.4
theta_dot = -3
stretch_dot = 0.5
[[chain.links]]
parent = 1
length = 0.4
mass = 0.3
stiffness = 40
theta = 0.5
phi = 3.0
)";

TEST(Elastic, ConservesEnergyAndVerticalAngularMomentum) {
  const Recorded run(scene_of(kSpatial));
  EXPECT_EQ(run.summary.outcome, Outcome::done);
  EXPECT_EQ(run.summary.degrees_of_freedom, 9u);
  EXPECT_LT(run.summary.energy_error_relative, 1e-13);
  const double start = run.at(0, "lz_total");
  for (const double now : run.column("lz_total")) EXPECT_NEAR(now, start, 1e-13 * std::fabs(start));
  EXPECT_EQ(run.summary.constraint_error, 0.0);
}

// Truncation below roundoff: what is left is a random walk of 5e-16 J a step (as for rigid chains) and no
// drift.
TEST(Elastic, EnergyOfRegularOrbitsWalksRandomlyAndDoesNotDrift) {
  for (const std::string start : {"theta = 0.5", "theta = 0.7\nphi_dot = 3.0", "stretch = 0.3"}) {
    const Recorded run(scene_of(
        "[simulation]\nduration = 1000\nsample = 10\ntolerance = 1e-18\n[chain]\nkind = \"elastic\"\n"
        "[[chain.links]]\nlength = 1\nmass = 1\nstiffness = 70\n" +
        start));
    const double walk = 5e-16 * std::sqrt(static_cast<double>(run.summary.counts.steps));
    EXPECT_LT(run.summary.energy_error_relative * run.summary.energy_scale, 8 * walk) << start;
  }
}

std::string spring(double stiffness, double mass, double length, double stretch, const std::string& more) {
  return fmt::format(
      "[simulation]\nduration = 10\ntolerance = 1e-18\n[chain]\nkind = \"elastic\"\n[[chain.links]]\n"
      "length = {}\nmass = {}\nstiffness = {}\nstretch = {}\n{}\n",
      length, mass, stiffness, stretch, more);
}

// z(t) = -L - m g / c - (s - m g / c) cos(omega t) - (s_dot / omega) sin(omega t), omega^2 = c / m.
TEST(Elastic, ABobOnAVerticalSpringOscillatesAboutItsStaticStretch) {
  const double stiffness = 50.0, mass = 0.7, length = 1.2, stretch = 0.3, stretch_dot = 0.4;
  const double omega = std::sqrt(stiffness / mass), sag = mass * kGravity / stiffness;
  const Recorded run(
      scene_of(spring(stiffness, mass, length, stretch, fmt::format("stretch_dot = {}", stretch_dot))),
      Schedule::list({0.0, 0.1, 1.0, 5.0, 10.0}));
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double phase = omega * run.at(i, "t");
    const double below = sag + (stretch - sag) * std::cos(phase) + stretch_dot / omega * std::sin(phase);
    EXPECT_NEAR(run.at(i, "z_1"), -length - below, 1e-12) << run.at(i, "t");
    EXPECT_NEAR(run.at(i, "strain_1"), below / length, 1e-12);
    EXPECT_NEAR(run.at(i, "tension_1"), stiffness * below, 1e-12 * stiffness);
    EXPECT_NEAR(run.at(i, "fz_pivot"), stiffness * below, 1e-12 * stiffness);
    EXPECT_EQ(run.at(i, "x_1"), 0.0);
  }
}

// Hung up in its static stretch, sum of the weights below over the stiffness, a chain stays where it is.
TEST(Elastic, AChainInItsStaticStretchStaysAtRest) {
  const int n = 10;
  std::string toml = "[simulation]\nduration = 10\nsample = 1\n[chain]\nkind = \"elastic\"\n";
  for (int k = 0; k < n; ++k) {
    toml += fmt::format("[[chain.links]]\nlength = 0.5\nmass = 0.2\nstiffness = 300\nstretch = {}\n",
                        0.2 * kGravity * (n - k) / 300);
  }
  const Recorded run(scene_of(toml));
  for (int k = 1; k <= n; ++k) {
    const std::string column = fmt::format("z_{}", k);
    EXPECT_NEAR(run.last(column), run.at(0, column), 1e-13);
  }
}

// Bouncing twice as fast as it swings, a bounce with a trace of a swing turns into a swing and back; off
// resonance the trace stays a trace.
struct Exchange {
  double most;   // largest share of the swing in the energy above equilibrium
  double after;  // smallest share after that
};

Exchange exchange(double stiffness) {
  const double mass = 1.0, bounce = 0.1, trace = 0.01;
  const double sag = mass * kGravity / stiffness, equilibrium = 1.0;
  const Recorded run(
      scene_of(spring(stiffness, mass, equilibrium - sag, sag + bounce, fmt::format("theta = {}", trace))),
      Schedule::grid(0.02, 60.0));
  Exchange out{0.0, 1.0};
  for (std::size_t i = 0; i < run.count(); ++i) {
    const double x = run.at(i, "x_1"), vx = run.at(i, "vx_1");
    const double below = run.at(i, "z_1") + equilibrium, vz = run.at(i, "vz_1");
    const double swing = mass * vx * vx + mass * kGravity / equilibrium * x * x;
    const double share = swing / (swing + mass * vz * vz + stiffness * below * below);
    if (share > out.most) out = {share, 1.0};
    out.after = std::min(out.after, share);
  }
  return out;
}

TEST(Elastic, BounceAndSwingExchangeTheirEnergyAtTwoToOneOnly) {
  const Exchange resonant = exchange(4 * kGravity);
  EXPECT_GT(resonant.most, 0.9);
  EXPECT_LT(resonant.after, 0.1);
  // The trace itself has (0.01^2 g) / (c 0.1^2), a few thousandths.
  EXPECT_LT(exchange(9 * kGravity).most, 0.02);
  EXPECT_LT(exchange(2.25 * kGravity).most, 0.02);
}

// A chain let go from rest, each link stretched by what its rigid tension needs: the difference to the rigid
// chain falls like 1/stiffness.
TEST(Elastic, BecomesRigidLikeOneOverTheStiffness) {
  const std::vector<double> angles{0.6, 0.9, 0.3}, lengths{1.0, 0.8, 0.6}, masses{1.0, 1.5, 2.0};
  const auto chain = [&](const std::string& head, const std::vector<double>& stretch, double stiffness) {
    std::string toml = "[simulation]\nduration = 1\n" + head;
    for (std::size_t k = 0; k < angles.size(); ++k) {
      toml += fmt::format("[[chain.links]]\nlength = {}\nmass = {}\ntheta = {}\n", lengths[k], masses[k],
                          angles[k]);
      if (!stretch.empty()) toml += fmt::format("stiffness = {}\nstretch = {}\n", stiffness, stretch[k]);
    }
    return scene_of(toml);
  };
  const Schedule ends = Schedule::list({0.0, 1.0});
  const Recorded rigid(chain("", {}, 0.0), ends);
  std::vector<double> errors;
  const std::vector<double> stiffnesses{1e4, 1e5, 1e6, 1e7};
  for (const double stiffness : stiffnesses) {
    std::vector<double> stretch;
    for (const char* column : {"tension_1", "tension_2", "tension_3"}) {
      stretch.push_back(rigid.at(0, column) / stiffness);
    }
    const Recorded elastic(chain("[chain]\nkind = \"elastic\"\n", stretch, stiffness), ends);
    double error = 0.0;
    for (const char* column : {"x_1", "z_1", "x_2", "z_2", "x_3", "z_3"}) {
      error = std::max(error, std::fabs(elastic.last(column) - rigid.last(column)));
    }
    errors.push_back(error);
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    EXPECT_NEAR(std::log10(errors[i - 1] / errors[i]), 1.0, 0.1) << stiffnesses[i] << ": " << errors[i];
  }
}

TEST(Elastic, AVerticalPlaneAndSpaceGiveTheSameMotion) {
  const char* toml = R"(
[simulation]
duration = 5
sample = 0.25
[chain]
kind = "elastic"
plane = "{}"
[[chain.links]]
length = 1
mass = 1
stiffness = 80
theta = 0.4
phi = "30 deg"
theta_dot = 0.5
stretch = 0.2
[[chain.links]]
length = 0.8
mass = 0.5
stiffness = 60
theta = 0.3
phi = "210 deg"
stretch_dot = -0.3
)";
  const Recorded flat(scene_of(fmt::format(fmt::runtime(toml), "auto")));
  const Recorded space(scene_of(fmt::format(fmt::runtime(toml), "none")));
  EXPECT_EQ(flat.summary.degrees_of_freedom, 4u);
  EXPECT_EQ(space.summary.degrees_of_freedom, 6u);
  for (std::size_t i = 0; i < flat.count(); ++i) {
    for (const char* column :
         {"x_1", "y_1", "z_2", "vx_2", "wx_2", "tension_1", "strain_2", "energy", "l_1"}) {
      EXPECT_NEAR(flat.at(i, column), space.at(i, column), 1e-11) << column << " row " << i;
    }
    EXPECT_NEAR(std::fabs(std::remainder(flat.at(i, "theta_1"), 2 * kPi)), space.at(i, "theta_1"), 1e-11);
  }
}

TEST(Elastic, EveryMethodRunsIt) {
  for (const Method& method : methods()) {
    if (method.needs == Capability::lie || method.needs == Capability::constraints ||
        method.needs == Capability::constraints_or_bodies)
      continue;                                               // of rigid links
    if (method.name == "custom" || method.library) continue;  // need a table, or a library
    Scene scene = scene_of(kSpatial, {"simulation.duration=0.5", "simulation.sample=0.5"});
    scene.simulation.method = method.name;
    if (!method.adaptive) scene.simulation.step = 1e-4;
    const Recorded run(scene),
        exact(scene_of(kSpatial, {"simulation.duration=0.5", "simulation.sample=0.5"}));
    ASSERT_EQ(run.summary.outcome, Outcome::done) << method.name;
    // Fixed steps: those of order 1 are off by half a step times accelerations of 1e2 m/s^2.
    const double allowed = method.adaptive ? 1e-7 : 1e-2;
    EXPECT_NEAR(run.last("x_2"), exact.last("x_2"), allowed) << method.name;
  }
}

TEST(Elastic, PlanarAnglesCountTheirTurns) {
  const Recorded run(scene_of(spring(2000, 1, 1, 0, "theta = \"450 deg\"\ntheta_dot = -20")),
                     Schedule::grid(0.001, 3.0), {"theta", "theta_dot"});
  double turned = 2.5 * kPi;
  EXPECT_NEAR(run.at(0, "theta_1"), turned, 1e-15);
  for (std::size_t i = 1; i < run.count(); ++i) {
    turned += 0.0005 * (run.at(i - 1, "theta_dot_1") + run.at(i, "theta_dot_1"));
    ASSERT_NEAR(run.at(i, "theta_1"), turned, 1e-3) << i;  // trapezoidal rule
  }
  EXPECT_LT(run.last("theta_1"), -30.0);
}

TEST(Elastic, ColumnsMeanWhatTheySay) {
  const Recorded run(scene_of(kSpatial, {"simulation.duration=3", "simulation.sample=0.1"}));
  const std::vector<double> length{1.0, 0.7, 0.4}, stiffness{60, 80, 40}, mass{1.0, 0.5, 0.3};
  const std::vector<int> parent{0, 1, 1};
  EXPECT_NEAR(run.at(0, "strain_1"), 0.1, 1e-15);
  EXPECT_NEAR(run.at(0, "strain_2"), 0.0, 1e-15);
  for (std::size_t i = 0; i < run.count(); ++i) {
    double elastic = 0.0, energy = 0.0;
    for (int k = 1; k <= 3; ++k) {
      const auto v = [&](const std::string& stem, int link) {
        return run.at(i, fmt::format("{}_{}", stem, link));
      };
      const int p = parent[k - 1];
      const auto across = [&](const char* stem, double pivot) {
        return v(stem, k) - (p == 0 ? pivot : v(stem, p));
      };
      const double dx = across("x", 1), dy = across("y", -2), dz = across("z", 3);
      const double radius = std::hypot(dx, dy, dz), strain = radius / length[k - 1] - 1;
      EXPECT_NEAR(v("strain", k), strain, 1e-14);
      EXPECT_NEAR(v("tension", k), stiffness[k - 1] * length[k - 1] * strain, 1e-12);
      EXPECT_NEAR(v("ux", k), dx / radius, 1e-14);
      EXPECT_NEAR(v("uz", k), -std::cos(v("theta", k)), 1e-14);
      // Relative velocity across the link = omega x d.
      const double along = (across("vx", 0) * dx + across("vy", 0) * dy + across("vz", 0) * dz) / radius;
      EXPECT_NEAR(across("vx", 0) - along * dx / radius, v("wy", k) * dz - v("wz", k) * dy, 1e-12);
      EXPECT_NEAR(v("potential", k), mass[k - 1] * kGravity * v("z", k), 1e-12);
      EXPECT_NEAR(v("energy", k), v("kinetic", k) + v("potential", k) + v("elastic", k), 1e-12);
      EXPECT_NEAR(v("elastic", k), 0.5 * stiffness[k - 1] * std::pow(length[k - 1] * strain, 2), 1e-12);
      elastic += v("elastic", k);
      energy += v("energy", k);
    }
    EXPECT_NEAR(run.at(i, "elastic"), elastic, 1e-12);
    EXPECT_NEAR(run.at(i, "energy"), energy, 1e-12);
    EXPECT_NEAR(run.at(i, "kinetic") + run.at(i, "potential") + run.at(i, "elastic"), run.at(i, "energy"),
                1e-12);
  }
}

// theta_dot and phi_dot are the derivatives of theta and phi, and strain's is that of the length: central
// differences.
TEST(Elastic, RatesAreDerivatives) {
  const double h = 1e-4;
  std::vector<double> times;
  for (int i = 1; i < 10; ++i) {
    for (const double shift : {-h, 0.0, h}) times.push_back(0.1 * i + shift);
  }
  const Recorded run(scene_of(kSpatial), Schedule::list(times));
  for (std::size_t i = 1; i < run.count(); i += 3) {
    for (const char* angle : {"theta", "phi"}) {
      for (int k = 1; k <= 3; ++k) {
        const std::string value = fmt::format("{}_{}", angle, k), rate = fmt::format("{}_dot_{}", angle, k);
        const double change = std::remainder(run.at(i + 1, value) - run.at(i - 1, value), 2 * kPi);
        const double size = 1 + std::fabs(run.at(i, rate));
        // h^2/6 times the third derivative, of order (10/s)^3.
        EXPECT_NEAR(change / (2 * h), run.at(i, rate), 1e-5 * size * size) << value << " " << run.at(i, "t");
      }
    }
  }
}

TEST(Elastic, OnlyElasticChainsHaveStrain) {
  const Recorded run(
      scene_of("[simulation]\nduration = 1\n"
               "[[chains]]\nname = \"a\"\nlinks = [{length = 1, mass = 1, theta = 1}]\n"
               "[[chains]]\nname = \"b\"\nkind = \"elastic\"\n"
               "links = [{length = 1, mass = 1, stiffness = 90, theta = 1}]\n"));
  EXPECT_FALSE(run.has("strain_a_1"));
  EXPECT_TRUE(run.has("strain_b_1"));
  EXPECT_TRUE(run.has("tension_a_1"));
  EXPECT_EQ(run.summary.degrees_of_freedom, 3u);
  EXPECT_GT(run.last("elastic"), 0.0);
  EXPECT_LT(run.summary.energy_error_relative, 1e-14);
}

}  // namespace
}  // namespace catena
