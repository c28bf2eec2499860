#include "catena/dynamics/chain/coordinate_chain.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "catena/dynamics/chain/rigid_chain.h"
#include "catena/dynamics/chain/solvers/coordinate_links_definitions.h"

namespace catena {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
// A link leaves its chart where |sin theta| is this or less. The other chart's sine is at least 0.86 there.
constexpr double kNearPole = 0.5;

double within_turn(double angle) {
  const double out = angle - kTurn * std::floor(angle / kTurn);
  return out >= kTurn ? 0.0 : out;
}

double size_of(double a, double b) { return std::hypot(a, b); }
DoubleDouble size_of(const DoubleDouble& a, const DoubleDouble& b) { return square_root(a * a + b * b); }
double angle_of(double y, double x) { return std::atan2(y, x); }
DoubleDouble angle_of(const DoubleDouble& y, const DoubleDouble& x) { return digits::atan2(y, x); }
DoubleDouble within_turn(const DoubleDouble& angle) {
  return angle.hi < 0.0 ? angle + DoubleDouble(2.0) * digits::pi<DoubleDouble>() : angle;
}

// A vector of the chain's space in a chart's own axes: two across the pole, one along it.
template <class S>
std::array<S, 3> in_chart(const std::array<S, 3>& v, double pole) {
  if (pole == kPoleZ) return {v[0], v[1], -v[2]};
  return {v[1], v[2], v[0]};
}

template <class S>
struct SphericalAngles {
  S theta, phi, theta_dot, phi_dot;
};

template <class S>
SphericalAngles<S> angles_of(const std::array<S, 3>& u, const std::array<S, 3>& w, double pole) {
  const std::array<S, 3> a = in_chart(u, pole), b = in_chart(w, pole);
  const S across = size_of(a[0], a[1]);
  const S outwards = (a[0] * b[0] + a[1] * b[1]) / across;
  const S around = (a[0] * b[1] - a[1] * b[0]) / across;
  return {angle_of(across, a[2]), within_turn(angle_of(a[1], a[0])), a[2] * outwards - across * b[2],
          around / across};
}

// Lanes of one link, [u, w][component], from its state's lanes `stride` apart.
template <int D, class Lane>
void direction_digits(const Lane& lane, double pole, DoubleDouble* out) {
  const digits::SinCos<DoubleDouble> theta = digits::sin_cos(lane(0));
  const DoubleDouble theta_dot = lane(D - 1);
  if constexpr (D == 2) {
    out[0] = theta.sin;
    out[1] = -theta.cos;
    out[2] = theta.cos * theta_dot;
    out[3] = theta.sin * theta_dot;
  } else {
    const digits::SinCos<DoubleDouble> phi = digits::sin_cos(lane(1));
    const DoubleDouble outwards = theta.cos * theta_dot, around = theta.sin * lane(3);
    // Two across the chart's pole, one along it.
    const DoubleDouble along[3] = {theta.sin * phi.cos, theta.sin * phi.sin, theta.cos};
    const DoubleDouble rate[3] = {outwards * phi.cos - around * phi.sin,
                                  outwards * phi.sin + around * phi.cos, -(theta.sin * theta_dot)};
    const bool is_z = pole == kPoleZ;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t to = is_z ? i : (i + 1) % 3;
      const bool down = is_z && i == 2;
      out[to] = down ? -along[i] : along[i];
      out[3 + to] = down ? -rate[i] : rate[i];
    }
  }
}

double pole_for(const std::array<double, 3>& u) {
  return std::hypot(u[0], u[1]) > kNearPole ? kPoleZ : kPoleX;
}

}  // namespace

template <int D>
struct CoordinateChain<D>::Workspace {
  Workspace(const ChainLinks& links, const Vector& gravity)
      : motion(links, gravity.data()),
        twin(links, gravity, ChainSolver::tension),
        u(2 * D * links.count()),
        u_lo(u.size()) {}

  CoordinateLinks<D, double> motion;
  RigidChain<D> twin;  // the same chain in unit vectors: energies and reactions
  std::vector<double> u, u_lo;
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

template <int D>
void CoordinateChain<D>::rhs(const double* x, double* dx, const Loads* loads) {
  work_->motion.rhs(x, dx, loads);
}

template <int D>
void CoordinateChain<D>::taylor(const double* x, int order, double* c) {
  work_->motion.taylor(x, order, c);
}

template <int D>
void CoordinateChain<D>::reserve(int order) {
  work_->motion.reserve(order);
}

template <int D>
void CoordinateChain<D>::begin(const double* x, double* c, std::size_t row) {
  work_->motion.begin(x, c, row);
}

template <int D>
void CoordinateChain<D>::advance(int n, const Loads& loads) {
  work_->motion.advance(n, loads);
}

template <int D>
void CoordinateChain<D>::finish(int order) {
  work_->motion.finish(order);
}

template <int D>
const double* CoordinateChain<D>::directions(int order, std::size_t& stride) {
  return work_->motion.directions(order, stride);
}

template <int D>
ShownRows CoordinateChain<D>::shown(int n, const double* row) {
  return work_->motion.shown(n, row);
}

template <int D>
RateRows CoordinateChain<D>::changes(int n, const double* next) {
  return work_->motion.changes(n, next);
}

template <int D>
const double* CoordinateChain<D>::directions(const double* x, double* u) {
  return work_->motion.directions(x, u);
}

template <int D>
const double* CoordinateChain<D>::accelerations(const double* x, const double* dx, double* w_dot) {
  return work_->motion.accelerations(x, dx, w_dot);
}

template <int D>
void CoordinateChain<D>::vectors_digits(const double* hi, const double* lo, DoubleDouble* u) const {
  const std::size_t n = links();
  for (std::size_t k = 0; k < n; ++k) {
    DoubleDouble own[2 * D];
    direction_digits<D>([&](std::size_t i) { return two_sum(hi[i * n + k], lo[i * n + k]); },
                        D == 3 ? hi[4 * n + k] : kPoleZ, own);
    for (std::size_t i = 0; i < 2 * D; ++i) u[i * n + k] = own[i];
  }
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
  const auto& series = work.motion.series();
  const std::size_t n = links();
  directions(hi, work.u.data());
  std::fill(work.u_lo.begin(), work.u_lo.end(), 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    for (int a = 0; a < D - 1; ++a) {
      const Vector e = series.tangent(0, a, k);
      const double angle = lo[a * n + k], rate = lo[(D - 1 + a) * n + k];
      for (int i = 0; i < D; ++i) {
        work.u_lo[i * n + k] += e[i] * angle;
        work.u_lo[(D + i) * n + k] += e[i] * rate;
      }
      for (int b = 0; b < D - 1; ++b) {
        const Vector bend = series.curvature(a + b, k);
        for (int i = 0; i < D; ++i) work.u_lo[(D + i) * n + k] += bend[i] * angle * hi[(D - 1 + b) * n + k];
      }
    }
  }
  return work.twin.energy(work.u.data(), work.u_lo.data());
}

// In runs with more digits than a double with all of them.
template <int D>
LanePair CoordinateChain<D>::state_of(const LanePair& given) const {
  const std::size_t n = links();
  LanePair state{std::vector<double>(dimension()), std::vector<double>(dimension(), 0.0)};
  const auto put = [&](std::size_t i, std::size_t k, const DoubleDouble& value) {
    state.hi[i * n + k] = value.hi;
    state.lo[i * n + k] = value.lo;
  };
  const auto convert = [&](std::size_t k, const auto& u, const auto& w) {
    if constexpr (D == 2) {
      put(0, k, angle_of(u[0], -u[1]));
      put(1, k, w[1] * u[0] - w[0] * u[1]);
    } else {
      const double pole = pole_for({given.hi[k], given.hi[n + k], given.hi[2 * n + k]});
      const auto angles = angles_of(u, w, pole);
      put(0, k, angles.theta);
      put(1, k, angles.phi);
      put(2, k, angles.theta_dot);
      put(3, k, angles.phi_dot);
      put(4, k, pole);
    }
  };
  for (std::size_t k = 0; k < n; ++k) {
    Vector u, w;
    std::array<DoubleDouble, D> u_digits, w_digits;
    for (std::size_t i = 0; i < D; ++i) {
      const std::size_t place = i * n + k, rate = (D + i) * n + k;
      u[i] = given.hi[place];
      w[i] = given.hi[rate];
      u_digits[i] = two_sum(given.hi[place], given.lo[place]);
      w_digits[i] = two_sum(given.hi[rate], given.lo[rate]);
    }
    if (parameters().decimals) {
      convert(k, u_digits, w_digits);
    } else {
      convert(k, u, w);
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
    const auto put = [&](std::size_t k, const auto& to, double pole) {
      const DoubleDouble lanes[5] = {to.theta, to.phi, to.theta_dot, to.phi_dot, pole};
      for (std::size_t i = 0; i < 5; ++i) {
        hi[i * n + k] = lanes[i].hi;
        lo[i * n + k] = lanes[i].lo;
      }
    };
    for (std::size_t k = 0; k < n; ++k) {
      if (std::fabs(std::sin(hi[k])) > kNearPole) continue;
      const double pole = hi[4 * n + k] == kPoleZ ? kPoleX : kPoleZ;
      if (parameters().decimals) {
        DoubleDouble own[6];
        direction_digits<3>([&](std::size_t i) { return two_sum(hi[i * n + k], lo[i * n + k]); },
                            hi[4 * n + k], own);
        put(k, angles_of<DoubleDouble>({own[0], own[1], own[2]}, {own[3], own[4], own[5]}, pole), pole);
      } else {
        if (!changed) directions(hi, work_->u.data());
        const double* u = work_->u.data() + k;
        put(k, angles_of<double>({u[0], u[n], u[2 * n]}, {u[3 * n], u[4 * n], u[5 * n]}, pole), pole);
      }
      changed = true;
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
