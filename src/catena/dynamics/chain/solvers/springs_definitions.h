// SpringSolver's members; included where it is instantiated.
#pragma once

#include <algorithm>

#include "catena/dynamics/chain/solvers/chain_links.h"
#include "catena/dynamics/chain/solvers/chain_series.h"
#include "catena/dynamics/chain/solvers/springs.h"
#include "catena/expr/kinks.h"
#include "catena/math/pack.h"

namespace catena {

template <class S>
inline AlignedVector<S> padded(const ChainLinks& links, const std::vector<double>& values, std::size_t size,
                               double padding) {
  AlignedVector<S> out(size, S(padding));
  std::transform(values.begin(), values.end(), out.begin(),
                 [&](double value) { return links.number<S>(value); });
  return out;
}

// Padding links are one metre long and weightless springs, so that they compute zeros and not nan.
template <int D, class S>
SpringSolver<D, S>::SpringSolver(const ChainLinks& links, const double* gravity)
    : n_(links.count()),
      stride_(rounded_up(n_, kPackWidth<S>)),
      pull_stride_(stride_ + kPackWidth<S>),
      serial_(links.serial()),
      slack_(links.slack),
      parent_(links.parent),
      length_(padded<S>(links, links.length, stride_, 1.0)),
      stiffness_(padded<S>(links, links.stiffness, stride_, 0.0)),
      mass_(padded<S>(links, links.mass, stride_, 1.0)),
      taut_(stiffness_),
      d_(D * stride_, S(0)),
      pull_(D * pull_stride_, S(0)) {
  for (int i = 0; i < D; ++i) gravity_[i] = links.number<S>(gravity[i]);
  std::fill(d_.begin() + static_cast<std::ptrdiff_t>(n_), d_.begin() + static_cast<std::ptrdiff_t>(stride_),
            S(1));
  reserve(0);
}

template <int D, class S>
void SpringSolver<D, S>::reserve(int order) {
  const std::size_t size = (static_cast<std::size_t>(order) + 1) * (2 * D + 1) * stride_;
  if (rows_.size() < size) rows_.assign(size, S(0));
}

template <int D, class S>
void SpringSolver<D, S>::relative(const S* lanes, S* to) const {
  for (int i = 0; i < D; ++i) {
    const S* __restrict from = lanes + i * n_;
    S* __restrict out = to + i * stride_;
    out[0] = from[0];
    if (serial_) {
      for (std::size_t k = 1; k < n_; ++k) out[k] = from[k] - from[k - 1];
    } else {
      for (std::size_t k = 1; k < n_; ++k) out[k] = parent_[k] < 0 ? from[k] : from[k] - from[parent_[k]];
    }
  }
}

template <int D, class S>
void SpringSolver<D, S>::accelerations(S* a) {
  for (int i = 0; i < D; ++i) {
    S* __restrict forces = pull(i);
    S* __restrict out = a + i * n_;
    const S* __restrict mass = mass_.data();
    if (serial_) {
      for (std::size_t k = 0; k < n_; ++k) out[k] = (forces[k + 1] - forces[k]) / mass[k];
      continue;
    }
    for (std::size_t k = 0; k < n_; ++k) out[k] = -forces[k];
    for (std::size_t k = 1; k < n_; ++k) {
      if (parent_[k] >= 0) out[parent_[k]] += forces[k];
    }
    for (std::size_t k = 0; k < n_; ++k) out[k] /= mass[k];
  }
}

template <int D, class S>
void SpringSolver<D, S>::add_loads(const Loads& loads, S* a) const {
  for (int i = 0; i < D; ++i) {
    const S* __restrict mass = mass_.data();
    S* __restrict out = a + i * n_;
    if (loads.force != nullptr) {
      const S* __restrict force = loads.force + i * n_;
      for (std::size_t k = 0; k < n_; ++k) out[k] += force[k] / mass[k];
    }
    if (!(loads.gravity[i] == S(0))) {
      for (std::size_t k = 0; k < n_; ++k) out[k] += loads.gravity[i];
    }
  }
}

template <int D, class S>
typename SpringSolver<D, S>::Loads SpringSolver<D, S>::own_gravity() const {
  Loads loads;
  for (int i = 0; i < D; ++i) loads.gravity[i] = gravity_[i];
  return loads;
}

template <int D, class S>
void SpringSolver<D, S>::rhs(const S* x, S* dx, const Loads* loads) {
  start_pulls(x);
  accelerations(dx + D * n_);
  add_loads(loads != nullptr ? *loads : own_gravity(), dx + D * n_);
  std::copy(x + D * n_, x + 2 * D * n_, dx);
}

// Order 0 of r, u and the pulls.
template <int D, class S>
void SpringSolver<D, S>::start_pulls(const S* x) {
  using Lanes = Pack<S, kPackWidth<S>>;
  relative(x, d_.data());
  for (std::size_t k = 0; k < stride_; k += kPackWidth<S>) {
    Lanes d[D], square = {};
    for (int i = 0; i < D; ++i) {
      d[i] = load<kPackWidth<S>>(d_.data() + i * stride_ + k);
      square += d[i] * d[i];
    }
    const Lanes radius = square_root(square);
    store<kPackWidth<S>>(r(0) + k, radius);
    if (slack_) {
      for (std::size_t l = k; l < k + kPackWidth<S>; ++l) {
        taut_[l] = where_larger(r(0)[l], length_[l], stiffness_[l], S(0));
      }
    }
    const Lanes tension =
        load<kPackWidth<S>>(taut_.data() + k) * (radius - load<kPackWidth<S>>(length_.data() + k));
    for (int i = 0; i < D; ++i) {
      const Lanes direction = d[i] / radius;
      store<kPackWidth<S>>(u(0) + i * stride_ + k, direction);
      store<kPackWidth<S>>(pull(i) + k, tension * direction);
    }
  }
}

// Order n of r, u and the pulls of a block of links; divisions are exact, since a rounded reciprocal of the
// length would err the same way in every order.
template <int D, class S>
template <int Packs>
void SpringSolver<D, S>::next_pulls_of(int n, std::size_t k) {
  using Lanes = Pack<S, kPackWidth<S>>;
  const auto pack = [](const S* lanes, int q) { return load<kPackWidth<S>>(lanes + q * kPackWidth<S>); };
  const std::size_t row = (2 * D + 1) * stride_;
  Lanes along[D][Packs] = {}, turned[D][Packs] = {};  // sums of u . w and of r u
  const S* u_low = u(0) + k;
  const S* w_high = w(n - 1) + k;
  const S* r_high = r(n) + k;
  for (int j = 1; j < n; ++j) {
    u_low += row, w_high -= row, r_high -= row;
    for (int q = 0; q < Packs; ++q) {
      const Lanes radius = pack(r_high, q);
      for (int i = 0; i < D; ++i) {
        const Lanes direction = pack(u_low + i * stride_, q);
        along[i][q] += direction * pack(w_high + i * stride_, q);
        turned[i][q] += direction * radius;
      }
    }
  }
  const auto rank = TwoPartFactor<S>::reciprocal(n);
  const S* w_last = w(n - 1) + k;
  const S* u_zero = u(0) + k;
  for (int q = 0; q < Packs; ++q) {
    const std::size_t at = k + static_cast<std::size_t>(q * kPackWidth<S>);
    Lanes growth = {};
    for (int i = 0; i < D; ++i) {
      growth += along[i][q] + pack(u_zero + i * stride_, q) * pack(w_last + i * stride_, q);
    }
    const Lanes radius = rank.times(growth);
    store<kPackWidth<S>>(r(n) + at, radius);
    const Lanes radius_zero = load<kPackWidth<S>>(r(0) + at),
                length = load<kPackWidth<S>>(length_.data() + at),
                stiffness = load<kPackWidth<S>>(taut_.data() + at);
    for (int i = 0; i < D; ++i) {
      const Lanes d = rank.times(pack(w_last + i * stride_, q));
      const Lanes direction = (d - (turned[i][q] + radius * pack(u_zero + i * stride_, q))) / radius_zero;
      store<kPackWidth<S>>(u(n) + i * stride_ + at, direction);
      store<kPackWidth<S>>(pull(i) + at, stiffness * (d - length * direction));
    }
  }
}

template <int D, class S>
void SpringSolver<D, S>::next_pulls(int n) {
  // Blocks of two packs: enough sums at once to hide the latency of each, and few enough for the registers.
  constexpr int kPacks = 2;
  constexpr std::size_t kBlock = kPacks * kPackWidth<S>;
  std::size_t k = 0;
  for (; k + kBlock <= stride_; k += kBlock) next_pulls_of<kPacks>(n, k);
  for (; k < stride_; k += kPackWidth<S>) next_pulls_of<1>(n, k);
}

template <int D, class S>
void SpringSolver<D, S>::taylor(const S* x, int order, S* c) {
  reserve(order);
  begin(x, c, 2 * D * n_);
  for (int n = 0; n < order; ++n) advance(n, n == 0 ? own_gravity() : Loads{});
}

template <int D, class S>
void SpringSolver<D, S>::begin(const S* x, S* c, std::size_t row) {
  out_ = c;
  row_ = row;
  std::copy_n(x, 2 * D * n_, c);
}

template <int D, class S>
void SpringSolver<D, S>::advance(int n, const Loads& loads) {
  const std::size_t half = D * n_;
  const S* const now = out_ + static_cast<std::size_t>(n) * row_;
  S* const next = out_ + static_cast<std::size_t>(n + 1) * row_;
  relative(now + half, w(n));
  const auto rank = TwoPartFactor<S>::reciprocal(n + 1);
  for (std::size_t i = 0; i < half; ++i) next[i] = rank.times(now[half + i]);
  if (n == 0) {
    start_pulls(now);
  } else {
    next_pulls(n);
  }
  S* const v = next + half;
  accelerations(v);
  add_loads(loads, v);
  if (n == 0) return;
  for (std::size_t i = 0; i < half; ++i) v[i] = rank.times(v[i]);
}

template <int D, class S>
S SpringSolver<D, S>::smooth_until(int order, const S& length) const {
  if (!slack_) return length;
  constexpr double kNoise = std::is_same_v<S, double> || is_lanes<S> ? 2e-15 : 1e-30;
  S until = length;
  const std::size_t row = (2 * D + 1) * stride_;
  std::vector<S> stretch(static_cast<std::size_t>(order));  // r is known to one order less
  for (std::size_t k = 0; k < n_; ++k) {
    for (std::size_t j = 0; j < stretch.size(); ++j) stretch[j] = r(0)[j * row + k];
    stretch[0] -= length_[k];
    if constexpr (is_lanes<S>) {
      until = first_sign_change(stretch.data(), std::size_t{1}, order - 1, until, kNoise, length_[k]);
    } else {
      const double noise = kNoise * static_cast<double>(length_[k]);
      until = first_sign_change(stretch.data(), std::size_t{1}, order - 1, until, noise);
    }
  }
  return until;
}

}  // namespace catena
