// Angles as scenes give them.
#pragma once

#include "catena/math/vec3.h"

namespace catena {

// An angle with its sine and cosine. Angles given with a unit ("90 deg", "0.5 pi") have exact sines and
// cosines at quarter turns, which the radians alone could not give.
struct Angle {
  double radians = 0.0;  // as given, not reduced to one turn
  double sine = 0.0;
  double cosine = 1.0;
  double rest = 0.0;  // what the double `radians` cannot hold of what was written

  static Angle from_radians(double radians);
  static Angle from_degrees(double degrees);
  static Angle from_half_turns(double half_turns);  // multiples of pi
};

}  // namespace catena
