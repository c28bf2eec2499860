#include "catena/model/sweep.h"

#include <algorithm>
#include <limits>
#include <map>

namespace catena {

std::vector<SweepExtent> extents_of(const SweepPlan& plan) {
  std::vector<SweepExtent> out;
  SweepExtent draws{"sample", plan.samples, {}};
  for (std::size_t a = 0; a < plan.axes.size(); ++a) {
    const SweepAxis& axis = plan.axes[a];
    if (axis.is_drawn()) {
      draws.axes.push_back(a);
      continue;
    }
    const auto is_shared = [&](const SweepExtent& extent) {
      const SweepAxis& other = plan.axes[extent.axes.front()];
      return axis.kind == SweepAxis::Kind::file && other.kind == axis.kind && other.file == axis.file;
    };
    const auto shared = std::find_if(out.begin(), out.end(), is_shared);
    if (shared != out.end()) {
      shared->axes.push_back(a);
      shared->name = "case";
    } else {
      out.push_back({axis.name, axis.values.size(), {a}});
    }
  }
  if (!draws.axes.empty() || plan.samples > 0) out.push_back(std::move(draws));
  return out;
}

SweepResults::SweepResults(const SweepPlan& plan, std::uint64_t first_case, std::uint64_t case_count)
    : cases(1), first(first_case), count(case_count) {
  for (const SweepExtent& extent : extents_of(plan)) {
    shape.push_back(extent.count);
    cases *= extent.count;
  }
  for (const SweepMeasure& measure : plan.measures) names.push_back(measure.name);
  measures.assign(names.size(), std::vector<double>(count, std::numeric_limits<double>::quiet_NaN()));
  status.assign(count, CaseStatus::not_computed);
}

std::uint64_t SweepResults::counted(CaseStatus which) const {
  return static_cast<std::uint64_t>(std::count(status.begin(), status.end(), which));
}

void SweepResults::take(const SweepChunk& chunk) {
  for (std::uint64_t i = 0; i < chunk.count; ++i) {
    const std::uint64_t index = chunk.first + i;
    if (index < first || index >= first + count) continue;
    for (std::size_t m = 0; m < measures.size(); ++m)
      measures[m][index - first] = chunk.measures[i * measures.size() + m];
    status[index - first] = chunk.status[i];
  }
  steps += chunk.steps;
  for (const CaseReason& reason : chunk.reasons) {
    if (reason.index < first || reason.index >= first + count) continue;
    const auto at =
        std::lower_bound(reasons.begin(), reasons.end(), reason,
                         [](const CaseReason& a, const CaseReason& b) { return a.index < b.index; });
    if (at != reasons.end() && at->index == reason.index) {
      *at = reason;
    } else {
      reasons.insert(at, reason);
    }
  }
}

namespace {

// A text without its numbers: what it says.
std::string kind_of(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && out.ends_with('#')) continue;
    if (!is_digit) {
      out += c;
      continue;
    }
    // "1.5e-06" is one number: so is what joins two runs of digits.
    while (!out.empty() && (out.back() == '.' || out.back() == '-' || out.back() == 'e' || out.back() == '+'))
      out.pop_back();
    if (!out.ends_with('#')) out += '#';
  }
  return out;
}

}  // namespace

std::vector<WarnedCases> SweepResults::warned() const {
  std::map<std::string, WarnedCases> kinds;
  for (const CaseReason& reason : reasons) {
    if (status[reason.index - first] != CaseStatus::done) continue;
    WarnedCases& of = kinds[kind_of(reason.text)];
    if (of.count++ == 0) of.first = reason.index, of.text = reason.text;
  }
  std::vector<WarnedCases> out;
  for (auto& [kind, of] : kinds) out.push_back(std::move(of));
  std::stable_sort(out.begin(), out.end(),
                   [](const WarnedCases& a, const WarnedCases& b) { return a.count > b.count; });
  return out;
}

}  // namespace catena
