// Mechanisms with loops: published digits, redundant constraints, singular positions.
#include <gtest/gtest.h>

#include <numbers>

#include "support/chains.h"
#include "support/mechanisms.h"

namespace catena::test {
namespace {

constexpr Vec3 kDown{0, 0, -9.81};

Quaternion turned_about_z(double angle) { return {std::cos(angle / 2), 0, 0, std::sin(angle / 2)}; }

// Andrews' squeezing mechanism, in the x-y plane, with all joints as spatial hinges about z.
struct SevenBodies {
  Mechanism mechanism;
  std::vector<double> bodies_angle;

  explicit SevenBodies(const std::vector<double>& q) {
    const double beta = q[0], theta = q[1], gamma = q[2], phi = q[3], delta = q[4], omega = q[5], epsilon = q[6];
    const Vec3 o{0, 0, 0}, a{-0.06934, -0.00227, 0}, b{-0.03635, 0.03273, 0}, c{0.014, 0.072, 0};
    const auto from = [](const Vec3& p, double angle, double along, double across) -> Vec3 {
      return {p[0] + along * std::cos(angle) - across * std::sin(angle),
              p[1] + along * std::sin(angle) + across * std::cos(angle), 0};
    };
    const double half = 0.5 * std::numbers::pi;
    const Vec3 f = from(o, beta, 0.007, 0), e = from(f, beta + theta, -0.028, 0);
    const Vec3 g = from(a, delta, 0.04, 0), h = from(a, epsilon - half, 0.04, 0);
    const auto add = [&](double mass, double inertia, const Vec3& center, double angle) {
      return add_body(mechanism, mass, diagonal(inertia, inertia, inertia), center, turned_about_z(angle));
    };
    const int k1 = add(0.04325, 2.194e-6, from(o, beta, 0.00092, 0), beta);
    const int k2 = add(0.00365, 4.410e-7, from(f, beta + theta, -0.0115, 0), beta + theta);
    const int k3 = add(0.02373, 5.255e-6, from(b, gamma - half, 0.01874, 0.01043), gamma - half);
    const int k4 = add(0.00706, 5.667e-7, from(g, phi + delta - half, 0.00579, 0), phi + delta - half);
    const int k5 = add(0.07050, 1.169e-5, from(a, delta, 0.02308, 0.00916), delta);
    const int k6 = add(0.00706, 5.667e-7, from(h, omega + epsilon, 0.00579, 0), omega + epsilon);
    const int k7 = add(0.05498, 1.912e-5, from(a, epsilon - half, 0.01228, -0.00449), epsilon - half);
    const Vec3 z{0, 0, 1};
    add_joint(mechanism, JointKind::revolute, kGround, k1, o, z);
    add_joint(mechanism, JointKind::revolute, k1, k2, f, z);
    add_joint(mechanism, JointKind::revolute, k2, k3, e, z);
    add_joint(mechanism, JointKind::revolute, kGround, k3, b, z);
    add_joint(mechanism, JointKind::revolute, k3, k4, e, z);
    add_joint(mechanism, JointKind::revolute, k4, k5, g, z);
    add_joint(mechanism, JointKind::revolute, kGround, k5, a, z);
    add_joint(mechanism, JointKind::revolute, k3, k6, e, z);
    add_joint(mechanism, JointKind::revolute, k6, k7, h, z);
    add_joint(mechanism, JointKind::revolute, kGround, k7, a, z);
    // Frames from each body's own drawing, where the loops close to the digits of the start only.
    fix_frames();
    JointForce spring;
    spring.a = kGround;
    spring.b = k3;
    spring.in_a = frame_along(c, z);
    spring.in_b = seen_by(mechanism, k3, frame_along(from(b, gamma - half, 0.018, 0.02), z));
    spring.stiffness = 4530;
    spring.rest = 0.07785;
    mechanism.forces.push_back(spring);
    JointForce drive;
    drive.along = JointForce::Along::angle;
    drive.joint = 0;
    drive.a = kGround;
    drive.b = k1;
    drive.in_a = mechanism.joints[0].in_a;
    drive.in_b = mechanism.joints[0].in_b;
    drive.drive = "0.033";
    mechanism.forces.push_back(drive);
  }

 private:
  // Exact geometry: lengths as published, not as they come out of rounded angles.
  void fix_frames() {
    const auto set = [&](std::size_t joint, const Vec3& in_a, const Vec3& in_b) {
      mechanism.joints[joint].in_a.point = in_a;
      mechanism.joints[joint].in_b.point = in_b;
    };
    const Vec3 e_in_3{0.035 - 0.01874, -0.01043, 0};
    set(0, {0, 0, 0}, {-0.00092, 0, 0});
    set(1, {0.007 - 0.00092, 0, 0}, {0.0115, 0, 0});
    set(2, {0.0115 - 0.028, 0, 0}, e_in_3);
    set(3, {-0.03635, 0.03273, 0}, {-0.01874, -0.01043, 0});
    set(4, e_in_3, {0.02 - 0.00579, 0, 0});
    set(5, {-0.00579, 0, 0}, {0.04 - 0.02308, -0.00916, 0});
    set(6, {-0.06934, -0.00227, 0}, {-0.02308, -0.00916, 0});
    set(7, e_in_3, {0.02 - 0.00579, 0, 0});
    set(8, {-0.00579, 0, 0}, {0.04 - 0.01228, 0.00449, 0});
    set(9, {-0.06934, -0.00227, 0}, {-0.01228, 0.00449, 0});
  }
};

TEST(Loops, SevenBodyMechanismReachesTheCorrectedDigits) {
  const nlohmann::json andrews = reference("ivptestset_andrews");
  std::vector<double> q, end;
  for (const auto& angle : andrews["initial_conditions"]["q"]) q.push_back(number(angle));
  for (const auto& angle : andrews["reference"]["q_v_a"]) end.push_back(number(angle));
  Motion motion(SevenBodies(q).mechanism, {0, 0, 0});
  const Mobility mobility = motion.multibody().mobility(0.0, motion.state().hi.data());
  EXPECT_EQ(mobility.degrees_of_freedom, 1u);
  EXPECT_EQ(mobility.equations - mobility.rank, 9u);  // three per loop
  ASSERT_EQ(motion.go_to(0.03), StepStatus::done);
  const auto angle = [&](std::size_t b) {
    const Quaternion p = motion.orientation(b);
    return 2 * std::atan2(p[3], p[0]);
  };
  const double half = 0.5 * std::numbers::pi;
  const std::vector<double> expected{end[0],        end[0] + end[1],        end[2] - half, end[3] + end[4] - half,
                                     end[4], end[5] + end[6], end[6] - half};
  double worst = 0.0;
  for (std::size_t b = 0; b < 7; ++b) {
    worst = std::max(worst, std::fabs(std::remainder(angle(b) - expected[b], 2 * std::numbers::pi)));
  }
  const double rate = std::fabs(motion.spin(0)[2] / end[7] - 1.0);
  printf("andrews %g rate %g steps %ld gap %g\n", worst, rate, (long)motion.stepper().counts().steps, motion.worst_gap());
  EXPECT_LT(worst, 1e-11);
  EXPECT_LT(rate, 1e-11);
}

}  // namespace
}  // namespace catena::test
