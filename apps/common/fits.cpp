#include "fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "catena/analyze/observation.h"
#include "catena/base/words.h"
#include "catena/io/scene/fit.h"
#include "catena/io/scene/paths.h"
#include "catena/io/scene/scene.h"
#include "catena/lab/lab.h"
#include "derivatives.h"

namespace catena {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kParameters = "fit.parameters.";

SceneOptions options_of(const SceneText& text, const std::vector<Override>& overrides) {
  SceneOptions options;
  options.source = text.source;
  options.name = text.name;
  for (const Override& one : overrides) options.overrides.push_back(one.assignment);
  return options;
}

// A scene beside the file that names it, or one that is shipped.
SceneText scene_beside(const std::string& name, const std::string& source) {
  const std::filesystem::path beside = std::filesystem::path(source).parent_path() / name;
  std::error_code ignored;
  return find_scene(std::filesystem::exists(beside, ignored) ? beside.string() : name);
}

std::vector<std::string> column_names(const Scene& scene) {
  const Lab lab(scene);
  return names_of(lab.columns({}));
}

template <class List>
auto named(List& list, const std::string& name) {
  return std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
}

class Preparing {
 public:
  Preparing(const FitScene& of, const Measurements& data, const FitAsk& ask)
      : of_(of), data_(data), ask_(ask), plan_(of.plan), base_(of.scene) {
    drop_plan();
  }

  PreparedFit take() {
    choose_columns();
    set_observed();
    set_noise();
    set_free();
    if (!mistakes_.empty()) throw InputError(std::move(mistakes_));
    set_data();
    check_count();
    set_scene();
    problem_.loss = ask_.loss.value_or(plan_.loss);
    problem_.segments = ask_.segments.value_or(plan_.segments);
    check_segments();
    tell_times();
    if (!mistakes_.empty()) throw InputError(std::move(mistakes_));
    return {std::move(problem_), std::move(notes_)};
  }

 private:
  void complain(Place place, std::string message) {
    mistakes_.push_back({std::move(place), std::move(message)});
  }
  Place header() const { return {data_.source, data_.header_line, data_.header_line > 0 ? 1 : 0}; }

  // Scenes beside each other are read many times, and need no plan for that.
  void drop_plan() {
    SceneOptions options;
    options.source = options.name = base_.name;
    options.overrides = {"fit=default"};
    const std::vector<Warning> warnings = base_.warnings;
    if (base_.json.find("\"fit\"") != std::string::npos) base_ = read_scene(base_.json, options);
    base_.warnings = warnings;
  }

  void choose_columns() {
    for (const std::string& name : ask_.columns) {
      if (std::find(data_.names.begin(), data_.names.end(), name) == data_.names.end())
        complain(header(),
                 fmt::format("the data have no column '{}'{}", name, did_you_mean(name, data_.names)));
    }
    for (std::size_t i = 0; i < data_.names.size(); ++i) {
      const bool wanted = ask_.columns.empty() || std::find(ask_.columns.begin(), ask_.columns.end(),
                                                            data_.names[i]) != ask_.columns.end();
      if (wanted) used_.push_back(i);
    }
    if (data_.names.empty()) complain(header(), "the data have no column beside t: there is nothing to fit");
  }

  void set_observed() {
    const std::vector<std::string> known = column_names(base_);
    for (const std::size_t i : used_) {
      const std::string& name = data_.names[i];
      const auto formula = named(plan_.observe, name);
      if (formula != plan_.observe.end()) {
        problem_.observed.push_back({name, formula->formula, formula->place, {}});
      } else if (std::find(known.begin(), known.end(), name) != known.end()) {
        problem_.observed.push_back({name, "", {}, {}});
      } else {
        std::vector<std::string> all = known;
        for (const ObserveFormula& one : plan_.observe) all.push_back(one.name);
        const std::string near = did_you_mean(name, all);
        complain(header(),
                 fmt::format("'{}' is neither a column of the scene nor in [fit] observe{}", name,
                             near.empty() ? "; say what it is there, or leave it out of the columns" : near));
      }
    }
    for (const ObserveFormula& one : plan_.observe) {
      const bool chosen = ask_.columns.empty() ||
                          std::find(ask_.columns.begin(), ask_.columns.end(), one.name) != ask_.columns.end();
      if (!chosen || std::find(data_.names.begin(), data_.names.end(), one.name) != data_.names.end())
        continue;
      complain(one.place, fmt::format("fit: observe.{}: {} has no such column; it has t, {}", one.name,
                                      data_.source, fmt::join(data_.names, ", ")));
    }
    for (const FitPlan::Named& one : plan_.parameters) {
      if (std::find(known.begin(), known.end(), one.name) != known.end())
        complain(one.place,
                 fmt::format("fit: the parameter '{}' has the name of a column; choose another", one.name));
    }
    problem_.parameters = plan_.parameters;
  }

  void set_noise() {
    const auto set = [&](const std::string& name, double noise, const Place& place) {
      const auto found = named(problem_.observed, name);
      if (found == problem_.observed.end()) {
        const bool is_there = std::find(data_.names.begin(), data_.names.end(), name) != data_.names.end();
        if (!is_there)
          complain(place, fmt::format("noise of '{}': the data have no such column{}", name,
                                      did_you_mean(name, data_.names)));
        return;
      }
      found->noise = noise;
    };
    for (const FitPlan::Named& one : plan_.noise) set(one.name, one.value, one.place);
    for (ObservedColumn& one : problem_.observed) {
      if (ask_.noise) one.noise = ask_.noise;
    }
    for (const auto& [name, noise] : ask_.noise_of) set(name, noise, {"--noise"});
  }

  // ---- what is free

  void set_free() {
    std::vector<FreeKey> keys = plan_.free;
    if (!ask_.free.empty()) {
      keys.clear();
      for (const std::string& path : ask_.free) keys.push_back({path, {}, {}, {}, {}, {"--free " + path}});
    }
    if (keys.empty())
      complain(plan_.place,
               "nothing is free: name numbers by --free, as in --free chain.links.1.length, or in "
               "[[fit.free]]");
    for (const FreeKey& key : keys) add_free(key);
    if (ask_.free.empty()) return;
    // Bounds and priors of the scene hold for those that are free.
    for (const FreeKey& key : plan_.free) {
      for (FreeNumber& one : problem_.free) {
        if (one.path == key.key) take_limits(key, one);
      }
    }
  }

  void add_free(const FreeKey& key) {
    std::vector<SceneNumber> numbers;
    if (key.key.rfind(kParameters, 0) == 0) {
      add_parameters(key);
      return;
    }
    try {
      numbers = scene_numbers(base_, {key.key});
    } catch (const InputError& error) {
      for (const Mistake& mistake : error.mistakes())
        complain(key.place, key.place.line > 0 ? "fit: " + mistake.message : mistake.message);
      return;
    }
    for (const SceneNumber& number : numbers) add_number(key, number.path, number.value, std::nullopt);
  }

  void add_parameters(const FreeKey& key) {
    const std::string name = key.key.substr(std::string_view(kParameters).size());
    bool any = false;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < plan_.parameters.size(); ++i) {
      known.push_back(plan_.parameters[i].name);
      if (name != "*" && name != known.back()) continue;
      any = true;
      add_number(key, kParameters + known.back(), plan_.parameters[i].value, i);
    }
    if (any) return;
    complain(key.place, known.empty()
                            ? "the scene's [fit] has no parameters"
                            : fmt::format("[fit] has no parameter '{}'{}", name, did_you_mean(name, known)));
  }

  void add_number(const FreeKey& key, const std::string& path, double value,
                  std::optional<std::size_t> parameter) {
    if (std::any_of(problem_.free.begin(), problem_.free.end(),
                    [&](const FreeNumber& other) { return other.path == path; }))
      return complain(key.place, fmt::format("{} is free twice", path));
    FreeNumber one;
    one.path = path;
    one.guess = value;
    one.parameter = parameter;
    take_limits(key, one);
    problem_.free.push_back(std::move(one));
  }

  void take_limits(const FreeKey& key, FreeNumber& one) {
    if (key.low) one.low = *key.low;
    if (key.high) one.high = *key.high;
    one.prior_mean = key.prior_mean;
    one.prior_error = key.prior_error;
    if (one.guess >= one.low && one.guess <= one.high) return;
    complain(
        key.place,
        fmt::format("{} is {} in the scene, outside of what it may be, {} to {}: give it a first "
                    "value in between, by --set {}=.. or in the scene",
                    one.path, number_text(one.guess), number_text(one.low), number_text(one.high), one.path));
  }

  // ---- the data

  void set_data() {
    problem_.times = data_.times;
    for (std::size_t row = 0; row < data_.rows(); ++row) {
      for (const std::size_t i : used_) problem_.values.push_back(data_.value(row, i));
    }
    for (std::size_t c = 0; c < problem_.observed.size(); ++c) {
      bool any = false;
      for (std::size_t row = 0; row < data_.rows() && !any; ++row)
        any = !std::isnan(problem_.values[row * problem_.observed.size() + c]);
      if (!any)
        complain(header(),
                 fmt::format("'{}' was never measured: its column is empty", problem_.observed[c].name));
    }
  }

  void check_count() {
    std::size_t measured = 0, priors = 0;
    for (const double value : problem_.values) measured += std::isnan(value) ? 0 : 1;
    for (const FreeNumber& one : problem_.free) priors += one.prior_mean ? 1 : 0;
    if (measured + priors >= problem_.free.size()) return;
    complain({data_.source},
             fmt::format("{} cannot determine {}: free fewer numbers, or give priors",
                         counted(measured, "measurement"), counted(problem_.free.size(), "number")));
  }

  void set_scene() {
    std::vector<SceneNumber> numbers;
    std::vector<std::string> paths;
    std::vector<std::size_t> which;
    for (std::size_t j = 0; j < problem_.free.size(); ++j) {
      if (problem_.free[j].parameter) continue;
      numbers.push_back({problem_.free[j].path, problem_.free[j].guess});
      paths.push_back(problem_.free[j].path);
      which.push_back(j);
    }
    if (made_spatial(base_, numbers))
      notes_.push_back(
          {{base_.name}, "a free number leads out of the chain's plane: it is computed in space"});
    problem_.scene = [base = base_, paths, which](const std::vector<double>& values) {
      std::vector<double> chosen;
      for (const std::size_t j : which) chosen.push_back(values[j]);
      return with_numbers(base, paths, chosen);
    };
  }

  void check_segments() {
    const auto most = static_cast<int>(problem_.times.size() / 2);
    if (problem_.segments > std::max(1, most))
      complain({data_.source}, fmt::format("{} cannot be cut into {}: a segment needs two at least",
                                           counted(problem_.times.size(), "row"),
                                           counted(static_cast<std::size_t>(problem_.segments), "segment")));
  }

  void tell_times() {
    const double duration = base_.simulation.duration, last = problem_.times.back();
    if (last > duration)
      notes_.push_back(
          {{data_.source},
           fmt::format("the data reach t = {} s, beyond the scene's duration of {} s: the motion is "
                       "followed that far",
                       time_text(last), time_text(duration))});
    if (std::any_of(base_.events.begin(), base_.events.end(),
                    [](const Event& event) { return event.stop > 0; }))
      notes_.push_back({{base_.name}, "events do not stop a motion that is fitted"});
    notes_.insert(notes_.end(), data_.notes.begin(), data_.notes.end());
  }

  const FitScene& of_;
  const Measurements& data_;
  const FitAsk& ask_;
  const FitPlan& plan_;
  Scene base_;
  std::vector<std::size_t> used_;  // of the data's columns
  FitProblem problem_;
  std::vector<Mistake> mistakes_;
  std::vector<Warning> notes_;
};

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

FitScene fit_scene(const SceneText& text, const Settings& settings, const char* form) {
  const std::vector<Override> overrides = overrides_of(settings, form);
  FitScene out;
  out.text = text;
  const std::optional<FitPlan> plan = read_fit(text.text, options_of(text, overrides));
  if (plan) out.plan = *plan;
  if (plan && !plan->scene.empty()) {
    out.has_own_file = true;
    out.text = scene_beside(plan->scene, text.source);
  }
  std::vector<Override> of_scene;
  for (const Override& one : overrides) {
    if (!out.has_own_file || one.assignment.rfind("fit.", 0) != 0) of_scene.push_back(one);
  }
  out.has_overrides = !overrides.empty();
  out.scene = scene_with(out.text, of_scene, settings.events);
  return out;
}

FitScene find_fit(const std::string& argument, const Settings& settings, const char* form) {
  return fit_scene(find_scene(argument), settings, form);
}

PreparedFit prepared(const FitScene& of, const Measurements& data, const FitAsk& ask) {
  return Preparing(of, data, ask).take();
}

std::string fit_outcome_text(FitOutcome outcome) {
  switch (outcome) {
    case FitOutcome::converged:
      return "converged";
    case FitOutcome::not_converged:
      return "not-converged";
    case FitOutcome::failed:
      return "failed";
    case FitOutcome::interrupted:
      return "interrupted";
  }
  return "";
}

std::optional<Loss> loss_called(const std::string& word) {
  if (word == "squares") return Loss::squares;
  if (word == "huber") return Loss::huber;
  if (word == "cauchy") return Loss::cauchy;
  return std::nullopt;
}

std::string fit_json(const FitProblem& problem, const FitResult& result) {
  Json values = Json::object(), errors = values, intervals = values, correlation = values,
       covariance = values, undetermined = values, bounds = values, noise = values, rms = values;
  const std::size_t count = problem.free.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& path = problem.free[i].path;
    values[path] = number_or_null(result.values[i]);
    errors[path] = number_or_null(result.errors[i]);
    const auto& [low, high] = result.intervals[i];
    intervals[path] = std::isfinite(low) ? Json{low, high} : Json(nullptr);
    correlation[path] = covariance[path] = Json::object();
    for (std::size_t j = 0; j < count; ++j) {
      correlation[path][problem.free[j].path] = number_or_null(result.correlation[i * count + j]);
      covariance[path][problem.free[j].path] = number_or_null(result.covariance[i * count + j]);
    }
    if (result.bounds[i] != 0) bounds[path] = result.bounds[i] < 0 ? "low" : "high";
  }
  for (const FlatDirection& flat : result.undetermined) {
    for (const std::size_t i : flat.members) {
      Json& text = undetermined[problem.free[i].path];
      text = text.is_null() ? flat.text : text.get<std::string>() + "; " + flat.text;
    }
  }
  for (std::size_t c = 0; c < problem.observed.size(); ++c) {
    noise[problem.observed[c].name] = number_or_null(result.noise[c]);
    if (c < result.column_rms.size()) rms[problem.observed[c].name] = number_or_null(result.column_rms[c]);
  }
  const Json out = {{"values", values},
                    {"errors", errors},
                    {"intervals", intervals},
                    {"correlation", correlation},
                    {"undetermined", undetermined},
                    {"residual_rms", number_or_null(result.residual_rms)},
                    {"converged", result.outcome == FitOutcome::converged},
                    {"outcome", fit_outcome_text(result.outcome)},
                    {"message", result.message},
                    {"covariance", covariance},
                    {"at_bounds", bounds},
                    {"noise", noise},
                    {"residual_rms_of", rms},
                    {"measurements", result.measurements},
                    {"degrees_of_freedom", result.freedom},
                    {"reduced_chi_square", number_or_null(result.reduced_chi_square)},
                    {"iterations", result.iterations},
                    {"segments", result.cuts.size()},
                    {"cuts", result.cuts},
                    {"largest_defect", number_or_null(result.largest_defect)}};
  return out.dump();
}

FittedText fitted_text(const FitScene& of, const FitProblem& problem, const FitResult& result) {
  std::vector<std::string> paths;
  std::vector<double> values;
  for (std::size_t i = 0; i < problem.free.size(); ++i) {
    if (problem.free[i].parameter && of.has_own_file) continue;  // they are in that file
    paths.push_back(problem.free[i].path);
    values.push_back(result.values[i]);
  }
  // Overrides are in the document, not in the text.
  ChangedText changed =
      text_with_numbers(of.has_overrides ? of.scene.json : of.text.text, of.scene.json, paths, values);
  if (of.has_overrides && !changed.is_rewritten) changed = {scene_as_toml(changed.text), true};
  return {std::move(changed.text), changed.is_rewritten};
}

}  // namespace catena
