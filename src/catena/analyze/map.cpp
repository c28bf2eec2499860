#include "catena/analyze/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "catena/base/mistake.h"
#include "catena/base/words.h"

namespace catena {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostClasses = 12;

// The whole numbers of a map that has nothing else; empty: it has, or too many.
std::vector<double> few_whole(const GridMap& map, const std::vector<bool>& used) {
  std::set<double> found;
  for (std::size_t k = 0; k < map.values.size(); ++k) {
    const double value = map.values[k];
    if (!used[k] || !std::isfinite(value)) continue;
    if (value != std::round(value)) return {};
    found.insert(value);
    if (found.size() > kMostClasses) return {};
  }
  return {found.begin(), found.end()};
}

// Whether the corners of the cell have more than one outcome.
std::vector<bool> boundary_cells(const GridClasses& of) {
  std::vector<bool> out((of.across - 1) * (of.up - 1));
  for (std::size_t i = 0; i + 1 < of.across; ++i) {
    for (std::size_t j = 0; j + 1 < of.up; ++j) {
      int least = std::numeric_limits<int>::max(), most = -1;
      for (const int one : {of.at(i, j), of.at(i + 1, j), of.at(i, j + 1), of.at(i + 1, j + 1)}) {
        if (one < 0) continue;
        least = std::min(least, one);
        most = std::max(most, one);
      }
      out[i * (of.up - 1) + j] = most > least;
    }
  }
  return out;
}

double boxes_with_boundary(const std::vector<bool>& cells, std::size_t across, std::size_t up,
                           std::size_t side) {
  const std::size_t rows = (across + side - 1) / side, columns = (up + side - 1) / side;
  std::vector<bool> boxes(rows * columns);
  for (std::size_t i = 0; i < across; ++i) {
    for (std::size_t j = 0; j < up; ++j) {
      if (cells[i * up + j]) boxes[i / side * columns + j / side] = true;
    }
  }
  return static_cast<double>(std::count(boxes.begin(), boxes.end(), true));
}

// Of all points; near the edge those neighbours count that there are.
double uncertain_share(const GridClasses& of, std::size_t away) {
  double all = 0.0, uncertain = 0.0;
  for (std::size_t i = 0; i < of.across; ++i) {
    for (std::size_t j = 0; j < of.up; ++j) {
      const int here = of.at(i, j);
      if (here < 0) continue;
      all += 1.0;
      const auto differs = [&](bool there, std::size_t a, std::size_t b) {
        return there && of.at(a, b) >= 0 && of.at(a, b) != here;
      };
      if (differs(i >= away, i - away, j) || differs(i + away < of.across, i + away, j) ||
          differs(j >= away, i, j - away) || differs(j + away < of.up, i, j + away))
        uncertain += 1.0;
    }
  }
  return all > 0.0 ? uncertain / all : kNone;
}

struct Entropies {
  double all = 0.0, boundary = kNone;
};

// Boxes of `side` by `side` points; those that the grid cuts off are left out.
Entropies entropies(const GridClasses& of, std::size_t side) {
  double sum = 0.0, boxes = 0.0, mixed = 0.0;
  std::vector<double> counts(of.names.size());
  for (std::size_t i = 0; i + side <= of.across; i += side) {
    for (std::size_t j = 0; j + side <= of.up; j += side) {
      std::fill(counts.begin(), counts.end(), 0.0);
      double all = 0.0;
      for (std::size_t a = i; a < i + side; ++a) {
        for (std::size_t b = j; b < j + side; ++b) {
          if (of.at(a, b) < 0) continue;
          counts[static_cast<std::size_t>(of.at(a, b))] += 1.0;
          all += 1.0;
        }
      }
      if (all == 0.0) continue;
      double entropy = 0.0;
      for (const double count : counts) {
        if (count > 0.0) entropy += count / all * std::log(all / count);
      }
      boxes += 1.0;
      sum += entropy;
      mixed += entropy > 0.0 ? 1.0 : 0.0;
    }
  }
  return {boxes > 0.0 ? sum / boxes : kNone, mixed > 0.0 ? sum / mixed : kNone};
}

// -slope of log y over log x, with its error; of what is above zero.
struct Slope {
  double value = kNone, error = kNone;
};

Slope power(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> log_x, log_y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(y[i] > 0.0)) continue;
    log_x.push_back(std::log(x[i]));
    log_y.push_back(std::log(y[i]));
  }
  if (log_x.size() < 2) return {};
  const Line line = fitted_line(log_x, log_y);
  return {line.slope, log_x.size() > 2 ? line.slope_error : kNone};
}

void add_notes(MapAnalysis& out) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const MapScale& scale : out.scales) {
    if (!std::isfinite(scale.box_dimension)) continue;
    least = std::min(least, scale.box_dimension);
    most = std::max(most, scale.box_dimension);
  }
  if (most - least > 0.2)
    out.notes.push_back(fmt::format(
        "the box dimension is between {:.2f} and {:.2f}, by scale: no one number stands for the boundary in "
        "this window; a finer grid, or a smaller window, shows whether it settles",
        least, most));
  if (out.scales.front().uncertain > 0.5)
    out.notes.push_back(
        fmt::format("{:.0f} % of the points have another outcome at their neighbour: the grid does not "
                    "resolve the basins, and "
                    "dimensions are those of the grid (2), not of the boundary",
                    100.0 * out.scales.front().uncertain));
  if (out.boundary_entropy > std::log(2.0))
    out.notes.push_back(fmt::format("the boundary's entropy {:.3f} is above log 2: the boundary is fractal",
                                    out.boundary_entropy));
}

}  // namespace

GridClasses classes_of(const GridMap& map, const std::vector<bool>& used, std::optional<double> level) {
  GridClasses out{map.across, map.up, std::vector<int>(map.values.size(), -1), {}};
  const std::vector<double> few = level ? std::vector<double>{} : few_whole(map, used);
  const bool by_value = few.size() > 1;
  std::vector<std::string> names;
  if (by_value) {
    for (const double one : few) names.push_back(number_text(one));
  } else if (level) {
    names = {"below " + number_text(*level), "not below " + number_text(*level)};
  } else {
    names = {"happens"};
  }
  names.emplace_back("does not happen");
  std::vector<double> counts(names.size(), 0.0);
  for (std::size_t k = 0; k < map.values.size(); ++k) {
    if (!used[k]) continue;
    const double value = map.values[k];
    std::size_t one = names.size() - 1;
    if (std::isfinite(value) && by_value)
      one = static_cast<std::size_t>(std::find(few.begin(), few.end(), value) - few.begin());
    else if (std::isfinite(value))
      one = level && !(value < *level) ? 1 : 0;
    out.classes[k] = static_cast<int>(one);
    counts[one] += 1.0;
  }
  // Those that there are, numbered anew.
  std::vector<int> number(names.size(), -1);
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (counts[c] == 0.0) continue;
    number[c] = static_cast<int>(out.names.size());
    out.names.push_back(names[c]);
  }
  for (int& one : out.classes) one = one < 0 ? -1 : number[static_cast<std::size_t>(one)];
  if (out.names.size() < 2)
    throw InputError(
        {}, level ? fmt::format("all points of the map lie on one side of {}: choose another --level",
                                number_text(*level))
                  : "all points of the map have one outcome, so there is no boundary; --level X tells "
                    "points below X from others");
  return out;
}

MapAnalysis map_analysis(const GridClasses& classes, std::vector<std::size_t> scales) {
  constexpr std::size_t kLeast = 16;
  const std::size_t shorter = std::min(classes.across, classes.up);
  if (shorter < kLeast)
    throw InputError(
        {}, fmt::format("a map of {} x {} points is too coarse for any statement about scales: at least "
                        "{} along each axis",
                        classes.across, classes.up, kLeast));
  if (scales.empty()) {
    for (std::size_t side = 1; 8 * side <= shorter; side *= 2) scales.push_back(side);
  }
  MapAnalysis out;
  out.names = classes.names;
  out.shares.assign(classes.names.size(), 0.0);
  double all = 0.0;
  for (const int one : classes.classes) {
    if (one < 0) continue;
    out.shares[static_cast<std::size_t>(one)] += 1.0;
    all += 1.0;
  }
  for (double& share : out.shares) share /= all;
  const std::vector<bool> cells = boundary_cells(classes);
  std::vector<double> sides, boxes, uncertain;
  for (const std::size_t side : scales) {
    MapScale one;
    one.cells = side;
    one.boxes = boxes_with_boundary(cells, classes.across - 1, classes.up - 1, side);
    one.uncertain = uncertain_share(classes, side);
    const Entropies entropy = entropies(classes, side + 1);
    one.entropy = entropy.all;
    one.boundary_entropy = entropy.boundary;
    sides.push_back(static_cast<double>(side));
    boxes.push_back(one.boxes);
    uncertain.push_back(one.uncertain);
    out.scales.push_back(one);
  }
  for (std::size_t k = 0; k < scales.size(); ++k) {
    MapScale& one = out.scales[k];
    one.box_dimension = one.uncertainty_dimension = kNone;
    if (k + 1 == scales.size()) continue;
    const double ratio = std::log(sides[k + 1] / sides[k]);
    one.box_dimension = -std::log(boxes[k + 1] / boxes[k]) / ratio;
    one.uncertainty_dimension = 2.0 - std::log(uncertain[k + 1] / uncertain[k]) / ratio;
  }
  const Slope of_boxes = power(sides, boxes), of_uncertain = power(sides, uncertain);
  out.box_dimension = -of_boxes.value;
  out.box_error = of_boxes.error;
  out.uncertainty_dimension = 2.0 - of_uncertain.value;
  out.uncertainty_error = of_uncertain.error;
  const Entropies five = entropies(classes, 5);
  out.entropy = five.all;
  out.boundary_entropy = five.boundary;
  add_notes(out);
  return out;
}

std::vector<GridLine> contour(const GridMap& map, double level) {
  std::vector<GridLine> out;
  for (std::size_t i = 0; i + 1 < map.across; ++i) {
    for (std::size_t j = 0; j + 1 < map.up; ++j) {
      const auto x = static_cast<double>(i), y = static_cast<double>(j);
      const std::array<std::array<double, 3>, 4> corners{{{x, y, map.at(i, j) - level},
                                                          {x + 1, y, map.at(i + 1, j) - level},
                                                          {x + 1, y + 1, map.at(i + 1, j + 1) - level},
                                                          {x, y + 1, map.at(i, j + 1) - level}}};
      std::vector<std::array<double, 2>> ends;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto& a = corners[k];
        const auto& b = corners[(k + 1) % 4];
        if (!std::isfinite(a[2]) || !std::isfinite(b[2]) || (a[2] > 0.0) == (b[2] > 0.0)) continue;
        const double part = a[2] / (a[2] - b[2]);
        ends.push_back({a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])});
      }
      // Of a saddle the two pieces are those that leave its middle on the right side.
      if (ends.size() == 4) {
        const double middle = corners[0][2] + corners[1][2] + corners[2][2] + corners[3][2];
        if ((middle > 0.0) == (corners[0][2] > 0.0)) std::rotate(ends.begin(), ends.begin() + 1, ends.end());
      }
      for (std::size_t k = 0; k + 1 < ends.size(); k += 2) out.push_back({ends[k], ends[k + 1]});
    }
  }
  return out;
}

namespace {

struct RidgePoint {
  std::array<double, 2> at, across;  // where, and the unit vector across the ridge
  double curvature = 0.0;
};

// Whether the ridge passes the cell about (i, j), by the second differences there.
std::optional<RidgePoint> ridge_point(const GridMap& map, std::size_t i, std::size_t j) {
  const double middle = map.at(i, j), east = map.at(i + 1, j), west = map.at(i - 1, j);
  const double north = map.at(i, j + 1), south = map.at(i, j - 1);
  const double fx = 0.5 * (east - west), fy = 0.5 * (north - south);
  const double fxx = east - 2.0 * middle + west, fyy = north - 2.0 * middle + south;
  const double fxy =
      0.25 * (map.at(i + 1, j + 1) - map.at(i + 1, j - 1) - map.at(i - 1, j + 1) + map.at(i - 1, j - 1));
  // The direction of the most negative curvature, and how far along it the slope vanishes.
  const double mean = 0.5 * (fxx + fyy), apart = std::hypot(0.5 * (fxx - fyy), fxy), curvature = mean - apart;
  if (!(curvature < 0.0)) return std::nullopt;
  double nx = fxy, ny = curvature - fxx;
  if (std::hypot(nx, ny) < 1e-12 * apart) nx = curvature - fyy, ny = fxy;
  const double length = std::hypot(nx, ny);
  if (!(length > 0.0)) return std::nullopt;
  nx /= length;
  ny /= length;
  const double step = -(fx * nx + fy * ny) / curvature;
  if (!(std::fabs(step * nx) <= 0.5 && std::fabs(step * ny) <= 0.5)) return std::nullopt;
  return RidgePoint{
      {static_cast<double>(i) + step * nx, static_cast<double>(j) + step * ny}, {nx, ny}, -curvature};
}

// Points that go on in one another's direction, as lists; each begins a search through those not yet taken.
std::vector<std::vector<std::size_t>> chains_of(const std::vector<RidgePoint>& points) {
  std::map<std::array<long, 2>, std::size_t> cells;
  const auto cell = [&](std::size_t k) {
    return std::array<long, 2>{std::lround(points[k].at[0]), std::lround(points[k].at[1])};
  };
  for (std::size_t k = 0; k < points.size(); ++k) cells[cell(k)] = k;
  const auto goes_on = [&](std::size_t from, std::size_t to) {
    const RidgePoint &a = points[from], &b = points[to];
    const double x = b.at[0] - a.at[0], y = b.at[1] - a.at[1], size = std::hypot(x, y);
    const double alike = std::fabs(a.across[0] * b.across[0] + a.across[1] * b.across[1]);
    return alike > 0.85 && std::fabs(a.across[0] * x + a.across[1] * y) < 0.5 * size;
  };
  std::vector<bool> taken(points.size());
  std::vector<std::vector<std::size_t>> out;
  for (std::size_t first = 0; first < points.size(); ++first) {
    if (taken[first]) continue;
    std::vector<std::size_t> chain{first};
    taken[first] = true;
    for (std::size_t next = 0; next < chain.size(); ++next) {
      const std::array<long, 2> at = cell(chain[next]);
      for (long dx = -1; dx <= 1; ++dx) {
        for (long dy = -1; dy <= 1; ++dy) {
          const auto found = cells.find({at[0] + dx, at[1] + dy});
          if (found == cells.end() || taken[found->second] || !goes_on(chain[next], found->second)) continue;
          taken[found->second] = true;
          chain.push_back(found->second);
        }
      }
    }
    out.push_back(std::move(chain));
  }
  return out;
}

}  // namespace

std::vector<std::array<double, 2>> ridges(const GridMap& map, std::size_t least) {
  std::vector<RidgePoint> points;
  for (std::size_t i = 1; i + 1 < map.across; ++i) {
    for (std::size_t j = 1; j + 1 < map.up; ++j) {
      if (const std::optional<RidgePoint> one = ridge_point(map, i, j)) points.push_back(*one);
    }
  }
  std::vector<std::array<double, 2>> out;
  for (const std::vector<std::size_t>& chain : chains_of(points)) {
    for (std::size_t k = 0; chain.size() >= least && k < chain.size(); ++k)
      out.push_back(points[chain[k]].at);
  }
  return out;
}

}  // namespace catena
