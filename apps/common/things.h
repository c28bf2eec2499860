// What there is to draw of a scene, as pages and Python's pictures ask for it: names, sizes and who hangs on
// whom.
#pragma once

#include <vector>

#include "catena/facts/world_facts.h"
#include "catena/model/scene.h"
#include "lists.h"

namespace catena {

ListJson chains_json(const Scene& scene, const std::vector<ChainFacts>& chains);
ListJson bodies_json(const Mechanism& mechanism);
ListJson placed_joints_json(const Mechanism& mechanism);
// Of a system given by formulas: coordinates of its Lagrangian, or states of its equations.
ListJson coordinates_json(const Scene& scene);

}  // namespace catena
