// What TreeRecursion is made of: for the files that lay its tree out and that go along it.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/dynamics/bodies/body_lanes.h"
#include "catena/dynamics/bodies/tree_recursion.h"
#include "catena/math/aligned.h"
#include "catena/math/pack.h"
#include "catena/math/vec3.h"

namespace catena {
namespace tree_parts {

using Lanes = Pack<double, kNativeWidth>;
inline constexpr std::size_t kWidth = kNativeWidth;

// Components of a body in the world: rotation matrix by rows, omega, inertia, torque, force; then the
// rotation matrix of the frame that its joint is worked in, and the torque in that frame.
inline constexpr std::size_t kTurn = 0, kSpin = 9, kInertia = 12, kTorque = 18, kForce = 21, kWork = 24,
                             kWorkTorque = 33, kTurned = 36;

struct Symmetric {
  double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
};
struct Matrix {
  Vec3 row[3]{};
};

// What a joint leaves free. `lever`: a ball joint on a body that ends in what weighs more than it does to
// turn. `free`: everything.
enum class Freedom : unsigned char { lever, ball, hinge, universal, fixed, slide, cylinder, plane, free };

// A body and the joint that leads towards the root. Frames of the ground are the world's.
struct Link {
  int body = -1, parent = kGround;
  Freedom freedom = Freedom::free;
  bool turned_around = false;  // the joint's first body is the child
  bool slides = false;
  Vec3 child_point{}, parent_point{};
  Vec3 ax{}, ay{}, az{}, bx{}, bz{};  // each in its own body
  double mass = 0.0;
  // Where what is carried is reduced to, in the body and, as seen from there, the joint on the parent.
  Vec3 reference{}, offset{};
  // Of levers: one over the length from the joint to there, and the body's own inertia at that end, in the
  // frame whose z leads to it.
  double over_length = 0.0;
  Vec3 center{};  // from the centre of mass to there
  Matrix own_coupling{};
  Symmetric own_inertia{};
  bool one_ball = false;  // all that hangs on it does so by a ball joint at its end
  bool leaf = false;      // nothing hangs on it
  bool at_end = false;    // it is what hangs at the end of a body with nothing else
};

// Inertia and load at a body's reference.
struct Carried {
  Symmetric m;
  Matrix h;
  Symmetric i;
  Vec3 force{}, torque{};
};

// What the way back needs. The joint's point, from both centres of mass; what the child's acceleration there
// differs from the parent's by; and how the joint's own one follows from it.
struct Joined {
  Vec3 child{}, parent{};
  Vec3 ahead{}, ahead_turn{};
  Vec3 slide[2]{}, turn[3]{};
  double from[3][6]{};
  double own[3]{};
};

struct Acceleration {
  Vec3 linear{}, angular{};
};

// A body's components in the world.
struct Turned {
  const double* at;
  double operator()(std::size_t c) const { return at[c * kWidth]; }
  Vec3 vector(std::size_t c) const { return {(*this)(c), (*this)(c + 1), (*this)(c + 2)}; }
  Vec3 in_world(const Vec3& v) const { return {dot(vector(0), v), dot(vector(3), v), dot(vector(6), v)}; }
  Vec3 omega() const { return vector(kSpin); }
  Matrix work() const { return {{vector(kWork), vector(kWork + 3), vector(kWork + 6)}}; }
};

}  // namespace tree_parts

struct TreeRecursion::Parts {
  std::size_t count = 0, stride = 0;
  const double* state = nullptr;             // while accelerations are found
  std::vector<tree_parts::Link> links;       // root to leaves
  AlignedVector<double> inertia;             // [register][6][lane]
  AlignedVector<double> frames;              // [register][9][lane]: in which joints are worked
  AlignedVector<double> turned;              // [register][component][lane]
  std::vector<double> ground;                // as one of them
  std::vector<tree_parts::Carried> carried;  // of each body
  std::vector<tree_parts::Joined> joined;    // of each link
  std::vector<tree_parts::Acceleration> found;

  bool order(const BodyLanes& bodies, const std::vector<TreeJoint>& joints);
  void add(const BodyLanes& bodies, int body, int parent, const TreeJoint* joint);
  bool keeps_digits() const;
  void choose_references(const BodyLanes& bodies);
  void make_lever(const BodyLanes& bodies, tree_parts::Link& link, const Vec3& way);
  void turn_bodies(const double* force, const double* torque);
  tree_parts::Turned body_at(int body) const {
    const auto b = static_cast<std::size_t>(body);
    return {body == kGround
                ? ground.data()
                : turned.data() + b / tree_parts::kWidth * tree_parts::kTurned * tree_parts::kWidth +
                      b % tree_parts::kWidth};
  }
  Vec3 place(int body, std::size_t first) const {
    if (body == kGround) return {};
    const double* from = state + first * stride + body;
    return {from[0], from[stride], from[2 * stride]};
  }
  template <tree_parts::Freedom F>
  void find_joint(const tree_parts::Link& link, const tree_parts::Turned& child,
                  const tree_parts::Turned& parent, tree_parts::Joined& to) const;
  template <tree_parts::Freedom F>
  void inward(std::size_t link);
  template <tree_parts::Freedom F>
  void outward(std::size_t link);
  void pull_lever(const tree_parts::Link& link, const tree_parts::Turned& body, tree_parts::Joined& to,
                  tree_parts::Symmetric& m, Vec3& passed) const;
  void release(std::size_t link);
};

}  // namespace catena
