// Branches of periodic orbits as curves of a diagram.
#pragma once

#include <vector>

#include "catena/analyze/continuation.h"
#include "catena/draw/plot/figure.h"

namespace catena::cli {

// Stable stretches solid, unstable ones dashed; special points marked.
std::vector<draw::Curve> branch_curves(const Continuation& along, const draw::Theme& theme);

}  // namespace catena::cli
