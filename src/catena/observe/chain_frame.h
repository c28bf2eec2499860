// A chain at one instant, in world coordinates: what every column of a chain is computed from.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/dynamics/world/world.h"
#include "catena/facts/angles.h"

namespace catena {

AngleMemory start_memory(const ChainUnit& unit, const double* lanes);

// Follows the turns of a planar chain from one state to another, `elapsed` seconds ahead. The rates at both
// ends must tell how far each link turned in between to less than half a turn.
void follow_turns(const ChainUnit& unit, const double* from, const double* to, double elapsed,
                  AngleMemory& memory);

using Lanes = std::vector<double>;
using Lanes3 = std::array<Lanes, 3>;

struct ChainFrame {
  explicit ChainFrame(const ChainUnit& unit);

  // Reactions by themselves: they cost a solve.
  void update(ChainUnit& unit, double t, const double* lanes, AngleMemory& memory);
  void react(const ChainUnit& unit, const WorldReactions::OfChain& found);
  // What doubles cannot hold of ends and angles, from the state hi + lo; after update, whose values become
  // the sums' nearest doubles.
  void refine(ChainUnit& unit, double t, const double* hi, const double* lo, const AngleMemory& memory);

  std::size_t links;
  Lanes3 direction, rate;             // u, du/dt
  Lanes3 end, end_velocity;           // of each link
  Lanes3 center, center_velocity;     // of mass
  Lanes3 rotation;                    // angular velocity u x du/dt
  Lanes3 momentum, angular_momentum;  // the latter about the pivot
  Lanes theta, phi, theta_dot, phi_dot;
  Lanes pole;                      // of the angles' chart: 1 along z, 0 along x
  Lanes3 end_lo, end_velocity_lo;  // these and those below are empty until refine() is called
  Lanes theta_lo, phi_lo, theta_dot_lo, phi_dot_lo;
  Lanes kinetic, potential;
  Lanes elastic, strain;  // 0 for rigid chains
  Lanes tension;
  Vec3 pivot{}, pivot_velocity{};
  Vec3 pivot_force{};  // of the pivot on the chain
  Vec3 end_force{};    // of what holds its end on the chain

 private:
  void place(const ChainUnit& unit);         // rigid: everything follows from directions and rates
  void place_masses(const ChainUnit& unit);  // elastic: everything follows from ends and their velocities
  void measure_stretches(const ChainUnit& unit, const double* lanes);
  void weigh(const ChainUnit& unit);
  // `own`: directions and rates in the chain's own space.
  void measure_angles(const ChainUnit& unit, const double* own, AngleMemory& memory);

  Lanes own_directions_;
};

}  // namespace catena
