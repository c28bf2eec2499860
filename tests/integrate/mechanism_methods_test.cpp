// Methods and step control on mechanisms.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "support/chains.h"

namespace catena::test {
namespace {

// A tree: two bodies of unequal moments on a ball and a hinge, tumbling.
const std::string kTree = R"(
[simulation]
duration = 10
[[bodies]]
name = "upper"
mass = 1.2
inertia = [0.02, 0.11, 0.1]
position = [0.5, 0, 0]
angular_velocity = [0.6, 0.4, -0.3]
[[bodies]]
name = "lower"
mass = 0.7
inertia = [0.03, 0.06, 0.08]
position = [1.0, 0.1, -0.4]
[[joints]]
name = "shoulder"
kind = "ball"
bodies = ["ground", "upper"]
point = [0, 0, 0]
[[joints]]
name = "elbow"
kind = "revolute"
bodies = ["upper", "lower"]
point = [1.0, 0, 0]
axis = [0.2, 1, 0.1]
rate = 0.8
)";

// A loop: a four-bar with spatial hinges, three of whose equations are redundant.
const std::string kLoop = R"(
[simulation]
duration = 10
[[bodies]]
name = "crank"
shape = "rod"
length = 0.4
mass = 0.5
position = [0, 0, 0.2]
orientation = { axis = [0, 1, 0], angle = "-90 deg" }
[[bodies]]
name = "coupler"
shape = "rod"
length = 1.0
mass = 1.0
position = [0.5, 0, 0.5]
[[bodies]]
name = "rocker"
shape = "rod"
length = 0.8
mass = 0.8
position = [1.0, 0, 0.3]
orientation = { axis = [0, 1, 0], angle = "-80 deg" }
[[joints]]
name = "drive"
kind = "revolute"
bodies = ["ground", "crank"]
anchors = [[0, 0, 0], [-0.2, 0, 0]]
axes = [[0, 1, 0], [0, 1, 0]]
rate = 4.0
[[joints]]
kind = "revolute"
bodies = ["crank", "coupler"]
anchors = [[0.2, 0, 0], [-0.5, 0, 0]]
axes = [[0, 1, 0], [0, 1, 0]]
[[joints]]
kind = "revolute"
bodies = ["coupler", "rocker"]
anchors = [[0.5, 0, 0], [0.4, 0, 0]]
axes = [[0, 1, 0], [0, 1, 0]]
[[joints]]
kind = "revolute"
bodies = ["ground", "rocker"]
anchors = [[0.9, 0, 0], [-0.4, 0, 0]]
axes = [[0, 1, 0], [0, 1, 0]]
)";

Scene with(const std::string& toml, const std::string& method, double step, double tolerance) {
  Scene scene = scene_of(toml);
  scene.simulation.method = method;
  if (step > 0.0) scene.simulation.step = step;
  if (tolerance > 0.0) scene.simulation.tolerance = tolerance;
  return scene;
}

State end_of(const Scene& scene, double until) {
  Lab lab(scene);
  while (lab.time() < until - 1e-9) {
    const StepStatus status = lab.advance();
    EXPECT_EQ(status, StepStatus::done) << scene.simulation.method;
    if (status != StepStatus::done) break;
  }
  return lab.state_at(until);
}

double difference(const State& a, const State& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.hi.size(); ++i) largest = std::max(largest, std::fabs(a.hi[i] - b.hi[i]));
  return largest;
}

// Methods that step positions and velocities by turns, are made for rods between points, or know no
// projection.
const std::set<std::string> kNotForBodies{"symplectic-euler", "verlet",      "yoshida4", "yoshida6",
                                          "yoshida8",         "variational", "custom",   "ida"};

std::string refusal_of(const Scene& scene) {
  try {
    const Lab lab(scene);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// `steps`: for orders 1, 2 and 3, 4 and 5, 6, 8, such that errors are well above roundoff and well below the
// size of the motion.
// Orders themselves are measured in tests/integrate, with steps from the asymptotic range; here none may be
// lost.
void measure_orders(const std::string& toml, double until, const std::array<double, 5>& steps) {
  const State exact = end_of(with(toml, "taylor", 0.0, 1e-15), until);
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    if (kNotForBodies.count(method.name) > 0) {
      const std::string why = refusal_of(with(toml, method.name, 0.01, 0.0));
      EXPECT_NE(why.find("method '" + method.name + "'"), std::string::npos) << why;
      continue;
    }
    const std::string absent = refusal_of(with(toml, method.name, 0.01, 0.0));
    if (absent.find("is not in this build") != std::string::npos) continue;
    if (method.adaptive) {
      // Errors follow the tolerance; the factor is what a chaotic second makes of the errors of its steps.
      const double coarse = difference(end_of(with(toml, method.name, 0.0, 1e-6), until), exact);
      const double fine = difference(end_of(with(toml, method.name, 0.0, 1e-9), until), exact);
      EXPECT_LT(fine, 1e-6);
      EXPECT_LT(fine, 0.05 * coarse);
      continue;
    }
    const int order = std::stoi(method.order);
    const double h = steps[order == 1 ? 0 : order <= 3 ? 1 : order <= 5 ? 2 : order == 6 ? 3 : 4];
    const double coarse = difference(end_of(with(toml, method.name, h, 0.0), until), exact);
    const double fine = difference(end_of(with(toml, method.name, h / 2, 0.0), until), exact);
    const double measured = std::log2(coarse / fine);
    EXPECT_GT(measured, order - 0.4) << coarse << " " << fine;
  }
}

TEST(MechanismMethods, EveryMethodHasItsOrderOnATree) {
  measure_orders(kTree, 0.6, {1e-3, 5e-3, 0.01, 0.02, 0.025});
}

TEST(MechanismMethods, EveryMethodHasItsOrderOnALoop) {
  measure_orders(kLoop, 0.6, {1e-3, 5e-3, 0.005, 0.005, 0.0125});
}

// Symplectic and symmetric: the energy error swings with h^2 and does not grow.
TEST(MechanismMethods, RattleKeepsTheEnergyOfBodiesBounded) {
  for (const std::string& toml : {kTree, kLoop}) {
    double before = 0.0;
    for (const double step : {2e-3, 1e-3}) {
      Lab lab(with(toml, "rattle", step, 0.0));
      double early = 0.0;
      while (lab.time() < (before == 0.0 ? 40.0 : 10.0)) {
        ASSERT_EQ(lab.advance(), StepStatus::done);
        if (lab.time() < 10.0) early = lab.energies().largest_error;
      }
      EXPECT_LT(lab.energies().largest_error, 1.5 * early);
      if (before > 0.0) {
        EXPECT_NEAR(before / early, 4.0, 0.4);
      }
      before = early;
      EXPECT_LT(lab.inside().world.constraint_error(lab.time(), lab.state().hi.data(), lab.state().lo.data()),
                1e-24);
    }
  }
}

// Where damping makes forces depend on velocities, RATTLE would lose its order.
TEST(MechanismMethods, RattleIsRefusedWhereForcesDependOnVelocities) {
  const std::string why = refusal_of(with(kLoop + "damping = 0.1\n", "rattle", 0.01, 0.0));
  EXPECT_NE(why.find("method 'rattle' needs"), std::string::npos) << why;
}

// An overconstrained loop in space: off its constraints the redundant row must not count.
TEST(MechanismMethods, ExplicitMethodsServeAnOverconstrainedLoopInSpace) {
  const std::string path = std::string(CATENA_SOURCE_DIR) + "/scenes/six-hinges.toml";
  const std::string text = read_scene_text(path);
  const State exact = end_of(with(text, "taylor", 0.0, 1e-15), 0.5);
  for (const char* name : {"dopri5", "vern9", "rkmk54"}) {
    EXPECT_LT(difference(end_of(with(text, name, 0.0, 1e-10), 0.5), exact), 1e-7) << name;
  }
  const double coarse = difference(end_of(with(text, "rk4", 0.01, 0.0), 0.5), exact);
  const double fine = difference(end_of(with(text, "rk4", 0.005, 0.0), 0.5), exact);
  EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.6);
}

// The largest error that a single step makes in the velocity of a centre of mass, against taylor from the
// same state.
double worst_velocity_error(const Scene& scene, double until) {
  Scene exact = scene;
  exact.simulation = {};
  exact.simulation.duration = scene.simulation.duration;
  Lab lab(scene), reference(exact);
  const std::size_t n = lab.inside().world.mechanism()->bodies();
  double worst = 0.0;
  while (lab.time() < until) {
    reference.place(lab.state(), lab.row_angles());
    EXPECT_EQ(lab.advance(), StepStatus::done);
    while (reference.time() < lab.time()) EXPECT_EQ(reference.advance(), StepStatus::done);
    const State at = reference.state_at(lab.time());
    for (std::size_t i = kVelocity * n; i < (kVelocity + 3) * n; ++i) {
      worst = std::max(worst, std::fabs(at.hi[i] - lab.state().hi[i]));
    }
  }
  return worst;
}

TEST(StepByPhysics, VelocityErrorsStayBelowTheirLimit) {
  for (const char* method : {"taylor", "dopri5", "vern9", "rkmk54", "bulirsch-stoer", "radau5"}) {
    SCOPED_TRACE(method);
    Scene scene = with(kTree, method, 0.0, 0.0);
    if (scene.simulation.method == "taylor") scene.simulation.order = 12;  // else it rises with the limit
    std::vector<double> steps;
    for (const double limit : {1e-4, 1e-7}) {
      scene.simulation.max_velocity_error = limit;
      // taylor knows its error; the others estimate it from the difference of two formulas, which a coarse
      // step may show too small.
      const double factor = scene.simulation.method == "taylor" ? 1.0 : 5.0;
      EXPECT_LT(worst_velocity_error(scene, 2.0), factor * limit);
      Lab lab(scene);
      while (lab.time() < 2.0) ASSERT_EQ(lab.advance(), StepStatus::done);
      steps.push_back(static_cast<double>(lab.counts().steps));
      EXPECT_NE(lab.settings().find("max_velocity_error"), std::string::npos);
      EXPECT_EQ(lab.settings().find("tolerance"), std::string::npos);
    }
    EXPECT_GT(steps[1], 1.2 * steps[0]);
  }
}

// Momentum is mass times velocity: a thousandfold mass and a thousandfold limit give the same steps.
TEST(StepByPhysics, MomentumErrorsScaleWithMass) {
  const auto steps = [](double mass, double limit) {
    Scene scene = scene_of(
        "[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n"
        "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2\n");
    for (Link& link : scene.chains[0].links) link.mass = mass;
    scene.simulation.method = "dopri5";
    scene.simulation.max_momentum_error = limit;
    scene.simulation.step = 1e-3;
    Lab lab(scene);
    while (lab.time() < 10.0) EXPECT_EQ(lab.advance(), StepStatus::done);
    return lab.counts().steps;
  };
  EXPECT_EQ(steps(1.0, 1e-6), steps(1024.0, 1024e-6));
  EXPECT_GT(steps(1.0, 1e-8), 2 * steps(1.0, 1e-6));
}

TEST(StepByPhysics, ItIsRefusedWhereItMeansNothing) {
  Scene fixed = with(kTree, "rk4", 0.01, 0.0);
  fixed.simulation.max_velocity_error = 1e-6;
  EXPECT_NE(refusal_of(fixed).find("`max_velocity_error` has nothing to choose"), std::string::npos);
  Scene angles = scene_of(
      "[simulation]\nduration = 1\n[chain]\nformulation = \"angles\"\n"
      "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n");
  angles.simulation.max_momentum_error = 1e-6;
  EXPECT_NE(refusal_of(angles).find("`max_momentum_error` needs a state of velocities"), std::string::npos);
}

struct Quiet : RowSink {
  void row(const double*) override {}
  bool checkpoint_due() override { return false; }
  void checkpoint(const std::string&) override {}
};

RunSummary summary_of(const std::string& text, double until) {
  Lab lab(scene_of(text));
  Quiet quiet;
  return run(lab, Schedule::grid(until / 20, until), lab.columns({"energy"}), 0, quiet, {});
}

std::string shipped_text(const std::string& name) {
  return read_scene_text(std::string(CATENA_SOURCE_DIR) + "/scenes/" + name + ".toml");
}

// What symmetries keep is kept, and what is not kept is not spoken of.
TEST(Momenta, OnesThatAreKeptAreInTheSummary) {
  using Names = std::vector<std::string>;
  const RunSummary boxes = summary_of(shipped_text("boxes-on-a-hinge"), 5.0);
  EXPECT_EQ(boxes.kept_momenta, (Names{"px", "py", "pz", "lx", "ly", "lz"}));
  EXPECT_LT(boxes.linear_momentum_error.value_or(1.0), 1e-13);
  EXPECT_LT(boxes.angular_momentum_error.value_or(1.0), 1e-12);
  const RunSummary top = summary_of(shipped_text("heavy-top"), 1.0);
  EXPECT_EQ(top.kept_momenta, (Names{"lz"}));
  EXPECT_FALSE(top.linear_momentum_error.has_value());
  EXPECT_LT(top.angular_momentum_error.value_or(1.0), 1e-10);
  const RunSummary cart = summary_of(shipped_text("cart-pole"), 5.0);
  EXPECT_EQ(cart.kept_momenta, (Names{"px"}));
  EXPECT_LT(cart.linear_momentum_error.value_or(1.0), 1e-12);
  EXPECT_TRUE(summary_of(shipped_text("four-bar"), 1.0).kept_momenta.empty());
  const RunSummary bob = summary_of(shipped_text("spherical-pendulum"), 5.0);
  EXPECT_EQ(bob.kept_momenta, (Names{"lz"}));
  EXPECT_LT(bob.angular_momentum_error.value_or(1.0), 1e-12);
  // Free fall: gravity's own share is taken off.
  const RunSummary fall = summary_of(
      "[simulation]\nduration = 9\n[[bodies]]\nname = \"a\"\nshape = \"sphere\"\n"
      "radius = 1\nmass = 2\nvelocity = [1, 2, 3]\nangular_velocity = [1, 0, 1]\n",
      9.0);
  EXPECT_EQ(fall.kept_momenta.size(), 6u);
  EXPECT_LT(fall.linear_momentum_error.value_or(1.0), 1e-12 * 2 * 9.81 * 9);
}

TEST(Reactions, OnesThatAreNotUniqueAreMarked) {
  const auto marks = [](const std::string& text) {
    Lab lab(scene_of(text));
    const Columns columns = lab.columns({"unique"});
    std::vector<double> row(columns.width());
    lab.sample(0.0, columns, row.data());
    const std::vector<char>& unique = lab.inside().world.mobility().unique;
    for (std::size_t j = 0; j < unique.size(); ++j) EXPECT_EQ(row[1 + j], unique[j] ? 1.0 : 0.0);
    return std::vector<double>(row.begin() + 1, row.end());
  };
  EXPECT_EQ(marks(kTree), (std::vector<double>{1, 1}));
  EXPECT_EQ(marks(kLoop), (std::vector<double>{0, 0, 0, 0}));
  // A loop of just enough joints, with a redundant loop beside it.
  EXPECT_EQ(marks(kTree + "[[joints]]\nkind = \"revolute\"\nbodies = [\"upper\", \"lower\"]\n"
                          "point = [1.2, 1, 0.1]\naxis = [0.2, 1, 0.1]\n"),
            (std::vector<double>{1, 0, 0}));
}

// A slider between two compliant ends, v = 2 m/s, m = 1, k = 400: each visit lasts pi sqrt(m/k).
TEST(Limits, ASliderComesBackWhenItShould) {
  Scene scene = scene_of(R"(
[simulation]
duration = 100
gravity = 0
[[bodies]]
name = "block"
shape = "box"
size = [1, 1, 1]
mass = 1
velocity = [2, 0, 0]
[[joints]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "block"]
point = [0, 0, 0]
axis = [1, 0, 0]
limits = [-1, 1]
limit_stiffness = 400
)");
  Lab lab(scene);
  const double period = 2 * (2.0 / 2.0 + std::acos(-1.0) / 20.0);
  while (lab.time() < 20 * period) ASSERT_EQ(lab.advance(), StepStatus::done);
  const State at = lab.state_at(20 * period);
  // 80 kinks, each met to a few 1e-16 s.
  EXPECT_NEAR(at.hi[kPosition], 0.0, 1e-12);
  EXPECT_NEAR(at.hi[kVelocity], 2.0, 1e-12);
  EXPECT_LT(lab.energies().largest_error, 1e-13 * 2.0);
  EXPECT_LT(lab.counts().rejected, 5);  // steps end at kinks, and do not grope for them
}

// Taken up again from a checkpoint, a mechanism goes on with the same bits: gears count turns, limits have
// their sides, leaps their memory.
TEST(Checkpoints, MechanismsGoOnWithTheSameBits) {
  const std::string geared = R"(
[simulation]
duration = 100
[[bodies]]
name = "a"
shape = "cylinder"
radius = 0.5
length = 0.1
mass = 1
[[bodies]]
name = "b"
shape = "box"
size = [0.2, 1, 0.1]
mass = 2
position = [2, 0.4, 0]
[[joints]]
name = "p"
kind = "revolute"
bodies = ["ground", "a"]
point = [0, 0, 0]
axis = [0, 0, 1]
rate = 20
[[joints]]
name = "q"
kind = "revolute"
bodies = ["ground", "b"]
point = [2, 0, 0]
axis = [0, 0, 1]
damping = 0.01
stiffness = 0.001
limits = [-40, 30]
limit_stiffness = 5
[[joints]]
kind = "gear"
joints = ["p", "q"]
ratio = -1.7
)";
  for (const std::string& text :
       {kTree, kLoop, geared, shipped_text("four-bar-row"), shipped_text("cart-pole-balanced")}) {
    for (const char* method : {"taylor", "dopri5"}) {
      Scene scene = scene_of(text);
      scene.simulation.method = method;
      Lab whole(scene), second(scene);
      for (int i = 0; i < 40; ++i) ASSERT_EQ(whole.advance(), StepStatus::done);
      second.restore(whole.checkpoint());
      ASSERT_EQ(second.advance(), StepStatus::done);  // a checkpoint is of the start of the last step
      for (int i = 0; i < 40; ++i) {
        ASSERT_EQ(whole.state().hi, second.state().hi);
        ASSERT_EQ(whole.state().lo, second.state().lo);
        ASSERT_EQ(whole.advance(), StepStatus::done);
        ASSERT_EQ(second.advance(), StepStatus::done);
      }
      const Columns columns = whole.columns({});
      std::vector<double> one(columns.width()), two(columns.width());
      whole.sample(whole.time(), columns, one.data());
      second.sample(second.time(), columns, two.data());
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_TRUE(one[i] == two[i] || (std::isnan(one[i]) && std::isnan(two[i]))) << i;
      }
    }
  }
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A unit cube with a corner at the origin, as twelve triangles; corners counted from 0.
const std::vector<Vec3> kCorners{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
const std::vector<std::array<int, 3>> kFaces{{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                             {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                             {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

std::string obj_of(const std::vector<std::array<int, 3>>& faces) {
  std::string out = "# a cube\no cube\n";
  for (const Vec3& c : kCorners) {
    out += "v " + std::to_string(c[0]) + " " + std::to_string(c[1]) + " " + std::to_string(c[2]) + "\n";
  }
  for (const auto& f : faces) {
    out += "f";
    for (const int corner : f) out += " " + std::to_string(corner + 1) + "//1";
    out += "\n";
  }
  return out;
}

std::string ascii_stl() {
  std::string out = "solid cube\n";
  for (const auto& f : kFaces) {
    out += "facet normal 0 0 0\nouter loop\n";
    for (const int i : f) {
      const Vec3& c = kCorners[static_cast<std::size_t>(i)];
      out +=
          "vertex " + std::to_string(c[0]) + " " + std::to_string(c[1]) + " " + std::to_string(c[2]) + "\n";
    }
    out += "endloop\nendfacet\n";
  }
  return out + "endsolid cube\n";
}

std::string binary_stl() {
  std::string out(80, ' ');
  const auto put = [&](const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(static_cast<std::uint32_t>(kFaces.size()));
  for (const auto& f : kFaces) {
    for (int i = 0; i < 3; ++i) put(0.0f);
    for (const int i : f) {
      for (const double c : kCorners[static_cast<std::size_t>(i)]) put(static_cast<float>(c));
    }
    put(static_cast<std::uint16_t>(0));
  }
  return out;
}

std::string mesh_scene(const std::string& file) {
  return "[simulation]\nduration = 1\n[[bodies]]\nname = \"part\"\nshape = \"mesh\"\nfile = \"" + file +
         "\"\nscale = 2\ndensity = 3\n";
}

TEST(MeshFiles, ACubeIsACubeInEveryFormat) {
  const std::string folder = ::testing::TempDir();
  write_file(folder + "cube.obj", obj_of(kFaces));
  write_file(folder + "cube-text.stl", ascii_stl());
  write_file(folder + "cube.stl", binary_stl());
  for (const char* name : {"cube.obj", "cube-text.stl", "cube.stl"}) {
    const Scene scene = scene_of(mesh_scene(folder + name));
    const Body& body = scene.mechanism.bodies[0];
    EXPECT_NEAR(body.mass, 24.0, 1e-12) << name;  // 2 m wide, 3 kg/m^3
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(body.inertia[i][j], i == j ? 16.0 : 0.0, 1e-12) << name;
    }
  }
}

TEST(MeshFiles, OpenAndInvertedOnesAreRefused) {
  const std::string folder = ::testing::TempDir();
  std::vector<std::array<int, 3>> open(kFaces.begin(), kFaces.end() - 1), inverted = kFaces;
  for (auto& face : inverted) std::swap(face[0], face[1]);
  write_file(folder + "open.obj", obj_of(open));
  write_file(folder + "inverted.obj", obj_of(inverted));
  const auto complaint = [](const std::string& file) -> std::string {
    try {
      scene_of(mesh_scene(file));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(complaint(folder + "open.obj").find("its surface is not closed"), std::string::npos);
  EXPECT_NE(complaint(folder + "open.obj").find(":6:"), std::string::npos);  // the line of `file`
  EXPECT_NE(complaint(folder + "inverted.obj").find("face inwards"), std::string::npos);
  EXPECT_NE(complaint(folder + "nowhere.obj"), "");
}

}  // namespace
}  // namespace catena::test
