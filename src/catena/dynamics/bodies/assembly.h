// Brings a drawing together: joints closed, velocities allowed by them, start values of joints met,
// everything changed as little as possible in the mass metric.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/dynamics/bodies/multibody.h"

namespace catena {

// The largest change of some kind that assembly made, and whose.
struct AssemblyChange {
  double size = 0.0;
  std::size_t body = 0;    // in the mechanism
  double reference = 1.0;  // the size of what was changed: of the whole drawing

  bool is_notable() const { return size > 1e-6 * reference; }
};

struct Assembly {
  LanePair state;                                // of the bodies that move, as Multibody has it
  std::vector<JointGap> apart;                   // joints further apart in the drawing than allowed
  std::vector<JointGap> open;                    // joints that could not be closed; empty: all is well
  std::vector<JointGap> clashing;                // joints whose prescribed rates cannot be met
  std::vector<JointGap> parting;                 // joints whose motors agree at the start and not after it
  std::vector<UndeterminedMotion> undetermined;  // `body` in the mechanism
  bool singular = false;                         // in a position where the mobility changes
  AssemblyChange move;                           // of a body's centre, m
  AssemblyChange turn;                           // rad
  AssemblyChange velocity;                       // of the centre, m/s
  AssemblyChange spin;                           // of the angular velocity, rad/s
  AssemblyChange given_velocity, given_spin;     // the same of those that the scene gives
};

// The start of a mechanism. `Joint::start` and `Joint::start_rate` are met where they are given.
// Joints that are further apart in the drawing than `most` are left open.
//
// Velocities that the scene gives are kept before those that it leaves out: of all velocities that the joints
// allow, the start has those that change the given ones by the least kinetic energy, and of these the ones
// that change the others by the least.
Assembly assemble(const Mechanism& mechanism, std::optional<double> most = {});

// The start of an assembly with all digits of a pair of doubles: places and turns as they were written,
// wherever assembly changed no more than roundoff; joints closed, start values met and velocities found by
// the same rule as in doubles.
LanePair start_in_full(const Mechanism& mechanism, const LanePair& assembled);

// What `made` is different in from a drawing.
void note_changes(const Mechanism& drawing, Assembly& made);

// What a scene asks for and does not get: places, angles and given velocities that were changed by more than
// a millionth of their size.
std::vector<Warning> assembly_warnings(const Mechanism& mechanism, const Assembly& made);

}  // namespace catena
