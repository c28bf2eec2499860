// What analyses found, as JSON: the command line and Python tell the same.
#pragma once

#include <nlohmann/json.hpp>

#include "catena/analyze/lyapunov.h"

namespace catena {

using AnalysisJson = nlohmann::ordered_json;

AnalysisJson analysis_json(const LyapunovResult& result);

// null for what is no number.
AnalysisJson json_number(double value);
AnalysisJson json_numbers(const std::vector<double>& values);

}  // namespace catena
