// A small chain as a system given by its Lagrangian: the equations of textbooks. Motion in one vertical plane
// is written in angles; other rigid chains in the positions of their joints, with the links as constraints;
// elastic chains in positions.
#pragma once

#include "catena/model/scene.h"

namespace catena {

// Throws InputError where the scene has more than such a page can show, and says what.
Lagrangian chain_lagrangian(const Scene& scene);

}  // namespace catena
