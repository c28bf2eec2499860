// A motion as binary glTF 2.0 (.glb), which 3D programs and viewers open: meshes, and an animation through
// its samples.
#pragma once

#include <string>

#include "catena/draw/film/film.h"

namespace catena::draw {

// The bytes of the file. z is up in scenes and y in glTF: a node turned by a quarter holds everything.
// Samples need not be at even times; those with numbers that are none are left out. Rotations keep the sign
// that is nearest to the sample before.
std::string gltf_binary(const Motion& motion, const std::string& name);

}  // namespace catena::draw
