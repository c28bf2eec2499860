// Starts on a surface of section that have a given energy: the rates that are missing are solved for.
#pragma once

#include <array>
#include <memory>
#include <optional>
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

// Starts of one energy at places of the axes, one by one.
class EnergySection {
 public:
  // Throws InputError where the motion has no energy, or no start on the section has the one asked for.
  EnergySection(const Scene& scene, const SectionOptions& options);
  ~EnergySection();

  double energy() const;
  // The start at this place; none: no start there has the energy, as far as Newton's method finds.
  std::optional<std::vector<double>> start_at(const std::array<double, 2>& at);
  // As SpreadStarts has them.
  SpreadStarts spread(std::size_t starts);
  // How far the starts known reach along an axis.
  std::array<double, 2> reach(int axis) const;

 private:
  class Spread;
  const SectionOptions options_;
  double energy_ = 0.0;
  std::unique_ptr<Spread> spread_;
};

// Spread over the axes' part of the section that the energy allows. Throws InputError where there is none.
SpreadStarts starts_on_section(const Scene& scene, const SectionOptions& options);

}  // namespace catena
