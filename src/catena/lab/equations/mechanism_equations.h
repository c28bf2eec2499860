// The equations of a small mechanism: joints as constraints, and Newton's and Euler's equations of its bodies
// with the joints' forces.
#pragma once

#include "catena/lab/equations/equation_sheet.h"
#include "catena/model/scene.h"

namespace catena {

// Throws InputError where it is too large, with the reason.
EquationSheet mechanism_equations(const Scene& scene, bool latex);

}  // namespace catena
