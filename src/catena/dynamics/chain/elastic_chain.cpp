#include "catena/dynamics/chain/elastic_chain.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "catena/math/compensated.h"
#include "catena/math/vec3.h"

namespace catena {
namespace {

// sqrt(L^2 + excess) - L, to the digits of the excess.
DoubleDouble stretch_of(double length, const DoubleDouble& excess) {
  const double radius = std::sqrt(length * length + excess.hi);
  const DoubleDouble first = excess.hi / (radius + length);
  const DoubleDouble left = excess - first * (first + 2 * length);
  return first + left.hi / (2 * radius);
}

}  // namespace

template <int D>
ElasticChain<D>::ElasticChain(ChainLinks given, const Vector& gravity)
    : ChainDescription<D>(std::move(given), gravity), solver_(parameters(), this->gravity().data()) {
  assert(parameters().point_masses() && parameters().stiffness.size() == parameters().count());
}

template <int D>
double ElasticChain<D>::series_overhead() const {
  // Fitted to measured times of series. Short chains wait for latencies.
  return links() <= 10 ? 45.0 : 20.0;
}

template <int D>
typename ElasticChain<D>::Vector ElasticChain<D>::across(const double* lanes, std::size_t k) const {
  const std::size_t n = links();
  const int parent = parameters().parent[k];
  Vector out;
  for (int i = 0; i < D; ++i) out[i] = lanes[i * n + k] - (parent < 0 ? 0.0 : lanes[i * n + parent]);
  return out;
}

template <int D>
void ElasticChain<D>::stretches(const double* x, double* stretch) const {
  for (std::size_t k = 0; k < links(); ++k) {
    const Vector d = across(x, k);
    stretch[k] = std::sqrt(dot(d, d)) - parameters().length[k];
  }
}

template <int D>
const double* ElasticChain<D>::directions(const double* x, double* u) const {
  const std::size_t n = links();
  for (std::size_t k = 0; k < n; ++k) {
    Vector along = across(x, k), rate = across(x + D * n, k);
    const double radius = std::sqrt(dot(along, along));
    for (double& component : along) component /= radius;
    const double lengthening = dot(along, rate);
    for (int i = 0; i < D; ++i) {
      u[i * n + k] = along[i];
      u[(D + i) * n + k] = (rate[i] - lengthening * along[i]) / radius;
    }
  }
  return u;
}

template <int D>
typename ElasticChain<D>::Vector ElasticChain<D>::reactions(const double* x, double* tension,
                                                            const Loads* /*loads*/) const {
  stretches(x, tension);
  Vector pivot{};
  for (std::size_t k = 0; k < links(); ++k) {
    const double stretch = tension[k], length = parameters().length[k] + stretch;
    const Vector d = across(x, k), rate = across(x + D * links(), k);
    tension[k] = parameters().pull(k, stretch, dot(d, rate) / length);
    if (parameters().parent[k] >= 0) continue;
    const double spring = pulls(stretch) ? parameters().stiffness[k] * stretch : 0.0;
    for (int i = 0; i < D; ++i) pivot[i] -= spring / length * d[i];
  }
  return pivot;
}

template <int D>
Energies ElasticChain<D>::energy(const double* hi, const double* lo) const {
  const std::size_t n = links();
  CompensatedSum kinetic, potential, elastic;
  for (std::size_t k = 0; k < n; ++k) {
    const double length = parameters().length[k], mass = parameters().mass[k];
    const int parent = parameters().parent[k];
    CompensatedSum excess;  // |d|^2 - L^2
    excess.add_product(-length, length);
    for (int i = 0; i < D; ++i) {
      const std::size_t x = i * n + k, v = (D + i) * n + k;
      DoubleDouble d(hi[x], lo[x]);
      if (parent >= 0) d -= DoubleDouble(hi[i * n + parent], lo[i * n + parent]);
      excess.add_product(d.hi, d.lo, d.hi, d.lo);
      kinetic.add_square(0.5 * mass, {hi[v], lo[v]});
      const DoubleDouble weight = two_product(-mass, this->gravity()[i]);
      potential.add_product(weight.hi, weight.lo, hi[x], lo[x]);
    }
    const DoubleDouble stretch = stretch_of(length, excess.value());
    if (pulls(stretch.hi)) elastic.add_square(0.5 * parameters().stiffness[k], stretch);
  }
  return {kinetic.value(), potential.value(), elastic.value()};
}

template class ElasticChain<2>;
template class ElasticChain<3>;

}  // namespace catena
