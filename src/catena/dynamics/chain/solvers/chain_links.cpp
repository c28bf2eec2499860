#include "catena/dynamics/chain/solvers/chain_links.h"

#include <algorithm>

namespace catena {

bool ChainLinks::serial() const {
  for (std::size_t k = 0; k < count(); ++k) {
    if (parent[k] != static_cast<int>(k) - 1) return false;
  }
  return true;
}

bool ChainLinks::point_masses() const {
  return std::all_of(center_of_mass.begin(), center_of_mass.end(), [](double f) { return f == 1.0; }) &&
         std::all_of(inertia.begin(), inertia.end(), [](double i) { return i == 0.0; });
}

double ChainLinks::pull(std::size_t k, double stretch, double rate) const {
  const double damping = axial_damping.empty() ? 0.0 : axial_damping[k];
  const double pull = stiffness[k] * stretch + damping * rate;
  return slack && (stretch <= 0.0 || pull <= 0.0) ? 0.0 : pull;
}

}  // namespace catena
