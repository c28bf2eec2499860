// The same motion by several methods: how far off each is, and what it costs.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catena/lab/run.h"

namespace catena {

// A method with its settings.
struct Contender {
  std::string method;
  std::optional<double> step;
  std::optional<double> tolerance;
  std::optional<int> order;
  // A method of the caller's own; `method` is then what it is called.
  std::optional<RungeKuttaTable> custom = {};
  std::shared_ptr<const StepFunction> function = {};

  std::string label() const;  // "rk4, step 0.001"
};

// All sensible combinations: steps for methods of fixed step, tolerances for the others, orders for taylor.
std::vector<Contender> contenders(const std::vector<std::string>& methods, const std::vector<double>& steps,
                                  const std::vector<double>& tolerances, const std::vector<int>& orders);

struct Score {
  Contender contender;
  RunSummary summary;
  double mean_energy_error = 0.0;  // J, of the balance, over the rows; nan: systems of equations have none
  double largest_energy_error = 0.0;
  double momentum_error = 0.0;  // largest |l_z - its start| where that is conserved; NaN elsewhere
  double position_error = 0.0;  // largest distance of a link's end from the reference, m, over the rows
  double final_error = 0.0;     // the same at the end
  double series_bytes = 0.0;    // coefficients of one step; taylor
  std::vector<double> times, energy_errors, step_sizes;  // of the rows
  std::vector<std::vector<double>> rows;                 // all columns, where they are kept
};

// A method that the scene is not for, and why.
struct LeftOut {
  Contender contender;
  std::string reason;
};

struct Comparison {
  std::string scene;
  bool of_states = false;  // a system of equations: errors are those of its states, and there is no energy
  double duration = 0.0;
  double reference_error = 0.0;  // of the reference itself: two solutions that differ in order and tolerance
  std::string reference;         // "taylor, tolerance 1e-18, order 30"
  std::vector<Stem> stems;       // of the rows
  std::vector<Score> scores;
  std::vector<LeftOut> left_out;
};

struct ComparisonOptions {
  bool keep_rows = false;
  double least_seconds = 0.02;  // short runs are repeated for their time
  const std::atomic<bool>* stop = nullptr;
  std::function<void()> pulse = {};  // a few times a second
  std::function<void(const std::string& what, std::size_t done, std::size_t all)> progress = {};
};

// Methods that cannot do the scene justice are left out, with the reason; where none is left, InputError
// names all reasons.
Comparison compare(const Scene& scene, const std::vector<Contender>& contenders,
                   const ComparisonOptions& options);

// The order that errors at different mean steps show; none where there are fewer than two that are neither
// roundoff nor lost.
std::optional<double> fitted_order(const Comparison& comparison, const std::string& method,
                                   std::optional<int> order);

}  // namespace catena
