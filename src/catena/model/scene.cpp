#include "catena/model/scene.h"

#include <cmath>

namespace catena {
namespace {

// pi as an unevaluated sum of two doubles: the products below then round once, not twice.
constexpr double kPiHigh = 3.141592653589793116;
constexpr double kPiLow = 1.2246467991473531772e-16;

struct Pair {
  double high;
  double low;
};

// half_turns * pi
Pair radians_of(double half_turns) {
  const double high = half_turns * kPiHigh;
  return {high, std::fma(half_turns, kPiHigh, -high) + half_turns * kPiLow};
}

// degrees * pi / 180; dividing last keeps 180 deg exactly pi.
Pair radians_of_degrees(double degrees) {
  const Pair product = radians_of(degrees);
  const double high = product.high / 180.0;
  const double remainder = std::fma(-high, 180.0, product.high) + product.low;
  return {high, remainder / 180.0};
}

// The angle `quarters` quarter turns beyond the small angle `rest` (at most an eighth of a turn).
Angle assembled(Pair radians, int quarters, Pair rest) {
  const double s = std::sin(rest.high) + rest.low * std::cos(rest.high);
  const double c = std::cos(rest.high) - rest.low * std::sin(rest.high);
  Angle angle;
  angle.radians = radians.high + radians.low;
  switch (quarters & 3) {
    case 0:
      angle.sine = s, angle.cosine = c;
      break;
    case 1:
      angle.sine = c, angle.cosine = -s;
      break;
    case 2:
      angle.sine = -s, angle.cosine = -c;
      break;
    default:
      angle.sine = -c, angle.cosine = s;
      break;
  }
  angle.sine += 0.0;  // -0 becomes 0
  angle.cosine += 0.0;
  return angle;
}

}  // namespace

Angle Angle::from_radians(double radians) { return {radians, std::sin(radians), std::cos(radians)}; }

Angle Angle::from_degrees(double degrees) {
  const double within_turn = std::fmod(degrees, 360.0);  // exact, and so is `rest`
  const double quarters = std::round(within_turn / 90.0);
  const double rest = within_turn - 90.0 * quarters;
  return assembled(radians_of_degrees(degrees), static_cast<int>(quarters), radians_of_degrees(rest));
}

Angle Angle::from_half_turns(double half_turns) {
  const double within_turn = std::fmod(half_turns, 2.0);
  const double quarters = std::round(2.0 * within_turn);
  const double rest = within_turn - 0.5 * quarters;
  return assembled(radians_of(half_turns), static_cast<int>(quarters), radians_of(rest));
}

Vec3 start_direction(const Link& link) {
  if (link.by_direction) return link.direction;
  return {link.theta.sine * link.phi.cosine, link.theta.sine * link.phi.sine, -link.theta.cosine};
}

Vec3 start_rate(const Link& link) {
  if (link.by_direction) return link.rate;
  const double polar = link.theta_dot, azimuthal = link.phi_dot * link.theta.sine;
  return {polar * link.theta.cosine * link.phi.cosine - azimuthal * link.phi.sine,
          polar * link.theta.cosine * link.phi.sine + azimuthal * link.phi.cosine, polar * link.theta.sine};
}

}  // namespace catena
