// Derivatives by the paths of a scene's numbers, for all programs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/io/scene/paths.h"
#include "catena/lab/lab.h"

namespace catena {

// Numbers of a scene as directions for Lab::follow.
std::vector<Direction> directions_of(const Scene& scene, const std::vector<SceneNumber>& numbers);

// A lab of the scene, and the directions of the numbers that these paths name, which it does not follow yet;
// chains as in lab_with_derivatives.
struct LabAndDirections {
  std::unique_ptr<Lab> lab;
  std::vector<Direction> directions;
};
LabAndDirections lab_and_directions(Scene& scene, const std::vector<std::string>& paths);

// Whether one of these numbers leads a chain out of the plane that it is computed in; the scene then says
// that its chains are in space.
bool made_spatial(Scene& scene, const std::vector<SceneNumber>& numbers);

// Whether chains were in a formulation whose states have no derivatives: the scene then has them in unit
// vectors, the motion being the same one.
bool made_of_unit_vectors(Scene& scene);

// A lab of the scene that follows derivatives with respect to the numbers that these paths name. Chains that
// a number leads out of their plane are computed in space, and the scene says so from then on. Throws
// InputError.
std::unique_ptr<Lab> lab_with_derivatives(Scene& scene, const std::vector<std::string>& paths);

}  // namespace catena
