// Bodies and motions without inertia, where the constraints determine the motion.
#include <gtest/gtest.h>

#include "support/mechanisms.h"

namespace catena::test {
namespace {

Quaternion about_y(double angle) { return {std::cos(angle / 2), 0, std::sin(angle / 2), 0}; }

double distance(const Vec3& a, const Vec3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

// A massless rod on a hinge carries a bob: the simple pendulum, which a distance joint makes without a rod.
TEST(Massless, ARodOnAHingeMakesTheSimplePendulum) {
  Mechanism rod;
  const int link = add_body(rod, 0.0, {}, {0.5, 0, 0});
  const int bob = add_point(rod, 2.0, {1, 0, 0});
  add_joint(rod, JointKind::revolute, kGround, link, {0, 0, 0}, kAcross);
  add_joint(rod, JointKind::ball, link, bob, {1, 0, 0});
  Mechanism plain;
  add_point(plain, 2.0, {1, 0, 0});
  add_joint(plain, JointKind::distance, kGround, 0, {0, 0, 0});
  plain.joints[0].in_b.point = {};
  plain.joints[0].value = 1.0;

  Motion with_rod(rod, kDown), without(plain, kDown);
  EXPECT_TRUE(with_rod.multibody().has_massless());
  for (const double t : {0.5, 2.0, 5.0}) {
    ASSERT_EQ(with_rod.go_to(t), StepStatus::done);
    ASSERT_EQ(without.go_to(t), StepStatus::done);
    // Two formulations of the same motion, each with a few 1e-16 per step.
    EXPECT_LT(distance(with_rod.position(1), without.position(0)), 1e-13);
  }
  EXPECT_LT(with_rod.worst_energy(), 1e-13 * 2 * 9.81);
  EXPECT_LT(with_rod.worst_gap(), 1e-24);
}

struct FourBar {
  Mechanism mechanism;
  // Crank and rocker of 1 kg; between them a coupler of some mass, or a distance joint.
  explicit FourBar(double coupler_mass, bool by_distance = false) {
    const Vec3 a{0, 0, 0}, b{0, 0, 0.4}, c{1, 0, 0.7}, d{0.9, 0, 0};
    const auto rod = [&](const Vec3& from, const Vec3& to, double mass) {
      const double length = distance(from, to), i = mass * length * length / 12;
      return add_body(mechanism, mass, diagonal(1e-3 * i, i, i),
                      {0.5 * (from[0] + to[0]), 0, 0.5 * (from[2] + to[2])},
                      about_y(std::atan2(from[2] - to[2], to[0] - from[0])));
    };
    const int crank = rod(a, b, 1.0), rocker = rod(c, d, 1.0);
    add_joint(mechanism, JointKind::revolute, kGround, crank, a, kAcross);
    add_joint(mechanism, JointKind::revolute, rocker, kGround, d, kAcross);
    mechanism.joints[0].start_rate = 4.0;
    if (by_distance) {
      add_joint(mechanism, JointKind::distance, crank, rocker, b);
      mechanism.joints.back().in_b =
          joint_at(mechanism, JointKind::distance, crank, rocker, c, {0, 0, 1}).in_b;
      mechanism.joints.back().value = distance(b, c);
    } else {
      const int coupler = rod(b, c, coupler_mass);
      add_joint(mechanism, JointKind::revolute, crank, coupler, b, kAcross);
      add_joint(mechanism, JointKind::revolute, coupler, rocker, c, kAcross);
    }
  }
};

Vec3 crank_at(const FourBar& of, double t) {
  Motion motion(of.mechanism, kDown);
  EXPECT_EQ(motion.go_to(t), StepStatus::done);
  EXPECT_LT(motion.worst_energy(), 1e-12 * 10.0);  // relative to the 10 J that are in motion
  return motion.position(0);
}

// A coupler without mass in spatial hinges (three redundant equations) does what a distance joint does, and
// heavier ones tend to it in proportion to their mass.
TEST(Massless, ACouplerIsADistanceAndTheLimitOfLightOnes) {
  const double t = 2.0;
  const Vec3 none = crank_at(FourBar(0.0), t), rod = crank_at(FourBar(0.0, true), t);
  EXPECT_LT(distance(none, rod), 1e-12);
  const double light = distance(crank_at(FourBar(1e-5), t), none);
  const double lighter = distance(crank_at(FourBar(1e-6), t), none);
  EXPECT_NEAR(light / lighter, 10.0,
              0.05);  // up to terms of relative size 1e-5 times the motion's sensitivity
}

// In plane motion a rod never turns about itself: no inertia there changes nothing.
TEST(Massless, AnInfinitelyThinRodOnHingesMovesAsAThickOne) {
  const auto pendulum = [](double about_itself) {
    Mechanism out;
    int before = kGround;
    for (int i = 0; i < 3; ++i) {
      const int rod = add_body(out, 1.0, diagonal(about_itself, 1.0 / 12, 1.0 / 12), {0.5 + i, 0, 0});
      add_joint(out, JointKind::revolute, before, rod, {1.0 * i, 0, 0}, kAcross);
      before = rod;
    }
    return out;
  };
  Motion thin(pendulum(0.0), kDown), thick(pendulum(0.02), kDown);
  ASSERT_EQ(thin.go_to(1.5), StepStatus::done);
  ASSERT_EQ(thick.go_to(1.5), StepStatus::done);
  for (std::size_t b = 0; b < 3; ++b) EXPECT_LT(distance(thin.position(b), thick.position(b)), 1e-12);
}

// A massless body fixed to another one, and a massless point at its end, feel forces for it.
TEST(Massless, ForcesOnMasslessBodiesReachTheOthers) {
  const auto spring_to = [](Mechanism& of, int body, const Vec3& point) {
    JointForce spring;
    spring.b = body;
    spring.in_a = frame_along({3, 0, 0}, {0, 0, 1});
    spring.in_b = seen_by(of, body, frame_along(point, {0, 0, 1}));
    spring.stiffness = 40;
    spring.rest = 1;
    of.forces.push_back(spring);
  };
  Mechanism whole, parts;
  for (Mechanism* of : {&whole, &parts}) {
    add_body(*of, 1.0, diagonal(0.1, 0.2, 0.3), {0.5, 0, 0});
    add_joint(*of, JointKind::ball, kGround, 0, {0, 0, 0});
  }
  spring_to(whole, 0, {2, 0.3, 0});
  const int arm = add_body(parts, 0.0, {}, {1.5, 0, 0});
  const int tip = add_point(parts, 0.0, {2, 0.3, 0});
  add_joint(parts, JointKind::fixed, 0, arm, {1, 0, 0});
  add_joint(parts, JointKind::ball, arm, tip, {2, 0.3, 0});
  spring_to(parts, tip, {2, 0.3, 0});
  Motion one(whole, kDown), three(parts, kDown);
  ASSERT_EQ(one.go_to(2.0), StepStatus::done);
  ASSERT_EQ(three.go_to(2.0), StepStatus::done);
  EXPECT_LT(distance(one.position(0), three.position(0)), 1e-12);
}

TEST(Massless, WhatNothingDeterminesIsFound) {
  Mechanism rod;  // on two balls a thin rod may spin
  const int thin = add_body(rod, 1.0, diagonal(0, 1.0 / 12, 1.0 / 12), {0.5, 0, 0});
  const int bob = add_point(rod, 1.0, {1, 0, 0});
  add_joint(rod, JointKind::ball, kGround, thin, {0, 0, 0});
  add_joint(rod, JointKind::ball, thin, bob, {1, 0, 0});
  const std::vector<UndeterminedMotion> spin = assemble(rod).undetermined;
  ASSERT_EQ(spin.size(), 1u);
  EXPECT_EQ(spin[0].body, 0u);
  EXPECT_TRUE(spin[0].turns);
  EXPECT_NEAR(std::fabs(spin[0].direction[0]), 1.0, 1e-12);

  Mechanism free;
  add_body(free, 1.0, diagonal(1, 1, 1), {0, 0, 0});
  add_body(free, 0.0, {}, {1, 0, 0});
  EXPECT_EQ(assemble(free).undetermined.size(), 6u);

  Mechanism rail;  // slides along x and has nothing to push against
  add_point(rail, 0.0, {0, 0, 0});
  add_joint(rail, JointKind::point_on_line, kGround, 0, {0, 0, 0}, {1, 0, 0});
  const std::vector<UndeterminedMotion> slide = assemble(rail).undetermined;
  ASSERT_EQ(slide.size(), 1u);
  EXPECT_FALSE(slide[0].turns);
  EXPECT_NEAR(std::fabs(slide[0].direction[0]), 1.0, 1e-12);
}

}  // namespace
}  // namespace catena::test
