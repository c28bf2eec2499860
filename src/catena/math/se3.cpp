#include "catena/math/se3.h"

#include <cmath>
#include <iterator>
#include <numbers>

namespace catena {
namespace {

constexpr double kPi = std::numbers::pi;

// zeta(2k) - 1 for k = 1, 2, ..
constexpr double kZetaLessOne[] = {
    6.4493406684822643647e-01, 8.2323233711138191516e-02, 1.7343061984449139714e-02,
    4.0773561979443393787e-03, 9.9457512781808533715e-04, 2.4608655330804829863e-04,
    6.1248135058704829259e-05, 1.5282259408651871732e-05, 3.8172932649998398565e-06,
    9.5396203387279611315e-07, 2.3845050272773299000e-07, 5.9608189051259479612e-08,
    1.4901554828365041235e-08, 3.7253340247884570548e-09, 9.3132743241966818287e-10,
    2.3283118336765054920e-10, 5.8207720879027008892e-11, 1.4551921891041984236e-11,
    3.6379795473786511902e-12, 9.0949478402638892825e-13};

}  // namespace

double sine_ratio(double square) {
  const double angle = std::sqrt(square);
  return angle > 0.0 ? std::sin(angle) / angle : 1.0;
}

// 2 sin^2(a/2) / a^2
double cosine_ratio(double square) {
  const double half = sine_ratio(0.25 * square);
  return 0.5 * half * half;
}

// Below one radian the difference would lose digits: its series 1/3! - a^2/5! + .., to the last digit there.
double sine_gap_ratio(double square) {
  if (square > 1.0) {
    const double angle = std::sqrt(square);
    return (angle - std::sin(angle)) / (square * angle);
  }
  double sum = 1.0;
  for (int k = 19; k >= 5; k -= 2) sum = 1.0 - sum * square / (k * (k - 1));
  return sum / 6.0;
}

// (a/2) cot(a/2) = 1 - 2 sum_k zeta(2k) (a/2pi)^2k. With y = (a/2pi)^2 and zeta = 1 + (zeta - 1),
//   c = 1/(2 pi^2) (1/(1-y) + sum_k (zeta(2k) - 1) y^(k-1)),
// a sum of positive terms that fall like (y/4)^k. Beyond half a turn nothing cancels in the closed form.
InverseRatios inverse_ratios(double square) {
  if (square > kPi * kPi) {
    const double angle = std::sqrt(square), half = 0.5 * angle;
    const double value = (1.0 - half / std::tan(half)) / square;
    const double sine = std::sin(half);
    // d/da of a^2 c = 1 - (a/2) cot(a/2):  2 a c + a^2 c' = (a/2 - sin a / 2) / (2 sin^2(a/2))
    return {value, (0.25 * (angle - std::sin(angle)) / (sine * sine) / angle - 2 * value) / square};
  }
  const double y = square / (4 * kPi * kPi);
  double value = 0.0, slope = 0.0;
  for (int k = static_cast<int>(std::size(kZetaLessOne)) - 1; k >= 0; --k) {
    slope = slope * y + value;
    value = value * y + kZetaLessOne[k];
  }
  const double pole = 1.0 / (1.0 - y);
  constexpr double kFactor = 1.0 / (2 * kPi * kPi);
  return {kFactor * (pole + value), kFactor * kFactor * (pole * pole + slope)};
}

RigidMotion::RigidMotion(const Twist& twist) : xi(twist.xi) {
  const double square = dot(xi, xi);
  a = sine_ratio(square);
  b = cosine_ratio(square);
  const Vec3 turned = cross(xi, twist.eta);
  shift = twist.eta + b * turned + sine_gap_ratio(square) * cross(xi, turned);
}

// dexp^-1 = phi(ad) with phi(z) = 1 - z/2 + c z^2 on rotations, and ad = [[xi^, 0], [eta^, xi^]]: the lower
// left block of phi(ad) is the derivative of phi(xi^) along eta^,
//   -eta^/2 + c (xi^ eta^ + eta^ xi^) + (c'/a) (xi . eta) xi^^2
Twist dexp_inverse(const Twist& s, const Twist& v) {
  const InverseRatios ratio = inverse_ratios(dot(s.xi, s.xi));
  const Vec3 xi_a = cross(s.xi, v.xi), xi_b = cross(s.xi, v.eta), eta_a = cross(s.eta, v.xi);
  const Vec3 xi_xi_a = cross(s.xi, xi_a);
  Twist out;
  out.xi = v.xi - 0.5 * xi_a + ratio.value * xi_xi_a;
  out.eta = v.eta - 0.5 * (xi_b + eta_a) +
            ratio.value * (cross(s.xi, xi_b) + cross(s.xi, eta_a) + cross(s.eta, xi_a)) +
            ratio.slope * dot(s.xi, s.eta) * xi_xi_a;
  return out;
}

}  // namespace catena
