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

}  // namespace catena
