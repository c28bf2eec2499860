// What the stage shows beside places: vectors, fields and equations of the scene in motion.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/lab/experiment/experiment.h"

namespace catena::web {

// Columns by name with their values and how fast these change.
nlohmann::ordered_json sight_json(Experiment& experiment, const std::vector<std::string>& quantities);

// What surrounds masses at these places: wind, electric and magnetic field, those that the scene has.
nlohmann::ordered_json fields_json(const Scene& scene, double t, const std::vector<Vec3>& places);

// The equations of the scene as text, or the reason why there are none.
nlohmann::ordered_json equations_json(const Scene& scene);

}  // namespace catena::web
