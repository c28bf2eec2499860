#include "catena/dynamics/chain/rigid_chain.h"

#include <cassert>
#include <utility>

#include "catena/dynamics/chain/directions.h"

namespace catena {

template <int D>
RigidChain<D>::RigidChain(ChainLinks given, const Vector& gravity, ChainSolver solver)
    : ChainDescription<D>(std::move(given), gravity),
      solver_(solver),
      motion_(parameters(), this->gravity().data(), solver),
      serial_(parameters().serial()),
      room_(2 * D * (serial_ ? 1 : parameters().count())) {
  assert(solver == ChainSolver::articulated || (parameters().serial() && parameters().point_masses()));
}

template <int D>
std::size_t RigidChain<D>::degrees_of_freedom() const {
  std::size_t sum = (D - 1) * links();
  for (std::size_t k = 0; D == 3 && k < links(); ++k) sum -= parameters().hinged(k) ? 1 : 0;
  return sum;
}

template <int D>
double RigidChain<D>::series_overhead() const {
  // Fitted to measured times of steps. Short chains wait for latencies, long ones for memory.
  if (solver_ == ChainSolver::articulated) return 150.0;
  return links() <= 4 ? 200.0 : 50.0;
}

template <int D>
void RigidChain<D>::project(const double* hi, double* lo) const {
  const std::size_t n = links();
  for (std::size_t k = 0; D == 3 && k < n; ++k) {  // hinged links turn about their axes
    if (!parameters().hinged(k)) continue;
    for (const std::size_t first : {std::size_t{0}, D * n}) {
      CompensatedSum along;
      for (std::size_t i = 0; i < D; ++i) {
        const std::size_t lane = first + i * n + k;
        along.add_product(hi[lane], lo[lane], parameters().hinge[k][i], 0.0);
      }
      for (std::size_t i = 0; i < D; ++i) lo[first + i * n + k] -= along.hi() * parameters().hinge[k][i];
    }
  }
  project_directions<D>(links(), hi, lo);
}

template <int D>
double RigidChain<D>::constraint_error(const double* hi, const double* lo) const {
  return largest_violation<D>(links(), hi, lo);
}

template <int D>
typename RigidChain<D>::Vector RigidChain<D>::reactions(const double* x, double* tension,
                                                        const Loads* loads) {
  Vector pivot{};
  if (auto* articulated = motion_.articulated()) {
    articulated->reactions(x, tension, pivot.data(), loads);
    return pivot;
  }
  motion_.tension()->tensions(x, tension, loads);
  for (int i = 0; i < D; ++i) pivot[i] = -tension[0] * x[i * links()];
  return pivot;
}

template <int D>
Energies RigidChain<D>::energy(const double* hi, const double* lo) {
  const std::size_t n = links();
  auto* velocity = room_.data();
  auto* position = velocity + D * (serial_ ? 1 : n);
  CompensatedSum kinetic, potential;
  for (std::size_t k = 0; k < n; ++k) {
    const double length = parameters().length[k], mass = parameters().mass[k];
    const double f = parameters().center_of_mass[k], inertia = parameters().inertia[k];
    const int parent = parameters().parent[k];
    const std::size_t own = serial_ ? 0 : D * k, upper = serial_ || parent < 0 ? 0 : D * parent;
    for (int i = 0; i < D; ++i) {
      const std::size_t u = i * n + k, w = (D + i) * n + k;
      const CompensatedSum upper_v = parent < 0 ? CompensatedSum{} : velocity[upper + i];
      const CompensatedSum upper_x = parent < 0 ? CompensatedSum{} : position[upper + i];
      CompensatedSum v = upper_v, x = upper_x;
      v.add_product(length, 0.0, hi[w], lo[w]);
      x.add_product(length, 0.0, hi[u], lo[u]);
      velocity[own + i] = v;
      position[own + i] = x;
      if (f != 1.0) {  // the centre of mass lies inside
        v = upper_v, x = upper_x;
        const DoubleDouble reach = two_product(f, length);
        v.add_product(reach.hi, reach.lo, hi[w], lo[w]);
        x.add_product(reach.hi, reach.lo, hi[u], lo[u]);
      }
      kinetic.add_square(0.5 * mass, v.value());
      if (inertia != 0.0) {
        CompensatedSum rate;
        rate.add(hi[w]);
        rate.add(lo[w]);
        kinetic.add_square(0.5 * inertia, rate.value());
      }
      const DoubleDouble weight = two_product(-mass, this->gravity()[i]);
      potential.add_product(weight.hi, weight.lo, x.hi(), x.lo());
    }
  }
  return {kinetic.value(), potential.value(), {}};
}

template class RigidChain<2>;
template class RigidChain<3>;

}  // namespace catena
