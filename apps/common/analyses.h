// What analyses found, as JSON: the command line and Python tell the same.
#pragma once

#include <nlohmann/json.hpp>

#include "catena/analyze/bifurcation.h"
#include "catena/analyze/indicators.h"
#include "catena/analyze/lyapunov.h"
#include "catena/analyze/map.h"
#include "catena/analyze/naff.h"
#include "catena/analyze/section.h"

namespace catena {

using AnalysisJson = nlohmann::ordered_json;

AnalysisJson analysis_json(const LyapunovResult& result);
// Indicators by name, beside what holds for all of them.
AnalysisJson analysis_json(const IndicatorResult& result);
AnalysisJson analysis_json(const SectionResult& result);
AnalysisJson analysis_json(const BifurcationResult& result);
AnalysisJson analysis_json(const Spectrum& spectrum, const std::vector<Frequency>& lines);
AnalysisJson analysis_json(const Recurrence& recurrence);
AnalysisJson analysis_json(const MapAnalysis& result);

// null for what is no number.
AnalysisJson json_number(double value);
AnalysisJson json_numbers(const std::vector<double>& values);

}  // namespace catena
