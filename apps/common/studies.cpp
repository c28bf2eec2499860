#include "studies.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/io/scene/scene.h"

namespace catena {
namespace {

void check_methods(const Study& study) {
  std::vector<Mistake> mistakes;
  for (const std::string& name : study.methods) {
    if (find_method(name) != nullptr) continue;
    const std::string near = did_you_mean(name, method_names());
    mistakes.push_back({{},
                        fmt::format("unknown method '{}'{}", name,
                                    near.empty() ? "; `catena list methods` has all" : near)});
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

}  // namespace

std::optional<Study> find_study(const std::string& argument) {
  for (const ShippedScene& shipped : shipped_studies()) {
    if (shipped.name == argument) return read_study(shipped.text, argument);
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(argument, ignored)) return std::nullopt;
  const std::string text = read_scene_text(argument);
  if (text.find("methods") == std::string::npos) return std::nullopt;
  return read_study(text, argument);
}

void complete(Study& study) {
  check_methods(study);
  if (study.steps.empty() && study.as_many_steps_as.empty()) study.steps = {1e-2, 1e-3};
  if (study.tolerances.empty()) study.tolerances = {1e-6, 1e-9, 1e-12};
}

Settings settings_of(const Study& study, const StudyCase& one, Settings given) {
  given.set.insert(given.set.begin(), one.overrides.begin(), one.overrides.end());
  // The methods are the comparison's business; any that needs no settings reads the scene.
  given.method = "taylor";
  given.set.emplace_back("simulation.step=default");
  given.set.emplace_back("simulation.tolerance=default");
  if (!given.duration && study.duration) given.duration = number_text(*study.duration);
  return given;
}

Comparison compare(const Scene& scene, const Study& study, const ComparisonOptions& options) {
  if (study.as_many_steps_as.empty()) {
    return compare(scene, contenders(study.methods, study.steps, study.tolerances, study.orders), options);
  }
  // First those that choose their steps, then the others with as many as the one named needed.
  std::vector<std::string> adaptive, fixed;
  for (const std::string& name : study.methods)
    (find_method(name)->adaptive ? adaptive : fixed).push_back(name);
  Comparison first = compare(scene, contenders(adaptive, {}, study.tolerances, study.orders), options);
  std::vector<double> steps;
  for (const Score& score : first.scores) {
    if (score.contender.method != study.as_many_steps_as || score.summary.counts.steps == 0) continue;
    steps.push_back(scene.simulation.duration / static_cast<double>(score.summary.counts.steps));
  }
  Comparison second = compare(scene, contenders(fixed, steps, {}, {}), options);
  for (Score& score : second.scores) first.scores.push_back(std::move(score));
  for (LeftOut& one : second.left_out) first.left_out.push_back(std::move(one));
  return first;
}

}  // namespace catena
