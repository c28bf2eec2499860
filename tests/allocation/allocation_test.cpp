// No step allocates memory: counted by replacing the global operator new of this test program.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <new>

#include "catena/integrate/catalog.h"
#include "catena/math/aligned.h"
#include "support/chains.h"

static std::atomic<long> allocations{0};
static std::atomic<long> bytes{0}, most_bytes{0};

static void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  ++allocations;
  bytes += static_cast<long>(malloc_usable_size(memory));
  if (bytes > most_bytes) most_bytes = bytes.load();
  return memory;
}
static void release(void* memory) {
  bytes -= static_cast<long>(malloc_usable_size(memory));
  std::free(memory);
}

void* operator new(std::size_t size) { return counted(std::malloc(size ? size : 1)); }
// The largest vectors are aligned to cache lines.
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(unit, (size / unit + 1) * unit));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace catena {
namespace {

struct Case {
  const char* name;
  std::string scene;
};

// A loop of three rods, whose hinges in space say some things twice. `drive`: of its last hinge.
std::string four_bar(const std::string& drive) {
  const auto rod = [](const char* name, double length, double x, double z, double turn) {
    return fmt::format(
        "[[bodies]]\nname = \"{}\"\nshape = \"rod\"\nlength = {}\nmass = 1\nposition = [{}, 0, {}]\n"
        "orientation = {{ axis = [0, 1, 0], angle = \"{} deg\" }}\n",
        name, length, x, z, turn);
  };
  const auto hinge = [](const char* name, const char* a, const char* b, double x, double z) {
    return fmt::format(
        "[[joints]]\nname = \"{}\"\nkind = \"revolute\"\nbodies = [\"{}\", \"{}\"]\n"
        "point = [{}, 0, {}]\naxis = [0, 1, 0]\n",
        name, a, b, x, z);
  };
  return rod("crank", 0.5, 0.0, -0.25, 90) + rod("coupler", 1.0, 0.5, -0.5, 0) +
         rod("rocker", 0.5, 1.0, -0.25, 90) + hinge("b", "crank", "coupler", 0, -0.5) +
         hinge("c", "coupler", "rocker", 1, -0.5) + hinge("d", "ground", "rocker", 1, 0) +
         hinge("a", "ground", "crank", 0, 0) + drive;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"two links",
       "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nphi = 0.3\nphi_dot = 1.0\nrepeat = 2"},
      {"twenty links", "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nphi_dot = 1.0\nrepeat = 20"},
      {"rods",
       "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nrepeat = 20\ncenter_of_mass = 0.5\ninertia = "
       "\"rod\""},
      {"elastic",
       "[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\nstiffness = 50\ntheta = 2.0\n"
       "phi_dot = 1.0\nrepeat = 20"},
      {"angles",
       "[chain]\nformulation = \"angles\"\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nrepeat = 3\n"},
      {"charts",
       "[chain]\nformulation = \"chart\"\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nphi = 0.3\n"
       "phi_dot = 1.0\nrepeat = 2\n"},
      {"Lie groups",
       "[chain]\nformulation = \"lie\"\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nphi = 0.3\n"
       "phi_dot = 1.0\nrepeat = 2\n"},
      {"a moving pivot",
       "[chain]\npivot = [\"0.2*sin(3*t)\", 0, 0]\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\n"
       "repeat = 2\n"},
      {"equations", "[equations]\nstates = { x = 1.0, y = 0.5 }\ndot = { x = \"y\", y = \"-sin(x)\" }\n"},
      {"forces",
       "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nphi_dot = 1.0\nrepeat = 3\n"
       "[[forces]]\nkind = \"drag\"\nlinear = 0.01\n"
       "[[forces]]\nkind = \"formula\"\nforce = [\"0.1*sin(3*t)*tanh(x)\", \"0.2*erf(y)\", \"max(-z, "
       "0)\"]\n"},
      {"lagrangian",
       "[lagrangian]\ncoordinates = { x = 1.0, z = 0.0 }\nkinetic = \"0.5*(x'^2 + z'^2)\"\npotential = "
       "\"z\"\n"
       "constraints = [\"x^2 + z^2 - 1\"]\ndissipation = \"0.01*x'^2\""},
      {"bodies",
       "[[bodies]]\nname = \"arm\"\nshape = \"rod\"\nlength = 1\nmass = 1\nposition = [0.5, 0, 0]\n"
       "[[bodies]]\nname = \"box\"\nshape = \"box\"\nsize = [0.2, 0.3, 0.4]\nmass = 2\nposition = [1, 0, 0]\n"
       "[[joints]]\nname = \"pivot\"\nkind = \"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0, 0, "
       "0]\n"
       "axis = [0, 1, 0]\n"
       "[[joints]]\nname = \"end\"\nkind = \"ball\"\nbodies = [\"arm\", \"box\"]\npoint = [1, 0, 0]\n"},
      {"bodies with forces",
       "[[bodies]]\nname = \"arm\"\nshape = \"rod\"\nlength = 1\nmass = 1\nposition = [0.5, 0, 0]\n"
       "[[joints]]\nname = \"pivot\"\nkind = \"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0, 0, "
       "0]\n"
       "axis = [0, 1, 0]\ndamping = 0.1\n"
       "[[forces]]\nkind = \"formula\"\nforce = [\"0.1*sin(3*t)\", 0, \"-0.2*z\"]\n"},
      {"a loop with redundant hinges", four_bar("rate = 2\n")},
      {"a loop that a motor turns", four_bar("motor = { angle = \"0.4*sin(3*t)\" }\n")},
      {"a loop with forces",
       four_bar("rate = 2\nstiffness = 3\ndamping = 0.1\n") +
           "[[forces]]\nkind = \"formula\"\nforce = [\"0.1*sin(3*t)\", 0, \"-0.2*z\"]\n"},
      {"links held at both ends",
       "[chain]\nend = [1.5, 0, 0]\n[[chain.links]]\nlength = 0.5\nmass = 1\ncenter_of_mass = 0.5\n"
       "inertia = \"rod\"\nrepeat = 4\n"},
      {"links as bodies on a moving pivot",
       "[chain]\nformulation = \"multibody\"\npivot = [\"0.2*sin(3*t)\", 0, 0]\n[[chain.links]]\n"
       "length = 1\nmass = 1\ntheta = 2.0\nrepeat = 2\n"},
  };
  return all;
}

// Why a scene cannot be run so, or nothing.
std::string refusal_of(const Scene& scene) {
  try {
    Lab lab(scene);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

Scene scene_for(const Case& given, const std::string& precision, const Method& method) {
  const std::string own =
      "\n[method]\na = [[], [0.5], [0, 0.5], [0, 0, 1]]\nb = [\"1/6\", \"1/3\", \"1/3\", \"1/6\"]\n";
  Scene scene =
      test::scene_of("[simulation]\nduration = 10\n" + given.scene + (method.name == "custom" ? own : ""));
  scene.simulation.precision = precision;
  scene.simulation.method = method.name;
  if (!method.adaptive) scene.simulation.step = 1e-3;
  return scene;
}

// What is refused is said: with more digits for lack of the precision or of the method in it, in double for
// what the method needs. Every method runs something.
TEST(Allocation, NoMethodAllocatesInsideAStep) {
  std::map<std::string, int> runs;
  for (const char* precision : {"double", "double-double", "quad"}) {
    for (const Case& given : cases()) {
      for (const Method& method : methods()) {
        if (method.library) continue;  // a library's own matter
        const Scene scene = scene_for(given, precision, method);
        const std::string where = std::string(given.name) + ", " + precision + ", " + method.name;
        if (const std::string why = refusal_of(scene); !why.empty()) {
          EXPECT_TRUE(why.find(method.name) != std::string::npos || why.find(precision) != std::string::npos)
              << where << ": " << why;
          EXPECT_FALSE(precision == std::string("double") && method.name == "taylor") << where << ": " << why;
          continue;
        }
        ++runs[method.name];
        Lab lab(scene);
        // What leaves zero for the first time makes new plans of what there is to compute.
        bool done = true;
        for (int i = 0; i < 20; ++i) done = lab.advance() == StepStatus::done && done;
        const long before = allocations;
        for (int i = 0; i < 20; ++i) done = lab.advance() == StepStatus::done && done;
        const long made = allocations - before;
        EXPECT_TRUE(done) << where;
        EXPECT_EQ(made, 0) << where;
      }
    }
  }
  for (const Method& method : methods()) {
    if (!method.library) {
      EXPECT_GT(runs[method.name], 0) << method.name;
    }
  }
}

TEST(Allocation, AlignedMemoryIsCountedToo) {
  const long before = allocations;
  const AlignedVector<double> lanes(8);
  EXPECT_EQ(allocations - before, 1);
}

// In space, all columns, one row. It was 6600 once.
TEST(Allocation, ALongChainNeedsNoMoreThan3500BytesALink) {
  constexpr int kLinks = 20000;
  const Scene scene = test::scene_of(
      "[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1.5\nphi_dot = 1.0\n"
      "phi = 0.3\nrepeat = " +
      std::to_string(kLinks) + "\n");
  const long before = bytes;
  most_bytes = before;
  Lab lab(scene);
  const Columns columns = lab.columns({});
  std::vector<double> row(columns.width());
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(lab.advance(), StepStatus::done);
    lab.sample(lab.time(), columns, row.data());
  }
  EXPECT_LT(most_bytes - before, 3500L * kLinks);
}

// Sampling rows reuses its memory as well.
TEST(Allocation, SamplingRowsDoesNotAllocateOnceWarm) {
  Lab lab(test::scene_of(
      "[simulation]\nduration = 10\n"
      "[[chains]]\nname = \"rigid\"\nlinks = [{length = 1, mass = 1, theta = 2.0, repeat = 5}]\n"
      "[[chains]]\nname = \"elastic\"\nkind = \"elastic\"\n"
      "links = [{length = 1, mass = 1, stiffness = 50, theta = 2.0, repeat = 5}]\n"));
  const Columns columns = lab.columns({});
  std::vector<double> row(columns.width());
  lab.advance();
  lab.sample(lab.time(), columns, row.data());
  const long before = allocations;
  for (int i = 0; i < 20; ++i) {
    lab.advance();
    lab.sample(0.5 * (lab.step_start() + lab.time()), columns, row.data());
  }
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace catena
