// Taylor series of arbitrary order with automatic order and step.
#pragma once

#include <memory>

#include "catena/integrate/stepper.h"

namespace catena {

constexpr int kLowestTaylorOrder = 2;
constexpr int kHighestTaylorOrder = 200;

// The order that is cheapest per unit of time: minimises (p (p + overhead) + per_step) / tolerance^(1/p), the
// work of a step over its length. Never below A. Jorba and M. Zou's p = -ln(tolerance)/2 + 1 (Exp. Math. 14,
// 2005).
int cheapest_order(double tolerance, double overhead, double per_step = 0.0);

std::unique_ptr<Stepper> make_taylor(const System& system, const StepOptions& options);

}  // namespace catena
