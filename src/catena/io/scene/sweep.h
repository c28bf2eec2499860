// Sweeps: plans of many cases of one scene. A TOML file of its own, or [sweep] in a scene.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/model/sweep.h"

namespace catena {

// Whether a text has [sweep]; what is no TOML or JSON has none.
bool has_sweep(std::string_view text, const std::string& source);

// Its plan. Throws InputError with all mistakes; paths and columns are checked where the scene is known.
// `overrides`: "sweep.vary.a.count=400" and the like, as in scenes.
SweepPlan read_sweep(std::string_view text, const std::string& source,
                     const std::vector<std::string>& overrides = {});

// A plan from what identifies it, SweepPlan::json, which files have inside.
SweepPlan sweep_from_json(std::string_view json, const std::string& source);

}  // namespace catena
