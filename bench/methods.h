// Measurements of Catena's methods, beside one another and on the promises made for each.
#pragma once

#include "measure.h"

namespace bench {

void measure_methods(const Options& options);

}  // namespace bench
