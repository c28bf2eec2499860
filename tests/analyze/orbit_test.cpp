// Periodic orbits: against closed forms, and laws that need no reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/analyze/continuation.h"
#include "catena/io/scene/paths.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;
using test::shipped_scene;

OrbitOptions along(const Scene& scene, const std::string& path, double from, double to) {
  OrbitOptions out;
  out.path = path;
  out.scene = [scene, path](double value) { return with_number(scene, path, value); };
  out.from = from;
  out.to = to;
  return out;
}

// T = 4 K(sin(theta/2)) sqrt(l/g) = 2 pi / agm(1, cos(theta/2)) sqrt(l/g).
TEST(Orbit, PendulumHasThePeriodOfTheEllipticIntegral) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 10\ngravity = 9.81\n[[chain.links]]\nlength = 0.8\nmass = 1\ntheta = 2.5\n");
  const FoundOrbit found = find_orbit(scene, {});
  double a = 1.0, b = std::cos(1.25);
  for (int i = 0; i < 8; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  EXPECT_NEAR(found.orbit.motion.period / (2 * M_PI / a * std::sqrt(0.8 / 9.81)), 1.0, 1e-13);
  EXPECT_EQ(found.orbit.multipliers.trivial, 2u);  // the flow, and the energy
  EXPECT_LE(*found.orbit.flow_error, 1e-10);
  EXPECT_TRUE(found.orbit.stable);
  EXPECT_EQ(found.orbit.symmetric, true);
}

// x = cos t, y = sin t attracts: r' = r (1 - r^2), so that the other multiplier is exp(-4 pi).
TEST(Orbit, LimitCycleHasItsMultiplier) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 40\n[equations]\nstates = { x = 0.5, y = 0 }\n"
      "dot = { x = \"-y + x*(1 - x^2 - y^2)\", y = \"x + y*(1 - x^2 - y^2)\" }\n");
  const FoundOrbit found = find_orbit(scene, {});
  EXPECT_NEAR(found.orbit.motion.period, 2 * M_PI, 1e-13);
  ASSERT_EQ(found.orbit.multipliers.values.size(), 2u);
  EXPECT_NEAR(found.orbit.multipliers.values[0].real() / std::exp(-4 * M_PI), 1.0, 1e-8);
  EXPECT_LE(*found.orbit.flow_error, 1e-10);
}

// D. Viswanath, Physica D 190, 115 (2004): the orbit around both wings once, T = 1.55865221071616..
TEST(Orbit, LorenzHasItsShortestOrbit) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 3\n[equations]\nstates = { x = -13.763610682134, y = -19.578751942452, z = "
      "27 }\n"
      "dot = { x = \"10*(y - x)\", y = \"x*(28 - z) - y\", z = \"x*y - 8/3*z\" }\n");
  OrbitOptions options;
  options.period = 1.5586;
  const FoundOrbit found = find_orbit(scene, options);
  EXPECT_NEAR(found.orbit.motion.period, 1.5586522107161747, 1e-12);
  EXPECT_LE(*found.orbit.flow_error, 1e-10);
  EXPECT_FALSE(found.orbit.stable);
  EXPECT_EQ(found.orbit.symmetric, true);
}

// A loop of bodies, turning on: the period of the crank, energy kept.
TEST(Orbit, FourBarClosesWithItsConstraints) {
  const FoundOrbit found = find_orbit(shipped_scene("four-bar"), {});
  EXPECT_LE(found.orbit.gap, 1e-11);
  EXPECT_LE(*found.orbit.flow_error, 1e-10);
  EXPECT_EQ(found.orbit.multipliers.trivial, 2u);
}

// The linear oscillator, driven: multipliers are exp of its eigenvalues times the period; none is 1.
TEST(Orbit, DrivenOscillatorFindsTheDriveAndHasNoUnitMultiplier) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 30\n[equations]\nstates = { x = 0, v = 0 }\nparameters = { w = 1.7 }\n"
      "dot = { x = \"v\", v = \"-x - 0.2*v + cos(w*t)\" }\n");
  const FoundOrbit found = find_orbit(scene, {});
  const double period = 2 * M_PI / 1.7;
  EXPECT_NEAR(found.orbit.motion.period / period, 1.0, 1e-13);
  const std::complex<double> expected = std::exp(std::complex<double>(-0.1, std::sqrt(0.99)) * period);
  EXPECT_NEAR(std::abs(found.orbit.multipliers.values[0]), std::abs(expected), 1e-12);
  EXPECT_NEAR(std::fabs(found.orbit.multipliers.values[0].imag()), std::fabs(expected.imag()), 1e-12);
  // x = A cos wt + B sin wt with A (1 - w^2) + 0.2 w B = 1.
  const double w = 1.7, det = std::pow(1 - w * w, 2) + std::pow(0.2 * w, 2);
  EXPECT_NEAR(found.orbit.motion.states[0][0], (1 - w * w) / det, 1e-12);
  EXPECT_NEAR(found.orbit.motion.states[0][1], 0.2 * w * w / det, 1e-12);
}

// r' = r (p + r^2 - r^4) about the circle: orbits r^2 = (1 +- sqrt(1 + 4 p)) / 2 meet at p = -1/4.
TEST(Continuation, TurnsBackAtAFold) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 40\n[equations]\nstates = { x = 1.2, y = 0 }\nparameters = { p = 0.5 }\n"
      "dot = { x = \"-y + x*(p + (x^2 + y^2) - (x^2 + y^2)^2)\", y = \"x + y*(p + (x^2 + y^2) - (x^2 + "
      "y^2)^2)\" }\n");
  const OrbitOptions options = along(scene, "equations.parameters.p", 0.2, -0.4);
  const Continuation found = continued(find_orbit(scene, options), options);
  ASSERT_GE(found.special.size(), 1u);
  EXPECT_EQ(found.special[0].kind, SpecialKind::fold);
  EXPECT_NEAR(found.special[0].parameter, -0.25, 1e-10);
  ASSERT_GE(found.branches[0].points.size(), 3u);
  EXPECT_TRUE(found.branches[0].points.front().stable);
  EXPECT_FALSE(found.branches[0].points.back().stable);
}

// z' = p z - z^2 beside a limit cycle: orbits with z = 0 and with z = p cross, and change their stability.
TEST(Continuation, BranchesThatCrossAreBothFollowed) {
  const Scene scene = scene_of(
      "[simulation]\nduration = 40\n[equations]\nstates = { x = 1.5, y = 0.3, z = 0 }\nparameters = { p = "
      "-0.3 "
      "}\n"
      "dot = { x = \"0.3 - y + (x - 0.5)*(1 - (x - 0.5)^2 - (y - 0.3)^2)\", "
      "y = \"x - 0.5 + (y - 0.3)*(1 - (x - 0.5)^2 - (y - 0.3)^2)\", z = \"p*z - z^2\" }\n");
  const OrbitOptions options = along(scene, "equations.parameters.p", -0.3, 0.4);
  const Continuation found = continued(find_orbit(scene, options), options);
  ASSERT_EQ(found.special.size(), 1u);
  EXPECT_EQ(found.special[0].kind, SpecialKind::branch);
  EXPECT_FALSE(found.special[0].mirrored);
  EXPECT_NEAR(found.special[0].parameter, 0.0, 1e-9);
  ASSERT_EQ(found.branches.size(), 3u);  // and both sides of the other one
  EXPECT_FALSE(found.branches[0].points.back().stable);
  for (const std::size_t side : {1u, 2u}) {
    ASSERT_GE(found.branches[side].points.size(), 3u);
    const BranchPoint& last = found.branches[side].points.back();
    EXPECT_NEAR(std::fabs(last.parameter - 0.05), 0.35, 1e-12);
    EXPECT_EQ(last.stable, last.parameter > 0.0);
    // The multiplier of z = p is exp(-p T).
    double nearest = 1.0;
    for (const std::complex<double>& value : last.multipliers.values)
      nearest = std::min(nearest, std::abs(value / std::exp(-2 * M_PI * last.parameter) - 1.0));
    EXPECT_LE(nearest, 1e-9);
  }
}

// Symmetry breaks first; then the period doubles: theta'' + theta'/2 + sin theta = A cos(2 t/3). Values as in
// the literature on the sinusoidally driven pendulum: 1.0663, 1.0793. Wherever one begins to follow.
TEST(Continuation, DrivenPendulumBreaksItsSymmetryAndDoubles) {
  const Scene scene = shipped_scene("driven-pendulum");
  for (const double from : {0.95, 1.0}) {
    SCOPED_TRACE(from);
    OrbitOptions options = along(scene, "forces.1.parameters.drive", from, 1.08);
    options.most_branches = from < 1.0 ? 2 : 3;
    const Continuation found = continued(find_orbit(scene, options), options);
    std::vector<const SpecialPoint*> doublings;
    const SpecialPoint* broken = nullptr;
    for (const SpecialPoint& point : found.special) {
      if (point.kind == SpecialKind::branch && broken == nullptr) broken = &point;
      if (point.kind == SpecialKind::doubling) doublings.push_back(&point);
    }
    ASSERT_NE(broken, nullptr);
    EXPECT_TRUE(broken->mirrored);
    EXPECT_NEAR(broken->parameter, 1.00431948, 1e-8);
    ASSERT_TRUE(broken->leads_to);
    EXPECT_TRUE(found.branches[*broken->leads_to].points[1].stable);
    ASSERT_GE(doublings.size(), options.most_branches - 1);
    EXPECT_LT(broken->parameter, doublings[0]->parameter);
    EXPECT_NEAR(doublings[0]->parameter, 1.0663728625, 1e-9);
    if (from < 1.0) continue;
    EXPECT_NEAR(doublings[1]->parameter, 1.0793139059, 1e-9);
    EXPECT_NEAR(doublings[1]->period / doublings[0]->period, 2.0, 1e-12);
  }
}

}  // namespace
}  // namespace catena
