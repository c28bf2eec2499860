// Fits as `catena fit` and Python's `fit` make them: a scene, its [fit] and measurements become a problem,
// and the result becomes JSON and a scene.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/analyze/fit.h"
#include "settings.h"

namespace catena {

// What is said beside the scene and its [fit].
struct FitAsk {
  std::vector<std::string> free;                              // paths; empty: those of [fit]
  std::optional<double> noise;                                // of all that is measured
  std::vector<std::pair<std::string, double>> noise_of = {};  // of these
  std::vector<std::string> columns = {};                      // of the data: these alone
  std::optional<int> segments = {};                           // 0: "auto"
  std::optional<Loss> loss = {};
};

// A scene with its [fit].
struct FitScene {
  SceneText text;  // of the scene, without overrides
  Scene scene;
  FitPlan plan;
  bool has_overrides = false;
  bool has_own_file = false;  // the plan
};

// `argument`: a scene, or a file with a [fit] and `scene = ".."`. Throws InputError.
FitScene find_fit(const std::string& argument, const Settings& settings, const char* form);
// Likewise of a text that was read already.
FitScene fit_scene(const SceneText& text, const Settings& settings, const char* form);

struct PreparedFit {
  FitProblem problem;
  std::vector<Warning> notes;  // what was decided, for people
};

// Throws InputError with all mistakes: paths that lead nowhere, columns that are missing, too few data.
PreparedFit prepared(const FitScene& of, const Measurements& data, const FitAsk& ask);

// {"values": {path: ..}, "errors", "intervals", "correlation", "undetermined", "residual_rms", "converged",
// ..}
std::string fit_json(const FitProblem& problem, const FitResult& result);

// The scene's text with the numbers that were found, and whether it had to be written anew.
struct FittedText {
  std::string scene;
  bool is_rewritten = false;
};
FittedText fitted_text(const FitScene& of, const FitProblem& problem, const FitResult& result);

// "converged", "not-converged", "failed", "interrupted"
std::string fit_outcome_text(FitOutcome outcome);

// A word of a scene, of --loss; none: there is no such loss.
std::optional<Loss> loss_called(const std::string& word);

}  // namespace catena
