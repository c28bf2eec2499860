// Measurements of bodies and joints.
#pragma once

#include "measure.h"

namespace bench {

void measure_mechanisms(const Options& options);

}  // namespace bench
