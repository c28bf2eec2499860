#include "catena/dynamics/rigid_chain.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <variant>

#include "catena/dynamics/articulated.h"
#include "catena/dynamics/tension.h"
#include "catena/math/compensated.h"

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

template <int D>
struct RigidChain<D>::Workspace {
  std::variant<TensionSolver<D, double>, ArticulatedSolver<D, double>> solver;
  std::vector<CompensatedSum> velocity;  // of each link's end, then position
};

template <int D>
RigidChain<D>::RigidChain(ChainLinks links, const Vector& gravity, ChainSolver solver)
    : links_(std::move(links)), gravity_(gravity), solver_(solver) {
  assert(links_.count() > 0);
  assert(solver == ChainSolver::articulated || (links_.serial() && links_.point_masses()));
  if (solver == ChainSolver::tension) {
    work_.reset(new Workspace{TensionSolver<D, double>(links_, gravity_.data()), {}});
  } else {
    work_.reset(new Workspace{ArticulatedSolver<D, double>(links_, gravity_.data()), {}});
  }
  work_->velocity.resize(2 * D * links_.count());
}

template <int D>
RigidChain<D>::RigidChain(RigidChain&&) noexcept = default;
template <int D>
RigidChain<D>::~RigidChain() = default;

template <int D>
double RigidChain<D>::series_overhead() const {
  // Fitted to measured times of steps. Short chains wait for latencies, long ones for memory.
  if (solver_ == ChainSolver::articulated) return 150.0;
  return links() <= 4 ? 200.0 : 50.0;
}

template <int D>
void RigidChain<D>::rhs(const double* x, double* dx) {
  std::visit([&](auto& solver) { solver.rhs(x, dx); }, work_->solver);
}

template <int D>
void RigidChain<D>::taylor(const double* x, int order, double* c) {
  std::visit([&](auto& solver) { solver.taylor(x, order, c); }, work_->solver);
}

template <int D>
void RigidChain<D>::reserve(int order) {
  std::visit([&](auto& solver) { solver.reserve(order); }, work_->solver);
}

namespace {

// |u|^2 - 1 and u . w for one link, from exact products.
struct Violation {
  double length;
  double tangency;
};

template <int D>
Violation violation(const double* hi, const double* lo, std::size_t n, std::size_t k) {
  CompensatedSum square, tangency;
  square.add(-1.0);
  for (int i = 0; i < D; ++i) {
    const std::size_t u = i * n + k, w = (D + i) * n + k;
    square.add_product(hi[u], lo[u], hi[u], lo[u]);
    tangency.add_product(hi[u], lo[u], hi[w], lo[w]);
  }
  return {square.hi() + square.lo(), tangency.hi() + tangency.lo()};
}

}  // namespace

template <int D>
void RigidChain<D>::project(const double* hi, double* lo) const {
  const std::size_t n = links();
  for (std::size_t k = 0; k < n; ++k) {
    const auto [excess, tangency] = violation<D>(hi, lo, n, k);
    const double length = std::sqrt(1.0 + excess);
    const double shrink = excess / (length * (1.0 + length));  // 1 - 1/|u|, without cancellation
    for (int i = 0; i < D; ++i) {
      const std::size_t u = i * n + k, w = (D + i) * n + k;
      lo[u] -= shrink * (hi[u] + lo[u]);
      lo[w] -= tangency * (1.0 - shrink) * (hi[u] + lo[u]);  // u . w of the shrunk u
    }
  }
}

template <int D>
double RigidChain<D>::constraint_error(const double* hi, const double* lo) const {
  double largest = 0.0;
  for (std::size_t k = 0; k < links(); ++k) {
    const Violation v = violation<D>(hi, lo, links(), k);
    largest = std::max({largest, 0.5 * std::fabs(v.length), std::fabs(v.tangency)});
  }
  return largest;
}

template <int D>
typename RigidChain<D>::Vector RigidChain<D>::reactions(const double* x, double* tension) {
  Vector pivot{};
  if (auto* articulated = std::get_if<ArticulatedSolver<D, double>>(&work_->solver)) {
    articulated->reactions(x, tension, pivot.data());
    return pivot;
  }
  std::get<TensionSolver<D, double>>(work_->solver).tensions(x, tension);
  for (int i = 0; i < D; ++i) pivot[i] = -tension[0] * x[i * links()];
  return pivot;
}

template <int D>
typename RigidChain<D>::Energy RigidChain<D>::energy(const double* hi, const double* lo) const {
  const std::size_t n = links();
  auto* velocity = work_->velocity.data();
  auto* position = velocity + D * n;
  CompensatedSum kinetic, potential;
  const auto squared = [&](double factor, const CompensatedSum& value) {
    const double high = value.hi() + value.lo();
    const double low = (value.hi() - high) + value.lo();
    const DoubleDouble square = two_product(high, high);
    kinetic.add_product(factor, square.hi);
    kinetic.add(factor * (square.lo + 2 * high * low));
  };
  for (std::size_t k = 0; k < n; ++k) {
    const double length = links_.length[k], mass = links_.mass[k];
    const double f = links_.center_of_mass[k], inertia = links_.inertia[k];
    const int parent = links_.parent[k];
    for (int i = 0; i < D; ++i) {
      const std::size_t u = i * n + k, w = (D + i) * n + k;
      const CompensatedSum upper_v = parent < 0 ? CompensatedSum{} : velocity[D * parent + i];
      const CompensatedSum upper_x = parent < 0 ? CompensatedSum{} : position[D * parent + i];
      CompensatedSum v = upper_v, x = upper_x;
      v.add_product(length, 0.0, hi[w], lo[w]);
      x.add_product(length, 0.0, hi[u], lo[u]);
      velocity[D * k + i] = v;
      position[D * k + i] = x;
      if (f != 1.0) {  // the centre of mass lies inside
        v = upper_v, x = upper_x;
        v.add_product(f * length, 0.0, hi[w], lo[w]);
        x.add_product(f * length, 0.0, hi[u], lo[u]);
      }
      squared(0.5 * mass, v);
      if (inertia != 0.0) {
        CompensatedSum rate;
        rate.add(hi[w]);
        rate.add(lo[w]);
        squared(0.5 * inertia, rate);
      }
      const double weight = -mass * gravity_[i];
      potential.add_product(weight, 0.0, x.hi(), x.lo());
    }
  }
  return {kinetic.value(), potential.value()};
}

template class RigidChain<2>;
template class RigidChain<3>;

}  // namespace catena
