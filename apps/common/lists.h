// What there is to choose from, as JSON: the command line, the page and Python offer the same.
#pragma once

#include <nlohmann/json.hpp>

#include "catena/facts/world_facts.h"

namespace catena {

using ListJson = nlohmann::ordered_json;

ListJson methods_json();
ListJson quantities_json();
ListJson forces_json();
ListJson joints_json();
ListJson shapes_json();
ListJson functions_json();
ListJson keys_json();  // of scenes, section by section
ListJson scenes_json();
ListJson studies_json();
ListJson indicators_json();
ListJson sweeps_json();

// How many equations the joints of a mechanism are, how many of them say something of their own, and which
// joints have equations that follow from others.
ListJson constraints_json(const MechanismFacts& mechanism);

}  // namespace catena
