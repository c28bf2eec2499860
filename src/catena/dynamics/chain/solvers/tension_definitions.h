// TensionSolver's members; included where it is instantiated.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "catena/dynamics/chain/solvers/chain_links.h"
#include "catena/dynamics/chain/solvers/link_lanes.h"
#include "catena/dynamics/chain/solvers/tension.h"
#include "catena/dynamics/chain/solvers/tension_series_definitions.h"
#include "catena/dynamics/chain/solvers/tension_short_definitions.h"
#include "catena/math/pack.h"

namespace catena {

// The unit in which accelerations are computed. A number on a grid times a constant that is nearly a ratio of
// small integers, as decimals such as 0.3 are, rounds to the same few parts of the last digit again and
// again, and their mean is not zero: 0.14 of the last digit was seen, which makes the energy drift. With
// lengths, gravity and 1/m times an irrational number no constant is like that, and pulls stay in newtons.
// Powers of two multiply exactly and stay as they are.
template <class S>
double acceleration_unit(const ChainLinks& links) {
  const auto exact = [](double value) {
    int exponent;
    return std::frexp(value, &exponent) == 0.5;
  };
  const bool simple = std::all_of(links.length.begin(), links.length.end(), exact) &&
                      std::all_of(links.mass.begin(), links.mass.end(), exact);
  constexpr double kIrrational = 1.3247179572447461;  // x^3 = x + 1
  // In lanes there may be other links beside these: always the same unit.
  if constexpr (is_lanes<S>) return kIrrational;
  return !std::is_same_v<S, double> || simple ? 1.0 : kIrrational;
}

template <class S>
inline std::vector<S> scaled_lengths(const ChainLinks& links, double factor) {
  std::vector<S> out;
  for (const double length : links.length) out.push_back(links.number<S>(length) * S(factor));
  return out;
}

template <int D, class S>
TensionSolver<D, S>::TensionSolver(const ChainLinks& links, const double* gravity)
    : n_(links.count()),
      series_(n_),
      placed_(std::is_same_v<S, double> && n_ >= kManyLinks),
      unit_(acceleration_unit<S>(links)),
      divisors_(scaled_lengths<S>(links, unit_), series_.stride()) {
  for (int i = 0; i < D; ++i) gravity_[i] = links.number<S>(gravity[i]) * S(unit_);
  for (auto* lanes : {&length_, &inverse_mass_, &inverse_mass_above_, &coupling_, &inverse_pivot_, &y_}) {
    lanes->assign(series_.stride(), S(0));
  }
  tension0_.assign(n_ + 2, S(0));
  extra_.assign(D * series_.stride(), S(0));
  for (std::size_t k = 0; k < n_; ++k) {
    length_[k] = links.number<S>(links.length[k]) * S(unit_);
    inverse_mass_[k] = S(unit_) / links.number<S>(links.mass[k]);
    inverse_mass_above_[k] = k == 0 ? S(0) : inverse_mass_[k - 1];
  }
  if constexpr (has_lane_rates<S>) {
    const auto changes = [](const S& number) { return number.changes(); };
    constants_change_ = std::any_of(length_.begin(), length_.end(), changes) ||
                        std::any_of(inverse_mass_.begin(), inverse_mass_.end(), changes);
  }
  using Digits = typename TwoPartFactor<S>::Digits;
  const Digits own = Digits(inverse_mass_[n_ - 1]), above = Digits(inverse_mass_above_[n_ - 1]);
  const Digits pivot = own + above;
  tip_pivot_ = TwoPartFactor<S>(Digits(1) / pivot);
  tip_bend_ = TwoPartFactor<S>(above * above / pivot);
  tip_straight_ = TwoPartFactor<S>(above * own / pivot);
  if constexpr (kTwoLinks) {
    if (n_ == 2) reserve_ranks(0);
  }
}

template <int D, class S>
inline void TensionSolver<D, S>::take(const Loads* loads) {
  loaded_ = loads != nullptr;
  if (!loaded_) return;
  for (int i = 0; i < D; ++i) {
    const S* __restrict force = loads->force + i * n_;
    S* __restrict extra = extra_.data() + i * series_.stride();
    extra[0] = force[0] * inverse_mass_[0] + loads->gravity[i] * S(unit_);
    for (std::size_t k = 1; k < n_; ++k) {
      extra[k] = inverse_mass_[k] * force[k] - inverse_mass_above_[k] * force[k - 1];
    }
  }
}

// u_k . u_{k+1} and |u_k x u_{k+1}|^2
template <int D, class S>
template <class Count>
inline typename TensionSolver<D, S>::Bend TensionSolver<D, S>::bend_at(const S* u, Count n,
                                                                       std::size_t k) const {
  S dot(0), cross(0);
  for (int i = 0; i < D; ++i) {
    const S* ui = u + i * n;
    const S* uj = u + (i + 1) % D * n;
    dot += ui[k] * ui[k + 1];
    if (D == 3 || i == 0) {
      const S component = ui[k] * uj[k + 1] - uj[k] * ui[k + 1];
      cross += component * component;
    }
  }
  return {dot, cross};
}

// L |w|^2 and what pulls link k from outside
template <int D, class S>
template <class Count>
inline S TensionSolver<D, S>::demand(const S* x, Count n, std::size_t k) const {
  const S* w = x + D * n;
  S speed(0);
  for (int i = 0; i < D; ++i) speed += w[i * n + k] * w[i * n + k];
  S b = length_[k] * speed;
  if (loaded_) {
    for (int i = 0; i < D; ++i) b += x[i * n + k] * extra_[i * series_.stride() + k];
  } else if (k == 0) {
    for (int i = 0; i < D; ++i) b += x[i * n] * gravity_[i];
  }
  return b;
}

// Tip to root over links first .. first + count - 1, none of them the tip. On entry p = s and y = y of the
// link below the block, on return those of the block's first link.
template <int D, class S>
template <class All, class Count>
inline void TensionSolver<D, S>::eliminate_block(const S* x, All n, std::size_t first, Count count,
                                                 const Factors& out, S& p, S& y) const {
  const S* u = x + first;
  const S* w = x + D * n + first;
  S cosine[kWidth], bend[kWidth], b[kWidth], q[kWidth + 1], l[kWidth];
  for (std::size_t k = 0; k < count; ++k) {
    const auto [dot, cross] = bend_at(u, n, k);
    S speed(0);
    for (int i = 0; i < D; ++i) speed += w[i * n + k] * w[i * n + k];
    cosine[k] = dot;
    bend[k] = cross * inverse_mass_[first + k] * inverse_mass_[first + k];
    b[k] = length_[first + k] * speed;
  }
  if (loaded_) {
    for (int i = 0; i < D; ++i) {
      const S* extra = extra_.data() + i * series_.stride() + first;
      for (std::size_t k = 0; k < count; ++k) b[k] += u[i * n + k] * extra[k];
    }
  } else if (first == 0) {
    for (int i = 0; i < D; ++i) b[0] += u[i * n] * gravity_[i];
  }
  S numerator = p, denominator(1);
  q[count] = denominator;
  for (std::size_t k = count; k-- > 0;) {
    const S next = inverse_mass_[first + k] * numerator + bend[k] * denominator;
    denominator = inverse_mass_[first + k] * denominator + numerator;
    numerator = next;
    q[k] = denominator;
  }
  p = numerator / denominator;
  for (std::size_t k = 0; k < count; ++k) {
    const S share = q[k + 1] / q[k];
    l[k] = cosine[k] * (inverse_mass_[first + k] * share);
    out.coupling[first + k] = l[k];
    out.inverse_pivot[first + k + 1] = share;
  }
  for (std::size_t k = count; k-- > 0;) {
    y = b[k] + l[k] * y;
    out.y[first + k] = y;
  }
}

// A fixed count of links is unrolled into registers.
template <int D, class S>
template <class Count>
[[gnu::always_inline]] inline void TensionSolver<D, S>::solve(const S* x, Count n, const Factors& out) const {
  const std::size_t tip = n - 1;
  S y = demand(x, n, tip), p = inverse_mass_[tip];
  out.y[tip] = y;
  if (tip > 0) {
    // The tip's pivot is constant, and what follows from it alone is multiplied by as constants are.
    const auto [dot, cross] = bend_at(x, n, tip - 1);
    out.coupling[tip - 1] = tip_pivot_.times(dot * inverse_mass_above_[tip]);
    // The upper parts together and the lower parts together: a constant of many digits, added to a number on
    // a coarser grid, would be rounded the same way in every step.
    p = (tip_bend_.hi * cross + tip_straight_.hi) + (tip_bend_.lo * cross + tip_straight_.lo);
    y = demand(x, n, tip - 1) + out.coupling[tip - 1] * y;
    out.y[tip - 1] = y;
  }
  std::size_t first = tip > 0 ? tip - 1 : 0;
  for (; first >= kWidth; first -= kWidth) {
    eliminate_block(x, n, first - kWidth, std::integral_constant<std::size_t, kWidth>{}, out, p, y);
  }
  const auto eliminate_first = [&](auto count) {
    if constexpr (std::is_same_v<decltype(count), std::size_t>) {
      eliminate_block(x, n, 0, count, out, p, y);
    } else if constexpr (decltype(count)::value <= kWidth) {  // blocks are no longer than that
      eliminate_block(x, n, 0, count, out, p, y);
    }
  };
  switch (first) {  // the compiler unrolls what it can count
    case 0:
      break;
    case 1:
      eliminate_first(std::integral_constant<std::size_t, 1>{});
      break;
    case 2:
      eliminate_first(std::integral_constant<std::size_t, 2>{});
      break;
    case 3:
      eliminate_first(std::integral_constant<std::size_t, 3>{});
      break;
    case 4:
      eliminate_first(std::integral_constant<std::size_t, 4>{});
      break;
    default:
      eliminate_first(first);
  }
  if (tip > 0) out.inverse_pivot[0] = S(1) / p;
  substitute(n, out, out.y, out.tension);
}

template <int D, class S>
void TensionSolver<D, S>::solve_order_zero(const S* x) {
  solve(x, n_, factors());
}

// From root to tip: T_k = y_k / d_k + l_{k-1} T_{k-1}.
template <int D, class S>
template <class Count>
inline void TensionSolver<D, S>::substitute(Count n, const Factors& by, const S* __restrict y,
                                            S* __restrict tension) const {
  const std::size_t tip = n - 1;
  S previous(0);
  for (std::size_t k = 0; k < tip; ++k) {
    previous = y[k] * by.inverse_pivot[k] + (k == 0 ? S(0) : by.coupling[k - 1] * previous);
    tension[k] = previous;
  }
  tension[tip] = tip_pivot_.times(y[tip]) + (tip == 0 ? S(0) : by.coupling[tip - 1] * previous);
}

template <int D, class S>
void TensionSolver<D, S>::accelerations(const S* x, S* w_dot) {
  const S* __restrict tension = tension0_.data() + 1;
  const S* __restrict own = inverse_mass_.data();
  const S* __restrict above = inverse_mass_above_.data();
  for (int i = 0; i < D; ++i) {
    const S* __restrict u = x + i * n_;
    S* __restrict out = w_dot + i * n_;
    S* __restrict pull = series_.pull(i);
    for (std::size_t k = 0; k < n_; ++k) pull[k] = tension[k] * u[k];
    for (std::size_t k = 0; k < n_; ++k) {
      out[k] = own[k] * (pull[k + 1] - pull[k]) + above[k] * (pull[k - 1] - pull[k]);
    }
    if (loaded_) {
      const S* __restrict extra = extra_.data() + i * series_.stride();
      for (std::size_t k = 0; k < n_; ++k) out[k] += extra[k];
    } else {
      out[0] += gravity_[i];
    }
    for (std::size_t k = 0; k < n_; ++k) out[k] = divisors_.over_length(k, out[k]);
  }
}

// Few links: everything stays in registers, and what does not depend on the tensions is ready before they
// are. dx is stored in whole vectors: whoever loads a vector of numbers that were just stored one by one
// waits for all of them to reach the memory.
template <int D, class S>
template <std::size_t N>
void TensionSolver<D, S>::rhs_of(const S* x, S* dx) const {
  S coupling[N], inverse_pivot[N], y[N], tension[N], out[2 * D * N];
  solve(x, std::integral_constant<std::size_t, N>{}, {coupling, inverse_pivot, y, tension});
#pragma GCC unroll 24
  for (std::size_t lane = 0; lane < D * N; ++lane) out[lane] = x[D * N + lane];
#pragma GCC unroll 3
  for (int i = 0; i < D; ++i) {
    const S* u = x + i * N;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < N; ++k) {
      const auto share = [&](const S& pull) { return divisors_.over_length(k, pull); };
      const S& own = inverse_mass_[k];
      const S& above = inverse_mass_above_[k];
      S sum = loaded_ ? share(extra_[i * series_.stride() + k]) : k == 0 ? share(gravity_[i]) : S(0);
      if (k > 0) sum += share(above * u[k - 1]) * tension[k - 1];
      sum -= share(own * u[k] + above * u[k]) * tension[k];
      if (k + 1 < N) sum += share(own * u[k + 1]) * tension[k + 1];
      out[(D + i) * N + k] = sum;
    }
  }
  store_lanes<2 * D * N>(out, dx);
}

template <int D, class S>
void TensionSolver<D, S>::rhs(const S* x, S* dx, const Loads* loads) {
  take(loads);
  if constexpr (std::is_same_v<S, double>) {
    switch (n_) {
      case 1:
        return rhs_of<1>(x, dx);
      case 2:
        if constexpr (kTwoLinks)
          return rhs_of_two(x, dx);
        else
          return rhs_of<2>(x, dx);
      case 3:
        return rhs_of<3>(x, dx);
      case 4:
        return rhs_of<4>(x, dx);
      case 5:
        return rhs_of<5>(x, dx);
      case 6:
        return rhs_of<6>(x, dx);
      case 7:
        return rhs_of<7>(x, dx);
      case 8:
        return rhs_of<8>(x, dx);
    }
  }
  solve_order_zero(x);
  accelerations(x, dx + D * n_);
  std::copy(x + D * n_, x + 2 * D * n_, dx);
}

template <int D, class S>
void TensionSolver<D, S>::tensions(const S* x, S* tension, const Loads* loads) {
  take(loads);
  solve_order_zero(x);
  std::copy_n(tension0_.data() + 1, n_, tension);
}

}  // namespace catena
