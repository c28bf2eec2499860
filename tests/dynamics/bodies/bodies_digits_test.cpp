// Mechanisms with more digits than a double, against published digits and against each other.
#include <gtest/gtest.h>

#include <numbers>

#include "catena/dynamics/bodies/bodies_over.h"
#include "catena/integrate/stepper_digits.h"
#include "catena/math/functions_digits.h"
#include "support/chains.h"
#include "support/mechanisms.h"

namespace catena::test {
namespace {

// A mechanism from a start in hi + lo.
template <class S>
class MotionDigits {
 public:
  MotionDigits(const Mechanism& mechanism, const Vec3& gravity, const LanePair& start, double tolerance)
      : bodies_(mechanism, gravity),
        motion_(bodies_, bodies_.mobility(0.0, start.hi.data()).rank),
        state_{0.0, 0.0, start.hi, start.lo} {
    bodies_.count_all_digits();
    start_energy_ = energy();
    SystemDigits<S> system;
    system.dimension = bodies_.dimension();
    system.rhs = [this](const S& t, const S* x, S* dx) { motion_.rhs(t, x, dx, {}); };
    system.taylor = [this](const S& t, const S* x, int order, S* c) {
      motion_.begin(t, x);
      for (int n = 0; n < order; ++n) motion_.advance(n, {});
      for (int n = 0; n <= order; ++n)
        motion_.write(n, c + static_cast<std::size_t>(n) * bodies_.dimension());
    };
    system.reserve = [this](int order) { motion_.reserve(order); };
    system.project = [this](const S& t, S* x) { motion_.project(t, x); };
    stepper_ = make_taylor_digits<S>(std::move(system), {.tolerance = tolerance});
  }

  // The state at t, where the last step reaches it.
  std::vector<DoubleDouble> at(double t) {
    while (state_.t < t) {
      if (stepper_->step(state_, t) != StepStatus::done) return {};
      worst_energy_ = std::max(worst_energy_, abs(energy() - start_energy_));
    }
    std::vector<double> hi(state_.hi.size()), lo(hi);
    stepper_->evaluate(t, hi.data(), lo.data());
    std::vector<DoubleDouble> out;
    for (std::size_t i = 0; i < hi.size(); ++i) out.emplace_back(hi[i], lo[i]);
    return out;
  }
  double worst_energy() const { return worst_energy_; }
  double worst_gap() { return bodies_.constraint_error(0.0, state_.hi.data(), state_.lo.data()); }

 private:
  DoubleDouble energy() {
    const Energies now = bodies_.energy(0.0, state_.hi.data(), state_.lo.data());
    return now.kinetic + now.potential;
  }

  Multibody bodies_;
  BodiesOver<S> motion_;
  State state_;
  std::unique_ptr<StepperDigits> stepper_;
  DoubleDouble start_energy_;
  double worst_energy_ = 0.0;
};

JointFrame frame(const Vec3& point, const Vec3& z, const Vec3& x, const Vec3& y) {
  JointFrame out;
  out.point = point;
  out.x = x;
  out.y = y;
  out.z = z;
  return out;
}

// An error grows 3e6 times in 10 s, and so do roundings of the numbers given: in grams and millimetres these
// are whole. The start is given to twice the digits for the same reason.
TEST(Digits, BabybootReachesItsSharpenedDigits) {
  const double la = 75.0, lb = 200.0;
  Mechanism mechanism;
  const Quaternion rough_a{std::sqrt(0.5), std::sqrt(0.5), 0, 0};
  const int rod = add_body(mechanism, 10.0, diagonal(5e3, 5e3, 5e3), {0, la, 0}, rough_a);
  const int plate = add_body(mechanism, 100.0, diagonal(250e3, 50e3, 200e3), {0, lb, 0}, rough_a);
  add_joint(mechanism, JointKind::revolute, kGround, rod, {0, 0, 0}, {1, 0, 0});
  add_joint(mechanism, JointKind::revolute, rod, plate, {0, lb, 0}, {0, 1, 0});
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  mechanism.joints[0].in_a = frame({0, 0, 0}, x, y, z);
  mechanism.joints[0].in_b = frame({0, 0, la}, x, y, z);
  mechanism.joints[1].in_a = frame({0, 0, la - lb}, z, x, y);
  mechanism.joints[1].in_b = frame({0, 0, 0}, z, x, y);

  using S = DoubleDouble;
  const S half = square_root(S(0.5));
  const auto turn = digits::sin_cos<S>(digits::pi<S>() / S(360.0));  // half of 1 degree
  LanePair start{std::vector<double>(2 * kBodyState, 0.0), std::vector<double>(2 * kBodyState, 0.0)};
  const auto set = [&](std::size_t component, std::size_t body, const S& value) {
    start.hi[2 * component + body] = value.hi;
    start.lo[2 * component + body] = value.lo;
  };
  set(1, 0, S(la));
  set(1, 1, S(lb));
  set(kOrientation, 0, half);
  set(kOrientation + 1, 0, half);
  set(kOrientation, 1, half * turn.cos);
  set(kOrientation + 1, 1, half * turn.cos);
  set(kOrientation + 2, 1, -(half * turn.sin));
  set(kOrientation + 3, 1, half * turn.sin);

  MotionDigits<S> motion(mechanism, {0, 0, -9810.0}, start, 1e-28);
  const std::vector<S> end = motion.at(10.0);
  ASSERT_EQ(end.size(), 2 * kBodyState);
  const auto p = [&](std::size_t body) {
    Quaternion out;
    for (std::size_t i = 0; i < 4; ++i) out[i] = end[2 * (kOrientation + i) + body].hi;
    return out;
  };
  const Vec3 down = rotated(p(0), {0, 0, -1});
  const Quaternion between = product({p(0)[0], -p(0)[1], -p(0)[2], -p(0)[3]}, p(1));
  const nlohmann::json digits = reference("drake_babyboot")["reference"];
  const auto error = [](double angle, double degrees) {
    return std::fabs(std::remainder(angle - degrees * std::numbers::pi / 180.0, 2 * std::numbers::pi));
  };
  EXPECT_LT(error(std::atan2(down[1], -down[2]), number(digits["qA_deg"])), 1e-13);
  EXPECT_LT(error(2 * std::atan2(between[3], between[0]), number(digits["qB_deg"])), 1e-13);
  // In kg, m, s this would be 1e-9 of it.
  EXPECT_LT(motion.worst_energy() / (100.0 * 9810.0 * lb), 1e-26);
  EXPECT_LT(motion.worst_gap(), 1e-27 * lb);
}

// A bead on the helix (cos s, sin s, s) at 8 m/s^2 falls by s'' = -4.
TEST(Digits, ABeadOnAHelixHasAllItsDigits) {
  Mechanism mechanism;
  add_point(mechanism, 0.5, {1, 0, 0});
  Joint joint;
  joint.kind = JointKind::point_on_curve;
  joint.b = 0;
  joint.curve = {"cos(s)", "sin(s)", "s"};
  mechanism.joints.push_back(joint);
  add_sliders(mechanism);
  using S = DoubleDouble;
  const Assembly made = assemble(mechanism);
  MotionDigits<S> motion(mechanism, {0, 0, -8.0}, made.state, 1e-31);
  const std::vector<S> end = motion.at(1.5);
  ASSERT_EQ(end.size(), 2 * kBodyState);
  const auto turned = digits::sin_cos<S>(S(-4.5));
  EXPECT_LT(abs(end[0] - turned.cos), 1e-28);
  EXPECT_LT(abs(end[2] - turned.sin), 1e-28);
  EXPECT_LT(abs(end[4] - S(-4.5)), 1e-28);
  EXPECT_LT(motion.worst_energy(), 1e-28);
  EXPECT_LT(motion.worst_gap(), 1e-15);  // measured with the sines and cosines of doubles
}

Mechanism four_bar() {
  Mechanism out;
  const Vec3 a{0, 0, 0.4}, b{0.9, 0, 0.8};
  const int crank = add_body(out, 0.5, diagonal(0.01, 0.01, 0.01), {0, 0, 0.2});
  const int coupler = add_body(out, 1.0, diagonal(0.1, 0.1, 0.1), {0.45, 0, 0.6});
  const int rocker = add_body(out, 0.8, diagonal(0.05, 0.05, 0.05), {0.9, 0, 0.4});
  add_joint(out, JointKind::revolute, kGround, crank, {0, 0, 0}, {0, 1, 0});
  add_joint(out, JointKind::revolute, crank, coupler, a, {0, 1, 0});
  add_joint(out, JointKind::revolute, coupler, rocker, b, {0, 1, 0});
  add_joint(out, JointKind::revolute, kGround, rocker, {0.9, 0, 0}, {0, 1, 0});
  out.joints[0].start_rate = 6.0;
  return out;
}

// All hinges in space: three equations of the loop follow from the others.
TEST(Digits, LoopWithRedundantHingesKeepsItsEnergyToTwentyFiveDigits) {
  const Mechanism mechanism = four_bar();
  MotionDigits<DoubleDouble> motion(mechanism, {0, 0, -9.81}, assemble(mechanism).state, 1e-29);
  ASSERT_FALSE(motion.at(1.0).empty());
  EXPECT_LT(motion.worst_energy(), 1e-25);
  EXPECT_LT(motion.worst_gap(), 1e-27);
}

#if CATENA_HAS_QUAD
// Other numbers, other orders and steps. The start is the same to 1e-28.
TEST(Digits, DoubleDoubleAgreesWithQuad) {
  const Mechanism mechanism = four_bar();
  const LanePair start = assemble(mechanism).state;
  MotionDigits<DoubleDouble> pairs(mechanism, {0, 0, -9.81}, start, 1e-29);
  MotionDigits<Quad> quads(mechanism, {0, 0, -9.81}, start, 1e-31);
  const std::vector<DoubleDouble> a = pairs.at(0.5), b = quads.at(0.5);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_FALSE(a.empty());
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, abs(a[i] - b[i]));
  EXPECT_LT(worst, 1e-25);
}
#endif

}  // namespace
}  // namespace catena::test
