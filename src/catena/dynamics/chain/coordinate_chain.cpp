#include "catena/dynamics/chain/coordinate_chain.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "catena/dynamics/chain/coordinate_series.h"
#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/math/cholesky.h"

namespace catena {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
// A link leaves its chart where |sin theta| is this or less. The other chart's sine is at least 0.86 there.
constexpr double kNearPole = 0.5;

// Each product is added to the sum of those before it: fused, another order would round otherwise than it
// did.
template <std::size_t D>
double running_dot(const std::array<double, D>& a, const std::array<double, D>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < D; ++i) sum += a[i] * b[i];
  return sum;
}

double within_turn(double angle) {
  const double out = angle - kTurn * std::floor(angle / kTurn);
  return out >= kTurn ? 0.0 : out;
}

// A vector of the chain's space in a chart's own axes: two across the pole, one along it.
std::array<double, 3> in_chart(const std::array<double, 3>& v, double pole) {
  if (pole == kPoleZ) return {v[0], v[1], -v[2]};
  return {v[1], v[2], v[0]};
}

struct SphericalAngles {
  double theta, phi, theta_dot, phi_dot;
};

SphericalAngles angles_of(const std::array<double, 3>& u, const std::array<double, 3>& w, double pole) {
  const std::array<double, 3> a = in_chart(u, pole), b = in_chart(w, pole);
  const double across = std::hypot(a[0], a[1]);
  const double outwards = (a[0] * b[0] + a[1] * b[1]) / across;
  const double around = (a[0] * b[1] - a[1] * b[0]) / across;
  return {std::atan2(across, a[2]), within_turn(std::atan2(a[1], a[0])), a[2] * outwards - across * b[2],
          around / across};
}

double pole_for(const std::array<double, 3>& u) {
  return std::hypot(u[0], u[1]) > kNearPole ? kPoleZ : kPoleX;
}

}  // namespace

// Lanes of the matrices are [angle][link], columns of B [curvature][link].
template <int D>
struct CoordinateChain<D>::Workspace {
  using Series = CoordinateSeries<D>;
  static constexpr int kAngles = Series::kAngles;
  static constexpr int kCurvatures = Series::kCurvatures;

  Workspace(const ChainLinks& given, const Vector& gravity)
      : n(given.count()),
        links(given),
        g(gravity),
        twin(given, gravity, ChainSolver::tension),
        series(n),
        carried(n),
        a(kAngles * n * kAngles * n),
        b(kAngles * n * kCurvatures * n),
        right(kAngles * n),
        squares(kCurvatures * n),
        u(2 * D * n),
        u_lo(2 * D * n) {
    double sum = 0.0;
    for (std::size_t k = n; k-- > 0;) carried[k] = sum += given.mass[k];
    reserve(0);
  }

  void reserve(int order) {
    series.reserve(order + 2);
    const std::size_t rows = static_cast<std::size_t>(order) + 3;
    if (force.size() < rows * D * n) force.resize(rows * D * n);
    if (u_rows.size() < rows * D * n) u_rows.resize(rows * D * n);
  }

  // m_{max(i,j)..} l_i l_j: what links i and j carry in common.
  double common(std::size_t i, std::size_t j) const {
    return carried[std::max(i, j)] * links.length[i] * links.length[j];
  }

  // A_{ia,jb} = common(i, j) e_ia . e_jb, factored; false at a chart's pole.
  bool factor_a() {
    const std::size_t rows = kAngles * n;
    for (int s = 0; s < kAngles; ++s) {
      for (std::size_t j = 0; j < n; ++j) {
        const auto ej = series.tangent(0, s, j);
        double* column = a.data() + (s * n + j) * rows;
        for (int r = s; r < kAngles; ++r) {
          for (std::size_t i = r == s ? j : 0; i < n; ++i) {
            column[r * n + i] = common(i, j) * running_dot(series.tangent(0, r, i), ej);
          }
        }
      }
    }
    return factor_cholesky(a.data(), rows);
  }

  // B_{ia,jc} = common(i, j) e_ia . e_jc with the second derivatives e_jc by theta theta, theta phi, phi phi.
  void fill_b() {
    const std::size_t rows = kAngles * n;
    for (int c = 0; c < kCurvatures; ++c) {
      for (std::size_t j = 0; j < n; ++j) {
        const auto bend = series.curvature(c, j);
        double* column = b.data() + (c * n + j) * rows;
        for (int r = 0; r < kAngles; ++r) {
          for (std::size_t i = 0; i < n; ++i) {
            column[r * n + i] = common(i, j) * running_dot(series.tangent(0, r, i), bend);
          }
        }
      }
    }
  }

  // theta'^2, 2 theta' phi', phi'^2: the factor 2 of the mixed term stands here, and not in B.
  void fill_squares(const double* rates) {
    for (std::size_t k = 0; k < n; ++k) {
      squares[k] = rates[k] * rates[k];
      if constexpr (D == 3) {
        squares[n + k] = 2 * rates[k] * rates[n + k];
        squares[2 * n + k] = rates[n + k] * rates[n + k];
      }
    }
  }

  // Of each link: the force that it and all below it need beyond what acts on them,
  // sum_{k>=i} (m_k (a_k - g) - f_k) with a_k = sum_{j<=k} l_j u''_j, of order n_th from u of order n_th + 2.
  void sum_forces(int n_th, const Loads& loads) {
    const double rank = (n_th + 2.0) * (n_th + 1.0);
    double* f = force_row(n_th);
    Vector acceleration{};
    for (std::size_t k = 0; k < n; ++k) {
      const auto bend = series.direction(n_th + 2, k);
      for (int i = 0; i < D; ++i) {
        acceleration[i] += rank * links.length[k] * bend[i];
        f[i * n + k] = links.mass[k] * (acceleration[i] - loads.gravity[i]) - force_on(loads, i, k);
      }
    }
    sum_upwards(f);
  }

  // Of each link: what acts on it and all below it.
  void sum_loads(const Loads& loads) {
    double* f = force_row(0);
    for (int i = 0; i < D; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        f[i * n + k] = links.mass[k] * loads.gravity[i] + force_on(loads, i, k);
      }
    }
    sum_upwards(f);
  }

  double force_on(const Loads& loads, int i, std::size_t k) const {
    return loads.force == nullptr ? 0.0 : loads.force[i * n + k];
  }

  void sum_upwards(double* f) const {
    for (int i = 0; i < D; ++i) {
      for (std::size_t k = n - 1; k-- > 0;) f[i * n + k] += f[i * n + k + 1];
    }
  }

  void keep_directions(int order) {
    double* to = u_rows.data() + static_cast<std::size_t>(order) * D * n;
    for (std::size_t k = 0; k < n; ++k) {
      const auto u_k = series.direction(order, k);
      for (int i = 0; i < D; ++i) to[i * n + k] = u_k[i];
    }
  }

  // -l_i (e_ia . F_i)_n, where the newest coefficient of the angles is still zero.
  void fill_right(int n_th) {
    for (int r = 0; r < kAngles; ++r) {
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j <= n_th; ++j) {
          const auto e = series.tangent(j, r, i);
          const double* f = force_row(n_th - j);
          for (int c = 0; c < D; ++c) sum += e[c] * f[c * n + i];
        }
        right[r * n + i] = -links.length[i] * sum;
      }
    }
  }

  double* force_row(int order) { return force.data() + static_cast<std::size_t>(order) * D * n; }

  std::size_t n;
  ChainLinks links;
  Vector g;
  RigidChain<D> twin;  // the same chain in unit vectors: energies and reactions
  Series series;
  std::vector<double> carried;  // mass of a link and all below it
  std::vector<double> a, b, right, squares, force;
  std::vector<double> u, u_lo;
  std::vector<double> u_rows;  // series of the directions, [order][component][link]
  // Of the series that is being made.
  double* out = nullptr;
  std::size_t row = 0;
  bool regular = true;
};

template <int D>
CoordinateChain<D>::CoordinateChain(ChainLinks given, const Vector& gravity)
    : ChainDescription<D>(std::move(given), gravity) {
  assert(parameters().serial() && parameters().point_masses());
  work_ = Owned<Workspace>(std::make_unique<Workspace>(parameters(), this->gravity()));
}

template <int D>
CoordinateChain<D>::CoordinateChain(const CoordinateChain&) = default;
template <int D>
CoordinateChain<D>::CoordinateChain(CoordinateChain&&) noexcept = default;
template <int D>
CoordinateChain<D>::~CoordinateChain() = default;

template <int D>
double CoordinateChain<D>::series_overhead() const {
  return 30.0 + static_cast<double>(links());  // counted products: those of a solve over those of an order
}

// A q'' = Q - B (q'^2)
template <int D>
void CoordinateChain<D>::rhs(const double* x, double* dx, const Loads* loads) {
  Workspace& work = *work_;
  const std::size_t n = links(), rows = (D - 1) * n;
  work.series.start(x);
  work.fill_b();
  work.fill_squares(x + rows);
  work.sum_loads(loads != nullptr ? *loads : Loads{nullptr, this->gravity()});
  for (int r = 0; r < D - 1; ++r) {
    for (std::size_t i = 0; i < n; ++i) {
      const Vector e = work.series.tangent(0, r, i);
      double sum = 0.0;
      for (int c = 0; c < D; ++c) sum += e[c] * work.force_row(0)[c * n + i];
      work.right[r * n + i] = parameters().length[i] * sum;
    }
  }
  for (std::size_t column = 0; column < work.squares.size(); ++column) {
    const double* b = work.b.data() + column * rows;
    for (std::size_t i = 0; i < rows; ++i) work.right[i] -= b[i] * work.squares[column];
  }
  if (work.factor_a()) {
    solve_cholesky(work.a.data(), rows, work.right.data());
  } else {
    std::fill(work.right.begin(), work.right.end(), std::numeric_limits<double>::quiet_NaN());
  }
  std::copy_n(x + rows, rows, dx);
  std::copy_n(work.right.data(), rows, dx + rows);
  std::fill(dx + 2 * rows, dx + dimension(), 0.0);
}

template <int D>
void CoordinateChain<D>::taylor(const double* x, int order, double* c) {
  reserve(order);
  begin(x, c, dimension());
  for (int n = 0; n < order; ++n) advance(n, n == 0 ? Loads{nullptr, this->gravity()} : Loads{});
  finish(order);
}

template <int D>
void CoordinateChain<D>::begin(const double* x, double* c, std::size_t row) {
  Workspace& work = *work_;
  const std::size_t rows = (D - 1) * links();
  work.out = c;
  work.row = row;
  std::copy_n(x, dimension(), c);
  work.series.start(x);
  work.regular = work.factor_a();
  std::copy_n(x + rows, rows, work.series.angle(1, 0));
  work.series.advance(1);
  work.keep_directions(0);
  work.keep_directions(1);
}

// The equations (e_ia . F_i) = 0 order by order: coefficient m = n + 2 of the angles enters order n through
// the matrix A of order 0 alone.
template <int D>
void CoordinateChain<D>::advance(int n, const Loads& loads) {
  Workspace& work = *work_;
  const std::size_t rows = (D - 1) * links();
  std::fill_n(work.series.angle(n + 2, 0), rows, 0.0);
  work.series.advance(n + 2);
  work.sum_forces(n, loads);
  work.fill_right(n);
  if (work.regular) solve_cholesky(work.a.data(), rows, work.right.data());
  const double rank = work.regular ? (n + 2.0) * (n + 1.0) : std::numeric_limits<double>::quiet_NaN();
  for (double& value : work.right) value /= rank;
  work.series.correct(n + 2, work.right.data());
  work.sum_forces(n, loads);
  work.keep_directions(n + 2);
}

template <int D>
void CoordinateChain<D>::finish(int order) {
  Workspace& work = *work_;
  const std::size_t rows = (D - 1) * links();
  for (int k = 0; k <= order; ++k) {
    double* to = work.out + static_cast<std::size_t>(k) * work.row;
    std::copy_n(work.series.angle(k, 0), rows, to);
    for (std::size_t i = 0; i < rows; ++i) to[rows + i] = (k + 1) * work.series.angle(k + 1, 0)[i];
    if (k > 0) std::fill(to + 2 * rows, to + dimension(), 0.0);
  }
}

template <int D>
const double* CoordinateChain<D>::directions(int order, std::size_t& stride) {
  stride = links();
  return work_->u_rows.data() + static_cast<std::size_t>(order) * D * links();
}

template <int D>
void CoordinateChain<D>::reserve(int order) {
  work_->reserve(order);
}

template <int D>
const double* CoordinateChain<D>::directions(const double* x, double* u) {
  auto& series = work_->series;
  const std::size_t n = links();
  series.start(x);
  for (std::size_t k = 0; k < n; ++k) {
    const Vector along = series.direction(0, k);
    Vector rate{};
    for (int a = 0; a < D - 1; ++a) {
      const Vector e = series.tangent(0, a, k);
      for (int i = 0; i < D; ++i) rate[i] += e[i] * x[(D - 1 + a) * n + k];
    }
    for (int i = 0; i < D; ++i) {
      u[i * n + k] = along[i];
      u[(D + i) * n + k] = rate[i];
    }
  }
  return u;
}

template <int D>
const double* CoordinateChain<D>::accelerations(const double* x, const double* dx, double* w_dot) {
  Workspace& work = *work_;
  const std::size_t n = links(), rows = (D - 1) * n;
  work.series.start(x);
  work.fill_squares(x + rows);
  for (std::size_t k = 0; k < n; ++k) {
    Vector sum{};
    const auto add = [&](const Vector& v, double factor) {
      for (int i = 0; i < D; ++i) sum[i] += factor * v[i];
    };
    for (int a = 0; a < D - 1; ++a) add(work.series.tangent(0, a, k), dx[rows + a * n + k]);
    for (int c = 0; c < Workspace::kCurvatures; ++c)
      add(work.series.curvature(c, k), work.squares[c * n + k]);
    for (int i = 0; i < D; ++i) w_dot[i * n + k] = sum[i];
  }
  return w_dot;
}

template <int D>
ShownRows CoordinateChain<D>::shown(int n, const double*) {
  std::size_t stride = 0;
  const double* now = directions(n, stride);
  return {now, directions(n + 1, stride), stride, n + 1.0};
}

template <int D>
RateRows CoordinateChain<D>::changes(int n, const double*) {
  std::size_t stride = 0;
  const double* rows = directions(n + 2, stride);
  return {rows, stride, (n + 2.0) * (n + 1.0)};
}

template <int D>
typename CoordinateChain<D>::Vector CoordinateChain<D>::reactions(const double* x, double* tension,
                                                                  const Loads* loads) {
  directions(x, work_->u.data());
  return work_->twin.reactions(work_->u.data(), tension, loads);
}

// What lo adds to directions and rates is taken to first order; the rest is below 1e-30.
template <int D>
Energies CoordinateChain<D>::energy(const double* hi, const double* lo) {
  Workspace& work = *work_;
  const std::size_t n = links();
  directions(hi, work.u.data());
  std::fill(work.u_lo.begin(), work.u_lo.end(), 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    for (int a = 0; a < D - 1; ++a) {
      const Vector e = work.series.tangent(0, a, k);
      const double angle = lo[a * n + k], rate = lo[(D - 1 + a) * n + k];
      for (int i = 0; i < D; ++i) {
        work.u_lo[i * n + k] += e[i] * angle;
        work.u_lo[(D + i) * n + k] += e[i] * rate;
      }
      for (int b = 0; b < D - 1; ++b) {
        const Vector bend = work.series.curvature(a + b, k);
        for (int i = 0; i < D; ++i) work.u_lo[(D + i) * n + k] += bend[i] * angle * hi[(D - 1 + b) * n + k];
      }
    }
  }
  return work.twin.energy(work.u.data(), work.u_lo.data());
}

template <int D>
LanePair CoordinateChain<D>::state_of(const LanePair& given) const {
  const std::size_t n = links();
  LanePair state{std::vector<double>(dimension()), std::vector<double>(dimension(), 0.0)};
  double* x = state.hi.data();
  for (std::size_t k = 0; k < n; ++k) {
    Vector u, w;
    for (int i = 0; i < D; ++i) {
      u[i] = given.hi[i * n + k];
      w[i] = given.hi[(D + i) * n + k];
    }
    if constexpr (D == 2) {
      x[k] = std::atan2(u[0], -u[1]);
      x[n + k] = w[1] * u[0] - w[0] * u[1];
    } else {
      const double pole = pole_for(u);
      const SphericalAngles angles = angles_of(u, w, pole);
      const double lanes[5] = {angles.theta, angles.phi, angles.theta_dot, angles.phi_dot, pole};
      for (int i = 0; i < 5; ++i) x[i * n + k] = lanes[i];
    }
  }
  return state;
}

template <int D>
bool CoordinateChain<D>::settle([[maybe_unused]] double* hi, [[maybe_unused]] double* lo) {
  if constexpr (D == 2) {
    return false;
  } else {
    const std::size_t n = links();
    bool changed = false;
    for (std::size_t k = 0; k < n; ++k) {
      if (std::fabs(std::sin(hi[k])) > kNearPole) continue;
      if (!changed) directions(hi, work_->u.data());
      changed = true;
      const double* u = work_->u.data() + k;
      const double pole = hi[4 * n + k] == kPoleZ ? kPoleX : kPoleZ;
      const SphericalAngles to = angles_of({u[0], u[n], u[2 * n]}, {u[3 * n], u[4 * n], u[5 * n]}, pole);
      const double lanes[5] = {to.theta, to.phi, to.theta_dot, to.phi_dot, pole};
      for (int i = 0; i < 5; ++i) {
        hi[i * n + k] = lanes[i];
        lo[i * n + k] = 0.0;
      }
    }
    return changed;
  }
}

template <int D>
void CoordinateChain<D>::angles(const double* x, const AngleLanes& out) const {
  const std::size_t n = links();
  for (std::size_t k = 0; k < n; ++k) {
    out.theta[k] = x[k];
    out.theta_dot[k] = x[(D - 1) * n + k];
    out.pole[k] = kPoleZ;
    if constexpr (D == 3) {
      const double theta = std::remainder(x[k], kTurn);
      const bool mirrored = theta < 0.0;  // a long step went through the pole
      out.theta[k] = std::fabs(theta);
      out.theta_dot[k] = mirrored ? -x[2 * n + k] : x[2 * n + k];
      out.phi[k] = within_turn(mirrored ? x[n + k] + std::numbers::pi : x[n + k]);
      out.phi_dot[k] = x[3 * n + k];
      out.pole[k] = x[4 * n + k];
    }
  }
}

template class CoordinateChain<2>;
template class CoordinateChain<3>;

}  // namespace catena
