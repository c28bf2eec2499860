// Lyapunov exponents: against eigenvalues, published values, and the laws that they obey.
#include "catena/analyze/lyapunov.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "catena/analyze/covariant.h"
#include "catena/analyze/liouville.h"
#include "catena/analyze/lyapunov_checks.h"
#include "catena/analyze/statistics.h"
#include "catena/base/mistake.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::scene_of;
using test::shipped_scene;

LyapunovResult exponents_of(const Scene& scene, double duration, std::size_t starts = 1) {
  LyapunovOptions options;
  options.duration = duration;
  options.starts = starts;
  return lyapunov(scene, options);
}

const LyapunovCheck* find(const LyapunovResult& result, const std::string& name) {
  for (const LyapunovCheck& check : result.checks) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

// x' = A x with eigenvalues 0.3, -0.2, -1 and eigenvectors that are not orthogonal.
constexpr const char* kLinear = R"([simulation]
duration = 100
[equations]
states = { x = 1.0, y = 0.5, z = -0.3 }
dot = { x = "0.3*x + y", y = "-0.2*y + 2*z", z = "-z" }
)";

// After a tenth of the time the frame lies along the eigenvectors to exp(-0.5 * 10 s), and the means begin
// there; another hundred seconds leave roundoff alone.
TEST(Lyapunov, ExponentsOfLinearSystemsAreTheirEigenvalues) {
  const LyapunovResult result = exponents_of(scene_of(kLinear), 1000.0);
  ASSERT_EQ(result.exponents.size(), 3u);
  EXPECT_NEAR(result.exponents[0], 0.3, 1e-12);
  EXPECT_NEAR(result.exponents[1], -0.2, 1e-12);
  EXPECT_NEAR(result.exponents[2], -1.0, 1e-12);
}

// A spiral: both exponents are the real part; their sum at once, each but for what a turn leaves, C/T.
TEST(Lyapunov, ExponentsOfASpiralAreTheRealPart) {
  const LyapunovResult result = exponents_of(scene_of(R"([simulation]
duration = 100
[equations]
states = { x = 1.0, v = 0.0 }
dot = { x = "v", v = "-4*x - 0.2*v" }
)"),
                                             400.0);
  EXPECT_NEAR(result.exponents[0] + result.exponents[1], -0.2, 1e-12);
  EXPECT_NEAR(result.exponents[0], -0.1, 2.0 / 400.0);  // the axes of the ellipse are 2 to 1
}

TEST(Lyapunov, SumIsTheDivergence) {
  const LyapunovResult lorenz = exponents_of(shipped_scene("lorenz"), 100.0);
  EXPECT_NEAR(std::accumulate(lorenz.exponents.begin(), lorenz.exponents.end(), 0.0), -41.0 / 3.0, 1e-10);
  ASSERT_NE(find(lorenz, "sum"), nullptr);
  EXPECT_TRUE(find(lorenz, "sum")->holds());
  // A divergence that changes along the motion is added up: van der Pol's oscillator.
  const LyapunovResult cycle = exponents_of(scene_of(R"([simulation]
duration = 100
[equations]
states = { x = 1.0, v = 0.0 }
dot = { x = "v", v = "(1 - x^2)*v - x" }
)"),
                                            200.0);
  ASSERT_NE(find(cycle, "sum"), nullptr);
  EXPECT_LE(find(cycle, "sum")->value, 1e-8);
  EXPECT_TRUE(find(cycle, "zeros")->holds());
}

// The published values lie in the intervals: J. C. Sprott, Chaos and Time-Series Analysis (2003).
TEST(Lyapunov, LorenzHasItsPublishedExponents) {
  const LyapunovResult result = exponents_of(shipped_scene("lorenz"), 2000.0, 2);
  EXPECT_TRUE(result.is_settled);
  EXPECT_TRUE(result.is_chaotic);
  const double published[] = {0.9056, 0.0, -14.5723};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(result.exponents[k], published[k], 4.0 * result.errors[k]) << k;
    EXPECT_LT(result.errors[k], 0.006) << k;
  }
  ASSERT_TRUE(result.kaplan_yorke.has_value());
  EXPECT_NEAR(*result.kaplan_yorke, 2.062, 5e-4 + 4.0 * *result.kaplan_yorke_error);
  EXPECT_TRUE(find(result, "zeros")->holds());
}

// Conservative systems of every kind, in the lanes they have: unit vectors, elastic links, angles of a
// Lagrangian, rigid bodies in loops. The density makes up for the lanes, to roundoff.
TEST(Lyapunov, ConservativeMotionsKeepLiouvillesVolume) {
  for (const char* name : {"double-pendulum", "spherical-pendulum", "elastic-pendulum", "cart-pole", "rods",
                           "governor", "four-bar", "tree"}) {
    const LyapunovResult result = exponents_of(shipped_scene(name), 4.0);
    const LyapunovCheck* sum = find(result, "sum");
    ASSERT_NE(sum, nullptr) << name;
    EXPECT_LE(sum->value, 1e-10) << name;
  }
}

}  // namespace
}  // namespace catena
