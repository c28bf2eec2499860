// What is said about a run in words.
#pragma once

#include <string>

#include "catena/lab/run.h"

namespace catena::cli {

// "2.3 MB"
std::string size_text(double bytes);

// The numbers of a recording as they are in memory; files are about as large.
double recording_bytes(const Schedule& schedule, const Columns& columns);

// "3 links", "2 bodies, 1 joint"
std::string parts_text(const WorldFacts& facts);

// Two lines: what was simulated how fast, and how exactly; a third where there is advice. `first_time`: where
// this run took the motion up.
std::string run_report(const Lab& lab, const RunSummary& summary, double first_time);

// One line for each event: how many there were, and when.
std::string events_report(const RunSummary& summary);

// The summary with line breaks.
std::string pretty_json(const std::string& json);

// A warning when the recording will be large, and what would make it smaller; or "".
std::string size_warning(const Schedule& schedule, const Columns& columns, const Lab& lab);

}  // namespace catena::cli
