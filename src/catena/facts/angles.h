// What angles remember between instants.
#pragma once

#include <vector>

namespace catena {

// Of a chain's links, or of a mechanism's joints.
struct AngleMemory {
  std::vector<double> turns;  // planar, and joints: whole turns beyond (-pi, pi], in radians
  std::vector<double> phi;    // last value, for links at a pole
};

}  // namespace catena
