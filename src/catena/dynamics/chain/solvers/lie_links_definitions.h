// What LieLinks does, for the files that make it over a number.
#pragma once

#include <algorithm>
#include <limits>

#include "catena/dynamics/chain/solvers/lie_links.h"

namespace catena {
namespace lie_parts {

// Component i of a x b for vectors of lanes `stride` apart; in a plane the one component there is, with the
// sign in which theta grows: u = (sin theta, -cos theta).
template <int D, class S>
S cross(const S* a, const S* b, std::size_t stride, int i) {
  if constexpr (D == 2) return a[0] * b[stride] - a[stride] * b[0];
  const int next = (i + 1) % 3, last = (i + 2) % 3;
  return a[next * stride] * b[last * stride] - a[last * stride] * b[next * stride];
}

// Component i of omega x q.
template <int D, class S>
S turned(const S* omega, const S* q, std::size_t stride, int i) {
  if constexpr (D == 2) return i == 0 ? -omega[0] * q[stride] : omega[0] * q[0];
  return cross<D>(omega, q, stride, i);
}

}  // namespace lie_parts

template <int D, class S>
LieLinks<D, S>::LieLinks(const ChainLinks& links, const double* gravity)
    : n_(links.count()),
      carried_(n_),
      twin_(links, gravity, ChainSolver::tension),
      matrix_(kTurning * n_),
      right_(kTurning * n_),
      u_(2 * D * n_),
      du_(2 * D * n_),
      start_(2 * D * n_) {
  for (std::size_t k = 0; k < n_; ++k) {
    length_.push_back(links.number<S>(links.length[k]));
    mass_.push_back(links.number<S>(links.mass[k]));
  }
  for (std::size_t i = 0; i < D; ++i) gravity_[i] = links.number<S>(gravity[i]);
  S sum(0.0);
  for (std::size_t k = n_; k-- > 0;) carried_[k] = sum += mass_[k];
}

// R_ij = M_ij q^_i^T q^_j = M_ij ((q_i . q_j) I - q_j q_i^T) off the diagonal, R_ii = M_ii I,
// r_i = sum_j M_ij |omega_j|^2 q_i x q_j + l_i q_i x sum_{k>=i} (m_k g + f_k),
// M_ij = (sum_{k>=max(i,j)} m_k) l_i l_j
template <int D, class S>
void LieLinks<D, S>::equations(const S* x, S* matrix, S* right, const Loads* loads) const {
  const std::size_t n = n_, rows = kTurning * n;
  const S* omega = x + D * n;
  const std::array<S, D>& g = loads != nullptr ? loads->gravity : gravity_;
  S below[D] = {}, along[D];  // forces on all masses below the link
  for (std::size_t i = n; i-- > 0;) {
    for (int c = 0; c < D; ++c) {
      below[c] += mass_[i] * g[c];
      if (loads != nullptr && loads->force != nullptr) below[c] += loads->force[c * n + i];
      along[c] = x[c * n + i];
    }
    for (int c = 0; c < kTurning; ++c)
      right[c * n + i] = length_[i] * lie_parts::cross<D, S>(along, below, 1, c);
  }
  for (std::size_t j = 0; j < n; ++j) {
    S square(0.0);
    for (int c = 0; c < kTurning; ++c) square += omega[c * n + j] * omega[c * n + j];
    for (std::size_t i = 0; i < n; ++i) {
      const S m = carried_[std::max(i, j)] * length_[i] * length_[j];
      S cosine(0.0);
      for (int c = 0; c < D; ++c) cosine += x[c * n + i] * x[c * n + j];
      for (int s = 0; s < kTurning; ++s) {
        S* column = matrix + (s * n + j) * rows + i;
        for (int r = 0; r < kTurning; ++r) {
          const S product = D == 2 ? S(0.0) : x[r * n + j] * x[s * n + i];
          column[r * n] = i == j ? (r == s ? m : S(0.0)) : m * ((r == s ? cosine : S(0.0)) - product);
        }
        if (i != j) right[s * n + i] += m * square * lie_parts::cross<D>(x + i, x + j, n, s);
      }
    }
  }
}

template <int D, class S>
void LieLinks<D, S>::rhs(const S* x, S* dx, const Loads* loads) {
  const std::size_t n = n_, rows = kTurning * n;
  const S* omega = x + D * n;
  equations(x, matrix_.matrix(), right_.data(), loads);
  if (matrix_.factor()) {
    matrix_.solve(right_.data());
  } else {
    std::fill(right_.begin(), right_.end(), S(std::numeric_limits<double>::quiet_NaN()));
  }
  for (int c = 0; c < D; ++c) {
    for (std::size_t k = 0; k < n; ++k) dx[c * n + k] = lie_parts::turned<D>(omega + k, x + k, n, c);
  }
  std::copy_n(right_.data(), rows, dx + D * n);
}

template <int D, class S>
void LieLinks<D, S>::rhs_by_tensions(const S* x, S* dx, const Loads* loads) {
  const std::size_t n = n_;
  directions(x, u_.data());
  twin_.rhs(u_.data(), du_.data(), loads);
  std::copy_n(du_.data(), D * n, dx);
  for (int c = 0; c < kTurning; ++c) {
    for (std::size_t k = 0; k < n; ++k)
      dx[(D + c) * n + k] = lie_parts::cross<D>(u_.data() + k, du_.data() + D * n + k, n, c);
  }
}

template <int D, class S>
void LieLinks<D, S>::reserve(int order) {
  twin_.reserve(order);
  const std::size_t size = (static_cast<std::size_t>(order) + 1) * u_.size();
  if (series_.size() < size) series_.resize(size);
}

template <int D, class S>
void LieLinks<D, S>::taylor(const S* x, int order, S* c) {
  reserve(order);
  directions(x, u_.data());
  twin_.taylor(u_.data(), order, series_.data());
  write_series(order, c, dimension());
  std::copy_n(x, dimension(), c);
}

template <int D, class S>
void LieLinks<D, S>::begin(const S* x, S* c, std::size_t row) {
  out_ = c;
  row_ = row;
  std::copy_n(x, dimension(), start_.data());
  directions(x, u_.data());
  twin_.begin(u_.data(), series_.data(), u_.size());
}

template <int D, class S>
void LieLinks<D, S>::advance(int n, const Loads& loads) {
  twin_.advance(n, loads);
}

template <int D, class S>
void LieLinks<D, S>::finish(int order) {
  twin_.finish(order);
  write_series(order, out_, row_);
  std::copy_n(start_.data(), dimension(), out_);
}

// omega = u x w, order by order.
template <int D, class S>
void LieLinks<D, S>::write_series(int order, S* c, std::size_t row) const {
  const std::size_t n = n_, from = 2 * D * n;
  const S* series = series_.data();
  for (int m = 0; m <= order; ++m) {
    S* out = c + static_cast<std::size_t>(m) * row;
    std::copy_n(series + m * from, D * n, out);
    std::fill_n(out + D * n, kTurning * n, S(0.0));
    for (int j = 0; j <= m; ++j) {
      const S* u = series + j * from;
      const S* w = series + (m - j) * from + D * n;
      for (int i = 0; i < kTurning; ++i) {
        for (std::size_t k = 0; k < n; ++k) out[(D + i) * n + k] += lie_parts::cross<D>(u + k, w + k, n, i);
      }
    }
  }
}

template <int D, class S>
const S* LieLinks<D, S>::directions(const S* x, S* u) const {
  const std::size_t n = n_;
  std::copy_n(x, D * n, u);
  for (int c = 0; c < D; ++c) {
    for (std::size_t k = 0; k < n; ++k) u[(D + c) * n + k] = lie_parts::turned<D>(x + D * n + k, x + k, n, c);
  }
  return u;
}

// w' = omega' x q + omega x q'
template <int D, class S>
const S* LieLinks<D, S>::accelerations(const S* x, const S* dx, S* w_dot) const {
  using lie_parts::turned;
  const std::size_t n = n_;
  for (int c = 0; c < D; ++c) {
    for (std::size_t k = 0; k < n; ++k) {
      w_dot[c * n + k] = turned<D>(dx + D * n + k, x + k, n, c) + turned<D>(x + D * n + k, dx + k, n, c);
    }
  }
  return w_dot;
}

}  // namespace catena
