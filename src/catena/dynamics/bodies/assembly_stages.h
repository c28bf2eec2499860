// What assembly makes of a mechanism on its way, in doubles and with more digits.
#pragma once

#include "catena/dynamics/bodies/multibody.h"

namespace catena::assembly {

// The mechanism with motors in place of start values: q = value at t = 0.
Mechanism with_start_values(const Mechanism& mechanism);

// Likewise with rates, at the coordinates that positions have been given.
Mechanism with_start_rates(const Mechanism& mechanism, Multibody& closed, const LanePair& state);

bool has_givens(const Mechanism& mechanism);

// Velocities that are given are made heavy: then they hardly change, and what is left of the change goes when
// it is taken back and made again.
Mechanism with_heavy_givens(Mechanism mechanism);

}  // namespace catena::assembly
