// Motions as text, to go on with elsewhere: a moment (a link), or a whole session with its past.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/lab/experiment/experiment.h"
#include "catena/lab/experiment/undo.h"

namespace catena::web {

using Json = nlohmann::ordered_json;

// Throws InputError with all that is wrong with the text.
Scene scene_of(const std::string& text, const std::string& name, const std::string& source);

Json json_of(const GhostSettings& ghost);
std::vector<GhostSettings> ghosts_from(const Json& list);

// All that another page needs to show the same motion at the same instant and go on with the same bits.
Json moment_json(const Experiment& experiment);
// The same with its past: what was changed, and snapshots on the way.
Json session_json(const Memory& memory);
// Either of them. Throws InputError where it is damaged.
Memory memory_from(const Json& saved);
// What can be undone and done again.
Json undo_json(const Undo& undo);
Undo undo_from(const Json& saved);

// The scene with pivots that move by formulas written into its text.
Scene with_written_pivots(const Scene& scene);

std::vector<std::string> column_names(const Columns& columns);
// Rows of past ticks in these columns, one behind the other.
std::vector<double> past_rows(Experiment& experiment, std::int64_t first, std::int64_t last,
                              const std::vector<std::string>& names);

}  // namespace catena::web
