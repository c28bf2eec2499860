// One method at work on one system: takes steps, gives dense output over the last one, and can be stopped and
// continued with the same bits.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/integrate/step_polynomial.h"
#include "catena/integrate/system.h"

namespace catena {

struct Tableau;

// One step as a function: the state of `dimension` numbers at t + h, into `end`, from x at t.
using TakeStep = std::function<void(const std::function<void(double, const double*, double*)>& rhs,
                                    std::size_t dimension, double t, const double* x, double h, double* end)>;

struct StepOptions {
  double tolerance = 1e-10;                          // adaptive: error per step <= tolerance * max(1, |x|)
  std::optional<double> step = std::nullopt;         // fixed-step: the step; adaptive: the first one
  std::optional<int> order = std::nullopt;           // taylor: none means the cheapest
  std::shared_ptr<const Tableau> tableau = nullptr;  // custom: the user's own
  // Adaptive: errors per step that velocities, m/s, and momenta, kg m/s, may have.
  std::optional<double> max_velocity_error = std::nullopt;
  std::optional<double> max_momentum_error = std::nullopt;
  std::optional<double> max_step = std::nullopt;  // adaptive: no step is longer
  bool by_tolerance = true;  // whether `tolerance` limits the step as well; if not, it chooses orders only
  TakeStep take = {};        // of a method that is a function
};

using StepMemory = std::array<double, 4>;

class Stepper {
 public:
  virtual ~Stepper() = default;

  // One accepted step from `state`, never shortened for `horizon`, which only `cvode` and `ida` look at.
  // On failure the state is left as it was.
  virtual StepStatus step(State& state, double horizon) = 0;

  // The motion over the last step. Valid until the next one.
  virtual const StepPolynomial& dense() = 0;

  virtual int order() const = 0;

  // Step size and controller memory: with these and the state, another stepper goes on with the same bits.
  virtual StepMemory memory() const = 0;
  virtual void restore(const StepMemory& memory) = 0;

  // No step is longer than this from now on.
  void limit(double longest) { longest_ = longest; }
  // Whether it accepts a step only where nothing is missed inside; who uses others has to ask System::misses.
  virtual bool looks_inside() const { return false; }

  // What would serve better, in words for a user; "" when there is nothing to say.
  virtual std::string advice() const { return ""; }

  double last_step() const { return last_step_; }
  const StepCounts& counts() const { return counts_; }
  void set_counts(const StepCounts& counts) { counts_ = counts; }

 protected:
  double last_step_ = 0.0;
  double longest_ = std::numeric_limits<double>::infinity();
  StepCounts counts_;
};

// state += increment and t += h, keeping what rounding would lose.
void add_step(State& state, double h, const double* increment);

// The same, then onto the manifold.
void accumulate(const System& system, State& state, double h, const double* increment);

// Largest |x_i|, or infinity when one of them is not a number. Sizes of doubles order like their bits, and
// NaN beyond infinity: a maximum of integers, which needs no care for NaN and runs in vectors.
inline double max_norm(const double* x, std::size_t n) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    bits &= std::numeric_limits<std::int64_t>::max();
    largest = bits > largest ? bits : largest;
  }
  double size;
  std::memcpy(&size, &largest, sizeof size);
  return std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
}

}  // namespace catena
