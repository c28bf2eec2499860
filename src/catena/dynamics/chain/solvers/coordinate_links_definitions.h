// What CoordinateLinks does, for the files that make it over a number.
#pragma once

#include <algorithm>
#include <limits>

#include "catena/dynamics/chain/solvers/coordinate_links.h"

namespace catena {
namespace coordinate_parts {

// Each product is added to the sum of those before it: fused, another order would round otherwise than it
// did.
template <class S, std::size_t D>
S running_dot(const std::array<S, D>& a, const std::array<S, D>& b) {
  S sum(0.0);
  for (std::size_t i = 0; i < D; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace coordinate_parts

template <int D, class S>
CoordinateLinks<D, S>::CoordinateLinks(const ChainLinks& links, const double* gravity)
    : n_(links.count()),
      series_(n_),
      carried_(n_),
      a_(kAngles * n_),
      b_(kAngles * n_ * kCurvatures * n_),
      right_(kAngles * n_),
      squares_(kCurvatures * n_) {
  for (std::size_t k = 0; k < n_; ++k) {
    length_.push_back(links.number<S>(links.length[k]));
    mass_.push_back(links.number<S>(links.mass[k]));
  }
  for (std::size_t i = 0; i < D; ++i) gravity_[i] = links.number<S>(gravity[i]);
  S sum(0.0);
  for (std::size_t k = n_; k-- > 0;) carried_[k] = sum += mass_[k];
  reserve(0);
}

template <int D, class S>
void CoordinateLinks<D, S>::reserve(int order) {
  series_.reserve(order + 2);
  const std::size_t rows = static_cast<std::size_t>(order) + 3;
  if (force_.size() < rows * D * n_) force_.resize(rows * D * n_);
  if (u_rows_.size() < rows * D * n_) u_rows_.resize(rows * D * n_);
}

// m_{max(i,j)..} l_i l_j: what links i and j carry in common.
template <int D, class S>
S CoordinateLinks<D, S>::common(std::size_t i, std::size_t j) const {
  return carried_[std::max(i, j)] * length_[i] * length_[j];
}

// A_{ia,jb} = common(i, j) e_ia . e_jb, factored; false at a chart's pole.
template <int D, class S>
bool CoordinateLinks<D, S>::factor_a() {
  const std::size_t rows = kAngles * n_;
  for (int s = 0; s < kAngles; ++s) {
    for (std::size_t j = 0; j < n_; ++j) {
      const auto ej = series_.tangent(0, s, j);
      S* column = a_.matrix() + (s * n_ + j) * rows;
      for (int r = s; r < kAngles; ++r) {
        for (std::size_t i = r == s ? j : 0; i < n_; ++i) {
          column[r * n_ + i] = common(i, j) * coordinate_parts::running_dot(series_.tangent(0, r, i), ej);
        }
      }
    }
  }
  return a_.factor();
}

// B_{ia,jc} = common(i, j) e_ia . e_jc with the second derivatives e_jc by theta theta, theta phi, phi phi.
template <int D, class S>
void CoordinateLinks<D, S>::fill_b() {
  const std::size_t rows = kAngles * n_;
  for (int c = 0; c < kCurvatures; ++c) {
    for (std::size_t j = 0; j < n_; ++j) {
      const auto bend = series_.curvature(c, j);
      S* column = b_.data() + (c * n_ + j) * rows;
      for (int r = 0; r < kAngles; ++r) {
        for (std::size_t i = 0; i < n_; ++i) {
          column[r * n_ + i] = common(i, j) * coordinate_parts::running_dot(series_.tangent(0, r, i), bend);
        }
      }
    }
  }
}

// theta'^2, 2 theta' phi', phi'^2: the factor 2 of the mixed term stands here, and not in B.
template <int D, class S>
void CoordinateLinks<D, S>::fill_squares(const S* rates) {
  for (std::size_t k = 0; k < n_; ++k) {
    squares_[k] = rates[k] * rates[k];
    if constexpr (D == 3) {
      squares_[n_ + k] = S(2.0) * rates[k] * rates[n_ + k];
      squares_[2 * n_ + k] = rates[n_ + k] * rates[n_ + k];
    }
  }
}

// Of each link: the force that it and all below it need beyond what acts on them,
// sum_{k>=i} (m_k (a_k - g) - f_k) with a_k = sum_{j<=k} l_j u''_j, of order n_th from u of order n_th + 2.
template <int D, class S>
void CoordinateLinks<D, S>::sum_forces(int n_th, const Loads& loads) {
  const S rank((n_th + 2.0) * (n_th + 1.0));
  S* f = force_row(n_th);
  Vector acceleration{};
  for (std::size_t k = 0; k < n_; ++k) {
    const auto bend = series_.direction(n_th + 2, k);
    for (int i = 0; i < D; ++i) {
      acceleration[i] += rank * length_[k] * bend[i];
      f[i * n_ + k] = mass_[k] * (acceleration[i] - loads.gravity[i]) - force_on(loads, i, k);
    }
  }
  sum_upwards(f);
}

// Of each link: what acts on it and all below it.
template <int D, class S>
void CoordinateLinks<D, S>::sum_loads(const Loads& loads) {
  S* f = force_row(0);
  for (int i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < n_; ++k) {
      f[i * n_ + k] = mass_[k] * loads.gravity[i] + force_on(loads, i, k);
    }
  }
  sum_upwards(f);
}

template <int D, class S>
S CoordinateLinks<D, S>::force_on(const Loads& loads, int i, std::size_t k) const {
  return loads.force == nullptr ? S(0.0) : loads.force[i * n_ + k];
}

template <int D, class S>
void CoordinateLinks<D, S>::sum_upwards(S* f) const {
  for (int i = 0; i < D; ++i) {
    for (std::size_t k = n_ - 1; k-- > 0;) f[i * n_ + k] += f[i * n_ + k + 1];
  }
}

template <int D, class S>
void CoordinateLinks<D, S>::keep_directions(int order) {
  S* to = u_rows_.data() + static_cast<std::size_t>(order) * D * n_;
  for (std::size_t k = 0; k < n_; ++k) {
    const auto u_k = series_.direction(order, k);
    for (int i = 0; i < D; ++i) to[i * n_ + k] = u_k[i];
  }
}

// -l_i (e_ia . F_i)_n, where the newest coefficient of the angles is still zero.
template <int D, class S>
void CoordinateLinks<D, S>::fill_right(int n_th) {
  for (int r = 0; r < kAngles; ++r) {
    for (std::size_t i = 0; i < n_; ++i) {
      S sum(0.0);
      for (int j = 0; j <= n_th; ++j) {
        const auto e = series_.tangent(j, r, i);
        const S* f = force_row(n_th - j);
        for (int c = 0; c < D; ++c) sum += e[c] * f[c * n_ + i];
      }
      right_[r * n_ + i] = -length_[i] * sum;
    }
  }
}

// A q'' = Q - B (q'^2)
template <int D, class S>
void CoordinateLinks<D, S>::rhs(const S* x, S* dx, const Loads* loads) {
  const std::size_t n = n_, rows = kAngles * n;
  series_.start(x);
  fill_b();
  fill_squares(x + rows);
  sum_loads(loads != nullptr ? *loads : Loads{nullptr, gravity_});
  for (int r = 0; r < kAngles; ++r) {
    for (std::size_t i = 0; i < n; ++i) {
      const Vector e = series_.tangent(0, r, i);
      S sum(0.0);
      for (int c = 0; c < D; ++c) sum += e[c] * force_row(0)[c * n + i];
      right_[r * n + i] = length_[i] * sum;
    }
  }
  for (std::size_t column = 0; column < squares_.size(); ++column) {
    const S* b = b_.data() + column * rows;
    for (std::size_t i = 0; i < rows; ++i) right_[i] -= b[i] * squares_[column];
  }
  if (factor_a()) {
    a_.solve(right_.data());
  } else {
    std::fill(right_.begin(), right_.end(), S(std::numeric_limits<double>::quiet_NaN()));
  }
  std::copy_n(x + rows, rows, dx);
  std::copy_n(right_.data(), rows, dx + rows);
  std::fill(dx + 2 * rows, dx + dimension(), S(0.0));
}

template <int D, class S>
void CoordinateLinks<D, S>::taylor(const S* x, int order, S* c) {
  reserve(order);
  begin(x, c, dimension());
  for (int n = 0; n < order; ++n) advance(n, n == 0 ? Loads{nullptr, gravity_} : Loads{});
  finish(order);
}

template <int D, class S>
void CoordinateLinks<D, S>::begin(const S* x, S* c, std::size_t row) {
  const std::size_t rows = kAngles * n_;
  out_ = c;
  row_ = row;
  std::copy_n(x, dimension(), c);
  series_.start(x);
  regular_ = factor_a();
  std::copy_n(x + rows, rows, series_.angle(1, 0));
  series_.advance(1);
  keep_directions(0);
  keep_directions(1);
}

// The equations (e_ia . F_i) = 0 order by order: coefficient m = n + 2 of the angles enters order n through
// the matrix A of order 0 alone.
template <int D, class S>
void CoordinateLinks<D, S>::advance(int n, const Loads& loads) {
  std::fill_n(series_.angle(n + 2, 0), kAngles * n_, S(0.0));
  series_.advance(n + 2);
  sum_forces(n, loads);
  fill_right(n);
  if (regular_) a_.solve(right_.data());
  const S rank(regular_ ? (n + 2.0) * (n + 1.0) : std::numeric_limits<double>::quiet_NaN());
  for (S& value : right_) value = value / rank;
  series_.correct(n + 2, right_.data());
  sum_forces(n, loads);
  keep_directions(n + 2);
}

template <int D, class S>
void CoordinateLinks<D, S>::finish(int order) {
  const std::size_t rows = kAngles * n_;
  for (int k = 0; k <= order; ++k) {
    S* to = out_ + static_cast<std::size_t>(k) * row_;
    std::copy_n(series_.angle(k, 0), rows, to);
    const S rank(k + 1.0);
    for (std::size_t i = 0; i < rows; ++i) to[rows + i] = rank * series_.angle(k + 1, 0)[i];
    if (k > 0) std::fill(to + 2 * rows, to + dimension(), S(0.0));
  }
}

template <int D, class S>
const S* CoordinateLinks<D, S>::directions(int order, std::size_t& stride) {
  stride = n_;
  return u_rows_.data() + static_cast<std::size_t>(order) * D * n_;
}

template <int D, class S>
ShownRowsOver<S> CoordinateLinks<D, S>::shown(int n, const S*) {
  std::size_t stride = 0;
  const S* now = directions(n, stride);
  return {now, directions(n + 1, stride), stride, n + 1.0};
}

template <int D, class S>
RateRowsOver<S> CoordinateLinks<D, S>::changes(int n, const S*) {
  std::size_t stride = 0;
  const S* rows = directions(n + 2, stride);
  return {rows, stride, (n + 2.0) * (n + 1.0)};
}

template <int D, class S>
const S* CoordinateLinks<D, S>::directions(const S* x, S* u) {
  const std::size_t n = n_;
  series_.start(x);
  for (std::size_t k = 0; k < n; ++k) {
    const Vector along = series_.direction(0, k);
    Vector rate{};
    for (int a = 0; a < kAngles; ++a) {
      const Vector e = series_.tangent(0, a, k);
      for (int i = 0; i < D; ++i) rate[i] += e[i] * x[(kAngles + a) * n + k];
    }
    for (int i = 0; i < D; ++i) {
      u[i * n + k] = along[i];
      u[(D + i) * n + k] = rate[i];
    }
  }
  return u;
}

template <int D, class S>
const S* CoordinateLinks<D, S>::accelerations(const S* x, const S* dx, S* w_dot) {
  const std::size_t n = n_, rows = kAngles * n;
  series_.start(x);
  fill_squares(x + rows);
  for (std::size_t k = 0; k < n; ++k) {
    Vector sum{};
    const auto add = [&](const Vector& v, const S& factor) {
      for (int i = 0; i < D; ++i) sum[i] += factor * v[i];
    };
    for (int a = 0; a < kAngles; ++a) add(series_.tangent(0, a, k), dx[rows + a * n + k]);
    for (int c = 0; c < kCurvatures; ++c) add(series_.curvature(c, k), squares_[c * n + k]);
    for (int i = 0; i < D; ++i) w_dot[i * n + k] = sum[i];
  }
  return w_dot;
}

}  // namespace catena
