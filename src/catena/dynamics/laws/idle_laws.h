// Force laws that change nothing: what they act on has no charge, no area, no volume, or does not move.
#pragma once

#include <vector>

#include "catena/base/mistake.h"
#include "catena/dynamics/laws/law_masses.h"

namespace catena {

// One warning for each such entry, and for each whose `on` names something that does not feel it.
std::vector<Warning> idle_laws(const Actors& actors);

}  // namespace catena
