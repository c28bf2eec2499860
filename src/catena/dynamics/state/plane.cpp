#include "catena/dynamics/state/plane.h"

#include <cmath>
#include <numbers>

#include "catena/math/decimal.h"
#include "catena/math/functions_digits.h"

namespace catena {
namespace {

constexpr double kRoundoff = 4 * 2.220446049250313e-16;

Plane plane_along(const Angle& phi) {
  const AngleDigits full(phi);
  return {within_turn(phi.radians), phi.cosine, phi.sine,
          static_cast<double>(full.cosine - DoubleDouble(phi.cosine)),
          static_cast<double>(full.sine - DoubleDouble(phi.sine))};
}

// `written`: the same direction in numbers that stand for their decimals.
Plane plane_along(const Vec3& v, const Vec3& written) {
  const double size = std::hypot(v[0], v[1]), cosine = v[0] / size, sine = v[1] / size;
  const DoubleDouble x = decimal(written[0]), y = decimal(written[1]), length = square_root(x * x + y * y);
  return {within_turn(std::atan2(v[1], v[0])), cosine, sine,
          static_cast<double>(x / length - DoubleDouble(cosine)),
          static_cast<double>(y / length - DoubleDouble(sine))};
}

// The horizontal direction that a link's start shows, if it shows one.
std::optional<Plane> shown_plane(const Link& link) {
  if (!link.by_direction) {
    if (link.theta.sine == 0.0 && link.theta_dot == 0.0) return std::nullopt;
    return plane_along(link.phi);
  }
  if (std::hypot(link.direction[0], link.direction[1]) > 0.0)
    return plane_along(link.direction, link.written_direction);
  if (std::hypot(link.rate[0], link.rate[1]) > 0.0) return plane_along(link.rate, link.written_rate);
  return std::nullopt;
}

}  // namespace

AngleDigits::AngleDigits(const Angle& angle) : sine(angle.sine), cosine(angle.cosine) {
  if (angle.sine == 0.0 || angle.cosine == 0.0) return;
  const DoubleDouble written = two_sum(angle.radians, angle.rest);
  sine = digits::sin(written);
  cosine = digits::cos(written);
}

StartDigits start_digits(const Link& link) {
  if (link.by_direction) {
    StartDigits out;
    DoubleDouble square(0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      out.direction[i] = decimal(link.written_direction[i]);
      out.rate[i] = decimal(link.written_rate[i]);
      square = square + out.direction[i] * out.direction[i];
    }
    const DoubleDouble length = square_root(square);
    DoubleDouble along(0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      out.direction[i] = out.direction[i] / length;
      along = along + out.direction[i] * out.rate[i];
    }
    for (std::size_t i = 0; i < 3; ++i) out.rate[i] = out.rate[i] - along * out.direction[i];
    return out;
  }
  const AngleDigits theta(link.theta), phi(link.phi);
  const DoubleDouble theta_dot = two_sum(link.theta_dot, link.theta_dot_rest),
                     phi_dot = two_sum(link.phi_dot, link.phi_dot_rest);
  const DoubleDouble azimuthal = phi_dot * theta.sine, polar = theta_dot * theta.cosine;
  return {{theta.sine * phi.cosine, theta.sine * phi.sine, -theta.cosine},
          {polar * phi.cosine - azimuthal * phi.sine, polar * phi.sine + azimuthal * phi.cosine,
           theta_dot * theta.sine}};
}

double within_turn(double angle) {
  const double turn = 2 * std::numbers::pi;
  double out = std::fmod(angle, turn);
  if (out < 0) out += turn;
  return out >= turn ? 0.0 : out;
}

std::optional<Plane> common_plane(const Chain& chain, const Vec3& gravity) {
  if (!chain.plane_allowed || !formulation_info(chain.formulation).knows_planes) return std::nullopt;
  std::optional<Plane> plane;
  for (const Link& link : chain.links) {
    if ((plane = shown_plane(link))) break;
  }
  const double sideways_pull = std::hypot(gravity[0], gravity[1]);
  if (!plane && sideways_pull > 0.0) {
    plane = plane_along(gravity, gravity);
  }
  if (!plane) {
    const Link& first = chain.links.front();
    plane = first.by_direction ? Plane{} : plane_along(first.phi);
  }
  const auto leaves = [&](const Vec3& v, double size) {
    return std::fabs(v[1] * plane->cosine - v[0] * plane->sine) > kRoundoff * size;
  };
  if (leaves(gravity, std::hypot(gravity[0], gravity[1]))) return std::nullopt;
  for (const Link& link : chain.links) {
    const Vec3 w = start_rate(link);
    // A hinge holds a link in the plane only if its axis is normal to it.
    if (link.hinge[2] != 0.0 ||
        std::fabs(link.hinge[0] * plane->cosine + link.hinge[1] * plane->sine) > kRoundoff)
      return std::nullopt;
    if (leaves(start_direction(link), 1.0) || leaves(w, length(w))) return std::nullopt;
  }
  return plane;
}

double side(const Link& link, const Plane& plane) {
  if (!shown_plane(link)) return 1.0;
  return link.phi.cosine * plane.cosine + link.phi.sine * plane.sine < 0.0 ? -1.0 : 1.0;
}

}  // namespace catena
