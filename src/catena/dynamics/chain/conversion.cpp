#include "catena/dynamics/chain/conversion.h"

#include <cmath>

#include "catena/dynamics/chain/directions.h"
#include "catena/dynamics/chain/solvers/articulated.h"
#include "catena/math/compensated.h"

namespace catena {

template <int D>
LanePair ends_of(const ChainLinks& links, const LanePair& directions, const std::vector<DoubleDouble>& extent,
                 const std::vector<DoubleDouble>& lengthening) {
  const std::size_t n = links.count();
  std::vector<CompensatedSum> sums(2 * D * n);
  for (int i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t u = i * n + k, w = (D + i) * n + k;
      if (const int parent = links.parent[k]; parent >= 0) {
        sums[u] = sums[i * n + parent];
        sums[w] = sums[(D + i) * n + parent];
      }
      sums[u].add_product(extent[k].hi, extent[k].lo, directions.hi[u], directions.lo[u]);
      sums[w].add_product(extent[k].hi, extent[k].lo, directions.hi[w], directions.lo[w]);
      sums[w].add_product(lengthening[k].hi, lengthening[k].lo, directions.hi[u], directions.lo[u]);
    }
  }
  LanePair out;
  for (const CompensatedSum& sum : sums) {
    out.hi.push_back(sum.value().hi);
    out.lo.push_back(sum.value().lo);
  }
  return out;
}

template <int D>
LanePair elastic_from_rigid(const ChainLinks& links, const LanePair& rigid) {
  return ends_of<D>(links, rigid, links.length, std::vector<double>(links.count(), 0.0));
}

template <int D>
LanePair rigid_from_elastic(const ChainLinks& links, const LanePair& elastic) {
  const std::size_t n = links.count(), half = D * n;
  LanePair out{std::vector<double>(2 * half), std::vector<double>(2 * half, 0.0)};
  double* u = out.hi.data();
  double* w = u + half;  // until the last loop: velocities relative to the upper joint
  std::vector<double> lengthening(n, 0.0), change(half);
  for (std::size_t k = 0; k < n; ++k) {
    double square = 0.0;
    for (int i = 0; i < D; ++i) {
      const auto across = [&](std::size_t lane) {
        DoubleDouble value(elastic.hi[lane + k], elastic.lo[lane + k]);
        if (const int parent = links.parent[k]; parent >= 0) {
          value -= DoubleDouble(elastic.hi[lane + parent], elastic.lo[lane + parent]);
        }
        return static_cast<double>(value);
      };
      u[i * n + k] = across(i * n);
      w[i * n + k] = across((D + i) * n);
      square += u[i * n + k] * u[i * n + k];
    }
    const double radius = std::sqrt(square);
    for (int i = 0; i < D; ++i) {
      u[i * n + k] /= radius;
      lengthening[k] += u[i * n + k] * w[i * n + k];
    }
  }
  constexpr double kNoGravity[D] = {};
  ArticulatedSolver<D, double>(links, kNoGravity).stop_lengthening(u, lengthening.data(), change.data());
  for (std::size_t i = 0; i < half; ++i) w[i] = (w[i] + change[i]) / links.length[i % n];
  project_directions<D>(n, out.hi.data(), out.lo.data());
  return out;
}

template LanePair ends_of<2>(const ChainLinks&, const LanePair&, const std::vector<DoubleDouble>&,
                             const std::vector<DoubleDouble>&);
template LanePair ends_of<3>(const ChainLinks&, const LanePair&, const std::vector<DoubleDouble>&,
                             const std::vector<DoubleDouble>&);
template LanePair elastic_from_rigid<2>(const ChainLinks&, const LanePair&);
template LanePair elastic_from_rigid<3>(const ChainLinks&, const LanePair&);
template LanePair rigid_from_elastic<2>(const ChainLinks&, const LanePair&);
template LanePair rigid_from_elastic<3>(const ChainLinks&, const LanePair&);

}  // namespace catena
