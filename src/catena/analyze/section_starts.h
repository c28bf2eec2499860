// Starts on a surface of section that have a given energy: the rates that are missing are solved for.
#pragma once

#include <string>
#include <vector>

#include "catena/analyze/section.h"

namespace catena {

// The column "energy", or the one invariant of a system of equations; nan where there is neither.
double energy_of(Lab& lab);

struct SpreadStarts {
  std::vector<std::vector<double>> states;
  std::vector<std::string> notes;
};

// Spread over the axes' part of the section that the energy allows. Throws InputError where there is none.
SpreadStarts starts_on_section(const Scene& scene, const SectionOptions& options);

}  // namespace catena
