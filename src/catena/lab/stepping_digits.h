// Runs with more digits than a double: joins a world to the methods that can follow it so.
#pragma once

#include <memory>
#include <string>

#include "catena/dynamics/world/world.h"
#include "catena/integrate/catalog.h"

namespace catena {

// Why this method cannot follow this world in that precision, in words for a user; "" if it can.
std::string precision_refusal(const World& world, const std::string& method, const std::string& precision,
                              const StepOptions& options);

// The tolerance of runs that are given none.
double default_tolerance(const std::string& precision);

// A world in motion with more digits than a double.
class DigitsMotion {
 public:
  virtual ~DigitsMotion() = default;
  // The method at work on it; outlives it.
  virtual std::unique_ptr<Stepper> stepper(const std::string& method, const StepOptions& options) = 0;
  // At a kink of prescribed motions: `world`, from which this was made, takes its next piece, and the state
  // the impulse that leads to it. What cannot be passed, in words, or "".
  virtual std::string pass_kink(World& world, State& state) = 0;
};

// The world is copied.
std::unique_ptr<DigitsMotion> motion_in_digits(const World& world, const std::string& precision);

// Onto the constraints to all digits of a method that has more than a double's; others leave it as it is.
void project_in_full(Stepper& stepper, State& state);

// The state at a time in the last step, with all digits that the method has.
void evaluate_step(Stepper& stepper, const DoubleDouble& time, double* hi, double* lo);

}  // namespace catena
