// Unit vectors u with rates w = du/dt in lanes [u, w][component][link], and the way back to |u| = 1, u . w =
// 0 for pairs hi + lo that have left it.
#pragma once

#include <cstddef>

namespace catena {

// By correcting lo only.
template <int D>
void project_directions(std::size_t links, const double* hi, double* lo);

// Largest violation of |u| = 1 and u . w = 0 in hi + lo.
template <int D>
double largest_violation(std::size_t links, const double* hi, const double* lo);

}  // namespace catena
