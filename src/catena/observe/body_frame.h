// A mechanism at one instant, in world coordinates: what every column of bodies and joints is computed from.
#pragma once

#include <vector>

#include "catena/dynamics/bodies/multibody.h"
#include "catena/observe/chain_frame.h"

namespace catena {

// Turns of the joints' angles beyond (-pi, pi], in radians, as AngleMemory::turns.
AngleMemory start_memory(Multibody& mechanism, double t, const double* hi, const double* lo);

// Follows the joints' angles from one state to another, `elapsed` seconds ahead. The rates at both ends must
// tell how far each joint turned in between to less than half a turn. States in two parts: where an angle is
// half a turn but for rounding, they say on which side.
struct TwoPart {
  const double* hi;
  const double* lo;
};
void follow_turns(Multibody& mechanism, double t, const TwoPart& from, const TwoPart& to, double elapsed,
                  AngleMemory& memory);

// Whether a joint of this kind has the coordinate as a column: also where it is not its only one.
bool shows(JointKind kind, Coordinate coordinate);

struct BodyFrame {
  explicit BodyFrame(const Multibody& mechanism);

  void update(Multibody& mechanism, double t, const double* hi, const double* lo, const AngleMemory& memory);
  void react(const std::vector<Multibody::Reaction>& of_joints);
  // After update(): places, motions and coordinates with the digits beyond a double's.
  void refine(const Multibody& mechanism, const double* hi, const double* lo, const AngleMemory& memory);

  // Of all bodies that are shown, the fixed ones too.
  Lanes3 position, velocity, rotation;  // rotation: angular velocity
  Lanes3 momentum, angular_momentum;    // the latter about the origin
  std::array<Lanes, 4> orientation;     // w, x, y, z
  Lanes kinetic, potential;
  // Of all joints that are shown; coordinates are 0 where a joint has none.
  Lanes angle, angle_dot, travel, travel_dot;
  Lanes3 force, moment;  // on the second body
  Lanes unique;          // 1: they are what they must be; 0: the least of many that make the same motion
  double rank = 0.0;
  // What doubles cannot hold of those above.
  Lanes3 position_lo, velocity_lo, rotation_lo;
  std::array<Lanes, 4> orientation_lo;
  Lanes angle_lo, angle_dot_lo, travel_lo, travel_dot_lo;

 private:
  void refine_joint(const Multibody& mechanism, std::size_t joint, const TwoPart& state, double turns);
};

}  // namespace catena
