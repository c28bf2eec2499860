// Laws of limits and buoyancy that a sign or a point decides.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

// A limit pushes with d max(k + c d', 0): a slide that comes to it is only ever pushed back, and what the
// damper takes is lost.
TEST(Limits, PushAndNeverPull) {
  for (const double damping : {0.0, 50.0, 5000.0}) {
    const Recorded run(scene_of(fmt::format(
        "[simulation]\nduration = 0.8\nsample = 0.001\ngravity = 0\n[[bodies]]\nname = \"a\"\nshape = "
        "\"box\"\n"
        "size = [0.1, 0.1, 0.1]\nmass = 1\nvelocity = [2, 0, 0]\n[[joints]]\nname = \"rail\"\nkind = "
        "\"prismatic\"\n"
        "bodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\naxis = [1, 0, 0]\nlimits = [-0.5, 0.5]\n"
        "limit_stiffness = 400\nlimit_damping = {}\n",
        damping)));
    double before = 2.0;
    for (std::size_t row = 0; row < run.count(); ++row) {
      const double speed = run.at(row, "vx_a");
      if (run.at(row, "x_a") > -0.5) {
        EXPECT_LE(speed, before + 1e-12) << damping << " at row " << row;
      }
      before = speed;
    }
    EXPECT_LT(test::largest(run.column("energy_error")), 1e-11);
    if (damping == 0.0) {
      EXPECT_NEAR(run.last("vx_a"), -2.0, 1e-10);
    } else {
      EXPECT_GT(run.last("vx_a"), -2.0);
    }
  }
}

// A dumbbell of a heavy and a light ball of one size: what it displaces has its centre between the two.
TEST(Buoyancy, ActsAtTheCentreOfVolume) {
  const std::string dumbbell =
      "[simulation]\nduration = 2\nsample = 0.1\n[[bodies]]\nname = \"a\"\nshape = \"compound\"\n"
      "angular_velocity = [0.1, 0.2, 0.3]\n[[bodies.parts]]\nshape = \"sphere\"\nradius = 0.1\nmass = 3\n"
      "position = [0.5, 0, 0]\n[[bodies.parts]]\nshape = \"sphere\"\nradius = 0.1\nmass = 1\nposition = "
      "[-0.5, 0, "
      "0]\n[[forces]]\n";
  const double volume = 2 * 4.0 / 3.0 * 3.14159265358979323846 * 1e-3;
  const Recorded run(scene_of(dumbbell + "kind = \"buoyancy\"\ndensity = 400\n"));
  const Recorded pushed(
      scene_of(dumbbell + fmt::format("kind = \"formula\"\nforce = [0, 0, {:.17g}]\npoint = [-0.25, 0, 0]\n",
                                      400 * volume * 9.81)));
  for (const char* column : {"x_a", "z_a", "qw_a", "wx_a", "wy_a"})
    EXPECT_LT(test::largest_difference(run.column(column), pushed.column(column)), 1e-11) << column;
  EXPECT_GT(std::fabs(run.last("wy_a") - 0.2), 0.1);
  EXPECT_LT(test::largest(run.column("energy_error")), 1e-11);
}

}  // namespace
}  // namespace catena
