// All integrators by the names users know. Help texts, `catena list methods` and the documentation derive
// from here; the table itself is in integrate.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace catena {

struct System;
struct StepOptions;
class Stepper;

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

}  // namespace catena
