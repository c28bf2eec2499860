// ArticulatedSolver's members; included where it is instantiated.
#pragma once

#include <algorithm>

#include "catena/dynamics/chain/solvers/articulated.h"
#include "catena/dynamics/chain/solvers/chain_links.h"
#include "catena/math/vec3.h"

namespace catena {
namespace articulated_parts {

// Place of (row, column), row >= column, in a packed lower triangle.
constexpr int packed(int row, int column) { return row * (row + 1) / 2 + column; }
// The same without the diagonal.
constexpr int strictly_packed(int row, int column) { return row * (row - 1) / 2 + column; }

template <int D, class S>
std::array<S, D> direction(const S* u, std::size_t stride, std::size_t link) {
  std::array<S, D> out;
  for (int i = 0; i < D; ++i) out[i] = u[i * stride + link];
  return out;
}

}  // namespace articulated_parts

using articulated_parts::direction;
using articulated_parts::packed;
using articulated_parts::strictly_packed;

template <int D, class S>
ArticulatedSolver<D, S>::ArticulatedSolver(const ChainLinks& links, const double* gravity)
    : n_(links.count()), series_(n_), parent_(links.parent) {
  for (int i = 0; i < D; ++i) gravity_[i] = links.number<S>(gravity[i]);
  for (std::size_t k = 0; k < n_; ++k) {
    const S length = links.number<S>(links.length[k]), mass = links.number<S>(links.mass[k]);
    const S f = links.number<S>(links.center_of_mass[k]);
    const S spin = links.inertia_as<S>(k) / (length * length);
    length_.push_back(length);
    a_.push_back(mass * (1 - f) * (1 - f) + spin);
    b_.push_back(mass * f * (1 - f) - spin);
    c_.push_back(mass * f * f + spin);
  }
  factors_.resize(n_);
  articulated_.resize(n_);
  load_.resize(n_);
  acceleration_.resize(n_);
  relative_.resize(n_);
  tension_.resize(n_);
  tension_free_.resize(n_);
  axis_pull_.resize(n_);
  axis_pull_free_.resize(n_);
  for (std::size_t k = 0; k < n_; ++k) {
    factors_[k].hinged = D == 3 && links.hinged(k);
    for (int i = 0; factors_[k].hinged && i < D; ++i) factors_[k].axis[i] = links.axis_as<S>(k, i);
  }
}

// Elimination of (u, axis)^T B^-1 (u, axis).
template <int D, class S>
typename ArticulatedSolver<D, S>::Pulls ArticulatedSolver<D, S>::balanced(const Factor& f, S along, S axis) {
  if (!f.hinged) return {along / f.along, S(0)};
  const S pull_axis = (axis - f.mixed * along) / f.along_axis;
  return {along / f.along - f.mixed * pull_axis, pull_axis};
}

// L^-1 v
template <int D, class S>
inline typename ArticulatedSolver<D, S>::Vector ArticulatedSolver<D, S>::lowered(const Factor& factor,
                                                                                 Vector v) {
  for (int i = 1; i < D; ++i) {
    for (int j = 0; j < i; ++j) v[i] -= factor.lower[strictly_packed(i, j)] * v[j];
  }
  return v;
}

// L^-T v
template <int D, class S>
inline typename ArticulatedSolver<D, S>::Vector ArticulatedSolver<D, S>::raised(const Factor& factor,
                                                                                Vector v) {
  for (int i = D - 1; i-- > 0;) {
    for (int j = i + 1; j < D; ++j) v[i] -= factor.lower[strictly_packed(j, i)] * v[j];
  }
  return v;
}

template <int D, class S>
inline typename ArticulatedSolver<D, S>::Vector ArticulatedSolver<D, S>::solve(const Factor& factor,
                                                                               const Vector& given) {
  Vector v = lowered(factor, given);
  for (int i = 0; i < D; ++i) v[i] *= factor.inverse_diagonal[i];
  return raised(factor, v);
}

// B = L D L^T without a quotient that waits for another: pivots are followed as d_1, d_1 d_2 and d_1^2 d_2
// d_3, which differ from them by factors alone and lose no more digits.
template <int D, class S>
inline void ArticulatedSolver<D, S>::decompose(const std::array<S, D*(D + 1) / 2>& matrix, Factor& f) {
  const S& first = matrix[packed(0, 0)];
  const S& off = matrix[packed(1, 0)];
  const S second = first * matrix[packed(1, 1)] - off * off;
  const S by_first = 1 / first;
  f.inverse_diagonal[0] = by_first;
  f.lower[strictly_packed(1, 0)] = off * by_first;
  if constexpr (D == 2) {
    f.inverse_diagonal[1] = first / second;
  } else {
    const S& corner = matrix[packed(2, 0)];
    const S across = first * matrix[packed(2, 1)] - corner * off;
    const S third = second * (first * matrix[packed(2, 2)] - corner * corner) - across * across;
    const S by_second = 1 / second;
    f.inverse_diagonal[1] = first * by_second;
    f.inverse_diagonal[2] = first * second / third;
    f.lower[strictly_packed(2, 0)] = corner * by_first;
    f.lower[strictly_packed(2, 1)] = across * by_second;
  }
}

template <int D, class S>
inline void ArticulatedSolver<D, S>::factor(const S* u, std::size_t stride, std::size_t k) {
  auto matrix = articulated_[k];
  for (int i = 0; i < D; ++i) matrix[packed(i, i)] += c_[k];
  Factor& f = factors_[k];
  decompose(matrix, f);
  const Vector uk = direction<D>(u, stride, k);
  // u . B^-1 u by the way down alone, which is ready before B^-1 u is.
  const Vector down = lowered(f, uk);
  Vector middle;
  for (int i = 0; i < D; ++i) middle[i] = down[i] * f.inverse_diagonal[i];
  f.along = dot(down, middle);
  f.solved_u = raised(f, middle);
  for (int i = 0; i < D; ++i) f.g[i] = uk[i] + b_[k] * f.solved_u[i];
  if (f.hinged) {
    f.solved_axis = solve(f, f.axis);
    f.mixed = dot(uk, f.solved_axis) / f.along;
    f.along_axis = dot(f.axis, f.solved_axis) - f.mixed * dot(uk, f.solved_axis);
    for (int i = 0; i < D; ++i) f.g_axis[i] = f.axis[i] + b_[k] * f.solved_axis[i];
  }
  if (parent_[k] < 0) return;
  auto& above = articulated_[parent_[k]];
  for (int i = 0; i < D; ++i) {
    above[packed(i, i)] += a_[k];
    const Pulls scaled = balanced(f, f.g[i], f.g_axis[i]);
    for (int j = 0; j <= i; ++j) {
      above[packed(i, j)] += scaled.along * f.g[j];
      if (f.hinged) above[packed(i, j)] += scaled.axis * f.g_axis[j];
    }
  }
  if (b_[k] == S(0)) return;
  for (int j = 0; j < D; ++j) {
    Vector column{};
    column[j] = b_[k] * b_[k];
    column = solve(f, column);
    for (int i = j; i < D; ++i) above[packed(i, j)] -= column[i];
  }
}

// From the tips on: what hangs from a joint asks of it. `load` is p with the forces on the link's end, and
// B^-1 of both afterwards.
template <int D, class S>
template <class Known, class Curve>
inline void ArticulatedSolver<D, S>::ask(const S* u, std::size_t stride, std::size_t k, const Known& known,
                                         const Curve& curve) {
  const Factor& f = factors_[k];
  const Vector uk = direction<D>(u, stride, k);
  Vector& load = load_[k];
  for (int i = 0; i < D; ++i) load[i] -= known(i, k);
  const Pulls free = balanced(f, dot(f.solved_u, load) - length_[k] * curve(k),
                              f.hinged ? S(dot(f.solved_axis, load)) : S(0));
  tension_free_[k] = free.along;
  axis_pull_free_[k] = free.axis;
  const Vector solved = solve(f, load);
  load = solved;
  if (parent_[k] < 0) return;
  Vector& above = load_[parent_[k]];
  for (int i = 0; i < D; ++i) {
    S pull = free.along * uk[i];
    S swing = solved[i] - free.along * f.solved_u[i];
    if (f.hinged) {
      pull += free.axis * f.axis[i];
      swing -= free.axis * f.solved_axis[i];
    }
    above[i] += known(i, k) + pull - b_[k] * swing;
  }
}

// From the pivot on: joints move, and ends with them.
template <int D, class S>
void ArticulatedSolver<D, S>::answer(const Loads& loads) {
  Vector pivot;
  for (int i = 0; i < D; ++i) pivot[i] = -loads.gravity[i];
  for (std::size_t k = 0; k < n_; ++k) {
    const Factor& f = factors_[k];
    const Vector& upper = parent_[k] < 0 ? pivot : acceleration_[parent_[k]];
    const Pulls held = balanced(f, dot(f.g, upper), f.hinged ? S(dot(f.g_axis, upper)) : S(0));
    tension_[k] = tension_free_[k] - held.along;
    axis_pull_[k] = axis_pull_free_[k] - held.axis;
    Vector end = load_[k];
    if (!(b_[k] == S(0))) {
      const Vector drawn = solve(f, upper);
      for (int i = 0; i < D; ++i) end[i] -= b_[k] * drawn[i];
    }
    for (int i = 0; i < D; ++i) {
      end[i] -= tension_[k] * f.solved_u[i];
      if (f.hinged) end[i] -= axis_pull_[k] * f.solved_axis[i];
      relative_[k][i] = end[i] - upper[i];
    }
    acceleration_[k] = end;
  }
}

template <int D, class S>
inline void ArticulatedSolver<D, S>::take(const Loads& loads) {
  for (std::size_t k = 0; k < n_; ++k) {
    for (int i = 0; i < D; ++i) load_[k][i] = loads.force == nullptr ? S(0) : loads.force[i * n_ + k];
  }
}

template <int D, class S>
template <class Known, class Curve>
inline void ArticulatedSolver<D, S>::solve_order(const S* u, std::size_t stride, Known known, Curve curve,
                                                 const Loads& loads) {
  take(loads);
  for (std::size_t k = n_; k-- > 0;) ask(u, stride, k, known, curve);
  answer(loads);
}

// Factors a link while the one below it is still being asked.
template <int D, class S>
template <class Curve>
inline void ArticulatedSolver<D, S>::solve_first(const S* u, std::size_t stride, Curve curve,
                                                 const Loads& loads) {
  std::fill(articulated_.begin(), articulated_.end(), std::array<S, D*(D + 1) / 2>{});
  take(loads);
  const auto nothing = [](int, std::size_t) { return S(0); };
  for (std::size_t k = n_; k-- > 0;) {
    factor(u, stride, k);
    ask(u, stride, k, nothing, curve);
  }
  answer(loads);
}

template <int D, class S>
void ArticulatedSolver<D, S>::solve_order_zero(const S* u, const S* w, std::size_t stride,
                                               const Loads& loads) {
  const auto curve = [&](std::size_t k) {
    const Vector wk = direction<D>(w, stride, k);
    return -dot(wk, wk);
  };
  solve_first(u, stride, curve, loads);
}

template <int D, class S>
void ArticulatedSolver<D, S>::rhs(const S* x, S* dx, const Loads* loads) {
  solve_order_zero(x, x + D * n_, n_, loads != nullptr ? *loads : own_gravity());
  for (int i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < n_; ++k) dx[(D + i) * n_ + k] = relative_[k][i] / length_[k];
  }
  std::copy(x + D * n_, x + 2 * D * n_, dx);
}

template <int D, class S>
void ArticulatedSolver<D, S>::taylor(const S* x, int order, S* c) {
  series_.reserve(order);
  begin(x);
  for (int n = 0; n < order; ++n) advance(n, n == 0 ? own_gravity() : Loads{});
  series_.write(order, c, 2 * D * n_);
}

template <int D, class S>
void ArticulatedSolver<D, S>::advance(int n, const Loads& loads) {
  const std::size_t stride = series_.stride();
  const S rank = S((n + 2.0) * (n + 1.0));
  if (n == 0) {
    solve_order_zero(series_.u(0), series_.u(1), stride, loads);
  } else {
    series_.convolve(n);
    const auto known = [&](int i, std::size_t k) { return series_.pull(i)[k]; };
    const auto curve = [&](std::size_t k) { return S(-0.5) * rank * series_.square()[k]; };
    solve_order(series_.u(0), stride, known, curve, loads);
  }
  std::copy(tension_.begin(), tension_.end(), series_.t(n));
  S* next = series_.u(n + 2);
  for (std::size_t k = 0; k < n_; ++k) {
    for (int i = 0; i < D; ++i) next[i * stride + k] = relative_[k][i] / rank / length_[k];
  }
}

template <int D, class S>
void ArticulatedSolver<D, S>::reactions(const S* x, S* tension, S* pivot, const Loads* loads) {
  const Loads acting = loads != nullptr ? *loads : own_gravity();
  solve_order_zero(x, x + D * n_, n_, acting);
  std::fill(pivot, pivot + D, S(0));
  for (std::size_t k = 0; k < n_; ++k) {
    const Vector uk = direction<D>(x, n_, k);
    S along(0);
    for (int i = 0; i < D; ++i) {
      const S upper = parent_[k] < 0 ? -acting.gravity[i] : acceleration_[parent_[k]][i];
      const S force = a_[k] * upper + b_[k] * acceleration_[k][i] - tension_[k] * uk[i] -
                      axis_pull_[k] * factors_[k].axis[i];
      along -= force * uk[i];
      if (parent_[k] < 0) pivot[i] += force;
    }
    tension[k] = along;
  }
}

// Impulses and velocities obey the same equations as forces and accelerations do.
template <int D, class S>
void ArticulatedSolver<D, S>::stop_lengthening(const S* u, const S* lengthening, S* change) {
  solve_first(
      u, n_, [&](std::size_t k) { return -lengthening[k] / length_[k]; }, Loads{});
  for (int i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < n_; ++k) change[i * n_ + k] = relative_[k][i];
  }
}

}  // namespace catena
