// A scene in a person's hands: forward and back, changed, dragged, with ghosts.
#include "catena/lab/experiment/experiment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <thread>

#include "catena/lab/experiment/carry.h"
#include "catena/lab/experiment/drag.h"
#include "support/chains.h"
#include "support/experiments.h"

namespace catena {
namespace {

using test::column;
using test::play;
using test::scene_of;
using test::value;

std::string chain_text(int links, const std::string& more = "", const std::string& each = "") {
  return fmt::format(
      "[simulation]\nduration = 10\n[chain]\n{}\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"100 "
      "deg\"\ntheta_step = \"7 deg\"\nrepeat = {}\n{}",
      more, links, each);
}

Scene rigid(int links) { return scene_of(chain_text(links)); }
Scene elastic(int links, double stiffness = 200) {
  return scene_of(chain_text(links, "kind = \"elastic\"", fmt::format("stiffness = {}", stiffness)));
}
Scene spatial(int links) { return scene_of(chain_text(links, "", "phi_step = \"20 deg\"\nphi_dot = 0.3")); }

ExperimentOptions options() {
  return {1.0 / 120,
          {"position", "velocity", "theta", "phi", "theta_dot", "phi_dot", "strain", "kinetic", "energy",
           "dissipated", "energy_error"},
          {"position", "velocity", "energy"}};
}

// Bit for bit, and nan is nan.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

// Newton's law for the chain as a whole: the rates of all momenta are its weight and what the pivot does,
// which is computed from the links' tensions.
TEST(Experiment, RatesOfMomentaAreWeightAndThePivotsForce) {
  for (const Scene& scene : {rigid(4), elastic(4), spatial(4)}) {
    Experiment experiment(scene, options());
    play(experiment, 50);
    const Sight sight = experiment.sight({"px", "py", "pz", "fx_pivot", "fy_pivot", "fz_pivot"});
    std::map<std::string, double> sums;
    std::size_t at = 0;
    for (const Stem& stem : sight.stems) {
      const bool of_links = stem.name.size() == 2 && stem.name[0] == 'p';
      for (std::size_t k = 0; k < std::max<std::size_t>(1, stem.labels.size()); ++k, ++at) {
        sums[stem.name] += of_links ? sight.rates[at] : sight.values[at];
      }
    }
    EXPECT_NEAR(sums["px"], sums["fx_pivot"], 1e-6);
    EXPECT_NEAR(sums["py"], sums["fy_pivot"], 1e-6);
    EXPECT_NEAR(sums["pz"], sums["fz_pivot"] - 4 * 9.81, 1e-6);
  }
}

TEST(Experiment, LookingOnChangesNoBit) {
  Experiment watched(spatial(3), options()), alone(spatial(3), options());
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(watched.forward(), StepStatus::done);
    watched.sight({"velocity", "px", "tension"});
    ASSERT_EQ(alone.forward(), StepStatus::done);
    ASSERT_TRUE(same_bits(watched.row(), alone.row())) << i;
  }
}

TEST(Experiment, GoesBackToTheSameBits) {
  for (const Scene& scene : {rigid(3), elastic(3), spatial(3)}) {
    Experiment experiment(scene, options());
    experiment.set_ghosts({{.offset = 1e-3}, {.offset = 0, .method = "rk4", .step = 0.01}});
    std::vector<std::vector<double>> rows{experiment.row()};
    for (int i = 1; i <= 300; ++i) {
      play(experiment, 1);
      rows.push_back(experiment.row());
    }
    for (const int tick : {299, 298, 240, 239, 61, 60, 59, 1, 0, 17, 170, 300}) {
      experiment.go_to(tick);
      EXPECT_EQ(experiment.tick(), tick);
      EXPECT_TRUE(same_bits(experiment.row(), rows[tick])) << tick;
    }
  }
}

TEST(Experiment, ChangesAndDragsAreMadeAgainAtTheirTicks) {
  Experiment experiment(rigid(4), options());
  play(experiment, 50);
  experiment.drag(0, 3, {1.0, 0.0, -1.0}, false);
  play(experiment, 50);
  Scene moon = rigid(4);
  moon.simulation.gravity = {0, 0, -1.62};
  experiment.change(moon);
  play(experiment, 50);
  experiment.change(elastic(4));
  play(experiment, 50);
  const std::vector<double> there = experiment.row();
  experiment.go_to(49);
  EXPECT_EQ(experiment.scene().simulation.gravity[2], -9.81);
  play(experiment, 60);
  EXPECT_EQ(experiment.scene().simulation.gravity[2], -1.62);
  EXPECT_EQ(experiment.end(), 200);
  play(experiment, 91);
  EXPECT_TRUE(same_bits(experiment.row(), there));
  experiment.go_to(120);
  experiment.change(moon);  // now the future is another
  EXPECT_EQ(experiment.end(), 120);
}

// The formulation may change in mid-motion, and a hand may take hold of a link in each of them.
TEST(Experiment, FormulationsTakeOverFromEachOther) {
  Experiment plain(spatial(3), options()), changing(spatial(3), options());
  for (const Formulation formulation : {Formulation::chart, Formulation::lie, Formulation::articulated,
                                        Formulation::chart, Formulation::tension}) {
    Scene scene = spatial(3);
    scene.chains[0].formulation = formulation;
    const EnergyChange energy = changing.change(scene);
    EXPECT_NEAR(energy.after, energy.before, 1e-12);
    plain.drag(0, 2, {1.0, 0.5, -1.5}, false);
    changing.drag(0, 2, {1.0, 0.5, -1.5}, false);
    play(plain, 20);
    play(changing, 20);
    for (const char* name : {"x_3", "y_3", "z_3", "vx_3", "vy_3", "vz_3", "energy"}) {
      EXPECT_NEAR(value(changing, name), value(plain, name), 1e-11) << name;
    }
  }
}

TEST(Experiment, KeepsItsHistoryWithinItsBudget) {
  History history(std::size_t{1} << 16);
  const auto scene = std::make_shared<const Scene>();
  const auto none = std::make_shared<const std::vector<GhostSettings>>();
  history.change(0, {scene, none, std::string(500, 'a'), {}});
  history.change(31, {scene, none, std::string(500, 'b'), {}});
  for (std::int64_t tick = 60; tick < 60000; tick += 60) {
    history.keep(tick, {scene, none, std::string(500, 'c'), {}});
    EXPECT_LE(history.bytes(), std::size_t{1} << 16);
    EXPECT_EQ(history.before(tick).first, tick);  // the newest is never thinned out
  }
  EXPECT_EQ(history.before(59).first, 31);  // nor is what was changed
  EXPECT_EQ(history.before(0).first, 0);
}

TEST(Experiment, BookmarksGoOnWithTheSameBits) {
  Experiment first(spatial(3), options());
  first.set_ghosts({{.offset = 1e-3}});
  play(first, 77);
  Experiment second(spatial(3), options());
  second.take_up(first.bookmark());
  EXPECT_TRUE(same_bits(first.row(), second.row()));
  play(first, 100);
  play(second, 100);
  EXPECT_TRUE(same_bits(first.row(), second.row()));
  second.go_to(0);
  EXPECT_EQ(second.tick(), 77);  // what came before is not known
}

// Also of what the method did: at a change nothing has been done yet.
TEST(Experiment, GoesBackToTheSameStepSize) {
  Experiment experiment(rigid(3), {1.0 / 120, {"step_size"}, {}});
  play(experiment, 30);
  experiment.change(rigid(3));
  const std::vector<double> changed = experiment.row();
  play(experiment, 30);
  experiment.go_to(30);
  EXPECT_TRUE(same_bits(experiment.row(), changed));
  EXPECT_EQ(changed[1], 0.0);
}

// Systems given by their Lagrangian go on under a change, back to the same bits, and have ghosts.
TEST(Experiment, LagrangianSystemsAreHandedOver) {
  const auto kepler = [](double mu) {
    return scene_of(
        fmt::format("[simulation]\nduration = 10\n[lagrangian]\ncoordinates = {{ x = 1.0, y = 0.0 }}\n"
                    "rates = {{ y = 1.0 }}\nparameters = {{ mu = {} }}\n"
                    "lagrangian = \"0.5*(x'^2 + y'^2) + mu/sqrt(x^2 + y^2)\"\n",
                    mu));
  };
  Experiment experiment(kepler(1.0), {1.0 / 120, {"position", "velocity"}, {"position"}});
  play(experiment, 120);
  const std::vector<double> there = experiment.row();
  EXPECT_NEAR(there[1], std::cos(1.0), 1e-13);  // a circle, once round in 2 pi
  EXPECT_NEAR(there[2], std::sin(1.0), 1e-13);
  EXPECT_FALSE(experiment.change(kepler(1.1)).restarted);
  for (std::size_t i = 0; i < there.size(); ++i) EXPECT_NEAR(experiment.row()[i], there[i], 1e-15);
  experiment.set_ghosts({{.offset = 1e-3}});
  const std::size_t width = experiment.columns().width();
  EXPECT_NEAR(experiment.row()[width + 1] - there[1], 1e-3, 1e-15);
  EXPECT_NEAR(experiment.row()[width + 2] - there[2], 0.0, 1e-15);
  play(experiment, 60);
  experiment.go_to(119);
  experiment.go_to(120);
  play(experiment, 60);
  for (const double number : experiment.row()) EXPECT_TRUE(std::isfinite(number));
}

TEST(Experiment, RigidToElasticKeepsPositionsAndVelocities) {
  for (const bool in_space : {false, true}) {
    Experiment experiment(in_space ? spatial(4) : rigid(4), options());
    play(experiment, 100);
    const std::vector<double> before = experiment.row();
    const std::size_t x = column(experiment.columns(), "x_1");
    Scene soft = experiment.scene();
    soft.chains[0].kind = ChainKind::elastic;
    for (Link& link : soft.chains[0].links) link.stiffness = 200;
    const EnergyChange energy = experiment.change(soft);
    // Ends are sums of at most four links; what is left is their roundoff.
    for (std::size_t i = 0; i < 6 * 4; ++i) EXPECT_NEAR(experiment.row()[x + i], before[x + i], 4e-15) << i;
    EXPECT_NEAR(energy.after, energy.before, 1e-13 * std::fabs(energy.before));
  }
}

TEST(Experiment, ElasticToRigidKeepsDirectionsRestoresLengthsAndGainsNoKineticEnergy) {
  Experiment experiment(elastic(4), options());
  play(experiment, 150);
  const std::vector<double> before = experiment.row();
  const double kinetic_before = value(experiment, "kinetic");
  experiment.change(rigid(4));
  for (int k = 1; k <= 4; ++k) {
    const std::string label = std::to_string(k);
    EXPECT_NEAR(value(experiment, "theta_" + label), before[1 + 6 * 4 + static_cast<std::size_t>(k) - 1],
                1e-14);  // theta comes behind x and v
  }
  EXPECT_LT(value(experiment, "kinetic"), kinetic_before);  // the motion along the links is gone
  const State& now = experiment.lab().state();
  World world(experiment.lab().inside().world);  // one to compute with
  EXPECT_LT(world.constraint_error(now.t, now.hi.data(), now.lo.data()), 1e-15);
}

TEST(Experiment, GravityOutOfThePlaneLiftsTheChainIntoSpace) {
  Experiment experiment(rigid(3), options());
  play(experiment, 60);
  const double x = value(experiment, "x_3");
  Scene sideways = rigid(3);
  sideways.simulation.gravity = {0, 3, -9};
  experiment.change(sideways);
  EXPECT_NEAR(value(experiment, "x_3"), x, 1e-14);
  EXPECT_EQ(value(experiment, "y_3"), 0.0);
  play(experiment, 60);
  EXPECT_GT(value(experiment, "y_3"), 0.1);
  experiment.change(rigid(3));  // straight down again: the motion stays in space
  EXPECT_GT(value(experiment, "y_3"), 0.1);
}

TEST(Experiment, WhatWasDissipatedStaysCountedOverAChange) {
  const auto damped = [](double g) {
    Scene scene = scene_of(chain_text(3, "velocity_damping = 0.5"));
    scene.simulation.gravity = {0, 0, -g};
    return scene;
  };
  Experiment experiment(damped(9.81), options());
  play(experiment, 120);
  const double lost = value(experiment, "dissipated");
  EXPECT_GT(lost, 0.1);
  experiment.change(damped(5));
  EXPECT_EQ(value(experiment, "dissipated"), lost);
  play(experiment, 120);
  EXPECT_GT(value(experiment, "dissipated"), lost);
  EXPECT_NEAR(value(experiment, "energy_error"), 0.0, 1e-11);  // of about 60 J, at the default tolerance
}

TEST(Experiment, AMovingPivotIsWhereTheHandReachesFrom) {
  Experiment experiment(scene_of(chain_text(2, "pivot = [\"t\", 0, 0]")), options());
  play(experiment, 120);  // the pivot is at x = 1 now
  experiment.drag(0, 1, {1.5, 0.0, -1.2}, false);
  EXPECT_NEAR(value(experiment, "x_2"), 1.5, 0.01);
  EXPECT_NEAR(value(experiment, "z_2"), -1.2, 0.01);
}

TEST(Experiment, BodiesGoOnUnderAnotherGravityAndBackToTheSameBits) {
  const auto arm = [](double g) {
    Scene scene = scene_of(
        "[simulation]\nduration = 10\n[[bodies]]\nname = \"arm\"\nshape = \"rod\"\nsize = [1, 0.05, "
        "0.05]\nmass = 1\nposition = [0.5, 0, 0]\n[[joints]]\nname = \"hinge\"\nkind = "
        "\"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n");
    scene.simulation.gravity = {0, 0, -g};
    return scene;
  };
  Experiment experiment(arm(9.81), options());
  play(experiment, 61);
  const double z = value(experiment, "z_arm"), vz = value(experiment, "vz_arm");
  EXPECT_LT(z, -0.1);
  experiment.change(arm(2));
  EXPECT_EQ(value(experiment, "z_arm"), z);
  EXPECT_EQ(value(experiment, "vz_arm"), vz);
  play(experiment, 60);
  EXPECT_NEAR(value(experiment, "energy_error"), 0.0, 1e-12);  // of 5 J
  experiment.go_to(60);
  play(experiment, 1);
  EXPECT_EQ(value(experiment, "z_arm"), z);  // the change is made again at its tick
}

TEST(Experiment, OtherLinksStartAfresh) {
  Experiment experiment(rigid(3), options());
  play(experiment, 60);
  EXPECT_TRUE(experiment.change(rigid(5)).restarted);
  EXPECT_EQ(experiment.tick(), 0);
  EXPECT_EQ(experiment.end(), 0);
  EXPECT_NEAR(value(experiment, "theta_1"), 100 * std::numbers::pi / 180, 1e-15);
}

TEST(Experiment, ResetGoesToTheDraggedConfigurationOrToTheDefault) {
  Experiment experiment(rigid(3), options());
  experiment.drag(0, 2, {1.5, 0.0, -1.5}, false);
  const double dragged = value(experiment, "x_3");
  play(experiment, 100);
  experiment.restart(true);
  EXPECT_EQ(experiment.tick(), 0);
  EXPECT_NEAR(value(experiment, "x_3"), dragged, 1e-14);
  experiment.restart(false);
  EXPECT_NEAR(value(experiment, "theta_1"), 100 * std::numbers::pi / 180, 1e-15);
}

TEST(Experiment, AGhostStartsAsFarAwayAsAskedAndDiverges) {
  for (const Scene& scene : {rigid(3), elastic(3), spatial(3)}) {
    Experiment experiment(scene, options());
    experiment.set_ghosts({{.offset = 1e-3}});
    const auto distance = [&] {
      double square = 0.0;
      for (const char* axis : {"x_3", "y_3", "z_3"}) {
        const double ghost =
            experiment.row()[experiment.columns().width() + column(experiment.ghost_columns(), axis)];
        square += std::pow(value(experiment, axis) - ghost, 2);
      }
      return std::sqrt(square);
    };
    EXPECT_NEAR(distance(), 2 * std::sin(0.5e-3), 1e-12);  // a chord of a link of 1 m
    play(experiment, 120 * 20);
    EXPECT_GT(distance(), 0.05);
  }
}

// While a hand drags, ghosts start again and are not made again: the bits are those of new ones.
TEST(Experiment, GhostsOfADragAreAsNew) {
  const std::vector<GhostSettings> ghosts{
      {.offset = 1e-3}, {.offset = 0, .method = "dop853"}, {.offset = -1e-3}};
  for (const Scene& scene : {rigid(3), elastic(3), spatial(3)}) {
    Experiment dragged(scene, options()), fresh(scene, options());
    dragged.set_ghosts(ghosts);
    play(dragged, 30);  // they have a past of their own when the hand comes
    play(fresh, 30);
    for (int i = 0; i < 5; ++i) {
      const Vec3 target{1.5 - 0.1 * i, 0.0, -1.0 - 0.2 * i};
      dragged.drag(0, 1, target, false);
      fresh.drag(0, 1, target, false);
    }
    fresh.set_ghosts(ghosts);
    for (int i = 0; i < 60; ++i) {
      EXPECT_EQ(dragged.row(), fresh.row()) << scene.name << " tick " << i;
      play(dragged, 1);
      play(fresh, 1);
    }
  }
}

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// An event of a pointer moves the state of the lab and of its ghosts; no ghost is made and no formula read.
// It takes 0.07 ms on the machine on which it took 1.3 ms when ghosts were made anew.
TEST(Experiment, AnEventOfADragTakesAMillisecondAtMost) {
  for (const Scene& scene : {rigid(10), elastic(10), spatial(10)}) {
    Experiment experiment(scene, options());
    experiment.set_ghosts({{.offset = 1e-3}, {.offset = -1e-3}, {.offset = 2e-3}, {.offset = -2e-3}});
    play(experiment, 30);
    std::vector<double> took;
    for (int i = 0; i < 51; ++i) {
      const double before = processor_ms();
      experiment.drag(0, 6, {4.0 - 0.02 * i, 0.0, -3.0 - 0.01 * i}, false);
      took.push_back(processor_ms() - before);
    }
    std::sort(took.begin(), took.end());
    EXPECT_LE(took[took.size() / 2], 1.0);
  }
}

TEST(Experiment, AGhostThatExplodesLeavesTheMotionAlone) {
  Experiment experiment(elastic(2, 1e4), options());
  experiment.set_ghosts({{.offset = 0, .method = "euler", .step = 0.1}});
  play(experiment, 120 * 60);
  EXPECT_TRUE(std::isnan(experiment.row().back()));
  EXPECT_LT(std::fabs(value(experiment, "energy_error")), 1e-9);
}

TEST(Experiment, AnExplosionIsReportedAndThePastStays) {
  Scene scene = elastic(2, 1e4);
  scene.simulation.method = "euler";
  scene.simulation.step = 0.1;
  Experiment experiment(scene, options());
  StepStatus status = StepStatus::done;
  for (int i = 0; i < 120 * 60 && status == StepStatus::done; ++i) status = experiment.forward();
  EXPECT_EQ(status, StepStatus::not_finite);
  experiment.go_to(0);
  EXPECT_EQ(experiment.tick(), 0);
  EXPECT_NEAR(value(experiment, "theta_1"), 100 * std::numbers::pi / 180, 1e-15);
}

// Reachable: the end is where the hand is. 10 sweeps bring it near, and a hand moves on anyway.
TEST(Drag, ARigidChainFollowsTheHand) {
  for (const Scene& scene : {rigid(5), spatial(5), scene_of(chain_text(5, "formulation = \"chart\"")),
                             scene_of(chain_text(5, "formulation = \"lie\""))}) {
    Experiment experiment(scene, options());
    experiment.drag(0, 4, {1.2, 0.0, -2.0}, false);
    EXPECT_NEAR(value(experiment, "x_5"), 1.2, 0.02);
    EXPECT_NEAR(value(experiment, "z_5"), -2.0, 0.02);
    for (const char* name : {"vx_5", "vz_5", "theta_dot_1", "theta_dot_5"}) {
      EXPECT_EQ(value(experiment, name), 0.0) << name;
    }
  }
}

TEST(Drag, LinksBelowTheHandKeepTheirDirections) {
  Experiment experiment(rigid(5), options());
  const double below = value(experiment, "theta_4");
  experiment.drag(0, 1, {0.5, 0.0, -1.0}, false);
  EXPECT_NEAR(value(experiment, "x_2"), 0.5, 1e-3);
  EXPECT_NEAR(value(experiment, "theta_4"), below, 1e-15);
}

TEST(Drag, AChainPulledTooFarPointsToTheHand) {
  Experiment experiment(rigid(3), options());
  for (int i = 0; i < 20; ++i) experiment.drag(0, 2, {30.0, 0.0, -40.0}, false);
  EXPECT_NEAR(value(experiment, "x_3"), 3 * 0.6, 0.05);
  EXPECT_NEAR(value(experiment, "z_3"), -3 * 0.8, 0.05);
}

TEST(Drag, LeavesThePlaneOnlyWhenItMay) {
  Experiment experiment(rigid(3), options());
  experiment.drag(0, 2, {1.0, 1.0, -1.0}, false);
  EXPECT_EQ(value(experiment, "y_3"), 0.0);
  experiment.drag(0, 2, {1.0, 1.0, -1.0}, true);
  EXPECT_NEAR(value(experiment, "y_3"), 1.0, 0.05);
}

TEST(Drag, AnElasticMassIsPutWhereTheHandIs) {
  Experiment experiment(elastic(3), options());
  play(experiment, 30);
  const double x = value(experiment, "x_2") + 0.1, z = value(experiment, "z_2") - 0.1;
  const double neighbour = value(experiment, "x_1");
  experiment.drag(0, 1, {x, 0.0, z}, false);
  EXPECT_NEAR(value(experiment, "x_2"), x, 1e-15);
  EXPECT_NEAR(value(experiment, "z_2"), z, 1e-15);
  EXPECT_EQ(value(experiment, "x_1"), neighbour);
  EXPECT_EQ(value(experiment, "vx_2"), 0.0);
}

// Whatever is dragged where: the energy brought in is bounded by that of the longest and shortest springs
// that a drag leaves, and the motion goes on and keeps it.
TEST(Drag, NoDragBlowsUp) {
  const Vec3 targets[] = {{0, 0, 0},      {0, 0, 1e-300}, {1e6, 0, 1e6}, {-3, 0, 2},
                          {1e-12, 0, -1}, {0, 5, 0},      {0, 0, 3}};
  for (const Scene& scene : {rigid(4), elastic(4, 1000), spatial(4)}) {
    for (const Vec3& target : targets) {
      for (const std::size_t link : {0u, 2u, 3u}) {
        Experiment experiment(scene, options());
        play(experiment, 10);
        experiment.drag(0, link, target, true);
        const double energy = value(experiment, "energy");
        EXPECT_LT(std::fabs(energy), 4 * 9.81 * 4 * kLongestDragged + 4 * 0.5 * 1000 * 0.9 * 0.9);
        play(experiment, 240);
        // Taylor at 1e-15 on motions of up to a few thousand J.
        EXPECT_NEAR(value(experiment, "energy_error"), 0.0, 1e-10 * (100 + std::fabs(energy)));
      }
    }
  }
}

// Programs of joints are kept from one drawing to the next: what was made before, for other numbers, for the
// same ones, and for a joint that is zero where another was not, leaves no trace. A thread of its own has
// made nothing before.
TEST(Experiment, DrawnAnewItMovesAsItWouldAlone) {
  const auto slider_crank = [](double crank, double x, const std::string& motor) {
    return scene_of(fmt::format(R"(
[simulation]
duration = 10
[[bodies]]
name = "crank"
shape = "rod"
length = {0}
mass = 1
position = [{1}, 0, 0]
[[bodies]]
name = "rod"
shape = "rod"
length = 1
mass = 0.5
position = [{2}, 0, 0]
[[bodies]]
name = "slide"
mass = 2
size = [0.1, 0.1, 0.1]
position = [{3}, 0, 0]
[[joints]]
kind = "revolute"
name = "main"
bodies = ["ground", "crank"]
point = [0, 0, 0]
axis = [0, 1, 0]
{4}
[[joints]]
kind = "revolute"
name = "pin"
bodies = ["crank", "rod"]
point = [{0}, 0, {5}]
axis = [0, 1, 0]
[[joints]]
kind = "revolute"
name = "wrist"
bodies = ["rod", "slide"]
point = [{3}, 0, 0]
axis = [0, 1, 0]
[[joints]]
kind = "prismatic"
name = "way"
bodies = ["ground", "slide"]
point = [0, 0, 0]
axis = [1, 0, 0]
)",
                                crank, crank / 2, crank + 0.5, crank + 1.0, motor, x));
  };
  const std::vector<Scene> drawn = {slider_crank(0.3, 0.0, "rate = 2"),
                                    slider_crank(0.4, 0.0, "rate = 2"),
                                    slider_crank(0.4, 0.05, "rate = 2"),
                                    slider_crank(1.0, 0.0, "rate = 2"),
                                    slider_crank(0.4, 0.0, "motor = { angle = \"3*t\" }"),
                                    slider_crank(0.3, 0.0, "motor = { angle = \"2*t\" }"),
                                    slider_crank(0.3, 0.0, "rate = 2")};
  const auto last_row = [](const Scene& scene) {
    Experiment experiment(scene, {1.0 / 120, {"position", "velocity", "energy"}, {"position"}});
    for (int i = 0; i < 40; ++i) EXPECT_EQ(experiment.forward(), StepStatus::done);
    return experiment.row();
  };
  for (const Scene& scene : drawn) {
    std::vector<double> alone;
    std::thread([&] { alone = last_row(scene); }).join();
    EXPECT_TRUE(same_bits(last_row(scene), alone));
  }
}

}  // namespace
}  // namespace catena
