// Numbers of a scene from measurements: least squares with exact derivatives, of the whole record at once or
// in segments that are tied together (multiple shooting), so that chaotic records can be fitted too.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/model/fit.h"
#include "catena/model/scene.h"

namespace catena {

// A number that is fitted.
struct FreeNumber {
  std::string path;
  double guess = 0.0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::optional<double> prior_mean, prior_error;
  // Of the formulas of what is observed: which of their parameters; none: a number of the scene.
  std::optional<std::size_t> parameter;
};

// A column of the data.
struct ObservedColumn {
  std::string name;
  std::string formula;          // of recorded columns and parameters; empty: the column of that name
  Place place{};                // of the formula
  std::optional<double> noise;  // standard deviation; none: estimated
};

struct FitProblem {
  // The scene with these values of the free numbers. Throws InputError where they make no sense.
  std::function<Scene(const std::vector<double>& values)> scene;
  std::vector<FreeNumber> free;
  std::vector<FitPlan::Named> parameters;  // of the formulas
  std::vector<ObservedColumn> observed;
  std::vector<double> times;   // of rows, growing
  std::vector<double> values;  // [row][observed]; nan: not measured
  Loss loss = Loss::squares;
  int segments = 0;  // 0: as many as the growth of small differences asks for
};

struct FitControl {
  const std::atomic<bool>* stop = nullptr;
  // After each iteration, and from time to time within one.
  std::function<void(int iteration, double rms)> progress = {};
  std::function<void()> pulse = {};
  int most_iterations = 100;
};

// Numbers that the data determine only in combination, or not at all.
struct FlatDirection {
  std::vector<std::size_t> members;  // of the free numbers
  std::string text;                  // "a and b: only their ratio"
};

enum class FitOutcome { converged, not_converged, failed, interrupted };

struct FitResult {
  FitOutcome outcome = FitOutcome::not_converged;
  std::string message;  // why it did not converge, and what may help
  std::vector<double> values;
  std::vector<double> errors;                        // standard errors; nan: not determined, or at a bound
  std::vector<std::pair<double, double>> intervals;  // 95 %; nan likewise
  std::vector<double> covariance, correlation;       // [number][number]; nan likewise
  std::vector<FlatDirection> undetermined;
  std::vector<int> bounds;                    // -1: it ended at its low end, 1: at its high one, 0: at none
  std::vector<double> start_rms, column_rms;  // of the residuals of each column, before and after
  std::vector<double> noise;                  // of each column, as given or estimated
  double residual_rms = 0.0;                  // of all, in the data's units
  double freedom = 0.0;                       // measurements (and priors) less what was determined
  double reduced_chi_square = 0.0;            // of residuals over given noise; nan: none was given
  std::size_t measurements = 0;
  int iterations = 0;
  std::vector<double> cuts;       // times at which segments begin, the first at 0
  double largest_defect = 0.0;    // what segments are apart at their seams
  std::vector<double> modelled;   // [row][observed]
  std::vector<Warning> warnings;  // of the motion
};

// Throws InputError where the problem cannot be posed.
FitResult fit(const FitProblem& problem, const FitControl& control);

}  // namespace catena
