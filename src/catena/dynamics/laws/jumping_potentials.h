// Potentials that jump: the force there is infinite, and no motion shows it.
#pragma once

#include <vector>

#include "catena/model/scene.h"

namespace catena {

// A warning for each potential, of laws and of Lagrangians, found to jump where choose or sign switches.
std::vector<Warning> jumping_potentials(const std::vector<WrittenFormula>& formulas);

}  // namespace catena
