// All integrators by the names users know. Help texts, `catena list methods` and the documentation derive
// from here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/integrate/stepper.h"

namespace catena {

// What a method asks of a system besides its right-hand side.
enum class Capability { rhs, taylor, separable, lie, constraints, constraints_or_bodies, freedom };

struct Method {
  std::string name;
  std::string order;    // "4", "5(4)", "any"
  bool adaptive;        // chooses its step from a tolerance; otherwise needs `step`
  double tolerance;     // default, adaptive methods
  std::string summary;  // one line
  std::string source;   // where the method was published
  std::unique_ptr<Stepper> (*make)(const System&, const StepOptions&);
  Capability needs = Capability::rhs;
  bool library = false;  // another project's, where it is installed
};

const std::vector<Method>& methods();
std::vector<std::string> method_names();
const Method* find_method(const std::string& name);

// A method of the caller's own that is a function (StepOptions::take). It is not among methods(): it has no
// name by which a scene could ask for it.
Method function_method(const std::string& name, int order);

// Whether the method chooses its step with these options: a custom one does if its table has an error
// estimate.
bool is_adaptive(const Method& method, const StepOptions& options);

// What the method cannot do with these options or this system, in words for a user; "" if all is well.
std::string refusal(const Method& method, const StepOptions& options);
std::string refusal(const Method& method, const System& system, const StepOptions& options);

}  // namespace catena
