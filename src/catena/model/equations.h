// Any first-order system, given by formulas of the rates: [equations] of a scene.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catena/expr/parameters.h"
#include "catena/model/placed_formula.h"

namespace catena {

constexpr std::size_t kMostStates = 1000;

struct EquationState {
  std::string name;
  double start = 0.0;
  double start_rest = 0.0;  // what a double cannot hold of what was written
  PlacedFormula rate{};     // of states, t and parameters
};

// A formula of states, t and parameters that the motion is to keep.
struct Invariant {
  std::string name;
  PlacedFormula formula{};
};

struct Equations {
  std::vector<EquationState> states;  // none: the scene has no [equations]
  expr::Parameters parameters;
  std::vector<Invariant> invariants;
  Place place{};

  // Names of the states, and t: what formulas may use, besides parameters.
  std::vector<std::string> variables() const;
};

}  // namespace catena
