// Rotations, the exponential of se(3) and the inverse of its derivative, against power series in 64 bits.
#include "catena/math/se3.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "catena/math/cholesky.h"

namespace catena {
namespace {

constexpr long double kPiLong = 3.14159265358979323846264338327950288L;

// sum_k (-1)^k a^2k start / ((2k + first)! / first!), in 64 bits: no digit is lost below a few radians.
long double alternating(long double square, int first) {
  long double term = 1.0L, sum = 0.0L;
  for (int k = 1; k <= first; ++k) term /= k;
  for (int k = first; k < 80; k += 2) {
    sum += term;
    term *= -square / ((k + 1.0L) * (k + 2.0L));
  }
  return sum;
}

// c = 1/(2 pi^2) sum_k zeta(2k) y^(k-1), y = (a/2pi)^2: each zeta as its own sum would take long, but
// sum_k n^-2k y^(k-1) = 1/(n^2 - y) adds up over n, with the rest of the sum by Euler and Maclaurin.
long double inverse_ratio(long double angle) {
  const long double y = angle * angle / (4 * kPiLong * kPiLong);
  const int last = 2000;
  long double sum = 0.0L;
  for (int n = last; n >= 1; --n) sum += 1.0L / (static_cast<long double>(n) * n - y);
  const long double from = last + 1.0L, root = sqrtl(y);
  const long double integral =
      root > 1e-8L ? atanhl(root / from) / root : (1.0L + y / (3 * from * from)) / from;  // of 1/(n^2 - y)
  const long double value = 1.0L / (from * from - y), slope = -2 * from * value * value;
  sum += integral + value / 2 - slope / 12;
  return sum / (2 * kPiLong * kPiLong);
}

const double kAngles[] = {0.0,  1e-170, 1e-16,  1e-12,   1e-9, 1e-8, 1e-7, 1e-6, 1e-5,
                          1e-4, 1e-3,   9.9e-3, 1.01e-2, 0.05, 0.1,  0.29, 0.31, 0.5,
                          0.99, 1.01,   1.7,    2.5,     3.1,  3.2,  4.0,  5.5};

TEST(RotationRatios, KeepTheirDigitsAtAllAngles) {
  for (const double angle : kAngles) {
    const double square = angle * angle;
    const auto close = [&](double value, long double exact, double eps, const char* what) {
      EXPECT_NEAR(static_cast<double>(value / exact - 1.0L), 0.0, eps) << what << " at " << angle;
    };
    // A few roundings each; the sine near its zeros is what the argument's last digit makes of it.
    close(sine_ratio(square), alternating(square, 1), angle > 2 ? 3e-15 : 4e-16, "sin a / a");
    close(cosine_ratio(square), alternating(square, 2), angle > 4 ? 3e-15 : 9e-16, "(1 - cos a) / a^2");
    close(sine_gap_ratio(square), alternating(square, 3), 2e-15, "(a - sin a) / a^3");
    // Beyond half a turn the closed form has a pole ahead, at a full turn.
    close(inverse_ratios(square).value, inverse_ratio(angle), angle > kPiLong ? 3e-14 : 9e-16, "c(a)");
  }
}

TEST(RotationRatios, SlopeOfTheInverseRatioIsItsDerivative) {
  for (const double angle : {0.05, 0.3, 1.0, 2.0, 3.0, 3.3, 5.0}) {
    const long double d = 1e-4L;
    const long double difference = (8 * (inverse_ratio(angle + d) - inverse_ratio(angle - d)) -
                                    (inverse_ratio(angle + 2 * d) - inverse_ratio(angle - 2 * d))) /
                                   (12 * d);
    // The difference errs by 1e-19 / 1e-4 and d^4.
    EXPECT_NEAR(inverse_ratios(angle * angle).slope, static_cast<double>(difference / angle), 2e-13) << angle;
  }
  // At zero: c = 1/12 + a^2/720 + ..
  EXPECT_NEAR(inverse_ratios(0.0).value, 1.0 / 12, 1e-17);
  EXPECT_NEAR(inverse_ratios(0.0).slope, 1.0 / 360, 1e-18);
}

using Vector6 = std::array<long double, 6>;
using Matrix6 = std::array<Vector6, 6>;

Vector6 lanes(const Twist& s) { return {s.xi[0], s.xi[1], s.xi[2], s.eta[0], s.eta[1], s.eta[2]}; }

// [s, .] as a matrix
Matrix6 adjoint(const Twist& s) {
  Matrix6 out{};
  for (int j = 0; j < 6; ++j) {
    Vector6 e{};
    e[j] = 1.0L;
    const Twist unit{{double(e[0]), double(e[1]), double(e[2])}, {double(e[3]), double(e[4]), double(e[5])}};
    const Vector6 column = lanes(bracket(s, unit));
    for (int i = 0; i < 6; ++i) out[i][j] = column[i];
  }
  return out;
}

Vector6 product(const Matrix6& m, const Vector6& v) {
  Vector6 out{};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) out[i] += m[i][j] * v[j];
  }
  return out;
}

Twist random_twist(std::mt19937& random, double angle) {
  std::normal_distribution<double> normal;
  Vec3 axis{normal(random), normal(random), normal(random)};
  axis = (angle / length(axis)) * axis;
  return {axis, {normal(random), normal(random), normal(random)}};
}

// dexp_s (dexp^-1_s v) = v with dexp = sum ad^k / (k+1)!, which converges everywhere.
TEST(DexpInverse, InvertsTheSeriesOfDexp) {
  std::mt19937 random(3);
  for (const double angle : {0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2, 0.1, 0.29, 0.31, 1.0, 2.0, 3.1, 3.2, 5.0}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Twist s = angle == 0.0 ? Twist{{}, {1.0, 2.0, 3.0}} : random_twist(random, angle);
      const Twist v = random_twist(random, 1.0);
      const Matrix6 ad = adjoint(s);
      const Vector6 inverse = lanes(dexp_inverse(s, v));
      Vector6 term = inverse, sum{};
      for (int k = 1; k < 60; ++k) {
        for (int i = 0; i < 6; ++i) sum[i] += term[i];
        term = product(ad, term);
        for (int i = 0; i < 6; ++i) term[i] /= k + 1;
      }
      double size = 1.0;
      for (const long double value : inverse) size = std::max(size, static_cast<double>(std::fabs(value)));
      for (int i = 0; i < 6; ++i) {
        // Roundoff of the closed form; near a full turn it divides by what is left to it.
        EXPECT_NEAR(static_cast<double>(sum[i]), static_cast<double>(lanes(v)[i]),
                    (angle > 3.15 ? 1e-13 : 4e-15) * size)
            << "angle " << angle;
      }
    }
  }
}

// exp of the matrix [[xi^, eta], [0, 0]] by its series.
TEST(RigidMotion, IsTheExponentialSeries) {
  std::mt19937 random(4);
  for (const double angle : {0.0, 1e-12, 1e-8, 1e-5, 1e-3, 0.02, 0.3, 0.99, 1.01, 2.0, 3.0, 6.0}) {
    const Twist s = angle == 0.0 ? Twist{{}, {1.0, -2.0, 0.5}} : random_twist(random, angle);
    const RigidMotion motion(s);
    const Vec3 v{0.3, -1.1, 0.7};
    // R v - v = sum_{k>=1} xi^^k v / k!,  r = sum xi^^k eta / (k+1)!
    std::array<long double, 3> turned{v[0], v[1], v[2]}, shifted{s.eta[0], s.eta[1], s.eta[2]};
    std::array<long double, 3> change{}, shift = shifted;
    const auto by_xi = [&](const std::array<long double, 3>& a) {
      return std::array<long double, 3>{s.xi[1] * a[2] - s.xi[2] * a[1], s.xi[2] * a[0] - s.xi[0] * a[2],
                                        s.xi[0] * a[1] - s.xi[1] * a[0]};
    };
    for (int k = 1; k < 80; ++k) {
      turned = by_xi(turned);
      shifted = by_xi(shifted);
      for (int i = 0; i < 3; ++i) {
        turned[i] /= k;
        shifted[i] /= k + 1;
        change[i] += turned[i];
        shift[i] += shifted[i];
      }
    }
    const Vec3 own = motion.change(v);
    const double size = std::min(angle, 3.0);  // relative to the change itself, however small
    EXPECT_NEAR(own[0], static_cast<double>(change[0]), 1e-15 * size) << angle;
    EXPECT_NEAR(own[1], static_cast<double>(change[1]), 1e-15 * size) << angle;
    EXPECT_NEAR(own[2], static_cast<double>(change[2]), 1e-15 * size) << angle;
    EXPECT_NEAR(motion.shift[0], static_cast<double>(shift[0]), 2e-15) << angle;
    EXPECT_NEAR(motion.shift[1], static_cast<double>(shift[1]), 2e-15) << angle;
    EXPECT_NEAR(motion.shift[2], static_cast<double>(shift[2]), 2e-15) << angle;
  }
}

TEST(RigidMotion, KeepsLengths) {
  std::mt19937 random(5);
  for (int i = 0; i < 100; ++i) {
    const RigidMotion motion(random_twist(random, 0.06 * i));
    const Vec3 v{0.6, 0.0, -0.8};
    EXPECT_NEAR(length(v + motion.change(v)), 1.0, 1e-15);  // a few roundings
  }
}

TEST(Bracket, ObeysJacobi) {
  std::mt19937 random(6);
  const Twist a = random_twist(random, 1.0), b = random_twist(random, 2.0), c = random_twist(random, 0.5);
  const Vector6 sum =
      lanes(bracket(a, bracket(b, c)) + bracket(b, bracket(c, a)) + bracket(c, bracket(a, b)));
  for (const long double lane : sum) EXPECT_NEAR(static_cast<double>(lane), 0.0, 1e-14);
}

TEST(Cholesky, SolvesWhatItFactored) {
  const std::size_t n = 30;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> root(n * n), matrix(n * n), x(n), b(n, 0.0);
  for (double& value : root) value = normal(random);
  for (double& value : x) value = normal(random);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) matrix[j * n + i] += root[k * n + i] * root[k * n + j];
      if (i == j) matrix[j * n + i] += 1.0;
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) b[i] += matrix[j * n + i] * x[j];
  }
  ASSERT_TRUE(factor_cholesky(matrix.data(), n));
  solve_cholesky(matrix.data(), n, b.data());
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(b[i], x[i], 1e-12);  // eps times a condition of a few hundred
}

TEST(Cholesky, RefusesWhatIsNotPositive) {
  std::vector<double> matrix{1.0, 2.0, 2.0, 1.0};
  EXPECT_FALSE(factor_cholesky(matrix.data(), 2));
}

}  // namespace
}  // namespace catena
