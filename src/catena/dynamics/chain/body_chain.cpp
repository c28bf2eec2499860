#include "catena/dynamics/chain/body_chain.h"

#include <cmath>

#include "catena/dynamics/state/body_state.h"
#include "catena/model/placement.h"

namespace catena {

BodyLinks::BodyLinks(const ChainBodies& bodies, const Mechanism& mechanism)
    : first_joint_(bodies.first_joint), end_held_(bodies.end_held) {
  const BodySpace space(mechanism);
  for (const int index : space.moving) bodies_ += index == kGround ? 0 : 1;
  const auto point_of = [&](const Attachment& from) -> BodyPoint {
    const Vec3Digits point = all_digits(from.point, from.point_rest);
    if (from.body < 0) return {kGround, from.point, point};
    const auto b = static_cast<std::size_t>(from.body);
    if (space.moving[b] != kGround) return {space.moving[b], from.point, point};
    const Body& body = mechanism.bodies[b];
    Vec3 at = rotated(body.orientation, from.point);
    for (std::size_t i = 0; i < 3; ++i) at[i] += body.position[i];
    return {kGround, at,
            plus(all_digits(body.position, body.position_rest),
                 rotated(all_digits(body.orientation, body.orientation_rest), point))};
  };
  pivot_ = point_of(bodies.pivot);
  for (const Attachment& end : bodies.end) end_.push_back(point_of(end));
  for (const Attachment& upper : bodies.upper) upper_.push_back(point_of(upper));
}

PivotMotion::Instant BodyLinks::at(const BodyPoint& point, const double* lanes) const {
  if (point.body == kGround) return {point.point, {}, {}};
  const auto b = static_cast<std::size_t>(point.body);
  const auto lane = [&](std::size_t component) { return lanes[component * bodies_ + b]; };
  PivotMotion::Instant out{{lane(kPosition), lane(kPosition + 1), lane(kPosition + 2)},
                           {lane(kVelocity), lane(kVelocity + 1), lane(kVelocity + 2)},
                           {}};
  if (point.point == Vec3{}) return out;
  const Quaternion p{lane(kOrientation), lane(kOrientation + 1), lane(kOrientation + 2),
                     lane(kOrientation + 3)};
  const Vec3 omega{lane(kRotation), lane(kRotation + 1), lane(kRotation + 2)}, &r = point.point;
  const Vec3 arm = rotated(p, r);
  const Vec3 moving = rotated(p, cross(omega, r));
  for (std::size_t i = 0; i < 3; ++i) {
    out.position[i] += arm[i];
    out.velocity[i] += moving[i];
  }
  return out;
}

BodyLinks::InstantDigits BodyLinks::at_digits(const BodyPoint& point, const double* hi,
                                              const double* lo) const {
  if (point.body == kGround) return {point.point_digits, {}};
  const auto lane = [&](std::size_t component) {
    const std::size_t at = component * bodies_ + static_cast<std::size_t>(point.body);
    return DoubleDouble(hi[at], lo[at]);
  };
  const auto three = [&](std::size_t first) -> Vec3Digits {
    return {lane(first), lane(first + 1), lane(first + 2)};
  };
  InstantDigits out{three(kPosition), three(kVelocity)};
  if (point.point == Vec3{}) return out;
  const QuaternionDigits p{lane(kOrientation), lane(kOrientation + 1), lane(kOrientation + 2),
                           lane(kOrientation + 3)};
  out.position = plus(out.position, rotated(p, point.point_digits));
  out.velocity = plus(out.velocity, rotated(p, cross(three(kRotation), point.point_digits)));
  return out;
}

template <int D>
const double* BodyChain<D>::directions(const double* lanes, double* room) const {
  const std::size_t n = this->links();
  for (std::size_t k = 0; k < n; ++k) {
    const PivotMotion::Instant end = bodies_.end(k, lanes), upper = bodies_.upper(k, lanes);
    Vec3 u, w;
    for (std::size_t i = 0; i < 3; ++i) {
      u[i] = end.position[i] - upper.position[i];
      w[i] = end.velocity[i] - upper.velocity[i];
    }
    const double size = length(u);
    if constexpr (D == 2) {
      u = {plane_.cosine * u[0] + plane_.sine * u[1], u[2], 0.0};
      w = {plane_.cosine * w[0] + plane_.sine * w[1], w[2], 0.0};
    }
    for (std::size_t i = 0; i < D; ++i) {
      room[i * n + k] = u[i] / size;
      room[(D + i) * n + k] = w[i] / size;
    }
  }
  return room;
}

template class BodyChain<2>;
template class BodyChain<3>;

}  // namespace catena
