// Derivatives by the paths of a scene's numbers, for all programs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/lab/lab.h"

namespace catena {

// A lab of the scene that follows derivatives with respect to the numbers that these paths name. Chains that
// a number leads out of their plane are computed in space, and the scene says so from then on. Throws
// InputError.
std::unique_ptr<Lab> lab_with_derivatives(Scene& scene, const std::vector<std::string>& paths);

}  // namespace catena
