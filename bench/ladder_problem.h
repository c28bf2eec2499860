// Problem "ladder-1s": a rope ladder of 40 or 166 cells, each of two rails of 0.3 m and a rung of 0.4 m,
// uniform rods of 1 kg/m on hinges, its first rails on the ground at x = 0 and 0.4 m. Released at rest along
// z under 9.81 m/s^2 that pulls 30 degrees aside, towards x, and followed for 1 s. Judged: the largest error
// of a coordinate of the tenth rung's middle.
#pragma once

#include "measure.h"

namespace bench {

struct Ladder {
  int cells;
  double x, z;  // of the judged place, to about 1e-14: taylor at two tolerances; Exudyn converges to it
};

inline constexpr Ladder kLadders[] = {{40, 1.3299561165275404, -2.7788458943592746},
                                      {166, 0.8159808997800306, -2.936029641631141}};

void measure_ladders(const Options& options);

}  // namespace bench
