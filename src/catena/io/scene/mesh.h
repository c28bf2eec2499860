// Triangle meshes from OBJ and STL files.
#pragma once

#include <string>

#include "catena/model/shapes.h"

namespace catena {

// Points that coincide become one. Throws std::runtime_error that says what is wrong with the file.
Mesh read_mesh(const std::string& path);

}  // namespace catena
