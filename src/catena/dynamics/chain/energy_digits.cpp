#include "catena/dynamics/chain/energy_digits.h"

#include <vector>

namespace catena {
namespace {

using Digits = DoubleDouble;

// Lanes [component][link].
struct Lanes {
  const Digits* of;
  std::size_t links;

  const Digits& operator()(std::size_t i, std::size_t k) const { return of[i * links + k]; }
};

Energies rigid_energy(const ChainLinks& links, const Vec3& gravity, std::size_t components, const Lanes& u,
                      const Lanes& w, std::vector<Digits>& room) {
  Energies out;
  const std::size_t n = links.count();
  room.resize(2 * n);
  Digits *end = room.data(), *velocity = end + n;
  for (std::size_t i = 0; i < components; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const Digits length = links.number<Digits>(links.length[k]), mass = links.number<Digits>(links.mass[k]);
      const Digits share = links.number<Digits>(links.center_of_mass[k]);
      const int parent = links.parent[k];
      const Digits above = parent < 0 ? Digits(0.0) : end[static_cast<std::size_t>(parent)];
      const Digits above_rate = parent < 0 ? Digits(0.0) : velocity[static_cast<std::size_t>(parent)];
      end[k] = above + length * u(i, k);
      velocity[k] = above_rate + length * w(i, k);
      const Digits x = above + share * length * u(i, k), v = above_rate + share * length * w(i, k);
      out.kinetic += Digits(0.5) * mass * v * v;
      out.kinetic += Digits(0.5) * links.inertia_as<Digits>(k) * w(i, k) * w(i, k);
      out.potential -= mass * links.number<Digits>(gravity[i]) * x;
    }
  }
  return out;
}

Energies elastic_energy(const ChainLinks& links, const Vec3& gravity, std::size_t components, const Lanes& x,
                        const Lanes& v, std::vector<Digits>&) {
  Energies out;
  for (std::size_t k = 0; k < links.count(); ++k) {
    const Digits mass = links.number<Digits>(links.mass[k]);
    const int parent = links.parent[k];
    Digits square(0.0);
    for (std::size_t i = 0; i < components; ++i) {
      const Digits d = parent < 0 ? x(i, k) : x(i, k) - x(i, static_cast<std::size_t>(parent));
      square += d * d;
      out.kinetic += Digits(0.5) * mass * v(i, k) * v(i, k);
      out.potential -= mass * links.number<Digits>(gravity[i]) * x(i, k);
    }
    const Digits stretch = square_root(square) - links.number<Digits>(links.length[k]);
    if (links.slack && stretch.hi <= 0.0) continue;
    out.elastic += Digits(0.5) * links.number<Digits>(links.stiffness[k]) * stretch * stretch;
  }
  return out;
}

}  // namespace

Energies energy_digits(const ChainUnit& unit, const std::vector<DoubleDouble>& vectors,
                       std::vector<DoubleDouble>& room) {
  const std::size_t n = unit.links(), half = unit.components() * n;
  const Lanes first{vectors.data(), n}, second{vectors.data() + half, n};
  return (unit.elastic() ? elastic_energy : rigid_energy)(unit.parameters(), unit.to_own(unit.gravity),
                                                          unit.components(), first, second, room);
}

}  // namespace catena
