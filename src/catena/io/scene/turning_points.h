// Prescribed motions (pivots, motors, constraints in time) that come to a point where asin, acos, norm or
// atan2 has a kink or a jump, a root or a broken power has no rate, or a quotient, log or tan is infinite.
// What abs, min, max, sign, step and choose do is found and passed exactly (expr/pieces.h); these decide
// nothing by a sign, so such motions are refused by name.
#pragma once

#include "catena/io/scene/values.h"
#include "catena/model/scene.h"

namespace catena {

void refuse_turning_points(const Scene& scene, Mistakes& mistakes);

}  // namespace catena
