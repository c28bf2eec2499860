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

// At random on the section, around the scene's own motion; `on_energy`: with the energy that is asked for, or
// the scene's. The motion's own passages are the first of them, up to half. Throws InputError where there is
// none.
std::vector<std::vector<double>> scattered_on_section(const Scene& scene, const SectionOptions& options,
                                                      bool on_energy);

// Spread over the axes' part of the section that the energy allows. Throws InputError where there is none.
SpreadStarts starts_on_section(const Scene& scene, const SectionOptions& options);

}  // namespace catena
