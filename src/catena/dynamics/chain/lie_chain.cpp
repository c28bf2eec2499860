#include "catena/dynamics/chain/lie_chain.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>
#include <vector>

#include "catena/dynamics/chain/directions.h"
#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/dynamics/chain/solvers/lie_links_definitions.h"
#include "catena/math/compensated.h"

namespace catena {

template <int D>
struct LieChain<D>::Workspace {
  Workspace(const ChainLinks& links, const Vector& gravity)
      : motion(links, gravity.data()),
        twin(links, gravity, ChainSolver::tension),
        u(2 * D * links.count()),
        u_lo(u.size()) {}

  // Unit vectors with rates of zero.
  void take_directions(const double* hi, const double* lo) {
    const std::size_t half = u.size() / 2;
    std::copy_n(hi, half, u.data());
    std::copy_n(lo, half, u_lo.data());
    std::fill(u.begin() + half, u.end(), 0.0);
    std::fill(u_lo.begin() + half, u_lo.end(), 0.0);
  }

  LieLinks<D, double> motion;
  RigidChain<D> twin;  // the same chain in (u, w): energies and reactions
  std::vector<double> u, u_lo;
};

template <int D>
LieChain<D>::LieChain(ChainLinks given, const Vector& gravity)
    : ChainDescription<D>(std::move(given), gravity) {
  assert(parameters().serial() && parameters().point_masses());
  work_ = Owned<Workspace>(std::make_unique<Workspace>(parameters(), this->gravity()));
}

template <int D>
LieChain<D>::LieChain(const LieChain&) = default;
template <int D>
LieChain<D>::LieChain(LieChain&&) noexcept = default;
template <int D>
LieChain<D>::~LieChain() = default;

template <int D>
double LieChain<D>::series_overhead() const {
  return work_->twin.series_overhead();
}

template <int D>
void LieChain<D>::equations(const double* x, double* matrix, double* right, const Loads* loads) const {
  work_->motion.equations(x, matrix, right, loads);
}

template <int D>
void LieChain<D>::rhs(const double* x, double* dx, const Loads* loads) {
  work_->motion.rhs(x, dx, loads);
}

template <int D>
void LieChain<D>::rhs_by_tensions(const double* x, double* dx, const Loads* loads) {
  work_->motion.rhs_by_tensions(x, dx, loads);
}

template <int D>
void LieChain<D>::taylor(const double* x, int order, double* c) {
  work_->motion.taylor(x, order, c);
}

template <int D>
void LieChain<D>::reserve(int order) {
  work_->motion.reserve(order);
}

template <int D>
void LieChain<D>::begin(const double* x, double* c, std::size_t row) {
  work_->motion.begin(x, c, row);
}

template <int D>
void LieChain<D>::advance(int n, const Loads& loads) {
  work_->motion.advance(n, loads);
}

template <int D>
void LieChain<D>::finish(int order) {
  work_->motion.finish(order);
}

template <int D>
const double* LieChain<D>::directions(int order, std::size_t& stride) {
  return work_->motion.directions(order, stride);
}

// |q| = 1 and, where omega could have a part along q, q . omega = 0.
template <int D>
ShownRows LieChain<D>::shown(int n, const double* row) {
  return work_->motion.shown(n, row);
}

template <int D>
RateRows LieChain<D>::changes(int n, const double* next) {
  return work_->motion.changes(n, next);
}

template <int D>
void LieChain<D>::project(const double* hi, double* lo) {
  if constexpr (D == 3) {
    project_directions<3>(links(), hi, lo);
  } else {
    work_->take_directions(hi, lo);
    project_directions<2>(links(), work_->u.data(), work_->u_lo.data());
    std::copy_n(work_->u_lo.data(), 2 * links(), lo);
  }
}

template <int D>
double LieChain<D>::constraint_error(const double* hi, const double* lo) {
  if constexpr (D == 3) return largest_violation<3>(links(), hi, lo);
  work_->take_directions(hi, lo);
  return largest_violation<D>(links(), work_->u.data(), work_->u_lo.data());
}

template <int D>
typename LieChain<D>::Vector LieChain<D>::reactions(const double* x, double* tension, const Loads* loads) {
  directions(x, work_->u.data());
  return work_->twin.reactions(work_->u.data(), tension, loads);
}

// w = omega x q to twice the digits.
template <int D>
Energies LieChain<D>::energy(const double* hi, const double* lo) {
  Workspace& work = *work_;
  const std::size_t n = links();
  std::copy_n(hi, D * n, work.u.data());
  std::copy_n(lo, D * n, work.u_lo.data());
  for (int c = 0; c < D; ++c) {
    const int a = D == 2 ? 0 : (c + 1) % 3, b = D == 2 ? 1 - c : (c + 2) % 3;
    for (std::size_t k = 0; k < n; ++k) {
      CompensatedSum sum;
      const auto add = [&](double sign, int turning, int q) {
        sum.add_product(sign * hi[(D + turning) * n + k], sign * lo[(D + turning) * n + k], hi[q * n + k],
                        lo[q * n + k]);
      };
      if constexpr (D == 2) {
        add(c == 0 ? -1.0 : 1.0, a, b);
      } else {
        add(1.0, a, b);
        add(-1.0, b, a);
      }
      work.u[(D + c) * n + k] = sum.value().hi;
      work.u_lo[(D + c) * n + k] = sum.value().lo;
    }
  }
  return work.twin.energy(work.u.data(), work.u_lo.data());
}

template <int D>
const double* LieChain<D>::directions(const double* x, double* u) const {
  return work_->motion.directions(x, u);
}

template <int D>
const double* LieChain<D>::accelerations(const double* x, const double* dx, double* w_dot) const {
  return work_->motion.accelerations(x, dx, w_dot);
}

template <int D>
void LieChain<D>::vectors_digits(const double* hi, const double* lo, DoubleDouble* u) const {
  const std::size_t n = links();
  for (std::size_t k = 0; k < n; ++k) {
    DoubleDouble x[D + kTurning];
    for (int i = 0; i < D + kTurning; ++i) x[i] = two_sum(hi[i * n + k], lo[i * n + k]);
    for (int i = 0; i < D; ++i) {
      u[i * n + k] = x[i];
      u[(D + i) * n + k] = lie_parts::turned<D, DoubleDouble>(x + D, x, 1, i);
    }
  }
}

// In runs with more digits than a double with all of them.
template <int D>
LanePair LieChain<D>::state_of(const LanePair& given) const {
  const std::size_t n = links();
  LanePair state{std::vector<double>(dimension()), std::vector<double>(dimension(), 0.0)};
  std::copy_n(given.hi.data(), D * n, state.hi.data());
  std::copy_n(given.lo.data(), D * n, state.lo.data());
  for (std::size_t k = 0; k < n; ++k) {
    DoubleDouble own[2 * D];
    for (std::size_t i = 0; i < 2 * D; ++i) own[i] = two_sum(given.hi[i * n + k], given.lo[i * n + k]);
    for (int c = 0; c < kTurning; ++c) {
      const std::size_t lane = (D + c) * n + k;
      if (parameters().decimals) {
        const DoubleDouble omega = lie_parts::cross<D, DoubleDouble>(own, own + D, 1, c);
        state.hi[lane] = omega.hi;
        state.lo[lane] = omega.lo;
      } else {
        state.hi[lane] = lie_parts::cross<D>(given.hi.data() + k, given.hi.data() + D * n + k, n, c);
      }
    }
  }
  return state;
}

template class LieChain<2>;
template class LieChain<3>;

}  // namespace catena
