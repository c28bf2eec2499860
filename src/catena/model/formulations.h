// The formulations of rigid chains: the same physics by other equations, to compare. Each is one row;
// reading, its mistakes and the schema follow. dynamics/chain/chain_unit.cpp makes the chains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace catena {

enum class Formulation : std::uint8_t {
  automatic,
  tension,
  articulated,
  angles,
  lie,
  chart,
  multibody,
  count
};

struct FormulationInfo {
  Formulation formulation;
  const char* name;                // in scenes; "": where nothing is said
  bool any_links = false;          // also links with inertia, with hinges, and in trees
  bool dense = false;              // matrices over all links: for chains of moderate length
  bool knows_planes = true;        // it computes in a vertical plane where the motion keeps to one
  const char* in_space = nullptr;  // it is for motion in a plane alone; what to use otherwise
};

inline constexpr std::array<FormulationInfo, static_cast<std::size_t>(Formulation::count)> kFormulations{{
    {.formulation = Formulation::automatic, .name = "", .any_links = true},
    {.formulation = Formulation::tension, .name = "tension"},
    {.formulation = Formulation::articulated, .name = "articulated", .any_links = true},
    {.formulation = Formulation::angles, .name = "angles", .dense = true, .in_space = "'chart' or 'lie'"},
    {.formulation = Formulation::lie, .name = "lie", .dense = true},
    // The charts are of space: they show theta and phi where others show the plane's angle.
    {.formulation = Formulation::chart, .name = "chart", .dense = true, .knows_planes = false},
    {.formulation = Formulation::multibody, .name = "multibody", .any_links = true},
}};

constexpr bool formulations_agree() {
  for (std::size_t i = 0; i < kFormulations.size(); ++i) {
    if (kFormulations[i].formulation != static_cast<Formulation>(i) || kFormulations[i].name == nullptr)
      return false;
  }
  return true;
}
static_assert(formulations_agree(), "a formulation has no row of its own, or rows are in another order");

constexpr const FormulationInfo& formulation_info(Formulation formulation) {
  return kFormulations[static_cast<std::size_t>(formulation)];
}

// The one of this name; automatic: none.
constexpr Formulation formulation_named(std::string_view name) {
  for (const FormulationInfo& info : kFormulations) {
    if (name == info.name) return info.formulation;
  }
  return Formulation::automatic;
}

}  // namespace catena
