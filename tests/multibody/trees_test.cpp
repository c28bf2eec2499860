// Mechanisms without loops against closed forms, published digits and the chain's own solvers.
#include <gtest/gtest.h>

#include "support/chains.h"
#include "support/mechanisms.h"

namespace catena::test {
namespace {

constexpr Vec3 kDown{0, 0, -9.81};

TEST(Trees, HeavyTopFollowsItsReference) {
  Mechanism top;
  const int body = add_body(top, 15.0, diagonal(0.234375, 0.46875, 0.234375), {0, 1, 0});
  top.bodies[0].angular_velocity = {0, 150, -4.61538};
  top.bodies[0].velocity = {4.61538, 0, 0};  // omega x r
  add_joint(top, JointKind::ball, kGround, body, {0, 0, 0});
  Motion motion(top, kDown);
  double worst = 0.0;
  const nlohmann::json rows = reference("heavy_top")["reference"];
  for (const auto& row : rows) {
    ASSERT_EQ(motion.go_to(number(row["t"])), StepStatus::done);
    for (std::size_t i = 0; i < 3; ++i) {
      worst = std::max(worst, std::fabs(motion.position(0)[i] - number(row["x"][i])));
    }
  }
  printf("top worst %g gap %g energy %g steps %ld order %d\n", worst, motion.worst_gap(), motion.worst_energy(), (long)motion.stepper().counts().steps, motion.stepper().order());
  EXPECT_LT(worst, 1e-10);
}

TEST(Trees, A01) {
  Mechanism m;
  const int body = add_point(m, 1.0, {-1, 0, 0});
  m.joints.push_back(rod_between(m, kGround, body, {0, 0, 0}, {-1, 0, 0}));
  add_joint(m, JointKind::point_on_plane, kGround, body, {0, 0, 0}, {0, 1, 0});
  Motion motion(m, kDown);
  const nlohmann::json rows = reference("iftomm_A01_simple_pendulum")["reference"]["rows_start_x_minus_1"];
  for (const auto& row : rows) {
    const double t = number(row[0]);
    if (t > 100) break;
    ASSERT_EQ(motion.go_to(t), StepStatus::done);
    EXPECT_NEAR(motion.position(0)[0], number(row[1]), 1e-12 * (1 + t));
    EXPECT_NEAR(motion.position(0)[2], number(row[2]), 1e-12 * (1 + t));
  }
  printf("A01 gap %g energy %g steps %ld\n", motion.worst_gap(), motion.worst_energy(), (long)motion.stepper().counts().steps);
}

}  // namespace
}  // namespace catena::test
