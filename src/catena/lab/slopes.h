// Derivatives of what is computed once, by stencils: of the numbers that worlds are made of, of starts and of
// rows. For the files that follow derivatives.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "catena/lab/lab.h"
#include "catena/math/stencil.h"

namespace catena {

// Sums over the nodes of one quantity.
template <class At>
double weighed(const std::vector<double>& weights, const At& at) {
  double sum = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * at(i);
  return sum;
}

// A derivative of each of `count` quantities at the centre, by these weights, in units of the spacing; the
// largest error, their difference to the rough ones, is noted as a part of the quantity.
template <class At>
std::vector<double> differences(const std::vector<double>& weights, const std::vector<double>& fewer,
                                std::size_t count, const At& at, double* worst) {
  std::vector<double> out(count);
  double largest = 0.0;
  for (std::size_t q = 0; q < count; ++q) {
    if (const double size = std::fabs(at(0, q)); std::isfinite(size)) largest = std::max(largest, size);
  }
  // What is zero but for roundoff is judged by the others.
  const double floor = 1e-4 * largest;
  for (std::size_t q = 0; q < count; ++q) {
    // Less the first one: what does not change has no slope, to the last bit.
    const double first = at(0, q);
    const auto here = [&](std::size_t node) { return at(node, q) - first; };
    const double fine = weighed(weights, here), rough = weighed(fewer, here);
    double size = std::fabs(first);
    for (std::size_t node = 0; node < weights.size(); ++node) size = std::max(size, std::fabs(here(node)));
    if (size > 0.0) *worst = std::max(*worst, std::fabs(fine - rough) / (size + floor));
    out[q] = fine;
  }
  return out;
}

// The slope of each, per unit of the number.
template <class At>
std::vector<double> slopes(const Stencil& stencil, double spacing, std::size_t count, const At& at,
                           double* worst) {
  std::vector<double> out = differences(stencil.slope, stencil.rough, count, at, worst);
  for (double& slope : out) slope /= spacing;
  return out;
}

// Slopes that agree with those of two points less to this are right to about 1e-14.
inline constexpr double kAgrees = 1e-12;
// Spacings that are tried, as parts of the number: 1/16 leaves both errors at roundoff where nothing is
// steep.
inline constexpr std::array kSpacings{0x1p-4, 0x1p-6, 0x1p-8, 0x1p-10};

// The state that a lab starts from, in one number a lane.
inline double started(const Lab& lab, std::size_t lane) {
  return lab.state().hi[lane] + lab.state().lo[lane];
}

// Whether a number says where a motion starts and nothing else. The azimuth of a chain in a plane is that of
// the plane.
inline bool is_start(const Lab& lab, const std::string& path) {
  constexpr std::array kStarts{"theta", "theta_dot", "phi", "phi_dot"};
  const std::string last = path.substr(path.rfind('.') + 1);
  for (std::size_t c = 0; c < lab.scene().chains.size(); ++c) {
    if (lab.is_planar(c) && last.rfind("phi", 0) == 0) return false;
  }
  const bool of_links =
      path.rfind("chain", 0) == 0 && std::find(kStarts.begin(), kStarts.end(), last) != kStarts.end();
  return of_links || path.rfind("equations.start.", 0) == 0;
}

}  // namespace catena
