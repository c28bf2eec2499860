// Brings a drawing together: joints closed, velocities allowed by them, start values of joints met,
// everything changed as little as possible in the mass metric.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/dynamics/bodies/multibody.h"

namespace catena {

struct Assembly {
  LanePair state;                                // of the bodies that move, as Multibody has it
  std::vector<JointGap> apart;                   // joints further apart in the drawing than allowed
  std::vector<JointGap> open;                    // joints that could not be closed; empty: all is well
  std::vector<JointGap> clashing;                // joints whose prescribed rates cannot be met
  std::vector<JointGap> parting;                 // joints whose motors agree at the start and not after it
  std::vector<UndeterminedMotion> undetermined;  // `body` in the mechanism
  bool singular = false;                         // in a position where the mobility changes
  double largest_move = 0.0;                     // of a body's centre, m
  double largest_turn = 0.0;                     // rad
  double largest_change = 0.0;                   // of a body's velocity, m/s
};

// The start of a mechanism. `Joint::start` and `Joint::start_rate` are met where they are given.
// Joints that are further apart in the drawing than `most` are left open.
Assembly assemble(const Mechanism& mechanism, std::optional<double> most = {});

}  // namespace catena
