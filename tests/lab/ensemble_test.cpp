// Labs in lanes: the same bits in every width and beside any neighbours, and the motion of every other run.
#include "catena/lab/ensemble.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>

#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}
bool same_bits(const State& a, const State& b) {
  return a.t == b.t && a.t_lo == b.t_lo && same_bits(a.hi, b.hi) && same_bits(a.lo, b.lo);
}

std::unique_ptr<Lab> lab_in_lanes(const Scene& scene) {
  auto lab = std::make_unique<Lab>(scene);
  lab->use_lanes();
  return lab;
}

// The states after each of so many steps, alone.
std::vector<State> steps_alone(const Scene& scene, std::size_t count) {
  const auto lab = lab_in_lanes(scene);
  std::vector<State> out{lab->state()};
  while (out.size() <= count) {
    EXPECT_EQ(lab->advance(), StepStatus::done) << scene.name;
    out.push_back(lab->state());
  }
  return out;
}

// Neighbours are elsewhere along the same motion; one leaves on the way.
void expect_same_bits_together(const Scene& scene, int width, const std::vector<State>& alone) {
  Ensemble together(width);
  std::vector<std::unique_ptr<Lab>> labs;
  std::vector<std::size_t> steps;
  for (std::size_t place = 0; place < together.width(); ++place) {
    labs.push_back(lab_in_lanes(scene));
    steps.push_back(3 * place % 5);
    for (std::size_t i = 0; i < steps.back(); ++i) ASSERT_EQ(labs.back()->advance(), StepStatus::done);
    ASSERT_TRUE(together.seat(place, *labs.back())) << scene.name;
  }
  for (std::size_t round = 0; round + 5 < alone.size(); ++round) {
    if (round == 7 && width > 1) together.leave(1);
    together.advance();
    for (std::size_t place = 0; place < together.width(); ++place) {
      if (together.at(place) == nullptr) continue;
      ASSERT_EQ(together.status(place), StepStatus::done);
      ASSERT_TRUE(same_bits(labs[place]->state(), alone[++steps[place]]))
          << scene.name << ", width " << width << ", place " << place << ", step " << steps[place];
    }
  }
}

std::vector<Scene> shipped_scenes() {
  std::vector<Scene> out;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(CATENA_SOURCE_DIR) + "/scenes")) {
    if (entry.path().extension() != ".toml") continue;
    SceneOptions options;
    options.name = entry.path().stem().string();
    out.push_back(read_scene(read_scene_text(entry.path().string()), options));
  }
  return out;
}

TEST(Ensemble, ShippedScenesHaveTheSameBitsInEveryWidth) {
  std::size_t in_lanes = 0;
  for (const Scene& scene : shipped_scenes()) {
    if (!Lab(scene).lanes_refusal().empty()) continue;
    ++in_lanes;
    const std::size_t count = Lab(scene).dimension() > 200 ? 8 : 40;
    const std::vector<State> alone = steps_alone(scene, count);
    for (const int width : {1, 4, 8}) expect_same_bits_together(scene, width, alone);
  }
  EXPECT_GE(in_lanes, 40u) << "chains of all kinds, mechanisms, Lagrangians and equations go in lanes";
}

// Steps differ in last bits, and so in length; what a motion makes of that in a second is no more than 1e-10.
TEST(Ensemble, ShippedScenesMoveAsInEveryRun) {
  for (const Scene& scene : shipped_scenes()) {
    if (!Lab(scene).lanes_refusal().empty() || Lab(scene).dimension() > 200) continue;
    const double end = std::min(1.0, scene.simulation.duration);
    const auto state_at_end = [&](Lab& lab) {
      while (lab.time() < end) EXPECT_EQ(lab.advance(), StepStatus::done) << scene.name;
      return lab.state_at(end);
    };
    Lab plain(scene);
    const auto lanes = lab_in_lanes(scene);
    const State a = state_at_end(plain), b = state_at_end(*lanes);
    double size = 1.0, off = 0.0;
    for (std::size_t i = 0; i < a.hi.size(); ++i) {
      size = std::max(size, std::fabs(a.hi[i]));
      off = std::max(off, std::fabs(a.hi[i] - b.hi[i]));
    }
    EXPECT_LT(off, 1e-10 * size) << scene.name;
  }
}

std::string pendulums(double length, double mass, double angle) {
  return "[simulation]\nduration = 5\n[[chain.links]]\nlength = " + std::to_string(length) +
         "\nmass = " + std::to_string(mass) + "\ntheta = " + std::to_string(angle) +
         "\n[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = 2.0\n"
         "[[forces]]\nkind = \"drag\"\nlinear = " +
         std::to_string(0.1 * mass) + "\n";
}

// Each lane its own lengths, masses and parameters of laws; a lab that comes takes the place of one that
// ends.
TEST(Ensemble, NumbersOfScenesDifferFromLaneToLane) {
  std::vector<Scene> scenes;
  for (int i = 0; i < 7; ++i)
    scenes.push_back(scene_of(pendulums(0.8 + 0.1 * i, 1.0 + 0.3 * i, 1.0 + 0.2 * i)));
  Ensemble together(4);
  std::vector<std::unique_ptr<Lab>> labs(4);
  std::vector<std::size_t> of(4, scenes.size());
  std::size_t next = 0, done = 0;
  while (done < scenes.size()) {
    for (std::size_t place = 0; place < 4 && next < scenes.size(); ++place) {
      if (together.at(place) != nullptr) continue;
      labs[place] = lab_in_lanes(scenes[next]);
      of[place] = next++;
      ASSERT_TRUE(together.seat(place, *labs[place]));
    }
    together.advance();
    for (std::size_t place = 0; place < 4; ++place) {
      if (together.at(place) == nullptr || labs[place]->time() < 2.0) continue;
      const auto alone = lab_in_lanes(scenes[of[place]]);
      while (alone->time() < 2.0) ASSERT_EQ(alone->advance(), StepStatus::done);
      EXPECT_TRUE(same_bits(alone->state(), labs[place]->state())) << "scene " << of[place];
      together.leave(place);
      ++done;
    }
  }
}

TEST(Ensemble, WorldsOfOtherShapesGoByThemselves) {
  Ensemble together(4);
  const auto two = lab_in_lanes(scene_of(pendulums(1.0, 1.0, 1.0)));
  const auto one = lab_in_lanes(
      scene_of("[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1.0\n"));
  EXPECT_TRUE(together.seat(0, *two));
  EXPECT_FALSE(together.seat(1, *one));
}

// Roundoff alone: a random walk of 1e-16 a step.
TEST(Ensemble, EnergyIsKept) {
  const auto lab = lab_in_lanes(
      scene_of("[simulation]\nduration = 100\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\n"
               "[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"90 deg\"\n"));
  while (lab->time() < 100.0) ASSERT_EQ(lab->advance(), StepStatus::done);
  EXPECT_LT(lab->energies().largest_error / lab->energies().scale(lab->weight_scale()), 2e-14);
}

TEST(Ensemble, EventsAreFoundAtTheSameTimes) {
  const Scene scene =
      scene_of(pendulums(1.0, 1.0, 1.2) + "[[events]]\nname = \"down\"\nwhen = \"theta_1\"\n");
  const auto times = [&](Lab& lab) {
    EventWatch watch(lab, scene.events);
    while (lab.time() < 3.0) {
      EXPECT_EQ(lab.advance(), StepStatus::done);
      watch.look(std::min(3.0, lab.time()));
    }
    std::vector<double> out;
    const EventTable table = watch.tables().at(0);
    for (const std::vector<double>& row : table.rows) out.push_back(row[0]);
    return out;
  };
  Lab plain(scene);
  const auto lanes = lab_in_lanes(scene);
  const std::vector<double> a = times(plain), b = times(*lanes);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GE(a.size(), 2u);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
}

// Half the run, a checkpoint, and on from there.
TEST(Ensemble, ARunThatIsTakenUpAgainHasTheSameBits) {
  const Scene scene = scene_of(pendulums(1.0, 1.0, 1.2));
  const std::vector<State> alone = steps_alone(scene, 20);
  const auto first = lab_in_lanes(scene), second = lab_in_lanes(scene);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(first->advance(), StepStatus::done);
  second->restore(first->checkpoint());  // the start of the last step
  for (std::size_t i = 10; i <= 20; ++i) {
    ASSERT_EQ(second->advance(), StepStatus::done);
    ASSERT_TRUE(same_bits(second->state(), alone[i])) << i;
  }
}

// ---- bodies and joints ------------------------------------------------------------------------------------

std::string rod(const std::string& name, double x, double z, double angle, const std::string& more = "") {
  return "[[bodies]]\nname = \"" + name + "\"\nshape = \"rod\"\nlength = 1.0\nmass = 1.2\nposition = [" +
         std::to_string(x) + ", 0, " + std::to_string(z) +
         "]\norientation = { axis = [0, 1, 0], angle = " + std::to_string(angle) + " }\n" + more;
}

std::string hinge(const std::string& name, const std::string& between, const std::string& anchors,
                  const std::string& more = "") {
  return "[[joints]]\nname = \"" + name + "\"\nkind = \"revolute\"\nbodies = [" + between + "]\nanchors = [" +
         anchors + "]\naxes = [[0, 1, 0], [0, 1, 0]]\n" + more;
}

// Two rods on hinges that turn several times over: a spring that counts turns, friction, a limit far away.
std::string winding(double rate, double stiffness) {
  return "[simulation]\nduration = 5\n" + rod("a", 0.5, 0, 0) + rod("b", 1.5, 0, 0) +
         hinge("first", "\"ground\", \"a\"", "[0, 0, 0], [-0.5, 0, 0]",
               "rate = " + std::to_string(rate) + "\nstiffness = " + std::to_string(stiffness) +
                   "\nlimits = [-9.0, 9.0]\nlimit_stiffness = 40.0\n") +
         hinge("second", "\"a\", \"b\"", "[0.5, 0, 0], [-0.5, 0, 0]", "damping = 0.05\nrate = 3.0\n");
}

// A parallelogram: the crank goes round, and twice in each turn all bars lie in one line.
std::string parallelogram(double rate) {
  return "[simulation]\nduration = 5\n[[bodies]]\nname = \"bar\"\nshape = \"rod\"\nlength = 2.0\nmass = 1.0\n"
         "position = [1.0, 0, 1.0]\n" +
         rod("left", 0, 0.5, -1.5707963267948966) + rod("right", 2.0, 0.5, -1.5707963267948966) +
         hinge("drive", "\"ground\", \"left\"", "[0, 0, 0], [-0.5, 0, 0]",
               "rate = " + std::to_string(rate) + "\n") +
         hinge("b", "\"left\", \"bar\"", "[0.5, 0, 0], [-1, 0, 0]") +
         hinge("c", "\"bar\", \"right\"", "[1, 0, 0], [0.5, 0, 0]") +
         hinge("d", "\"ground\", \"right\"", "[2, 0, 0], [-0.5, 0, 0]");
}

std::string spatial_tree(double spin) {
  return "[simulation]\nduration = 5\n" +
         rod("a", 0.5, 0, 0, "angular_velocity = [" + std::to_string(spin) + ", 0.3, 1.0]\n") +
         rod("b", 1.0, -0.5, 1.5707963267948966) +
         "[[joints]]\nkind = \"ball\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\n"
         "[[joints]]\nkind = \"universal\"\nbodies = [\"a\", \"b\"]\npoint = [1, 0, 0]\n"
         "axis = [0, 1, 0]\naxis2 = [1, 0, 0]\n";
}

// A prescribed angle, and a torque that follows a formula.
std::string driven(double amplitude) {
  return "[simulation]\nduration = 5\n" + rod("a", 0.5, 0, 0) + rod("b", 1.5, 0, 0) +
         hinge("first", "\"ground\", \"a\"", "[0, 0, 0], [-0.5, 0, 0]",
               "motor = { angle = \"" + std::to_string(amplitude) + "*sin(3*t)\" }\n") +
         hinge("second", "\"a\", \"b\"", "[0.5, 0, 0], [-0.5, 0, 0]",
               "motor = { torque = \"0.3*cos(2*t)\" }\n");
}

// Two wheels, one turning as fast again as the other, and a spring between them and the ground.
std::string geared(double rate) {
  return "[simulation]\nduration = 5\n" + rod("a", 0.5, 0, 0) + rod("b", 2.5, 0, 0) +
         hinge("first", "\"ground\", \"a\"", "[0, 0, 0], [-0.5, 0, 0]",
               "rate = " + std::to_string(rate) + "\n") +
         hinge("second", "\"ground\", \"b\"", "[2, 0, 0], [-0.5, 0, 0]", "stiffness = 0.1\n") +
         "[[joints]]\nkind = \"gear\"\njoints = [\"first\", \"second\"]\nratio = -2.0\n";
}

std::vector<std::string> mechanisms() {
  return {winding(9.0, 0.5), parallelogram(7.0), spatial_tree(2.0), driven(0.8), geared(12.0)};
}

TEST(Ensemble, MechanismsHaveTheSameBitsInEveryWidth) {
  for (const std::string& text : mechanisms()) {
    const Scene scene = scene_of(text);
    EXPECT_EQ(Lab(scene).lanes_refusal(), "");
    const std::vector<State> alone = steps_alone(scene, 60);
    for (const int width : {1, 4, 8}) expect_same_bits_together(scene, width, alone);
  }
}

// One lane of a plane beside others that leave it, each with numbers of its own.
TEST(Ensemble, MechanismsHaveTheSameBitsBesideOthers) {
  for (const auto& make : std::vector<std::function<std::string(int)>>{
           [](int i) { return winding(3.0 * i, 0.2 + 0.1 * i); },
           [](int i) { return parallelogram(4.0 + i); }, [](int i) { return spatial_tree(1.0 * i); },
           [](int i) { return geared(5.0 + i); }}) {
    Ensemble together(4);
    std::vector<std::unique_ptr<Lab>> labs;
    std::vector<std::vector<State>> alone;
    for (int i = 0; i < 4; ++i) {
      const Scene scene = scene_of(make(i));
      labs.push_back(lab_in_lanes(scene));
      alone.push_back(steps_alone(scene, 30));
      ASSERT_TRUE(together.seat(static_cast<std::size_t>(i), *labs.back())) << i;
    }
    for (std::size_t step = 1; step <= 30; ++step) {
      together.advance();
      for (std::size_t i = 0; i < 4; ++i)
        ASSERT_TRUE(same_bits(labs[i]->state(), alone[i][step]))
            << labs[i]->scene().name << i << ", " << step;
    }
  }
}

// Ten crossings of positions in which the mobility jumps, beside three of other rates: a leap is taken alone.
TEST(Ensemble, LeapsOverSingularPositionsKeepTheMotion) {
  Ensemble together(4);
  std::vector<std::unique_ptr<Lab>> labs;
  for (std::size_t i = 0; i < 4; ++i) {
    labs.push_back(lab_in_lanes(scene_of(parallelogram(6.0 + 0.5 * static_cast<double>(i)))));
    ASSERT_TRUE(together.seat(i, *labs[i]));
  }
  for (std::size_t under_way = 4; under_way > 0;) {
    together.advance();
    for (std::size_t i = 0; i < 4; ++i) {
      if (together.at(i) == nullptr) continue;
      ASSERT_EQ(together.status(i), StepStatus::done);
      if (labs[i]->time() < 5.0) continue;
      together.leave(i);
      --under_way;
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const double error =
        labs[i]->energies().largest_error / labs[i]->energies().scale(labs[i]->weight_scale());
    EXPECT_LT(error, 1e-11) << i;
    Lab plain(scene_of(parallelogram(6.0 + 0.5 * static_cast<double>(i))));
    while (plain.time() < 5.0) ASSERT_EQ(plain.advance(), StepStatus::done);
    const State a = plain.state_at(5.0), b = labs[i]->state_at(5.0);
    for (std::size_t k = 0; k < a.hi.size(); ++k) EXPECT_NEAR(a.hi[k], b.hi[k], 1e-9) << i;
  }
}

// To 1e-12, or as far as a motion makes a roundoff of its start grow.
TEST(Ensemble, MechanismsMoveAsInEveryRun) {
  for (const std::string& text : mechanisms()) {
    const Scene scene = scene_of(text);
    const auto at_end = [](Lab& lab) {
      while (lab.time() < 3.0) EXPECT_EQ(lab.advance(), StepStatus::done);
      return lab.state_at(3.0);
    };
    Lab plain(scene), disturbed(scene);
    State off_by_roundoff = disturbed.state();
    for (double& x : off_by_roundoff.hi) x *= 1.0 + 4e-16;
    disturbed.place(off_by_roundoff);
    const auto lanes = lab_in_lanes(scene);
    const State a = at_end(plain), b = at_end(*lanes), c = at_end(disturbed);
    double size = 1.0, off = 0.0, grown = 0.0;
    for (std::size_t i = 0; i < lanes->motion_lanes(); ++i) {
      size = std::max(size, std::fabs(a.hi[i]));
      off = std::max(off, std::fabs(a.hi[i] - b.hi[i]));
      grown = std::max(grown, std::fabs(a.hi[i] - c.hi[i]));
    }
    EXPECT_LT(off, std::max(1e-12 * size, 20.0 * grown)) << text;
  }
}

// Turns that a spring counts are the run's own, wherever it is taken up.
TEST(Ensemble, MechanismsThatAreTakenUpAgainHaveTheSameBits) {
  for (const std::string& text : mechanisms()) {
    const Scene scene = scene_of(text);
    const std::vector<State> alone = steps_alone(scene, 40);
    const auto first = lab_in_lanes(scene), second = lab_in_lanes(scene);
    for (int i = 0; i < 25; ++i) ASSERT_EQ(first->advance(), StepStatus::done);
    second->restore(first->checkpoint());
    for (std::size_t i = 25; i <= 40; ++i) {
      ASSERT_EQ(second->advance(), StepStatus::done);
      ASSERT_TRUE(same_bits(second->state(), alone[i])) << i;
    }
  }
}

// ---- prescribed motions with kinks: impulses, behind which a world has other formulas
// ----------------------

std::string kinked(const std::string& pivot, const std::string& kind, double theta) {
  const std::string link = "[[chain.links]]\nlength = 1\nmass = 1\n" +
                           std::string(kind == "elastic" ? "stiffness = 300\n" : "") +
                           "theta = " + std::to_string(theta) + "\n";
  return "[simulation]\nduration = 5\n[chain]\n" +
         (kind.empty() ? std::string() : "kind = \"" + kind + "\"\n") + "pivot = [\"" + pivot +
         "\", 0, \"0.1*" + pivot + "\"]\n" + link + link + "phi = 0.4\n";
}
std::string driven_with_kinks(double amplitude) {
  return "[simulation]\nduration = 5\n" + rod("a", 0.5, 0, 0) + rod("b", 1.5, 0, 0) +
         hinge("first", "\"ground\", \"a\"", "[0, 0, 0], [-0.5, 0, 0]",
               "motor = { angle = \"" + std::to_string(amplitude) + "*abs(sin(3*t))\" }\n") +
         hinge("second", "\"a\", \"b\"", "[0.5, 0, 0], [-0.5, 0, 0]", "damping = 0.1\n");
}
std::vector<std::function<std::string(double)>> with_kinks() {
  return {[](double a) { return kinked(std::to_string(0.2 + 0.1 * a) + "*abs(sin(3*t))", "", 0.5 + a); },
          [](double a) { return kinked("0.3*abs(t - " + std::to_string(0.9 + a) + ")", "", 0.5); },
          [](double a) { return kinked(std::to_string(0.1 + 0.1 * a) + "*abs(sin(3*t))", "elastic", 0.3); },
          [](double a) { return driven_with_kinks(0.3 + 0.1 * a); }};
}

TEST(Ensemble, PrescribedMotionsWithKinksHaveTheSameBitsInEveryWidth) {
  for (const auto& make : with_kinks()) {
    const Scene scene = scene_of(make(0.3));
    ASSERT_EQ(Lab(scene).lanes_refusal(), "");
    const std::vector<State> alone = steps_alone(scene, 60);
    ASSERT_GT(alone.back().t, 2.2);  // behind some of them
    for (const int width : {1, 4, 8}) expect_same_bits_together(scene, width, alone);
  }
}

// Kinks at other times in every lane: each parts when it meets its own, and none changes another's bits.
TEST(Ensemble, KinksOfOneLaneChangeNoOther) {
  for (const auto& make : with_kinks()) {
    Ensemble together(4);
    std::vector<std::unique_ptr<Lab>> labs;
    std::vector<std::vector<State>> alone;
    for (int i = 0; i < 4; ++i) {
      const Scene scene = scene_of(make(0.17 * i));
      labs.push_back(lab_in_lanes(scene));
      alone.push_back(steps_alone(scene, 50));
      ASSERT_TRUE(together.seat(static_cast<std::size_t>(i), *labs.back())) << i;
    }
    for (std::size_t step = 1; step <= 50; ++step) {
      together.advance();
      for (std::size_t i = 0; i < 4; ++i)
        ASSERT_TRUE(same_bits(labs[i]->state(), alone[i][step])) << i << ", " << step;
    }
  }
}

// As in plain runs, from kink to kink; and taken up again behind one.
TEST(Ensemble, MotionsWithKinksAreThoseOfEveryRun) {
  for (const auto& make : with_kinks()) {
    const Scene scene = scene_of(make(0.1));
    Lab plain(scene);
    const auto lanes = lab_in_lanes(scene);
    while (plain.time() < 3.0) ASSERT_EQ(plain.advance(), StepStatus::done);
    while (lanes->time() < 3.0) ASSERT_EQ(lanes->advance(), StepStatus::done);
    const State a = plain.state_at(3.0), b = lanes->state_at(3.0);
    double off = 0.0, size = 1.0;
    for (std::size_t i = 0; i < a.hi.size(); ++i) {
      off = std::max(off, std::fabs(a.hi[i] - b.hi[i]));
      size = std::max(size, std::fabs(a.hi[i]));
    }
    EXPECT_LT(off, 1e-11 * size);
    const auto second = lab_in_lanes(scene);
    second->restore(lanes->checkpoint());
    ASSERT_EQ(second->advance(), StepStatus::done);  // checkpoints are of a step's start
    ASSERT_TRUE(same_bits(lanes->state(), second->state()));
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(lanes->advance(), StepStatus::done);
      ASSERT_EQ(second->advance(), StepStatus::done);
      ASSERT_TRUE(same_bits(lanes->state(), second->state())) << i;
    }
  }
}

// Rates go along, in as many directions as the state has.
std::unique_ptr<Lab> lab_with_rates(const Scene& scene) {
  auto lab = lab_in_lanes(scene);
  std::vector<Direction> directions;
  for (std::vector<double>& start : lab->allowed_directions())
    directions.push_back({"direction", 0.0, {}, std::move(start)});
  lab->follow(std::move(directions));
  return lab;
}

const char* const kLinks =
    "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1.5\n[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = "
    "2.0\n";
std::vector<Scene> scenes_with_rates() {
  const std::string start = "[simulation]\nduration = 5\n",
                    drag = "[[forces]]\nkind = \"drag\"\nlinear = 0.2\ncoefficient = 0\n";
  const std::string third = "[[chain.links]]\nlength = 0.6\nmass = 0.4\ntheta = 0.4\nphi_dot = 1.0\n";
  std::vector<Scene> out{
      scene_of(start + kLinks),
      scene_of(start + kLinks + third),
      scene_of(start + kLinks + drag),
      scene_of(start + kLinks + "inertia = 0.01\n"),
      scene_of(start + "[equations]\nstates = { x = 1.0, y = 0.2 }\ndot = { x = \"y*exp(-x)\", y = "
                       "\"sin(2*t) - tanh(x)\" }\n"),
      scene_of(start + "[lagrangian]\ncoordinates = { q = 1.0, r = 0.5 }\nlagrangian = \"(1 + "
                       "sin(r)*sin(r))*q'*q'/2 + r'*r'/2 + cos(q) - r*r\"\n")};
  for (std::size_t i = 0; i < out.size(); ++i) out[i].name = "scene " + std::to_string(i);
  return out;
}

// Alone, beside others at other times, and where another lab leaves.
TEST(Ensemble, RatesHaveTheSameBitsInEveryWidth) {
  for (const Scene& scene : scenes_with_rates()) {
    std::vector<std::vector<double>> alone;
    const auto reference = lab_with_rates(scene);
    for (int i = 0; i < 30; ++i) {
      ASSERT_EQ(reference->advance(), StepStatus::done) << scene.name;
      alone.push_back(reference->end_derivatives());
      reference->state_at(0.4 * reference->step_start() + 0.6 * reference->time());
      const std::vector<double>& inside = reference->state_derivatives();
      alone.back().insert(alone.back().end(), inside.begin(), inside.end());
      for (const double end : {reference->time(), 0.3 * reference->step_start() + 0.7 * reference->time()}) {
        for (const double square : reference->squares_along_step(0, end)) alone.back().push_back(square);
      }
    }
    for (const int width : {1, 4, 8}) {
      Ensemble together(width);
      std::vector<std::unique_ptr<Lab>> labs;
      std::vector<std::size_t> steps;
      for (std::size_t place = 0; place < together.width(); ++place) {
        labs.push_back(lab_with_rates(scene));
        steps.push_back(3 * place % 5);
        for (std::size_t i = 0; i < steps.back(); ++i) ASSERT_EQ(labs.back()->advance(), StepStatus::done);
        ASSERT_TRUE(together.seat(place, *labs.back())) << scene.name;
      }
      for (std::size_t round = 0; round < 24; ++round) {
        if (round == 7 && width > 1) together.leave(1);
        together.advance();
        for (std::size_t place = 0; place < together.width(); ++place) {
          if (together.at(place) == nullptr) continue;
          Lab& lab = *labs[place];
          std::vector<double> now = lab.end_derivatives();
          lab.state_at(0.4 * lab.step_start() + 0.6 * lab.time());
          const std::vector<double>& inside = lab.state_derivatives();
          now.insert(now.end(), inside.begin(), inside.end());
          for (const double end : {lab.time(), 0.3 * lab.step_start() + 0.7 * lab.time()}) {
            for (const double square : lab.squares_along_step(0, end)) now.push_back(square);
          }
          ASSERT_TRUE(same_bits(now, alone[steps[place]++]))
              << scene.name << ", width " << width << ", place " << place << ", step " << steps[place];
        }
      }
    }
  }
}

TEST(Ensemble, RatesAreThoseOfEveryRun) {
  for (const Scene& scene : scenes_with_rates()) {
    const auto lanes = lab_with_rates(scene);
    Lab plain(scene);
    std::vector<Direction> directions;
    for (std::vector<double>& start : plain.allowed_directions())
      directions.push_back({"direction", 0.0, {}, std::move(start)});
    plain.follow(std::move(directions));
    const auto rates_at = [&](Lab& lab) {
      while (lab.time() < 3.0) EXPECT_EQ(lab.advance(), StepStatus::done) << scene.name;
      lab.state_at(3.0);
      return lab.state_derivatives();
    };
    const std::vector<double> a = rates_at(plain), b = rates_at(*lanes);
    ASSERT_EQ(a.size(), b.size());
    double size = 1.0, off = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      size = std::max(size, std::fabs(a[i]));
      off = std::max(off, std::fabs(a[i] - b[i]));
    }
    EXPECT_LT(off, 1e-11 * size) << scene.name;
  }
}

// x' = -a x, y' = x y: x = x0 exp(-a t), y = y0 exp((x0 - x)/a); both in the start and in a number.
TEST(Ensemble, RatesAreThoseOfAClosedForm) {
  const auto scene = [](double a) {
    return scene_of(
        "[simulation]\nduration = 3\n[equations]\nstates = { x = 1.0, y = 1.0 }\nparameters = { a = " +
        std::to_string(a) + " }\ndot = { x = \"-a*x\", y = \"x*y\" }\n");
  };
  Lab lab(scene(0.5));
  Direction number;
  number.path = "equations.parameters.a";
  number.value = 0.5;
  number.scene = scene;
  std::vector<Direction> directions;
  directions.push_back(std::move(number));
  directions.push_back({"x", 0.0, {}, {1.0, 0.0}});
  lab.follow(std::move(directions));
  lab.use_lanes();
  while (lab.time() < 3.0) ASSERT_EQ(lab.advance(), StepStatus::done);
  lab.state_at(3.0);
  const std::vector<double>& rates = lab.state_derivatives();
  const double x = std::exp(-1.5), y = std::exp((1.0 - x) / 0.5);
  EXPECT_NEAR(rates[0], -3.0 * x, 1e-14);
  EXPECT_NEAR(rates[1], y * (3.0 * x / 0.5 - (1.0 - x) / 0.25), 2e-13);
  EXPECT_NEAR(rates[2], x, 1e-15);
  EXPECT_NEAR(rates[3], y * (1.0 - x) / 0.5, 4e-14);
}

TEST(Ensemble, RatesThatCannotGoInLanesAreSaid) {
  const auto says = [](const std::string& text, const std::string& what) {
    return Lab(scene_of("[simulation]\nduration = 1\n" + text)).following_in_lanes_refusal().find(what) !=
           std::string::npos;
  };
  EXPECT_EQ(Lab(scene_of(std::string("[simulation]\nduration = 1\n") + kLinks)).following_in_lanes_refusal(),
            "");
  EXPECT_TRUE(says(
      std::string(kLinks) + "[[forces]]\nkind = \"drag\"\ncoefficient = 0.5\ndensity = 1.2\narea = 0.1\n",
      "choose"));
  EXPECT_TRUE(says("[equations]\nstates = { x = 1.0 }\ndot = { x = \"-abs(x)\" }\n", "choose"));
}

TEST(Ensemble, WhatCannotGoInLanesIsSaid) {
  const auto lab = [](const std::string& settings) {
    return std::make_unique<Lab>(scene_of("[simulation]\nduration = 1\n" + settings +
                                          "\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1.0\n"));
  };
  const auto says = [&](const std::string& settings, const std::string& what) {
    return lab(settings)->lanes_refusal().find(what) != std::string::npos;
  };
  EXPECT_EQ(lab("")->lanes_refusal(), "");
  EXPECT_TRUE(says("method = \"dop853\"", "taylor is"));
  EXPECT_TRUE(says("precision = \"double-double\"", "precision"));
  EXPECT_TRUE(says("max_velocity_error = 1e-9", "max_velocity_error"));
  EXPECT_THROW(lab("method = \"dop853\"")->use_lanes(), InputError);
}

}  // namespace
}  // namespace catena
