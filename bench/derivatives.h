// Motions with their derivatives.
#pragma once

#include "measure.h"

namespace bench {

void measure_derivatives(const Options& options);

}  // namespace bench
