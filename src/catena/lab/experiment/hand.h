// A hand that holds a part of a scene while time runs: it pulls with a spring whose far end follows the hand.
// Where the hand is told to go, that end comes to rest there after some hundredths of a second; where it is
// and how fast it moves never jumps, so that what is let go flies on with the velocity it has.
#pragma once

#include "catena/model/scene.h"

namespace catena {

// The way of a hand from one order to the next: P(t) = T + (P_0 - T + V_0 u) exp(-(u/tau)^2), u = t - t_0. It
// starts at P_0 with the velocity V_0, ends at T, and is smooth at all times, also before t_0.
class HandPath {
 public:
  HandPath(const Vec3& place, double t) : target_(place), place_(place), since_(t) {}

  Vec3 place(double t) const;
  Vec3 velocity(double t) const;
  // On to another place, from where it is at time t.
  void turn_to(const Vec3& target, double t);
  // The place and its rate along an axis, as formulas of t.
  Formula place_formula(int axis) const;
  Formula rate_formula(int axis) const;

  static constexpr double kDelay = 0.04;  // tau, s

 private:
  Vec3 target_, place_, velocity_{};
  double since_;
};

// What the hand holds: a bob, a point of a body, or a pivot (`link` -1).
struct Grip {
  int chain = -1;
  int link = 0;
  int body = -1;
  Vec3 point{};  // in the body's frame

  bool is_pivot() const { return body < 0 && link < 0; }
};

// What the numbers of a hand's spring are called in its formulas.
constexpr const char* kHandParameter = "hand_stiffness";
constexpr const char* kHandDamping = "hand_damping";

// The scene with the hand on it.
Scene with_hand(const Scene& scene, const Grip& grip, const HandPath& path);

}  // namespace catena
