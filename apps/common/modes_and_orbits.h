// What analyses find, as JSON: the command line and Python show the same.
#pragma once

#include <nlohmann/json.hpp>

#include "catena/analyze/continuation.h"
#include "catena/analyze/modes.h"
#include "catena/analyze/orbit_search.h"

namespace catena {

using AnalysisJson = nlohmann::ordered_json;

AnalysisJson modes_json(const Modes& modes, const std::string& scene);
// `along`: null where it was not followed along a number.
AnalysisJson orbit_json(const Orbit& orbit, const Continuation* along, const std::string& scene);

// `branches`, `special` and what belongs to them, into results of another kind.
void add_branches(AnalysisJson& out, const Continuation& along);
AnalysisJson search_json(const OrbitSearchResult& result, const std::string& scene);

// The numbers that these paths name, as inputs of a linear model. Throws InputError.
std::vector<Direction> inputs_of(const Scene& scene, const std::vector<std::string>& paths);
// The path's number, as what an orbit is followed along; its own word where there is no such path. Throws
// InputError.
void set_path(OrbitOptions& options, const Scene& scene, const std::string& path);

}  // namespace catena
