// Methods of another project's library: right where they are installed, and named where they are not.
#include <gtest/gtest.h>

#include "catena/base/mistake.h"
#include "support/chains.h"

namespace catena {
namespace {

const char* kSpring =
    "[simulation]\nduration = 2\ntolerance = 1e-9\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\n"
    "mass = 1\nstiffness = 100\ntheta = 1.0\nphi_dot = 1\nrepeat = 2\n";

std::string refusal_of(const Scene& scene) {
  try {
    Lab lab(scene);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(LibraryMethods, AgreeWithTaylorWhereInstalledAndSayWhatToInstallElsewhere) {
  const test::Recorded exact(test::scene_of(kSpring));
  int found = 0;
  for (const Method& method : methods()) {
    if (!method.library) continue;
    ++found;
    Scene scene = test::scene_of(kSpring);
    scene.simulation.method = method.name;
    const std::string missing = refusal_of(scene);
    if (!missing.empty()) {
      EXPECT_NE(missing.find("libsundials-dev"), std::string::npos) << missing;
      continue;
    }
    const test::Recorded run(scene);
    // Low orders: some 1000 steps of 1e-9 each, all of one sign at worst.
    for (const char* column : {"x_2", "y_2", "z_2", "vx_1"}) {
      EXPECT_LT(test::largest_difference(run.column(column), exact.column(column)), 1e-6)
          << method.name << column;
    }
  }
  EXPECT_EQ(found, 2);
}

// ida has no projection: rigid links would stretch.
TEST(LibraryMethods, IdaIsRefusedWhereItWouldIgnoreConstraints) {
  const Scene rigid = test::scene_of(
      "[simulation]\nduration = 1\nmethod = \"ida\"\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n");
  EXPECT_NE(refusal_of(rigid), "");
}

}  // namespace
}  // namespace catena
