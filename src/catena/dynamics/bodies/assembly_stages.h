// What assembly makes of a mechanism on its way, in doubles and with more digits.
#pragma once

#include "catena/dynamics/bodies/multibody.h"

namespace catena::assembly {

// The mechanism with motors in place of start values: q = value at t = 0.
Mechanism with_start_values(const Mechanism& mechanism);

// The mechanism with the frames of its joints turned about their own z, both sides alike, so that x lies
// where a body says and not where the world's axes do. Equations that read x (of screws, gears, sliders,
// fixed joints and prescribed angles) mean the same in closed joints wherever x is; while joints are open
// they do not, and with them the way on which Newton-Raphson closes them.
Mechanism with_own_frames(Mechanism mechanism);

// Likewise with rates, at the coordinates that positions have been given.
Mechanism with_start_rates(const Mechanism& mechanism, Multibody& closed, const LanePair& state);

bool has_givens(const Mechanism& mechanism);

// Velocities that are given are made heavy: then they hardly change, and what is left of the change goes when
// it is taken back and made again.
Mechanism with_heavy_givens(Mechanism mechanism);

}  // namespace catena::assembly
