// Mechanisms without loops against closed forms, published digits and the chain's own solvers.
#include <gtest/gtest.h>

#include <numbers>
#include <set>
#include <vector>

#include "support/chains.h"
#include "support/mechanisms.h"

namespace catena::test {
namespace {

TEST(Trees, HeavyTopFollowsItsReference) {
  Mechanism top;
  const int body = add_body(top, 15.0, diagonal(0.234375, 0.46875, 0.234375), {0, 1, 0});
  top.bodies[0].angular_velocity = {0, 150, -4.61538};
  top.bodies[0].velocity = cross(top.bodies[0].angular_velocity, {0, 1, 0});
  add_joint(top, JointKind::ball, kGround, body, {0, 0, 0});
  Motion motion(top, kDown);
  double place = 0.0, spin = 0.0;
  const nlohmann::json rows = reference("heavy_top")["reference"];
  for (const auto& row : rows) {
    ASSERT_EQ(motion.go_to(number(row["t"])), StepStatus::done);
    for (std::size_t i = 0; i < 3; ++i) {
      place = std::max(place, std::fabs(motion.position(0)[i] - number(row["x"][i])));
      spin = std::max(spin, std::fabs(motion.spin(0)[i] - number(row["Omega_body"][i])));
    }
  }
  EXPECT_LT(place, 1e-12);
  EXPECT_LT(spin, 1e-11);
  EXPECT_LT(motion.worst_gap(), 1e-20);  // lo takes what double cannot
}

TEST(Trees, PendulumOfPointAndRodFollowsEllipticFunctions) {
  Mechanism pendulum;
  const int bob = add_point(pendulum, 1.0, {-1, 0, 0});
  pendulum.joints.push_back(rod_between(pendulum, kGround, bob, {0, 0, 0}, {-1, 0, 0}));
  add_joint(pendulum, JointKind::point_on_plane, kGround, bob, {0, 0, 0}, {0, 1, 0});
  Motion motion(pendulum, kDown);
  const nlohmann::json rows = reference("iftomm_A01_simple_pendulum")["reference"]["rows_start_x_minus_1"];
  double worst = 0.0;
  for (const auto& row : rows) {
    const double t = number(row[0]);
    if (t > 100.0) break;
    ASSERT_EQ(motion.go_to(t), StepStatus::done);
    worst = std::max(worst, std::fabs(motion.position(0)[0] - number(row[1])) / (1.0 + t));
    worst = std::max(worst, std::fabs(motion.position(0)[2] - number(row[2])) / (1.0 + t));
  }
  EXPECT_LT(worst, 1e-14);  // the phase error of a pendulum grows like t
}

// A compound pendulum of the same reduced length, as a body on a hinge that is also off the centre plane.
TEST(Trees, HingedBodyFollowsEllipticFunctions) {
  Mechanism pendulum;
  // I + m a^2 = m a L: I = 0.25 * 0.75 for m = 1, a = 0.25, L = 1
  const int body = add_body(pendulum, 1.0, diagonal(0.3, 0.1875, 0.25), {-0.25, 0, 0});
  add_joint(pendulum, JointKind::revolute, kGround, body, {0, 3, 0}, {0, 1, 0});
  Motion motion(pendulum, kDown);
  const nlohmann::json rows = reference("iftomm_A01_simple_pendulum")["reference"]["rows_start_x_minus_1"];
  double worst = 0.0;
  for (const auto& row : rows) {
    const double t = number(row[0]);
    if (t > 10.0) break;
    ASSERT_EQ(motion.go_to(t), StepStatus::done);
    worst = std::max(worst, std::fabs(4 * motion.position(0)[0] - number(row[1])));
    worst = std::max(worst, std::fabs(4 * motion.position(0)[2] - number(row[2])));
  }
  EXPECT_LT(worst, 1e-12);
}

// Two bodies, chaotic: an error grows 3e6 times in 10 s.
TEST(Trees, BabybootReachesItsSharpenedDigits) {
  const nlohmann::json boot = reference("drake_babyboot");
  const auto p = [&](const char* name) { return number(boot["parameters"][name]); };
  const double qa = 0.5 * std::numbers::pi, qb = std::numbers::pi / 180.0;
  // Hanging straight down the rod points along -z and both frames are the world's; qA turns about x, then qB
  // about the rod's own z.
  const Quaternion turn_a{std::cos(qa / 2), std::sin(qa / 2), 0, 0};
  const Quaternion turn_b{std::cos(qb / 2), 0, 0, std::sin(qb / 2)};
  Mechanism mechanism;
  const int rod = add_body(mechanism, p("mA"), diagonal(p("IAx"), p("IAx"), p("IAx")),
                           rotated(turn_a, {0, 0, -p("LA")}), turn_a);
  const int plate = add_body(mechanism, p("mB"), diagonal(p("IBx"), p("IBy"), p("IBz")),
                             rotated(turn_a, {0, 0, -p("LB")}), product(turn_a, turn_b));
  add_joint(mechanism, JointKind::revolute, kGround, rod, {0, 0, 0}, {1, 0, 0});
  add_joint(mechanism, JointKind::revolute, rod, plate, rotated(turn_a, {0, 0, -p("LB")}),
            rotated(turn_a, {0, 0, 1}));
  Motion motion(mechanism, kDown);
  ASSERT_EQ(motion.go_to(10.0), StepStatus::done);
  const Vec3 down = rotated(motion.orientation(0), {0, 0, -1});
  const double angle_a = std::atan2(down[1], -down[2]);  // turning about x takes -z to +y
  const Quaternion pa = motion.orientation(0), pb = motion.orientation(1);
  const Quaternion between = product({pa[0], -pa[1], -pa[2], -pa[3]}, pb);
  const double angle_b = 2 * std::atan2(between[3], between[0]);
  const double degree = std::numbers::pi / 180.0;
  const double error_a =
      std::remainder(angle_a - number(boot["reference"]["qA_deg"]) * degree, 2 * std::numbers::pi);
  const double error_b =
      std::remainder(angle_b - number(boot["reference"]["qB_deg"]) * degree, 2 * std::numbers::pi);
  EXPECT_LT(std::fabs(error_a), 1e-8);
  EXPECT_LT(std::fabs(error_b), 1e-8);
}

TEST(Trees, CartPoleFollowsItsReference) {
  const nlohmann::json sample = reference("cartpole");
  const double theta = 0.5 * std::numbers::pi - 0.1;
  Mechanism mechanism;
  const int cart = add_body(mechanism, 1.0, diagonal(1, 1, 1), {0, 0, 0});
  const int ball = add_point(mechanism, 1.0, {std::cos(theta), 0, std::sin(theta)});
  add_joint(mechanism, JointKind::prismatic, kGround, cart, {0, 0, 0}, {1, 0, 0});
  add_joint(mechanism, JointKind::point_on_plane, kGround, ball, {0, 0, 0}, {0, 1, 0});
  mechanism.joints.push_back(rod_between(mechanism, cart, ball, {0, 0, 0}, mechanism.bodies[ball].position));
  Motion motion(mechanism, {0, 0, -9.8});
  EXPECT_EQ(motion.multibody().mobility(0.0, motion.state().hi.data()).degrees_of_freedom, 2u);
  double worst = 0.0;
  for (const auto& row : sample["samples"]) {
    ASSERT_EQ(motion.go_to(number(row["t"])), StepStatus::done);
    worst = std::max({worst, std::fabs(motion.position(0)[0] - number(row["x_cart"])),
                      std::fabs(motion.position(1)[0] - number(row["ball"][0])),
                      std::fabs(motion.position(1)[2] - number(row["ball"][1]))});
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_LT(motion.worst_energy(), 1e-13);
}

// The tension solver knows nothing of bodies, joints and quaternions.
TEST(Trees, ChainOfPointsAgreesWithTheTensionChain) {
  const std::size_t n = 8;
  const ChainLinks links = random_links(n, 5, false, false);
  RigidChain<3> chain(links, {0, 0, -9.81}, ChainSolver::tension);
  LanePair state{std::vector<double>(6 * n), std::vector<double>(6 * n)};
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (double& x : state.hi) x = normal(random);
  for (std::size_t k = 0; k < n; ++k) {
    const double size = std::hypot(state.hi[k], state.hi[n + k], state.hi[2 * n + k]);
    for (std::size_t i = 0; i < 3; ++i) state.hi[i * n + k] /= size;
  }
  chain.project(state.hi.data(), state.lo.data());
  for (std::size_t i = 0; i < 6 * n; ++i) state.hi[i] += state.lo[i], state.lo[i] = 0.0;
  Mechanism mechanism;
  Vec3 at{}, speed{};
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 above = at;
    for (std::size_t i = 0; i < 3; ++i) {
      at[i] += links.length[k] * state.hi[i * n + k];
      speed[i] += links.length[k] * (state.hi[(3 + i) * n + k] + state.lo[(3 + i) * n + k]);
    }
    const int bob = add_point(mechanism, links.mass[k], at, speed);
    mechanism.joints.push_back(rod_between(mechanism, bob - 1, bob, above, at));
    mechanism.joints.back().value = links.length[k];
  }
  Motion motion(mechanism, kDown);
  const System system = wired_chain(chain);
  const auto stepper = find_method("taylor")->make(system, {.tolerance = 1e-16});
  State other{0.0, 0.0, state.hi, state.lo};
  while (other.t < 1.0) ASSERT_EQ(stepper->step(other, 1.0), StepStatus::done);
  std::vector<double> hi(6 * n), lo(6 * n);
  stepper->dense().evaluate(1.0, hi.data(), lo.data());
  ASSERT_EQ(motion.go_to(1.0), StepStatus::done);
  Vec3 end{};
  double worst = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      end[i] += links.length[k] * hi[i * n + k];
      worst = std::max(worst, std::fabs(end[i] - motion.position(k)[i]));
    }
  }
  EXPECT_LT(worst, 1e-13);
}

// Where a step starts decides how long it is, so steps of a periodic motion would lock onto its period: with
// steps that are not shaken this rod starts 8000 of 20000 steps where it started one before, and the same
// roundings are made again.
TEST(Trees, StepsBelowRoundoffDoNotLockOntoAPeriod) {
  const double angle = 0.30915878287477488, length = 0.9, mass = 0.7, moment = mass * length * length / 12;
  const double x = 0.5 * length * std::sin(angle), z = -0.5 * length * std::cos(angle);
  const double half = 0.5 * std::atan2(-z, x);
  Mechanism rod;
  const int body = add_body(rod, mass, diagonal(1e-3 * moment, moment, moment), {x, 0, z},
                            {std::cos(half), 0, std::sin(half), 0});
  add_joint(rod, JointKind::revolute, kGround, body, {0, 0, 0}, {0, 1, 0});
  Motion motion(rod, kDown, "taylor", {.tolerance = 1e-18});
  std::set<std::vector<double>> starts;
  int again = 0;
  for (double t = 0.0; motion.stepper().counts().steps < 20'000; t = motion.state().t + 1e-3) {
    ASSERT_EQ(motion.go_to(t), StepStatus::done);
    again += starts.insert(motion.state().hi).second ? 0 : 1;
  }
  EXPECT_EQ(again, 0);
}

// Free rotation about the middle axis: energy and the momentum in the world stay, and the body flips.
TEST(Trees, FreeBodyFlipsAboutItsMiddleAxis) {
  Mechanism free;
  add_body(free, 2.0, diagonal(1, 2, 3), {0, 0, 0});
  free.bodies[0].angular_velocity = {1e-3, 5.0, 0.0};
  free.bodies[0].velocity = {1, 2, 3};
  Motion motion(free, kNoGravity);
  EXPECT_EQ(motion.multibody().mobility(0.0, motion.state().hi.data()).degrees_of_freedom, 6u);
  double lowest = 1.0, worst = 0.0;
  for (int i = 0; i <= 1000; ++i) {
    ASSERT_EQ(motion.go_to(0.02 * i), StepStatus::done);
    lowest = std::min(lowest, motion.spin(0)[1] / 5.0);
    const Vec3 w = motion.spin(0);
    const Vec3 momentum = rotated(motion.orientation(0), {w[0], 2 * w[1], 3 * w[2]});
    worst = std::max(
        {worst, std::fabs(momentum[0] - 1e-3), std::fabs(momentum[1] - 10.0), std::fabs(momentum[2])});
  }
  EXPECT_LT(lowest, -0.99);
  EXPECT_LT(worst, 1e-13);
  EXPECT_LT(motion.worst_energy(), 1e-13);
}

// Two rods in a row, released in the plane y = 0 of a world that is turned as a whole.
Mechanism two_rods(const Quaternion& world, JointKind kind, const Matrix3& inertia) {
  Mechanism out;
  const double half = 0.5 * 0.7;  // of the angle that both start at
  const Quaternion tilt = product(world, {std::cos(half), 0, std::sin(half), 0});
  const Vec3 arm = rotated(tilt, {0, 0, -0.5});
  const auto at = [&](double arms) -> Vec3 { return {arms * arm[0], arms * arm[1], arms * arm[2]}; };
  const int first = add_body(out, 1.0, inertia, at(1), tilt);
  const int second = add_body(out, 0.5, inertia, at(3), tilt);
  add_joint(out, kind, kGround, first, at(0), rotated(world, {0, 1, 0}));
  add_joint(out, kind, second, first, at(2), rotated(world, {0, 1, 0}));
  return out;
}

// Along the plane most of what is computed is zero and left out, in a turned world nothing is. With hinges
// the motion stays in the plane; with balls and an inertia that is not along it, it leaves it from rest.
TEST(Trees, WhatIsZeroInAPlaneMakesNoDifference) {
  const Quaternion turned = normalised(Quaternion{0.8, 0.3, -0.4, 0.35});
  Matrix3 skew = diagonal(0.09, 0.1, 0.05);
  skew[0][1] = skew[1][0] = 0.01;
  skew[1][2] = skew[2][1] = -0.02;
  for (const auto& [kind, inertia] :
       {std::pair(JointKind::revolute, diagonal(0.09, 0.1, 0.05)), std::pair(JointKind::ball, skew)}) {
    Motion along(two_rods({1, 0, 0, 0}, kind, inertia), kDown);
    Motion across(two_rods(turned, kind, inertia), rotated(turned, kDown));
    double out_of_plane = 0.0;
    for (const double t : {0.1, 1.0, 2.0}) {
      ASSERT_EQ(along.go_to(t), StepStatus::done);
      ASSERT_EQ(across.go_to(t), StepStatus::done);
      for (std::size_t b = 0; b < 2; ++b) {
        const Vec3 back = rotated_back(turned, across.position(b)), spin = across.spin(b);
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_NEAR(along.position(b)[i], back[i], 2e-14 * std::exp(3 * t)) << t;  // chaos: errors grow
          EXPECT_NEAR(along.spin(b)[i], spin[i], 1e-13 * std::exp(3 * t)) << t;
        }
        out_of_plane = std::max(out_of_plane, std::fabs(along.position(b)[1]));
      }
    }
    if (kind == JointKind::revolute) {
      EXPECT_EQ(out_of_plane, 0.0);
    } else {
      EXPECT_GT(out_of_plane, 0.01);
    }
  }
}

// 1000 rigid links on ball joints, released as a bow.
TEST(Trees, LongChainOfBodiesKeepsItsEnergy) {
  const int n = 1000;
  Mechanism chain;
  Vec3 at{};
  for (int k = 0; k < n; ++k) {
    const double angle = 1.0 + 0.3 * std::sin(0.01 * k);
    const Vec3 along{std::sin(angle) * 0.01, 0, -std::cos(angle) * 0.01};
    const Vec3 center{at[0] + along[0] / 2, 0, at[2] + along[2] / 2};
    const Quaternion p = turn_about({0, 1, 0}, Angle::from_radians(std::numbers::pi / 2 - angle));
    const int body = add_body(chain, 0.01, diagonal(1e-9, 1e-6 / 12, 1e-6 / 12), center, p);
    add_joint(chain, JointKind::ball, body - 1, body, at);
    for (std::size_t i = 0; i < 3; ++i) at[i] += along[i];
  }
  Motion motion(chain, kDown);
  EXPECT_EQ(motion.multibody().mobility(0.0, motion.state().hi.data()).degrees_of_freedom, 3u * n);
  ASSERT_EQ(motion.go_to(0.02), StepStatus::done);
  // 1000 links of 10 g fall: of an energy of about m g^2 t^2 / 2, 15 digits
  EXPECT_LT(motion.worst_energy(), 1e-14 * 0.5 * 10.0 * 9.81 * 9.81 * 0.02 * 0.02);
  EXPECT_LT(motion.worst_gap(), 1e-20);
}

}  // namespace
}  // namespace catena::test
