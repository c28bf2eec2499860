// Unit vectors with rates in lanes (catena/dynamics/chain/directions.h).
#pragma once

#include <cstddef>

#include "catena/math/lanes.h"

namespace catena {

// Back to |u| = 1, u . w = 0 by correcting lo only, from exact products.
template <int D, int W>
void project_directions(std::size_t links, const LanesOf<W>* hi, LanesOf<W>* lo);

}  // namespace catena
