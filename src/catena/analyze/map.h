// What maps over two numbers look like at all scales: dimensions of boundaries, basin entropy, contours,
// ridges.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "catena/analyze/statistics.h"

namespace catena {

// Numbers at the points of a grid, [across][up]; nan: there is none.
struct GridMap {
  std::size_t across = 0, up = 0;
  std::vector<double> values;

  double at(std::size_t i, std::size_t j) const { return values[i * up + j]; }
};

// Which of several outcomes each point has, from 0; -1: it is left out.
struct GridClasses {
  std::size_t across = 0, up = 0;
  std::vector<int> classes;
  std::vector<std::string> names;  // of the classes

  int at(std::size_t i, std::size_t j) const { return classes[i * up + j]; }
};

// Points are told apart by their numbers where these are a few whole ones, by whether the number is below
// `level` where that is given, else by whether there is a number at all. `used`: which points count. Throws
// InputError where all are alike.
GridClasses classes_of(const GridMap& map, const std::vector<bool>& used, std::optional<double> level);

// The boundary seen with boxes of one size.
struct MapScale {
  std::size_t cells = 0;               // the box's side, in cells of the grid
  double boxes = 0.0;                  // that hold a piece of the boundary
  double uncertain = 0.0;              // share of points with another outcome so far away, along an axis
  double entropy = 0.0;                // basin entropy: mean over boxes of sum p log 1/p, in nats
  double boundary_entropy = 0.0;       // the same over boxes with more than one outcome; nan: there are none
  double box_dimension = 0.0;          // between this scale and the next; nan at the last
  double uncertainty_dimension = 0.0;  // likewise
};

struct MapAnalysis {
  std::vector<std::string> names;
  std::vector<double> shares;  // of the classes
  std::vector<MapScale> scales;
  // Over all scales, with the standard error of the slope: a summary, worth what the scales agree to.
  double box_dimension = 0.0, box_error = 0.0, uncertainty_dimension = 0.0, uncertainty_error = 0.0;
  double entropy = 0.0, boundary_entropy = 0.0;  // with boxes of 5 by 5 points
  std::vector<std::string> notes;
};

// `scales`: sides of the boxes in cells; none: 1, 2, 4, .. up to an eighth of the grid.
//
// Box dimension: the number of boxes with a piece of the boundary grows like 1/side^D. Uncertainty dimension
// (C. Grebogi, S. McDonald, E. Ott, J. Yorke, Phys. Lett. A 99 (1983) 415): the share of points whose outcome
// an error of eps may change falls like eps^(2 - D). Basin entropy: A. Daza et al., Sci. Rep. 6 (2016) 31416;
// a boundary entropy above log 2 says that the boundary is fractal.
MapAnalysis map_analysis(const GridClasses& classes, std::vector<std::size_t> scales = {});

// A piece of a line, in places of the grid: 1.5 is half way between the second point and the third.
using GridLine = std::array<std::array<double, 2>, 2>;

// Where the map has the value `level`, by marching squares. Cells with a corner that is no number have none.
std::vector<GridLine> contour(const GridMap& map, double level);

// Ridges: points that are highest across the steepest curvature (C. Steger, IEEE Trans. PAMI 20 (1998) 113),
// where at least so many go on in one another's direction: noise has short ones.
std::vector<std::array<double, 2>> ridges(const GridMap& map, std::size_t least = 12);

}  // namespace catena
