// What every part of the world has: a state in two halves, and energies.
#pragma once

#include <vector>

#include "catena/math/double_double.h"

namespace catena {

// To about 30 digits, so that an energy error seen is the motion's and not the sum's.
struct Energies {
  DoubleDouble kinetic;
  DoubleDouble potential;  // in gravity
  DoubleDouble elastic;

  DoubleDouble total() const { return kinetic + potential + elastic; }
};

// A state as the unevaluated sum hi + lo.
struct LanePair {
  std::vector<double> hi;
  std::vector<double> lo;
};

}  // namespace catena
