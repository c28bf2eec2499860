// Unit vectors whose rates are given by angular velocities: u' = omega x u, omega' = u x w' / |u|^2. On
// states w = omega x u these are the same motions, and |u|^2 and u . omega are quadratic invariants
// everywhere, off the manifold too, which methods that keep such invariants therefore keep.
//
// A state in angular velocities has omega in the lanes of w; in a plane it is one number, in the first of
// them.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/integrate/system.h"

namespace catena {

class Turning {
 public:
  explicit Turning(const std::vector<UnitVectors>& vectors) : vectors_(vectors) {}

  // Rates to angular velocities, u x w, of a state in two parts.
  void to_turning(double* hi, double* lo) const;
  // The state with rates w = omega x u.
  void to_rates(double* x) const;
  // omega' in place of w', at a state that has u.
  void turn(const double* x, double* dx) const;
  // The change of w in place of that of omega, for the step of (u, omega) from `start` by `change`.
  void change_of_rates(const double* start, double* change) const;

 private:
  const std::vector<UnitVectors>& vectors_;
};

}  // namespace catena
