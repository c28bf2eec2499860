// The least energy with which something can happen.
#pragma once

#include <optional>
#include <string>

#include "catena/lab/lab.h"

namespace catena {

// The least energy of all states at which a formula of columns vanishes, J: a motion that keeps its energy,
// or loses some, cannot get there with less. By descent from many states; none: the scene has no energy, or
// is driven, or no such state was found. Throws InputError for a formula that names no columns.
std::optional<double> least_energy(const Scene& scene, const std::string& formula);

}  // namespace catena
