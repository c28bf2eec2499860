// The equations of a scene, derived and written out.
#pragma once

#include "catena/lab/equations/equation_sheet.h"
#include "catena/model/scene.h"

namespace catena {

// Throws InputError where the scene is larger than a page can show, or has what is not written out, with the
// reason.
EquationSheet equations_of(const Scene& scene, bool latex);

}  // namespace catena
