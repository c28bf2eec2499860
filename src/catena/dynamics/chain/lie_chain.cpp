#include "catena/dynamics/chain/lie_chain.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>
#include <vector>

#include "catena/dynamics/chain/directions.h"
#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/math/cholesky.h"
#include "catena/math/compensated.h"

namespace catena {
namespace {

// Component i of a x b for vectors of lanes `stride` apart; in a plane the one component there is, with the
// sign in which theta grows: u = (sin theta, -cos theta).
template <int D>
double cross(const double* a, const double* b, std::size_t stride, int i) {
  if constexpr (D == 2) return a[0] * b[stride] - a[stride] * b[0];
  const int next = (i + 1) % 3, last = (i + 2) % 3;
  return a[next * stride] * b[last * stride] - a[last * stride] * b[next * stride];
}

// Component i of omega x q.
template <int D>
double turned(const double* omega, const double* q, std::size_t stride, int i) {
  if constexpr (D == 2) return i == 0 ? -omega[0] * q[stride] : omega[0] * q[0];
  return cross<D>(omega, q, stride, i);
}

}  // namespace

template <int D>
struct LieChain<D>::Workspace {
  Workspace(const ChainLinks& links, const Vector& gravity)
      : twin(links, gravity, ChainSolver::tension),
        carried(links.count()),
        matrix(kTurning * links.count() * kTurning * links.count()),
        right(kTurning * links.count()),
        u(2 * D * links.count()),
        u_lo(u.size()),
        du(u.size()),
        start(u.size()) {
    double sum = 0.0;
    for (std::size_t k = links.count(); k-- > 0;) carried[k] = sum += links.mass[k];
  }

  // Unit vectors with rates of zero.
  void take_directions(const double* hi, const double* lo) {
    const std::size_t half = u.size() / 2;
    std::copy_n(hi, half, u.data());
    std::copy_n(lo, half, u_lo.data());
    std::fill(u.begin() + half, u.end(), 0.0);
    std::fill(u_lo.begin() + half, u_lo.end(), 0.0);
  }

  RigidChain<D> twin;           // the same chain in (u, w)
  std::vector<double> carried;  // mass of a link and all below it
  std::vector<double> matrix, right;
  std::vector<double> u, u_lo, du, series;
  // Of the series that is being made.
  std::vector<double> start;
  double* out = nullptr;
  std::size_t row = 0;
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

// R_ij = M_ij q^_i^T q^_j = M_ij ((q_i . q_j) I - q_j q_i^T) off the diagonal, R_ii = M_ii I,
// r_i = sum_j M_ij |omega_j|^2 q_i x q_j + l_i q_i x sum_{k>=i} (m_k g + f_k),
// M_ij = (sum_{k>=max(i,j)} m_k) l_i l_j
template <int D>
void LieChain<D>::equations(const double* x, double* matrix, double* right, const Loads* loads) const {
  const std::vector<double>& carried = work_->carried;
  const std::size_t n = links(), rows = kTurning * n;
  const std::vector<double>& length = parameters().length;
  const double* omega = x + D * n;
  const Vector& g = loads != nullptr ? loads->gravity : this->gravity();
  double below[D] = {}, along[D];  // forces on all masses below the link
  for (std::size_t i = n; i-- > 0;) {
    for (int c = 0; c < D; ++c) {
      below[c] += parameters().mass[i] * g[c];
      if (loads != nullptr && loads->force != nullptr) below[c] += loads->force[c * n + i];
      along[c] = x[c * n + i];
    }
    for (int c = 0; c < kTurning; ++c) right[c * n + i] = length[i] * cross<D>(along, below, 1, c);
  }
  for (std::size_t j = 0; j < n; ++j) {
    double square = 0.0;
    for (int c = 0; c < kTurning; ++c) square += omega[c * n + j] * omega[c * n + j];
    for (std::size_t i = 0; i < n; ++i) {
      const double m = carried[std::max(i, j)] * length[i] * length[j];
      double cosine = 0.0;
      for (int c = 0; c < D; ++c) cosine += x[c * n + i] * x[c * n + j];
      for (int s = 0; s < kTurning; ++s) {
        double* column = matrix + (s * n + j) * rows + i;
        for (int r = 0; r < kTurning; ++r) {
          const double product = D == 2 ? 0.0 : x[r * n + j] * x[s * n + i];
          column[r * n] = i == j ? (r == s ? m : 0.0) : m * ((r == s ? cosine : 0.0) - product);
        }
        if (i != j) right[s * n + i] += m * square * cross<D>(x + i, x + j, n, s);
      }
    }
  }
}

template <int D>
void LieChain<D>::rhs(const double* x, double* dx, const Loads* loads) {
  Workspace& work = *work_;
  const std::size_t n = links(), rows = kTurning * n;
  const double* omega = x + D * n;
  equations(x, work.matrix.data(), work.right.data(), loads);
  if (factor_cholesky(work.matrix.data(), rows)) {
    solve_cholesky(work.matrix.data(), rows, work.right.data());
  } else {
    std::fill(work.right.begin(), work.right.end(), std::numeric_limits<double>::quiet_NaN());
  }
  for (int c = 0; c < D; ++c) {
    for (std::size_t k = 0; k < n; ++k) dx[c * n + k] = turned<D>(omega + k, x + k, n, c);
  }
  std::copy_n(work.right.data(), rows, dx + D * n);
}

template <int D>
void LieChain<D>::rhs_by_tensions(const double* x, double* dx, const Loads* loads) {
  Workspace& work = *work_;
  const std::size_t n = links();
  directions(x, work.u.data());
  work.twin.rhs(work.u.data(), work.du.data(), loads);
  std::copy_n(work.du.data(), D * n, dx);
  for (int c = 0; c < kTurning; ++c) {
    for (std::size_t k = 0; k < n; ++k) {
      dx[(D + c) * n + k] = cross<D>(work.u.data() + k, work.du.data() + D * n + k, n, c);
    }
  }
}

template <int D>
void LieChain<D>::reserve(int order) {
  work_->twin.reserve(order);
  const std::size_t size = (static_cast<std::size_t>(order) + 1) * work_->u.size();
  if (work_->series.size() < size) work_->series.resize(size);
}

template <int D>
void LieChain<D>::taylor(const double* x, int order, double* c) {
  reserve(order);
  directions(x, work_->u.data());
  work_->twin.taylor(work_->u.data(), order, work_->series.data());
  write_series(order, c, dimension());
  std::copy_n(x, dimension(), c);
}

template <int D>
void LieChain<D>::begin(const double* x, double* c, std::size_t row) {
  work_->out = c;
  work_->row = row;
  std::copy_n(x, dimension(), work_->start.data());
  directions(x, work_->u.data());
  work_->twin.begin(work_->u.data(), work_->series.data(), work_->u.size());
}

template <int D>
void LieChain<D>::advance(int n, const Loads& loads) {
  work_->twin.advance(n, loads);
}

template <int D>
void LieChain<D>::finish(int order) {
  work_->twin.finish(order);
  write_series(order, work_->out, work_->row);
  std::copy_n(work_->start.data(), dimension(), work_->out);
}

template <int D>
const double* LieChain<D>::directions(int order, std::size_t& stride) {
  return work_->twin.directions(order, stride);
}

// omega = u x w, order by order.
template <int D>
void LieChain<D>::write_series(int order, double* c, std::size_t row) const {
  const std::size_t n = links(), from = 2 * D * n;
  const double* series = work_->series.data();
  for (int m = 0; m <= order; ++m) {
    double* out = c + static_cast<std::size_t>(m) * row;
    std::copy_n(series + m * from, D * n, out);
    std::fill_n(out + D * n, kTurning * n, 0.0);
    for (int j = 0; j <= m; ++j) {
      const double* u = series + j * from;
      const double* w = series + (m - j) * from + D * n;
      for (int i = 0; i < kTurning; ++i) {
        for (std::size_t k = 0; k < n; ++k) out[(D + i) * n + k] += cross<D>(u + k, w + k, n, i);
      }
    }
  }
}

// |q| = 1 and, where omega could have a part along q, q . omega = 0.
template <int D>
ShownRows LieChain<D>::shown(int n, const double*) {
  std::size_t stride = 0;
  const double* now = directions(n, stride);
  return {now, directions(n + 1, stride), stride, n + 1.0};
}

template <int D>
RateRows LieChain<D>::changes(int n, const double*) {
  std::size_t stride = 0;
  const double* rows = directions(n + 2, stride);
  return {rows, stride, (n + 2.0) * (n + 1.0)};
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
  const std::size_t n = links();
  std::copy_n(x, D * n, u);
  for (int c = 0; c < D; ++c) {
    for (std::size_t k = 0; k < n; ++k) u[(D + c) * n + k] = turned<D>(x + D * n + k, x + k, n, c);
  }
  return u;
}

// w' = omega' x q + omega x q'
template <int D>
const double* LieChain<D>::accelerations(const double* x, const double* dx, double* w_dot) const {
  const std::size_t n = links();
  for (int c = 0; c < D; ++c) {
    for (std::size_t k = 0; k < n; ++k) {
      w_dot[c * n + k] = turned<D>(dx + D * n + k, x + k, n, c) + turned<D>(x + D * n + k, dx + k, n, c);
    }
  }
  return w_dot;
}

template <int D>
LanePair LieChain<D>::state_of(const LanePair& given) const {
  const std::size_t n = links();
  LanePair state{std::vector<double>(dimension()), std::vector<double>(dimension(), 0.0)};
  std::copy_n(given.hi.data(), D * n, state.hi.data());
  std::copy_n(given.lo.data(), D * n, state.lo.data());
  for (int c = 0; c < kTurning; ++c) {
    for (std::size_t k = 0; k < n; ++k) {
      state.hi[(D + c) * n + k] = cross<D>(given.hi.data() + k, given.hi.data() + D * n + k, n, c);
    }
  }
  return state;
}

template class LieChain<2>;
template class LieChain<3>;

}  // namespace catena
