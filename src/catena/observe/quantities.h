// What columns are computed from: a row of a recording at one instant.
#pragma once

#include <vector>

#include "catena/dynamics/world/world.h"
#include "catena/facts/columns.h"
#include "catena/observe/body_frame.h"
#include "catena/observe/chain_frame.h"

namespace catena {

// What a row needs besides the chains' frames.
struct RowTotals {
  double kinetic = 0.0;
  double potential = 0.0;
  double elastic = 0.0;
  double energy = 0.0;
  double dissipated = 0.0;
  double work = 0.0;
  double balance = 0.0;  // energy + dissipated - work
  double energy_error = 0.0;
  double step_size = 0.0;
  double constraint_error = 0.0;
};

// A system given by formulas, its Lagrangian or equations, at one instant.
struct FormulaFrame {
  std::vector<double> coordinates, rates;        // of equations: the states, and none
  std::vector<double> coordinates_lo, rates_lo;  // what doubles cannot hold of them
  std::vector<double> multipliers;               // of the constraints
  std::vector<double> invariants, changes;       // of the equations; changes: since the start
};

// What a row is made of.
struct RowParts {
  const std::vector<ChainFrame>& chains;
  const BodyFrame* bodies;       // null: the scene has none
  const FormulaFrame* formulas;  // likewise
  const RowTotals& totals;
};

}  // namespace catena
