// Trajectories side by side, and the elementary functions that they use.
#pragma once

#include "measure.h"

namespace bench {

void measure_lanes(const Options& options);

}  // namespace bench
