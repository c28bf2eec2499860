// The tree that a recursion goes along: bodies in order, what their joints leave free, and where what is
// heavy is kept.
#include <algorithm>
#include <array>
#include <cmath>

#include "catena/dynamics/bodies/tree_recursion_parts.h"
#include "catena/model/joint_kinds.h"
#include "catena/model/placement.h"

namespace catena {

using namespace tree_parts;

TreeRecursion::TreeRecursion() = default;
TreeRecursion::TreeRecursion(const TreeRecursion& other)
    : parts_(other.parts_ ? std::make_unique<Parts>(*other.parts_) : nullptr) {}
TreeRecursion::TreeRecursion(TreeRecursion&& other) noexcept = default;
TreeRecursion& TreeRecursion::operator=(TreeRecursion other) noexcept {
  std::swap(parts_, other.parts_);
  return *this;
}
TreeRecursion::~TreeRecursion() = default;

namespace {

Freedom freedom_of(const TreeJoint& joint) {
  constexpr double kAlmostParallel = 0.99;
  switch (joint.kind) {
    case JointKind::ball:
      return Freedom::ball;
    case JointKind::revolute:
      return Freedom::hinge;
    case JointKind::universal:
      return std::fabs(joint.sides.numbers[0]) < kAlmostParallel ? Freedom::universal : Freedom::free;
    case JointKind::fixed:
      return Freedom::fixed;
    case JointKind::prismatic:
      return Freedom::slide;
    case JointKind::cylindrical:
      return Freedom::cylinder;
    case JointKind::planar:
      return Freedom::plane;
    default:
      return Freedom::free;
  }
}

}  // namespace

TreeRecursion::TreeRecursion(const BodyLanes& bodies, const std::vector<TreeJoint>& joints) {
  bool suits = bodies.count() > 0 && bodies.massless().empty();
  for (std::size_t b = 0; b < bodies.count(); ++b) suits = suits && !bodies.point(b);
  for (const TreeJoint& joint : joints) suits = suits && freedom_of(joint) != Freedom::free;
  if (!suits) return;
  auto parts = std::make_unique<Parts>();
  parts->count = bodies.count();
  parts->stride = bodies.stride();
  if (!parts->order(bodies, joints) || !parts->keeps_digits()) return;
  parts->inertia.assign(6 * parts->stride, 0.0);
  parts->frames.assign(9 * parts->stride, 0.0);
  parts->turned.assign(kTurned * parts->stride, 0.0);
  parts->ground.assign(kTurned * kWidth, 0.0);
  for (std::size_t i = 0; i < 3; ++i) parts->ground[4 * i * kWidth] = 1.0;
  for (std::size_t b = 0; b < parts->count; ++b) {
    const Matrix3& i = bodies.inertia(b);
    const double entries[6] = {i[0][0], i[0][1], i[0][2], i[1][1], i[1][2], i[2][2]};
    double* to = parts->inertia.data() + b / kWidth * 6 * kWidth + b % kWidth;
    for (std::size_t k = 0; k < 6; ++k) to[k * kWidth] = entries[k];
  }
  parts->choose_references(bodies);
  parts->carried.resize(parts->count);
  parts->joined.resize(parts->count);
  parts->found.resize(parts->count);
  parts_ = std::move(parts);
}

// From the ground outwards; what does not hang on it starts from some body of its own.
bool TreeRecursion::Parts::order(const BodyLanes& bodies, const std::vector<TreeJoint>& joints) {
  std::vector<std::vector<std::size_t>> at(count + 1);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    for (const int body : joints[j].sides.body)
      at[body == kGround ? count : static_cast<std::size_t>(body)].push_back(j);
  }
  std::vector<char> seen(count + 1, 0), used(joints.size(), 0);
  bool is_tree = true;
  const auto spread = [&](std::size_t start) {
    std::vector<std::size_t> queue{start};
    seen[start] = 1;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::size_t from = queue[next];
      const int parent = from == count ? kGround : static_cast<int>(from);
      for (const std::size_t j : at[from]) {
        if (used[j]) continue;
        used[j] = 1;
        const JointLane& sides = joints[j].sides;
        const int other = sides.body[0] == parent ? sides.body[1] : sides.body[0];
        if (other == kGround || seen[static_cast<std::size_t>(other)]) {
          is_tree = false;
          continue;
        }
        seen[static_cast<std::size_t>(other)] = 1;
        queue.push_back(static_cast<std::size_t>(other));
        add(bodies, other, parent, &joints[j]);
      }
    }
  };
  spread(count);
  for (std::size_t body = 0; body < count; ++body) {
    if (seen[body]) continue;
    add(bodies, static_cast<int>(body), kGround, nullptr);
    spread(body);
  }
  return is_tree;
}

void TreeRecursion::Parts::add(const BodyLanes& bodies, int body, int parent, const TreeJoint* joint) {
  Link link;
  link.body = body;
  link.parent = parent;
  link.mass = bodies.mass(static_cast<std::size_t>(body));
  if (joint != nullptr) {
    link.freedom = freedom_of(*joint);
    const JointLane& sides = joint->sides;
    link.turned_around = sides.body[0] == body;
    const std::size_t child = link.turned_around ? 0 : 1;
    const auto in_world = [&](std::size_t side, const Vec3& v) {
      const auto& r = sides.resting[side];
      return sides.body[side] == kGround ? rotated({r[3], r[4], r[5], r[6]}, v) : v;
    };
    link.child_point = sides.frame[child].point;
    link.parent_point = sides.frame[1 - child].point;
    link.ax = in_world(0, sides.frame[0].x);
    link.ay = in_world(0, sides.frame[0].y);
    link.az = in_world(0, sides.frame[0].z);
    link.bx = in_world(1, sides.frame[1].x);
    link.bz = in_world(1, sides.frame[1].z);
    if (parent == kGround) {
      const auto& r = sides.resting[1 - child];
      link.parent_point = in_world(1 - child, link.parent_point) + Vec3{r[0], r[1], r[2]};
    }
  }
  links.push_back(link);
}

// What a body on a ball joint carries is light across it and heavy along it, in one matrix: its roundings are
// those of what is heavy, and a light body above it would feel them. Two in a row over what weighs this many
// times as much as both are left to others.
bool TreeRecursion::Parts::keeps_digits() const {
  constexpr double kMost = 1e4;
  std::vector<const Link*> of(count);
  for (const Link& link : links) of[static_cast<std::size_t>(link.body)] = &link;
  return std::none_of(links.begin(), links.end(), [&](const Link& link) {
    if (link.parent == kGround) return false;
    const Link& above = *of[static_cast<std::size_t>(link.parent)];
    if (above.parent == kGround || above.freedom != Freedom::ball) return false;
    const Link& top = *of[static_cast<std::size_t>(above.parent)];
    return link.mass > kMost * (above.mass + top.mass);
  });
}

// Sums of what is heavy leave their roundings, and what is light must not be found as a difference of them.
// What hangs on a body is therefore kept where the heaviest of it hangs, or, where that is nearer the joint
// than its own inertia reaches, at the joint.
void TreeRecursion::Parts::choose_references(const BodyLanes& bodies) {
  std::vector<double> beyond(count, 0.0);  // what each body carries, itself included
  std::vector<std::size_t> children(count, 0);
  std::vector<const Link*> heaviest(count, nullptr);
  for (std::size_t k = links.size(); k-- > 0;) {
    const Link& link = links[k];
    const auto body = static_cast<std::size_t>(link.body);
    beyond[body] += link.mass;
    if (link.parent == kGround) continue;
    const auto parent = static_cast<std::size_t>(link.parent);
    beyond[parent] += beyond[body];
    children[parent] += 1;
    const Link*& most = heaviest[parent];
    if (most == nullptr || beyond[body] > beyond[static_cast<std::size_t>(most->body)]) most = &link;
  }
  for (Link& link : links) {
    const auto body = static_cast<std::size_t>(link.body);
    link.slides =
        link.freedom == Freedom::slide || link.freedom == Freedom::cylinder || link.freedom == Freedom::plane;
    if (link.freedom != Freedom::free && !link.slides) link.reference = link.child_point;
    if (link.freedom != Freedom::ball) continue;
    const Matrix3& of_body = bodies.inertia(body);
    const double turning = std::max({of_body[0][0], of_body[1][1], of_body[2][2]});
    const Link* child = heaviest[body];
    const Vec3 own = Vec3{} - link.child_point, end = child ? child->parent_point - link.child_point : Vec3{};
    const double by_own = link.mass * dot(own, own);
    const double by_end = child ? beyond[static_cast<std::size_t>(child->body)] * dot(end, end) : 0.0;
    if (std::max(by_own, by_end) <= turning) continue;
    link.reference = by_end >= by_own ? child->parent_point : Vec3{};
    link.one_ball =
        children[body] == 0 || (children[body] == 1 && by_end >= by_own &&
                                (child->freedom == Freedom::ball || child->freedom == Freedom::lever));
    make_lever(bodies, link, by_end >= by_own ? end : own);
  }
  std::vector<char> ends_in_ball(count, 0);
  for (Link& link : links) {
    const auto body = static_cast<std::size_t>(link.body);
    link.leaf = children[body] == 0;
    ends_in_ball[body] = link.one_ball && !link.leaf;
    link.at_end = link.parent != kGround && ends_in_ball[static_cast<std::size_t>(link.parent)];
  }
  std::vector<Vec3> reference(count);
  for (const Link& link : links) reference[static_cast<std::size_t>(link.body)] = link.reference;
  for (Link& link : links) {
    if (link.parent != kGround)
      link.offset = link.parent_point - reference[static_cast<std::size_t>(link.parent)];
  }
}

// Inertia of a mass at d from where it is looked at from, besides that about its centre.
void TreeRecursion::Parts::make_lever(const BodyLanes& bodies, Link& link, const Vec3& way) {
  link.freedom = Freedom::lever;
  link.over_length = 1.0 / std::sqrt(dot(way, way));
  const JointFrame frame = frame_along({}, way);
  const Vec3 axes[3] = {frame.x, frame.y, frame.z};
  const auto b = static_cast<std::size_t>(link.body);
  double* to = frames.data() + b / kWidth * 9 * kWidth + b % kWidth;
  const Matrix3& of_body = bodies.inertia(b);
  const auto seen = [&](const Vec3& v) { return Vec3{dot(axes[0], v), dot(axes[1], v), dot(axes[2], v)}; };
  constexpr double kRounding = 1e-15;
  Vec3& center = link.center = seen(link.reference);  // a = P + center x alpha
  for (double& c : center) c = std::fabs(c) < kRounding / link.over_length ? 0.0 : c;
  double own[3][3];
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      to[(3 * i + j) * kWidth] = axes[j][i];
      const Vec3 turned_axis{dot(of_body[0], axes[j]), dot(of_body[1], axes[j]), dot(of_body[2], axes[j])};
      own[i][j] = dot(axes[i], turned_axis) +
                  link.mass * ((i == j ? dot(center, center) : 0.0) - center[i] * center[j]);
    }
  }
  link.own_inertia = {own[0][0], own[0][1], own[0][2], own[1][1], own[1][2], own[2][2]};
  const auto [x, y, z] = link.mass * center;
  link.own_coupling = {{Vec3{0.0, -z, y}, Vec3{z, 0.0, -x}, Vec3{-y, x, 0.0}}};
}

}  // namespace catena
