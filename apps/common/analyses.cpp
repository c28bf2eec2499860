#include "analyses.h"

#include <cmath>

namespace catena {

AnalysisJson json_number(double value) {
  return std::isfinite(value) ? AnalysisJson(value) : AnalysisJson(nullptr);
}

AnalysisJson json_numbers(const std::vector<double>& values) {
  AnalysisJson out = AnalysisJson::array();
  for (const double value : values) out.push_back(json_number(value));
  return out;
}

namespace {

AnalysisJson json_rows(const std::vector<std::vector<double>>& rows) {
  AnalysisJson out = AnalysisJson::array();
  for (const std::vector<double>& row : rows) out.push_back(json_numbers(row));
  return out;
}

AnalysisJson json_optional(const std::optional<double>& value) {
  return value ? json_number(*value) : AnalysisJson(nullptr);
}

}  // namespace

AnalysisJson analysis_json(const LyapunovResult& result) {
  AnalysisJson checks = AnalysisJson::array(), angles = AnalysisJson::array(), looks = AnalysisJson::array();
  for (const LyapunovCheck& check : result.checks) {
    checks.push_back({{"name", check.name},
                      {"meaning", check.meaning},
                      {"off_by", json_number(check.value)},
                      {"allowed", json_number(check.allowed)},
                      {"holds", check.holds()}});
  }
  for (const AngleHistogram& one : result.angles)
    angles.push_back({{"vectors", {one.first + 1, one.second + 1}}, {"counts", one.counts}});
  for (const auto& [duration, error] : result.looked_at)
    looks.push_back({{"duration", duration}, {"error", json_number(error)}});
  AnalysisJson out = {{"exponents", json_numbers(result.exponents)},
                      {"errors", json_numbers(result.errors)},
                      {"intervals", json_numbers(result.intervals)},
                      {"kaplan_yorke", json_optional(result.kaplan_yorke)},
                      {"kaplan_yorke_error", json_optional(result.kaplan_yorke_error)},
                      {"entropy", json_number(result.entropy)},
                      {"entropy_error", json_number(result.entropy_error)},
                      {"sum", json_number(result.sum)},
                      {"sum_error", json_number(result.sum_error)},
                      {"duration", result.duration},
                      {"dimension", result.dimension},
                      {"chaotic", result.is_chaotic},
                      {"settled", result.is_settled},
                      {"batches", result.batches},
                      {"correlation_time", json_number(result.correlation_time)},
                      {"starts", json_rows(result.by_start)},
                      {"start_intervals", json_rows(result.start_intervals)},
                      {"looks", looks},
                      {"checks", checks},
                      {"running", {{"times", result.times}, {"exponents", json_rows(result.running)}}},
                      {"notes", result.notes},
                      {"outcome", outcome_text(result.outcome)}};
  if (!result.message.empty()) out["message"] = result.message;
  if (!result.angles.empty()) {
    out["angles"] = angles;
    out["vector_exponents"] = json_numbers(result.vector_exponents);
  }
  return out;
}

AnalysisJson analysis_json(const IndicatorResult& result) {
  AnalysisJson out = AnalysisJson::object();
  for (const Indicator& one : result.indicators) {
    out[one.name] = {{"value", json_number(one.value)},
                     {"error", json_number(one.error)},
                     {"verdict", verdict_text(one.verdict)},
                     {"reason", one.reason}};
    if (one.times.empty()) continue;
    out[one.name]["course"] = {
        {"label", one.course_label}, {"at", json_numbers(one.times)}, {"values", json_numbers(one.course)}};
  }
  return out;
}

AnalysisJson analysis_json(const SectionResult& result) {
  AnalysisJson points = AnalysisJson::array(), numbers = AnalysisJson::array(),
               starts = AnalysisJson::array();
  for (const auto& [a, b] : result.points) points.push_back({json_number(a), json_number(b)});
  for (const std::size_t start : result.start_of) numbers.push_back(start + 1);
  for (const SectionStart& one : result.starts) {
    starts.push_back({{"state", json_numbers(one.state)},
                      {"energy", json_number(one.energy)},
                      {"points", one.points},
                      {"mean_return", json_number(one.mean_return)},
                      {"winding", json_number(one.winding)},
                      {"winding_error", json_number(one.winding_error)},
                      {"indicator", json_number(one.indicator)}});
  }
  AnalysisJson out = {{"axes", result.axes},
                      {"starts", numbers},
                      {"points", points},
                      {"times", json_numbers(result.times)},
                      {"motions", starts},
                      {"residual", json_number(result.residual)},
                      {"scale", json_number(result.scale)},
                      {"notes", result.notes},
                      {"outcome", outcome_text(result.outcome)}};
  if (!result.message.empty()) out["message"] = result.message;
  return out;
}

AnalysisJson analysis_json(const BifurcationResult& result) {
  AnalysisJson out = {{"parameters", json_numbers(result.parameters)},
                      {"values", json_rows(result.values)},
                      {"periods", result.periods},
                      {"down", json_rows(result.down)},
                      {"down_periods", result.down_periods},
                      {"notes", result.notes},
                      {"outcome", outcome_text(result.outcome)}};
  if (!result.message.empty()) out["message"] = result.message;
  return out;
}

AnalysisJson analysis_json(const Spectrum& spectrum, const std::vector<Frequency>& lines) {
  AnalysisJson strongest = AnalysisJson::array();
  for (const Frequency& one : lines)
    strongest.push_back({{"frequency", json_number(one.value)},
                         {"amplitude", json_number(one.amplitude)},
                         {"phase", json_number(one.phase)}});
  return {{"frequencies", json_numbers(spectrum.frequencies)}, {"power", json_numbers(spectrum.power)},
          {"errors", json_numbers(spectrum.errors)},           {"segments", spectrum.segments},
          {"share_of_lines", json_number(spectrum.lines)},     {"lines", strongest}};
}

AnalysisJson analysis_json(const MapAnalysis& result) {
  AnalysisJson outcomes = AnalysisJson::array(), scales = AnalysisJson::array();
  for (std::size_t c = 0; c < result.names.size(); ++c)
    outcomes.push_back({{"name", result.names[c]}, {"share", json_number(result.shares[c])}});
  for (const MapScale& one : result.scales)
    scales.push_back({{"cells", one.cells},
                      {"boxes", json_number(one.boxes)},
                      {"box_dimension", json_number(one.box_dimension)},
                      {"uncertain", json_number(one.uncertain)},
                      {"uncertainty_dimension", json_number(one.uncertainty_dimension)},
                      {"basin_entropy", json_number(one.entropy)},
                      {"boundary_basin_entropy", json_number(one.boundary_entropy)}});
  return {{"outcomes", outcomes},
          {"scales", scales},
          {"box_dimension", json_number(result.box_dimension)},
          {"box_dimension_error", json_number(result.box_error)},
          {"uncertainty_dimension", json_number(result.uncertainty_dimension)},
          {"uncertainty_dimension_error", json_number(result.uncertainty_error)},
          {"basin_entropy", json_number(result.entropy)},
          {"boundary_basin_entropy", json_number(result.boundary_entropy)},
          {"notes", result.notes}};
}

AnalysisJson analysis_json(const Recurrence& found) {
  return {{"recurrence_rate", json_number(found.rate)},
          {"threshold", json_number(found.threshold)},
          {"determinism", json_number(found.determinism)},
          {"mean_diagonal", json_number(found.mean_diagonal)},
          {"longest_diagonal", json_number(found.longest_diagonal)},
          {"entropy", json_number(found.entropy)},
          {"laminarity", json_number(found.laminarity)},
          {"trapping_time", json_number(found.trapping_time)},
          {"states", found.states},
          {"spacing", json_number(found.spacing)}};
}

}  // namespace catena
