// A number with as many directions as share the work that its value asks for: where four are not enough.
#pragma once

#include "catena/math/tangent.h"

namespace catena {

using ManyRates = Tangent<20>;

}  // namespace catena
