// Every kind of joint, and what can act in one, against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/chains.h"
#include "support/mechanisms.h"

namespace catena::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

std::size_t freedom(Motion& motion) {
  return motion.multibody().mobility(0.0, motion.state().hi.data()).degrees_of_freedom;
}

double angle_between(Motion& motion, std::size_t joint) {
  return motion.multibody()
      .coordinate(joint, motion.state().t, motion.state().hi.data(), motion.state().lo.data())
      .value;
}

int add_wheel(Mechanism& m, double inertia, const Vec3& at) {
  return add_body(m, 1.0, diagonal(inertia, inertia, inertia), at);
}

void push(Mechanism& m, int joint, const std::string& formula) {
  const Joint& on = m.joints[static_cast<std::size_t>(joint)];
  JointForce force;
  force.along = joint_info(on.kind).coordinate == Coordinate::travel ? JointForce::Along::travel
                                                                     : JointForce::Along::angle;
  force.joint = joint;
  force.a = on.a;
  force.b = on.b;
  force.in_a = on.in_a;
  force.in_b = on.in_b;
  force.drive = formula;
  m.forces.push_back(force);
}

TEST(Joints, TakeAwayAsManyMotionsAsTheyHaveEquations) {
  for (const JointInfo& info : joint_infos()) {
    if (info.is_tie()) continue;
    Mechanism m;
    const int a =
        add_body(m, 1.0, diagonal(1, 2, 2.5), {0, 0, 0}, turn_about({1, 2, 3}, Angle::from_radians(0.7)));
    const int b =
        add_body(m, 2.0, diagonal(2, 1, 1.5), {1, 0.5, 0}, turn_about({3, 1, 0}, Angle::from_radians(1.1)));
    if (info.kind == JointKind::distance) {
      m.joints.push_back(rod_between(m, a, b, {0.1, 0, 0}, {0.9, 0.3, 0.2}));
    } else {
      add_joint(m, info.kind, a, b, {0.3, 0.2, 0.1}, {1, 1, 0});
    }
    if (info.kind == JointKind::screw) m.joints[0].value = 0.1;
    if (info.kind == JointKind::universal) {
      m.joints[0].in_b = seen_by(m, b, frame_along({0.3, 0.2, 0.1}, {1, -1, 0.5}));
    }
    if (info.place == JointPlace::curve) m.joints[0].curve = {"s + 0.2*s^2", "sin(s)", "0.3*(cosh(s) - 1)"};
    m.bodies[0].angular_velocity = {0.5, 1, 0.5};
    m.bodies[1].velocity = {1, -1, 2};
    add_sliders(m);
    Motion motion(m, kDown);
    EXPECT_EQ(freedom(motion), 12u - static_cast<std::size_t>(info.equations)) << info.name;
    ASSERT_EQ(motion.go_to(1.0), StepStatus::done) << info.name;
    EXPECT_LT(motion.worst_gap(), 1e-14) << info.name;
    // Joints without friction do no work; nor do they push the centre of both.
    EXPECT_LT(motion.worst_energy(), 1e-12) << info.name;
    const double fall = (motion.position(0)[2] + 2 * motion.position(1)[2]) / 3;
    Motion still(m, kNoGravity);
    ASSERT_EQ(still.go_to(1.0), StepStatus::done);
    const double drift = (still.position(0)[2] + 2 * still.position(1)[2]) / 3;
    EXPECT_NEAR(fall - drift, -0.5 * 9.81, 1e-12) << info.name;
  }
}

TEST(Joints, FixedBodiesMoveAsOne) {
  Mechanism two, one;
  const int a = add_body(two, 1.0, diagonal(0.1, 0.2, 0.3), {-1, 0, 0});
  const int b = add_body(two, 1.0, diagonal(0.1, 0.2, 0.3), {1, 0, 0});
  add_joint(two, JointKind::fixed, a, b, {0.2, 0.3, 0});
  add_body(one, 2.0, diagonal(0.2, 0.4 + 2, 0.6 + 2), {0, 0, 0});
  const Vec3 w{0.3, 2.0, 0.1};
  one.bodies[0].angular_velocity = two.bodies[0].angular_velocity = two.bodies[1].angular_velocity = w;
  two.bodies[0].velocity = {0, -w[2], w[1]};
  two.bodies[1].velocity = {0, w[2], -w[1]};
  Motion parts(two, kNoGravity), whole(one, kNoGravity);
  ASSERT_EQ(parts.go_to(5.0), StepStatus::done);
  ASSERT_EQ(whole.go_to(5.0), StepStatus::done);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(parts.orientation(0)[i], whole.orientation(0)[i], 1e-13);
}

// Two shafts at an angle: shaft 1 driven at 3 rad/s.
Mechanism shafts(JointKind coupling, double bend) {
  Mechanism m;
  const Vec3 second{std::sin(bend), 0, std::cos(bend)};
  const int driver = add_wheel(m, 0.1, {0, 0, -1});
  const int driven = add_wheel(m, 0.2, {second[0], 0, second[2]});
  add_joint(m, JointKind::revolute, kGround, driver, {0, 0, -1}, {0, 0, 1});
  add_joint(m, JointKind::revolute, kGround, driven, {second[0], 0, second[2]}, second);
  add_joint(m, coupling, driver, driven, {0, 0, 0}, {0, 0, 1});
  Joint& joint = m.joints.back();
  if (coupling == JointKind::universal) {  // the cross: one arm along y in shaft 1, one across shaft 2
    joint.in_a = seen_by(m, driver, frame_along({0, 0, 0}, {0, 1, 0}));
    joint.in_b = seen_by(m, driven, frame_along({0, 0, 0}, {second[2], 0, -second[0]}));
  } else {  // frames whose z are the shafts and which differ by the bend alone
    joint.in_b = seen_by(m, driven, frame_along({0, 0, 0}, second, {second[2], 0, -second[0]}));
    joint.in_a = seen_by(m, driver, frame_along({0, 0, 0}, {0, 0, 1}, {1, 0, 0}));
  }
  m.motors.push_back({0, "3*t", {}});
  return m;
}

TEST(Joints, UniversalJointTurnsUnevenly) {
  const double bend = 35 * kDegree;
  Motion motion(shafts(JointKind::universal, bend), kDown);
  EXPECT_EQ(freedom(motion), 0u);  // the motor takes the last one
  for (int i = 1; i <= 40; ++i) {
    ASSERT_EQ(motion.go_to(motion.state().t + 1e-9), StepStatus::done);
    const double in = 3 * motion.state().t;
    // The driven cross arm starts in the plane of the shafts: tan(out) = cos(bend) tan(in) seen from there.
    const double out = std::atan2(std::cos(bend) * std::sin(in), std::cos(in));
    const double other = std::atan2(std::sin(in), std::cos(bend) * std::cos(in));
    const double found = angle_between(motion, 1);
    const double error = std::min(std::fabs(std::remainder(found - out, 2 * std::numbers::pi)),
                                  std::fabs(std::remainder(found - other, 2 * std::numbers::pi)));
    EXPECT_LT(error, 1e-12) << "t " << motion.state().t;
  }
}

TEST(Joints, ConstantVelocityJointTurnsEvenly) {
  Motion motion(shafts(JointKind::constant_velocity, 35 * kDegree), kDown);
  for (int i = 1; i <= 40; ++i) {
    ASSERT_EQ(motion.go_to(motion.state().t + 1e-9), StepStatus::done);
    EXPECT_LT(
        std::fabs(std::remainder(angle_between(motion, 1) - 3 * motion.state().t, 2 * std::numbers::pi)),
        1e-12);
  }
}

// A ball held at its centre by a joint of constant velocity: no part of its quaternion lies along the shaft,
// and with equal moments of inertia it goes round a great circle of the sphere that is left, w^2 + x^2 + y^2
// = 1. All those circles cross w = 0, where the shafts point in opposite directions.
TEST(Joints, ShaftsOfConstantVelocityFoldBackAndGoOn) {
  for (const double tilt : {0.0, 0.4, 1.3}) {
    const double bend = 0.9, rate = 1.7;
    const Quaternion start{std::cos(bend), std::sin(bend), 0, 0};
    const Quaternion along{-std::sin(bend) * std::cos(tilt), std::cos(bend) * std::cos(tilt), std::sin(tilt),
                           0};
    const Quaternion half_turning = product(along, {start[0], -start[1], -start[2], -start[3]});
    Mechanism m;
    const int ball = add_wheel(m, 0.3, {0, 0, 0});
    add_joint(m, JointKind::constant_velocity, kGround, ball, {0, 0, 0}, {0, 0, 1});
    m.bodies[0].orientation = start;  // bent away from the drawing, in which the shafts are in line
    for (std::size_t i = 0; i < 3; ++i) m.bodies[0].angular_velocity[i] = 2 * rate * half_turning[i + 1];
    Motion motion(m, kNoGravity);
    for (int i = 1; i <= 30; ++i) {
      const double t = 0.2 * i;
      ASSERT_EQ(motion.go_to(t), StepStatus::done);
      for (std::size_t k = 0; k < 4; ++k) {
        const double expected = std::cos(rate * t) * start[k] + std::sin(rate * t) * along[k];
        EXPECT_NEAR(motion.orientation(0)[k], expected, 1e-13) << "tilt " << tilt << ", t " << t << ", " << k;
      }
    }
  }
}

Mechanism two_gears() {
  Mechanism m;
  const int small = add_wheel(m, 0.2, {0, 0, 0}), large = add_wheel(m, 0.5, {3, 0, 0});
  add_joint(m, JointKind::revolute, kGround, small, {0, 0, 0}, {0, 1, 0});
  add_joint(m, JointKind::revolute, kGround, large, {3, 0, 0}, {0, 1, 0});
  Joint gear;
  gear.name = "mesh";
  gear.kind = JointKind::gear;
  gear.first = 0;
  gear.second = 1;
  gear.value = -0.3;
  m.joints.push_back(gear);
  return m;
}

TEST(Joints, GearsKeepTheirRatioOverManyTurns) {
  Mechanism m = two_gears();
  push(m, 0, "1.5");
  Motion motion(m, kNoGravity);
  EXPECT_EQ(freedom(motion), 1u);
  ASSERT_EQ(motion.go_to(20.0), StepStatus::done);
  const double acceleration = 1.5 / (0.2 + 0.3 * 0.3 * 0.5);
  EXPECT_NEAR(motion.spin(0)[1] / (acceleration * 20), 1.0, 1e-13);
  EXPECT_NEAR(motion.spin(1)[1] / (-0.3 * acceleration * 20), 1.0, 1e-13);
  // 195 turns and 58.5 turns: the angles know
  const double turned = 0.5 * acceleration * motion.state().t * motion.state().t;
  EXPECT_LT(std::fabs(std::remainder(angle_between(motion, 0) - turned, 2 * std::numbers::pi)), 1e-11);
  EXPECT_LT(std::fabs(std::remainder(angle_between(motion, 1) + 0.3 * turned, 2 * std::numbers::pi)), 1e-11);
}

// 17,000 rad: whole turns are exact, so that the teeth are where they were.
TEST(Joints, GearsLoseNoDigitsWithTheirTurns) {
  constexpr double kTurn = 2 * std::numbers::pi, kRate = 1700.0;
  Mechanism m = two_gears();
  m.joints.back().value = -0.25;
  m.bodies[0].angular_velocity = {0, kRate, 0};
  m.bodies[1].angular_velocity = {0, -0.25 * kRate, 0};
  Motion motion(m, kNoGravity);
  ASSERT_EQ(motion.go_to(10.0), StepStatus::done);
  const double first = angle_between(motion, 0), second = angle_between(motion, 1);
  const double turns = std::round((kRate * motion.state().t - first) / kTurn);
  // -0.25 (first + turns 2 pi), where four turns of the first make one of the second
  const double expected = -0.25 * (first + std::fmod(turns, 4.0) * kTurn);
  EXPECT_LT(std::fabs(std::remainder(second - expected, kTurn)), 1e-14);
}

TEST(Joints, RackFallsAsItsPinionLets) {
  Mechanism m;
  const int pinion = add_wheel(m, 0.2, {0, 0, 0}), rack = add_wheel(m, 1.0, {0.5, 0, 0});
  add_joint(m, JointKind::revolute, kGround, pinion, {0, 0, 0}, {0, 1, 0});
  add_joint(m, JointKind::prismatic, kGround, rack, {0.5, 0, 0}, {0, 0, -1});
  Joint tie;
  tie.kind = JointKind::rack;
  tie.first = 0;
  tie.second = 1;
  tie.value = 0.5;
  m.joints.push_back(tie);
  Motion motion(m, kDown);
  EXPECT_EQ(freedom(motion), 1u);
  ASSERT_EQ(motion.go_to(4.0), StepStatus::done);
  const double a = 9.81 / (1.0 + 0.2 / 0.25);
  EXPECT_NEAR(motion.position(1)[2], -0.5 * a * 16, 1e-11);
}

TEST(Joints, NutTurnsDownItsScrew) {
  Mechanism m;
  const int nut = add_wheel(m, 0.04, {0, 0, 0});
  add_joint(m, JointKind::screw, kGround, nut, {0, 0, 0}, {0, 0, -1});
  m.joints[0].value = 0.1;
  Motion motion(m, kDown);
  EXPECT_EQ(freedom(motion), 1u);
  ASSERT_EQ(motion.go_to(5.0), StepStatus::done);
  const double a = 9.81 / (1.0 + 0.04 / 0.01);  // five times as heavy
  EXPECT_NEAR(motion.position(0)[2], -0.5 * a * 25, 1e-11);
}

TEST(Joints, SlidersFollowTheSlope) {
  for (const JointKind kind : {JointKind::prismatic, JointKind::cylindrical, JointKind::point_on_line}) {
    Mechanism m;
    const int block = add_wheel(m, 0.3, {0, 0, 0});
    add_joint(m, kind, kGround, block, {0, 0, 0}, {4, 0, -3});
    Motion motion(m, kDown);
    ASSERT_EQ(motion.go_to(2.0), StepStatus::done);
    const double along = 0.5 * 9.81 * 0.6 * 4;
    EXPECT_NEAR(motion.position(0)[0], 0.8 * along, 1e-12) << joint_info(kind).name;
    EXPECT_NEAR(motion.position(0)[2], -0.6 * along, 1e-12) << joint_info(kind).name;
  }
}

TEST(Joints, DampingFrictionAndSpringsFollowTheirLaws) {
  const auto wheel = [](const JointForce& law) {
    Mechanism m;
    const int body = add_wheel(m, 0.5, {0, 0, 0});
    add_joint(m, JointKind::revolute, kGround, body, {0, 0, 0}, {0, 0, 1});
    m.bodies[0].angular_velocity = {0, 0, 2};
    JointForce force = law;
    force.along = JointForce::Along::angle;
    force.joint = 0;
    force.b = body;
    force.in_a = m.joints[0].in_a;
    force.in_b = m.joints[0].in_b;
    m.forces.push_back(force);
    return m;
  };
  JointForce damping, friction, spring;
  damping.damping = 0.25;
  friction.friction = 0.3;
  spring.stiffness = 8.0;
  Motion damped(wheel(damping), kNoGravity), rubbed(wheel(friction), kNoGravity),
      sprung(wheel(spring), kNoGravity);
  ASSERT_EQ(damped.go_to(3.0), StepStatus::done);
  EXPECT_NEAR(damped.spin(0)[2], 2 * std::exp(-0.25 * 3 / 0.5), 1e-13);
  ASSERT_EQ(rubbed.go_to(3.0), StepStatus::done);
  // I w' = -friction w / sqrt(w^2 + rate^2): sqrt(w^2 + rate^2) - rate asinh(rate/w) falls in a straight
  // line.
  const auto falling = [rate = friction.friction_rate](double w) {
    return std::hypot(w, rate) - rate * std::asinh(rate / w);
  };
  EXPECT_NEAR(falling(2.0) - falling(rubbed.spin(0)[2]), 0.3 * 3 / 0.5, 1e-12);
  ASSERT_EQ(sprung.go_to(3.0), StepStatus::done);
  EXPECT_NEAR(sprung.spin(0)[2], 2 * std::cos(4.0 * 3), 1e-12);
  EXPECT_LT(sprung.worst_energy(), 1e-14);
}

// A drive may use the coordinates of other joints: the cart keeps its pole up.
TEST(Joints, FeedbackBalancesAPole) {
  Mechanism m;
  const int cart = add_body(m, 1.0, diagonal(1, 1, 1), {0, 0, 0});
  const Quaternion lean = turn_about({0, 1, 0}, Angle::from_radians(0.1));
  const int pole = add_body(m, 0.2, diagonal(0.02, 0.02, 1e-4), rotated(lean, {0, 0, 0.5}), lean);
  add_joint(m, JointKind::prismatic, kGround, cart, {0, 0, 0}, {1, 0, 0});
  m.joints.back().name = "rail";
  add_joint(m, JointKind::revolute, cart, pole, {0, 0, 0}, {0, 1, 0});
  m.joints.back().name = "hinge";
  push(m, 0, "k*(angle_hinge + 0.1) + d*angle_hinge_dot + 1.5*q + 3*rate");
  m.forces.back().parameters = {{"k", 45.0}, {"d", 11.0}};
  Motion motion(m, kDown, "taylor", {.tolerance = 1e-12});
  ASSERT_EQ(motion.go_to(30.0), StepStatus::done);
  EXPECT_LT(std::fabs(angle_between(motion, 1) + 0.1), 1e-6);
  EXPECT_LT(std::fabs(angle_between(motion, 0)), 1e-4);
}

TEST(Joints, StartValuesAreMet) {
  Mechanism m;
  const int upper = add_body(m, 1.0, diagonal(0.1, 0.1, 0.1), {0.5, 0, 0});
  const int lower = add_body(m, 1.0, diagonal(0.1, 0.1, 0.1), {1.5, 0, 0});
  add_joint(m, JointKind::revolute, kGround, upper, {0, 0, 0}, {0, 1, 0});
  add_joint(m, JointKind::revolute, upper, lower, {1, 0, 0}, {0, 1, 0});
  m.joints[0].start = 0.4;
  m.joints[1].start = -1.1;
  m.joints[1].start_rate = 2.5;
  const Assembly made = assemble(m);
  ASSERT_TRUE(made.open.empty());
  Multibody bodies(m, kDown);
  const auto first = bodies.coordinate(0, 0.0, made.state.hi.data(), made.state.lo.data());
  const auto second = bodies.coordinate(1, 0.0, made.state.hi.data(), made.state.lo.data());
  EXPECT_NEAR(first.value, 0.4, 1e-14);
  EXPECT_NEAR(second.value, -1.1, 1e-14);
  EXPECT_NEAR(second.rate, 2.5, 1e-14);
  EXPECT_GT(made.move.size, 0.1);
}

TEST(Joints, WhatCannotCloseIsNamed) {
  Mechanism m;
  const int arm = add_body(m, 1.0, diagonal(0.1, 0.1, 0.1), {0.5, 0, 0});
  add_joint(m, JointKind::revolute, kGround, arm, {0, 0, 0}, {0, 1, 0});
  m.joints.push_back(rod_between(m, kGround, arm, {0, 0, 3}, {1, 0, 0}));
  m.joints.back().value = 1.5;  // the tip is never nearer than 2
  const Assembly made = assemble(m);
  ASSERT_FALSE(made.open.empty());
  bool rod_named = false;
  for (const JointGap& gap : made.open) rod_named = rod_named || gap.joint == 1;
  EXPECT_TRUE(rod_named);
}

TEST(Joints, ASingularStartIsNoticed) {
  Mechanism m;
  const Vec3 y{0, 1, 0};
  const auto rod = [&](double x) { return add_body(m, 1.0, diagonal(0.1, 0.1, 0.1), {x, 0, 0}); };
  const int left = rod(0.5), right = rod(1.5), bar = rod(1.5);  // a parallelogram lying flat
  add_joint(m, JointKind::revolute, kGround, left, {0, 0, 0}, y);
  add_joint(m, JointKind::revolute, kGround, right, {1, 0, 0}, y);
  add_joint(m, JointKind::revolute, left, bar, {1, 0, 0}, y);
  add_joint(m, JointKind::revolute, bar, right, {2, 0, 0}, y);
  EXPECT_TRUE(assemble(m).singular);
  m.joints[0].start = 0.5;
  EXPECT_FALSE(assemble(m).singular);
}

// A rotor whose drive reads its own angle and another's, over many turns and back: the same as equations.
TEST(Joints, DrivesReadAnglesOverManyTurns) {
  const auto wheel = [](const std::string& name, double rate, const std::string& torque) {
    return fmt::format(
        "[[bodies]]\nname = \"{0}\"\nmass = 1\ninertia = [0.5, 0.25, 0.5]\n[[joints]]\nname = \"{0}\"\n"
        "kind = \"revolute\"\nbodies = [\"ground\", \"{0}\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\nrate = "
        "{1}\n"
        "motor = {{ torque = \"{2}\" }}\n",
        name, rate, torque);
  };
  const std::string start = "[simulation]\nduration = 3\nsample = 3\n";
  struct Drive {
    const char *torque, *other_torque, *dot, *other_dot;
  };
  const Drive drives[] = {
      {"-0.5*q", "0.1*sin(3*t)", "-2*a", "0.4*sin(3*t)"},
      {"2*sin(q) - 0.1*rate", "-0.2*angle_one", "8*sin(a) - 0.4*w", "-0.8*a"},
      {"-3*tanh(q - 9) + cos(angle_two)", "0.05*q", "-12*tanh(a - 9) + 4*cos(b)", "0.2*b"}};
  for (const Drive& drive : drives) {
    const Recorded equations(
        scene_of(start + fmt::format("[equations]\nstates = {{ a = 0, w = 30, b = 0, v = -17 }}\n"
                                     "dot = {{ a = \"w\", w = \"{}\", b = \"v\", v = \"{}\" }}\n",
                                     drive.dot, drive.other_dot)));
    Scene scene = scene_of(start + "gravity = 0\n" + wheel("one", 30, drive.torque) +
                           wheel("two", -17, drive.other_torque));
    for (const char* method : {"taylor", "dop853"}) {
      scene.simulation.method = method;
      scene.simulation.tolerance = 1e-14;
      const Recorded run(scene);
      ASSERT_EQ(run.summary.outcome, Outcome::done) << drive.torque << method << run.summary.message;
      const double allowed = 1e-9 * (1.0 + std::fabs(equations.last("a")) + std::fabs(equations.last("b")));
      EXPECT_NEAR(run.last("angle_one"), equations.last("a"), allowed) << drive.torque << method;
      EXPECT_NEAR(run.last("angle_two"), equations.last("b"), allowed) << drive.torque << method;
    }
  }
}

}  // namespace
}  // namespace catena::test
