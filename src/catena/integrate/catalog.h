// The table of methods, and what each cannot do with a system or with options.
#pragma once

#include <string>

#include "catena/facts/methods.h"
#include "catena/integrate/stepper.h"

namespace catena {

// A method of the caller's own that is a function (StepOptions::take). It is not among methods(): it has no
// name by which a scene could ask for it.
Method function_method(const std::string& name, int order);

// Whether the method chooses its step with these options: a custom one does if its table has an error
// estimate.
bool is_adaptive(const Method& method, const StepOptions& options);

// Of an explicit Runge-Kutta method; null: it is none.
const Tableau* tableau_of(const Method& method, const StepOptions& options);

// What the method cannot do with these options or this system, in words for a user; "" if all is well.
std::string refusal(const Method& method, const StepOptions& options);
std::string refusal(const Method& method, const System& system, const StepOptions& options);

}  // namespace catena
