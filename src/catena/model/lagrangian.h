// A small system given by its Lagrangian in text: [lagrangian] of a scene.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/base/mistake.h"
#include "catena/expr/parameters.h"
#include "catena/model/placed_formula.h"

namespace catena {

constexpr std::size_t kMostCoordinates = 100;

struct LagrangianCoordinate {
  std::string name;
  double start = 0.0;
  double rate = 0.0;
  double start_rest = 0.0;  // what doubles cannot hold of what was written
  double rate_rest = 0.0;
  PlacedFormula force{};     // that acts along it
  bool independent = false;  // see Lagrangian::picks_coordinates
};

struct Lagrangian {
  std::vector<LagrangianCoordinate> coordinates;  // none: the scene has no [lagrangian]
  expr::Parameters parameters;
  PlacedFormula lagrangian;                // or both of these:
  PlacedFormula kinetic, potential;        // of coordinates, rates and t
  std::vector<PlacedFormula> constraints;  // of coordinates and t; zero all along
  PlacedFormula dissipation;               // Rayleigh's function: its derivatives by the rates are drags
  // Some coordinates are independent: they alone are integrated, and Newton-Raphson restores the others from
  // the constraints. Otherwise all are integrated, and go back onto the constraints by the shortest way.
  bool picks_coordinates = false;
  std::optional<double> piece = std::nullopt;  // of constraints with kinks in time: the one at this time
  double newton_tolerance = 1e-11;             // Newton-Raphson stops when the correction is below
  Place place{};

  // Long where they are made anew, so they are defined once.
  Lagrangian();
  Lagrangian(const Lagrangian& other);
  Lagrangian(Lagrangian&& other) noexcept;
  Lagrangian& operator=(const Lagrangian& other);
  Lagrangian& operator=(Lagrangian&& other) noexcept;
  ~Lagrangian();
};

// Names of coordinates, their rates (with an apostrophe) and t: what formulas may use, besides parameters.
std::vector<std::string> lagrangian_variables(const std::vector<std::string>& coordinates);

}  // namespace catena
