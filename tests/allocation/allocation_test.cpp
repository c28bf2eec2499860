// No step allocates memory: counted by replacing the global operator new of this test program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "catena/integrate/catalog.h"
#include "catena/math/aligned.h"
#include "support/chains.h"

static std::atomic<long> allocations{0};

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
// The largest vectors are aligned to cache lines.
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size / unit + 1) * unit)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace catena {
namespace {

// Some methods need what only some chains have.
bool accepts(const Scene& scene) {
  try {
    Lab lab(scene);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

TEST(Allocation, NoMethodAllocatesInsideAStep) {
  for (const char* chain :
       {"[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nphi = 0.3\nphi_dot = 1.0\nrepeat = 2",
        "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nphi_dot = 1.0\nrepeat = 20",
        "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 2.0\nrepeat = 20\ncenter_of_mass = 0.5\n"
        "inertia = \"rod\"",
        "[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\nstiffness = 50\ntheta = 2.0\n"
        "phi_dot = 1.0\nrepeat = 20",
        "[lagrangian]\ncoordinates = { x = 1.0, z = 0.0 }\nkinetic = \"0.5*(x'^2 + z'^2)\"\npotential = "
        "\"z\"\n"
        "constraints = [\"x^2 + z^2 - 1\"]\ndissipation = \"0.01*x'^2\""}) {
    for (const Method& method : methods()) {
      Scene scene = test::scene_of(std::string("[simulation]\nduration = 10\n") + chain);
      scene.simulation.method = method.name;
      if (!method.adaptive) scene.simulation.step = 1e-3;
      if (method.library || !accepts(scene)) continue;  // a library's own matter
      Lab lab(scene);
      lab.advance();
      const long before = allocations;
      for (int i = 0; i < 50; ++i) lab.advance();
      EXPECT_EQ(allocations - before, 0) << method.name;
    }
  }
}

TEST(Allocation, AlignedMemoryIsCountedToo) {
  const long before = allocations;
  const AlignedVector<double> lanes(8);
  EXPECT_EQ(allocations - before, 1);
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
