#include "catena/dynamics/state/plane.h"

#include <cmath>
#include <numbers>

namespace catena {
namespace {

constexpr double kRoundoff = 4 * 2.220446049250313e-16;

// The horizontal direction that a link's start shows, if it shows one.
std::optional<Plane> shown_plane(const Link& link) {
  if (!link.by_direction) {
    if (link.theta.sine == 0.0 && link.theta_dot == 0.0) return std::nullopt;
    return Plane{within_turn(link.phi.radians), link.phi.cosine, link.phi.sine};
  }
  for (const Vec3& v : {link.direction, link.rate}) {
    const double size = std::hypot(v[0], v[1]);
    if (size > 0.0) return Plane{within_turn(std::atan2(v[1], v[0])), v[0] / size, v[1] / size};
  }
  return std::nullopt;
}

}  // namespace

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
    const double azimuth = within_turn(std::atan2(gravity[1], gravity[0]));
    plane = Plane{azimuth, gravity[0] / sideways_pull, gravity[1] / sideways_pull};
  }
  if (!plane) {
    const Link& first = chain.links.front();
    plane = first.by_direction ? Plane{}
                               : Plane{within_turn(first.phi.radians), first.phi.cosine, first.phi.sine};
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
    if (leaves(start_direction(link), 1.0) || leaves(w, std::hypot(w[0], w[1], w[2]))) return std::nullopt;
  }
  return plane;
}

double side(const Link& link, const Plane& plane) {
  if (!shown_plane(link)) return 1.0;
  return link.phi.cosine * plane.cosine + link.phi.sine * plane.sine < 0.0 ? -1.0 : 1.0;
}

}  // namespace catena
