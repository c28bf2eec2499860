#include "catena/dynamics/chain/chain_bodies.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "catena/dynamics/chain/pivot.h"
#include "catena/dynamics/state/plane.h"
#include "catena/math/decimal.h"
#include "catena/model/joint_kinds.h"
#include "catena/model/placement.h"
#include "catena/model/placement_digits.h"

namespace catena {
namespace {

Vec3 sum(const Vec3& a, const Vec3& b, double factor = 1.0) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

// Turns the x axis into the unit vector u, the short way round.
template <class S>
std::array<S, 4> from_x_to(const std::array<S, 3>& u) {
  const S none(0.0), one(1.0);
  if (static_cast<double>(u[0]) < -0.5) {  // by way of -x, which is half a turn about z away
    const std::array<S, 4> back = from_x_to<S>({-u[0], -u[1], u[2]});
    return product(std::array<S, 4>{none, none, none, one}, back);
  }
  return normalised(std::array<S, 4>{one + u[0], none, -u[2], u[1]});
}

struct Motion {
  Vec3 place{}, velocity{};
};

Motion motion_of(const Mechanism& mechanism, const Attachment& at) {
  if (at.body < 0) return {at.point, {}};
  const Body& body = mechanism.bodies[static_cast<std::size_t>(at.body)];
  const Vec3 arm = rotated(body.orientation, at.point);
  if (body.fixed) return {sum(body.position, arm), {}};
  return {sum(body.position, arm), sum(body.velocity, cross(body.angular_velocity, arm))};
}

// The same with all digits.
struct MotionDigits {
  Vec3Digits place{}, velocity{};
};

MotionDigits motion_of_digits(const Mechanism& mechanism, const Attachment& at) {
  const Vec3Digits point = all_digits(at.point, at.point_rest);
  if (at.body < 0) return {point, {}};
  const Body& body = mechanism.bodies[static_cast<std::size_t>(at.body)];
  const Vec3Digits arm = rotated(all_digits(body.orientation, body.orientation_rest), point);
  const Vec3Digits place = plus(all_digits(body.position, body.position_rest), arm);
  if (body.fixed) return {place, {}};
  const Vec3Digits spin = all_digits(body.angular_velocity, body.angular_velocity_rest);
  return {place, plus(all_digits(body.velocity, body.velocity_rest), cross(spin, arm))};
}

double rest(const DoubleDouble& whole, double value) {
  return static_cast<double>(whole - DoubleDouble(value));
}

bool is_point(const Link& link) { return link.center_of_mass == 1.0 && link.inertia == 0.0; }

// A point mass at the end, or a rod along its own x. A rod's spin about itself is zero and stays so: it hangs
// in points of its axis, so that nothing turns it about that, and its inertia there may be any.
Body body_of(const Link& link, const Motion& upper) {
  const Vec3 u = start_direction(link), w = start_rate(link);
  const double inside = link.center_of_mass * link.length;
  Body body;
  body.mass = link.mass;
  body.point = is_point(link);
  body.position = sum(upper.place, u, inside);
  body.velocity = sum(upper.velocity, w, inside);
  body.velocity_given = body.angular_velocity_given = w != Vec3{};
  if (body.point) return body;
  body.inertia = {{{link.inertia, 0, 0}, {0, link.inertia, 0}, {0, 0, link.inertia}}};
  body.orientation = from_x_to(u);
  body.angular_velocity = cross(u, w);
  body.link = true;
  return body;
}

// The centre of mass from the upper joint, with all digits.
DoubleDouble inside_digits(const Link& link) { return decimal(link.center_of_mass) * decimal(link.length); }

// What the doubles of body_of cannot hold.
void keep_digits(const Link& link, const MotionDigits& upper, Body& body) {
  const auto [u, w] = start_digits(link);
  const DoubleDouble inside = inside_digits(link), mass = decimal(link.mass), length = decimal(link.length);
  body.mass_rest = rest(mass, body.mass);
  body.position_rest = rest_of(plus(upper.place, times(inside, u)), body.position);
  body.velocity_rest = rest_of(plus(upper.velocity, times(inside, w)), body.velocity);
  if (body.point) return;
  const DoubleDouble inertia = link.rod ? mass * length * length / DoubleDouble(12.0) : decimal(link.inertia);
  for (std::size_t i = 0; i < 3; ++i) body.inertia_rest[i][i] = rest(inertia, link.inertia);
  body.orientation_rest = rest_of(from_x_to(u), body.orientation);
  body.angular_velocity_rest = rest_of(cross(u, w), body.angular_velocity);
}

// The frame whose z is this axis of the world.
JointFrame along(std::size_t axis) {
  JointFrame out;
  out.x = out.y = out.z = Vec3{};
  out.z[axis] = out.x[(axis + 1) % 3] = out.y[(axis + 2) % 3] = 1.0;
  return out;
}

class ChainPlacer {
 public:
  ChainPlacer(const Chain& chain, Mechanism& mechanism)
      : chain_(chain), name_(chain.name.empty() ? "chain" : chain.name), mechanism_(mechanism) {}

  ChainBodies place() {
    out_.pivot = given(chain_.pivot_motion) ? driven() : held();
    out_.first_joint = mechanism_.joints.size();
    for (std::size_t k = 0; k < chain_.links.size(); ++k) add_link(k);
    if (chain_.end) hold_end();
    return out_;
  }

 private:
  Attachment held() const {
    Attachment out = chain_.carrier ? Attachment{.body = chain_.carrier->body, .point = chain_.carrier->point}
                                    : Attachment{.point = chain_.pivot};
    out.point_rest = rest_of(decimals_of(out.point), out.point);
    return out;
  }

  // On the last of three bodies without mass: one carries the other along x, y and z, as the formulas say.
  Attachment driven() {
    PivotSeries<DoubleDouble> start(PivotMotion(chain_.pivot_motion, {}, chain_.pivot_piece, true).series());
    start.reserve(1);
    start.expand(DoubleDouble(0.0), 1);
    const Vec3Digits place = start.coefficient(0), velocity = start.coefficient(1);
    Attachment at;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Body body = at.body < 0 ? Body{} : mechanism_.bodies.back();  // where the one that carries it is
      body.name = name_ + ".pivot";
      body.place = chain_.formulation_place;
      body.position[axis] = static_cast<double>(place[axis]);
      body.position_rest[axis] = rest(place[axis], body.position[axis]);
      body.velocity[axis] = static_cast<double>(velocity[axis]);
      body.velocity_rest[axis] = rest(velocity[axis], body.velocity[axis]);
      body.velocity_given = true;
      Joint joint;
      joint.name = body.name;
      joint.kind = JointKind::prismatic;
      joint.a = at.body;
      joint.b = static_cast<int>(mechanism_.bodies.size());
      joint.in_a = joint.in_b = along(axis);
      joint.place = body.place;
      mechanism_.motors.push_back(
          {static_cast<int>(mechanism_.joints.size()), chain_.pivot_motion[axis], {}, chain_.pivot_piece});
      mechanism_.bodies.push_back(body);
      mechanism_.joints.push_back(joint);
      ++mechanism_.hidden_bodies;
      ++mechanism_.hidden_joints;
      at.body = joint.b;
    }
    return at;
  }

  void add_link(std::size_t k) {
    const Link& link = chain_.links[k];
    const Attachment upper = link.parent < 0 ? out_.pivot : out_.end[static_cast<std::size_t>(link.parent)];
    const int body = static_cast<int>(mechanism_.bodies.size());
    mechanism_.bodies.push_back(body_of(link, motion_of(mechanism_, upper)));
    keep_digits(link, motion_of_digits(mechanism_, upper), mechanism_.bodies.back());
    mechanism_.bodies.back().name = name_ + "." + std::to_string(k + 1);
    mechanism_.bodies.back().place = chain_.formulation_place;
    const double inside = link.center_of_mass * link.length;
    const bool point = is_point(link);
    out_.upper.push_back(upper);
    out_.center.push_back({.body = body});
    Attachment end{.body = body, .point = {point ? 0.0 : link.length - inside, 0.0, 0.0}};
    if (!point) end.point_rest[0] = rest(decimal(link.length) - inside_digits(link), end.point[0]);
    out_.end.push_back(end);
    Joint joint;
    joint.name = mechanism_.bodies.back().name;
    joint.kind = point ? JointKind::distance : JointKind::ball;
    joint.a = upper.body;
    joint.b = body;
    joint.in_a.point = upper.point;
    joint.in_a.point_rest = upper.point_rest;
    if (!point) {
      joint.in_b.point = {-inside, 0.0, 0.0};
      joint.in_b.point_rest[0] = rest(-inside_digits(link), -inside);
    }
    joint.value = link.length;
    joint.value_rest = rest(decimal(link.length), link.length);
    joint.place = chain_.end ? chain_.end->place : chain_.formulation_place;
    mechanism_.joints.push_back(joint);
    ++mechanism_.hidden_bodies;
    ++mechanism_.hidden_joints;
  }

  void hold_end() {
    Joint joint;
    joint.name = name_ + ".end";
    joint.kind = JointKind::ball;
    joint.a = chain_.end->body;
    joint.in_a.point = chain_.end->point;
    joint.in_a.point_rest = rest_of(decimals_of(chain_.end->point), chain_.end->point);
    joint.b = out_.end.back().body;
    joint.in_b.point = out_.end.back().point;
    joint.in_b.point_rest = out_.end.back().point_rest;
    joint.place = chain_.end->place;
    mechanism_.joints.push_back(joint);
    ++mechanism_.hidden_joints;
    out_.end_held = true;
  }

  const Chain& chain_;
  std::string name_;
  Mechanism& mechanism_;
  ChainBodies out_;
};

// Half the angle that an arc of a circle turns through, from its chord over its length: sin(h) / h.
double half_angle(double ratio) {
  double low = 0.0, high = std::numbers::pi;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (std::sin(middle) > ratio * middle ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Unit vector across `along` that points down as far as may be; where `along` is vertical, along x.
Vec3 downwards_across(const Vec3& along, const Vec3& gravity) {
  for (const Vec3& wanted : {gravity, Vec3{0, 0, -1}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}) {
    const Vec3 across = sum(wanted, along, -dot(wanted, along));
    const double size = std::sqrt(dot(across, across));
    if (size > 1e-6 * std::sqrt(dot(wanted, wanted)) && size > 0.0)
      return {across[0] / size, across[1] / size, across[2] / size};
  }
  return {0, 0, -1};
}

void sag(Chain& chain, const Mechanism& mechanism, const Vec3& gravity) {
  std::vector<int> path;  // from the last link up to the pivot
  double total = 0.0;
  for (int k = static_cast<int>(chain.links.size()) - 1; k >= 0;
       k = chain.links[static_cast<std::size_t>(k)].parent) {
    path.push_back(k);
    total += chain.links[static_cast<std::size_t>(k)].length;
  }
  const Vec3 end = motion_of(mechanism, {.body = chain.end->body, .point = chain.end->point}).place;
  const Vec3 span = sum(end, chain.pivot, -1.0);
  const double chord = std::sqrt(dot(span, span));
  if (chord >= total) return;
  const Vec3 along = chord > 0.0 ? Vec3{span[0] / chord, span[1] / chord, span[2] / chord} : Vec3{1, 0, 0};
  const Vec3 down = downwards_across(along, gravity);
  const double half = half_angle(chord / total);
  double behind = 0.0;
  for (auto k = path.rbegin(); k != path.rend(); ++k) {
    Link& link = chain.links[static_cast<std::size_t>(*k)];
    const double angle = half * (1.0 - 2.0 * (behind + 0.5 * link.length) / total);
    behind += link.length;
    link.by_direction = true;
    link.rate = {};
    for (std::size_t i = 0; i < 3; ++i)
      link.direction[i] = std::cos(angle) * along[i] + std::sin(angle) * down[i];
    link.written_direction = link.direction;
    link.written_rate = {};
  }
}

}  // namespace

Union united(const Scene& scene) {
  Union out{scene.mechanism, {}};
  for (const Chain& chain : scene.chains) {
    out.chains.emplace_back();
    if (chain.as_bodies()) out.chains.back() = ChainPlacer(chain, out.mechanism).place();
  }
  add_sliders(out.mechanism);
  return out;
}

Scene sagging(Scene scene) {
  for (Chain& chain : scene.chains) {
    if (chain.end) sag(chain, scene.mechanism, scene.simulation.gravity);
  }
  return scene;
}

}  // namespace catena
