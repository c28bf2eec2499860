// A plan joined with the scene that it varies, where both are there as texts: what programs and the page
// compute.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/analyze/map.h"
#include "catena/sweep/sweep.h"

namespace catena {

// The numbers of the scene that a case of the plan sets: those of each axis, and the one that is solved for.
std::vector<std::vector<std::string>> keys_of(const SweepPlan& plan);

// Throws InputError with all that is wrong with the plan's paths, and with what it measures.
std::unique_ptr<Sweep> sweep_over(SweepPlan plan, const Scene& scene);

// Where a measure's event is impossible: the line on which starts have just the energy for it. Of plans of
// two axes that vary starts; none where energies do not tell.
struct EnergyContour {
  std::string measure;
  double energy = 0.0;          // J: the least with which it can happen
  std::vector<GridLine> lines;  // in places of the grid
};
std::vector<EnergyContour> energy_contours(const SweepPlan& plan, const Scene& scene);

}  // namespace catena
