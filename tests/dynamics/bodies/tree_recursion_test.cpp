// Rates of trees by articulated inertias, against the same rates in double-double by another way.
#include <gtest/gtest.h>

#include <random>

#include "catena/dynamics/bodies/bodies_over.h"
#include "catena/math/double_double.h"
#include "support/mechanisms.h"

namespace catena::test {
namespace {

constexpr Vec3 kSlanting{0.3, -0.2, -9.81};

class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_()) / 4294967296.0;
  }
  Vec3 vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }
  Quaternion turn() {
    return normalised(Quaternion{between(-1, 1), between(-1, 1), between(-1, 1), between(0.1, 1)});
  }
  std::size_t below(std::size_t n) { return engine_() % n; }

 private:
  std::mt19937 engine_;
};

// A positive definite one that is not diagonal, with no principal moment larger than the other two together.
Matrix3 some_inertia(Numbers& numbers, double size) {
  Matrix3 out{};
  for (std::size_t k = 0; k < 4; ++k) {  // of four points
    const Vec3 at = numbers.vector(1.0);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        out[i][j] += size * ((i == j ? dot(at, at) + 0.1 : 0.0) - at[i] * at[j]);
    }
  }
  return out;
}

constexpr JointKind kUsual[] = {JointKind::ball,  JointKind::revolute,  JointKind::universal,
                                JointKind::fixed, JointKind::prismatic, JointKind::cylindrical,
                                JointKind::planar};

// Each body on one before it, or on the ground; `free`: the first one is held by nothing.
Mechanism some_tree(unsigned seed, int bodies, bool free) {
  Numbers numbers(seed);
  Mechanism out;
  for (int k = 0; k < bodies; ++k) {
    const int body = add_body(out, numbers.between(0.5, 2.0), some_inertia(numbers, 0.2), numbers.vector(2.0),
                              numbers.turn());
    out.bodies.back().velocity = numbers.vector(1.0);
    out.bodies.back().angular_velocity = numbers.vector(2.0);
    if (free && k == 0) continue;
    const int parent =
        static_cast<int>(numbers.below(static_cast<std::size_t>(k) + (free ? 0 : 1))) - (free ? 0 : 1);
    const JointKind kind = kUsual[numbers.below(std::size(kUsual))];
    const bool around = numbers.below(2) == 1;
    add_joint(out, kind, around ? body : parent, around ? parent : body, numbers.vector(2.0),
              numbers.vector(1.0));
    Joint& joint = out.joints.back();
    if (kind != JointKind::universal) continue;
    // A cross needs an axis of its own in the second body.
    const JointFrame other = frame_along(numbers.vector(2.0), numbers.vector(1.0));
    const JointFrame here = seen_by(out, joint.b, other);
    joint.in_b.x = here.x, joint.in_b.y = here.y, joint.in_b.z = here.z;
    const Vec3 za = joint.a == kGround
                        ? joint.in_a.z
                        : rotated(out.bodies[static_cast<std::size_t>(joint.a)].orientation, joint.in_a.z);
    joint.value = dot(za, other.z);
  }
  return out;
}

struct Errors {
  double recursion = 0.0, series = 0.0;  // of rates, and of the series' first order; over the largest
};

Errors errors_of(const Mechanism& mechanism) {
  Multibody bodies(mechanism, kSlanting);
  LanePair state;
  bodies.start(state.hi, state.lo);
  bodies.project(0.0, state.hi.data(), state.lo.data());
  std::vector<double> x(state.hi.size()), by_recursion(x), by_series(2 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = state.hi[i] + state.lo[i];
  bodies.rhs(0.0, x.data(), by_recursion.data());
  bodies.taylor(0.0, x.data(), 1, by_series.data());
  BodiesOver<DoubleDouble> wide(bodies, bodies.mobility(0.0, x.data()).rank);
  wide.reserve(1);
  const std::vector<DoubleDouble> from(x.begin(), x.end());
  std::vector<DoubleDouble> exact(x.size());
  wide.rhs(DoubleDouble(0.0), from.data(), exact.data(), {});
  Errors out;
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = static_cast<double>(exact[i]);
    largest = std::max(largest, std::fabs(right));
    out.recursion = std::max(out.recursion, std::fabs(by_recursion[i] - right));
    out.series = std::max(out.series, std::fabs(by_series[x.size() + i] - right));
  }
  out.recursion /= largest;
  out.series /= largest;
  return out;
}

TEST(TreeRecursion, RatesOfAllUsualJointsAgreeWithMoreDigits) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const Errors errors = errors_of(some_tree(seed, 1 + static_cast<int>(seed % 12), seed % 3 == 0));
    EXPECT_LT(errors.recursion, 2e-13) << seed << ", by series " << errors.series;
  }
}

// Forces and torques from outside act as they do in the series.
TEST(TreeRecursion, LoadsActAsInTheSeries) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Multibody bodies(some_tree(seed, 9, seed % 2 == 0), kSlanting);
    const std::size_t n = bodies.bodies();
    std::vector<double> x, lo, dx(bodies.dimension()), loads(6 * n);
    bodies.start(x, lo);
    Numbers numbers(seed);
    for (double& load : loads) load = numbers.between(-5.0, 5.0);
    const BodyLoads acting{loads.data(), loads.data() + 3 * n};
    bodies.rhs(0.0, x.data(), dx.data(), acting);
    bodies.begin(0.0, x.data());
    bodies.advance(0, acting);
    double largest = 0.0, worst = 0.0;
    for (std::size_t c = 0; c < kBodyState; ++c) {
      for (std::size_t b = 0; b < n; ++b) {
        const double right = bodies.rows(1)(c, static_cast<int>(b));
        largest = std::max(largest, std::fabs(right));
        worst = std::max(worst, std::fabs(dx[c * n + b] - right));
      }
    }
    EXPECT_LT(worst, 2e-12 * largest) << seed;
  }
}

// What methods without series make of them is the motion that the series give.
TEST(TreeRecursion, RungeKuttaFollowsTheSeries) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Mechanism tree = some_tree(seed, 5, seed % 3 == 0);
    Motion series(tree, kSlanting), rates(tree, kSlanting, "dop853", {.tolerance = 1e-13});
    ASSERT_EQ(series.go_to(0.3), StepStatus::done);
    ASSERT_EQ(rates.go_to(0.3), StepStatus::done);
    for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(series.position(b)[i], rates.position(b)[i], 1e-10) << seed;
        EXPECT_NEAR(series.spin(b)[i], rates.spin(b)[i], 1e-9) << seed;
      }
    }
  }
}

// Rods in a row. Masses come in turns, so that what is light hangs between what is heavy, in pairs too.
Mechanism row(int n, const std::vector<double>& masses, JointKind kind) {
  Numbers numbers(7);
  Mechanism out;
  Vec3 at{};
  const double length = 10.0 / n;
  for (int k = 0; k < n; ++k) {
    const double angle = 1.0 + 0.7 * std::sin(0.9 * k), around = 0.3 * k;
    const Vec3 along = length * Vec3{std::sin(angle) * std::cos(around), std::sin(angle) * std::sin(around),
                                     -std::cos(angle)};
    const double mass = masses[static_cast<std::size_t>(k) % masses.size()],
                 moment = mass * length * length / 12.0;
    const Quaternion turn =
        normalised(Quaternion{1.0 + along[2] / length, -along[1] / length, along[0] / length, 0.0});
    const int body = add_body(out, mass, diagonal(moment, moment, 1e-3 * moment), at + 0.5 * along, turn);
    out.bodies.back().angular_velocity = numbers.vector(1.0);
    add_joint(out, kind, body - 1, body, at, numbers.vector(1.0));
    at += along;
  }
  return out;
}

TEST(TreeRecursion, LightBodiesBetweenHeavyOnesKeepTheirDigits) {
  const std::vector<double> patterns[] = {
      {1.0}, {1.0, 1e-6}, {1e-6, 1.0}, {1.0, 1e-6, 1e-6}, {1.0, 1e3, 1e-3}};
  for (const JointKind kind : {JointKind::ball, JointKind::revolute}) {
    for (const std::vector<double>& masses : patterns) {
      for (const int n : {2, 10, 300}) {
        const Errors errors = errors_of(row(n, masses, kind));
        EXPECT_LT(errors.recursion, 5e-13 + errors.series) << n << ", by series " << errors.series;
      }
    }
  }
}

// The bound that the series have, too.
TEST(TreeRecursion, AThousandBodiesKeepTheirDigits) {
  EXPECT_LT(errors_of(row(1000, {1.0}, JointKind::ball)).recursion, 2e-14);
  EXPECT_LT(errors_of(row(1000, {1.0, 1e-6}, JointKind::ball)).recursion, 2e-14);
  EXPECT_LT(errors_of(row(1000, {1.0}, JointKind::revolute)).recursion, 1e-12);
}

}  // namespace
}  // namespace catena::test
