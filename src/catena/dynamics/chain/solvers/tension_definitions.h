// TensionSolver's members; included where it is instantiated.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "catena/dynamics/chain/solvers/chain_links.h"
#include "catena/dynamics/chain/solvers/tension.h"
#include "catena/math/pack.h"

namespace catena {

// A short chain's links side by side in packs, padded with zeros.
template <class S, int W, std::size_t Packs>
struct LinkLanes {
  Pack<S, W> packs[Packs];

  static LinkLanes load(const S* from) {
    LinkLanes out;
    for (std::size_t q = 0; q < Packs; ++q) out.packs[q] = catena::load<W>(from + q * W);
    return out;
  }
  // Built from registers: a vector loaded from N separate stores would stall.
  template <std::size_t N>
  static LinkLanes first(const S* from) {
    const auto value = [&](std::size_t k) { return k < N ? from[k] : S(0); };
    LinkLanes out;
    for (std::size_t q = 0; q < Packs; ++q) {
      if constexpr (W == 2) {
        out.packs[q] = Pack<S, W>{value(q * W), value(q * W + 1)};
      } else {
        out.packs[q] = Pack<S, W>{value(q * W), value(q * W + 1), value(q * W + 2), value(q * W + 3)};
      }
    }
    return out;
  }
  void store(S* to) const {
    for (std::size_t q = 0; q < Packs; ++q) catena::store<W>(to + q * W, packs[q]);
  }
  template <std::size_t N>
  void store_first(S* to) const {
    if constexpr (N == Packs * W) {
      store(to);
    } else {
      for (std::size_t k = 0; k < N; ++k) to[k] = packs[k / W][k % W];
    }
  }
  S operator[](std::size_t k) const { return packs[k / W][k % W]; }

  // Each link gets its next (previous) neighbour's value. What the last (first) one gets is meant to be
  // multiplied by zero.
  LinkLanes from_next() const {
    LinkLanes out;
    for (std::size_t q = 0; q < Packs; ++q) {
      const Pack<S, W> beyond = packs[(q + 1) % Packs];
      if constexpr (W == 2) {
        out.packs[q] = __builtin_shufflevector(packs[q], beyond, 1, 2);
      } else {
        out.packs[q] = __builtin_shufflevector(packs[q], beyond, 1, 2, 3, 4);
      }
    }
    return out;
  }
  LinkLanes from_previous() const {
    LinkLanes out;
    for (std::size_t q = 0; q < Packs; ++q) {
      const Pack<S, W> before = packs[(q + Packs - 1) % Packs];
      if constexpr (W == 2) {
        out.packs[q] = __builtin_shufflevector(before, packs[q], 1, 2);
      } else {
        out.packs[q] = __builtin_shufflevector(before, packs[q], 3, 4, 5, 6);
      }
    }
    return out;
  }

  LinkLanes& operator+=(const LinkLanes& other) {
    for (std::size_t q = 0; q < Packs; ++q) packs[q] += other.packs[q];
    return *this;
  }
  friend LinkLanes operator+(LinkLanes a, const LinkLanes& b) { return a += b; }
  friend LinkLanes operator-(LinkLanes a, const LinkLanes& b) {
    for (std::size_t q = 0; q < Packs; ++q) a.packs[q] -= b.packs[q];
    return a;
  }
  friend LinkLanes operator*(LinkLanes a, const LinkLanes& b) {
    for (std::size_t q = 0; q < Packs; ++q) a.packs[q] *= b.packs[q];
    return a;
  }
  friend LinkLanes operator*(LinkLanes a, const S& factor) {
    for (std::size_t q = 0; q < Packs; ++q) a.packs[q] *= factor;
    return a;
  }
};

// Numbers in registers, stored in whole vectors as far as they fill them.
template <std::size_t Count>
inline void store_lanes(const double* from, double* to) {
  constexpr std::size_t kWhole = Count / kNativeWidth * kNativeWidth;
#pragma GCC unroll 12
  for (std::size_t lane = 0; lane < kWhole; lane += kNativeWidth) {
    Pack<double, kNativeWidth> pack;
#pragma GCC unroll 4
    for (int q = 0; q < kNativeWidth; ++q) pack[q] = from[lane + q];
    store<kNativeWidth>(to + lane, pack);
  }
#pragma GCC unroll 3
  for (std::size_t lane = kWhole; lane < Count; ++lane) to[lane] = from[lane];
}

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
  using Digits = typename TwoPartFactor<S>::Digits;
  const Digits own = Digits(inverse_mass_[n_ - 1]), above = Digits(inverse_mass_above_[n_ - 1]);
  const Digits pivot = own + above;
  tip_pivot_ = TwoPartFactor<S>(Digits(1) / pivot);
  tip_bend_ = TwoPartFactor<S>(above * above / pivot);
  tip_straight_ = TwoPartFactor<S>(above * own / pivot);
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
#pragma GCC unroll 12
  for (std::size_t lane = 0; lane < D * N; ++lane) out[lane] = x[D * N + lane];
#pragma GCC unroll 3
  for (int i = 0; i < D; ++i) {
    const S* u = x + i * N;
#pragma GCC unroll 4
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
        return rhs_of<2>(x, dx);
      case 3:
        return rhs_of<3>(x, dx);
      case 4:
        return rhs_of<4>(x, dx);
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

// T_n from the factored matrix, then u_{n+2} from all pulls (T u)_n.
template <int D, class S>
void TensionSolver<D, S>::solve_order(int n) {
  const std::size_t stride = series_.stride();
  const Plain<S> half_rank(0.5 * (n + 2) * (n + 1));
  const S* __restrict square = series_.square();
  const S* __restrict own = inverse_mass_.data();
  const S* __restrict above = inverse_mass_above_.data();
  S* __restrict b = y_.data();
  if constexpr (is_lanes<S>) {  // whole registers: one pass each way, link by link
    S* const next = series_.u(n + 2);
    const S* const u0 = series_.u(0);
    S y(0);
    for (std::size_t k = n_; k-- > 0;) {
      S along = half_rank * S(length_[k] * square[k]);
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) {
        const S* const pull = series_.pull(i) + k;
        S known = own[k] * (pull[1] - pull[0]) + above[k] * (pull[-1] - pull[0]);
        if (loaded_) known += extra_[i * stride + k];
        next[i * stride + k] = known;
        along += u0[i * stride + k] * known;
      }
      y = along + coupling_[k] * y;
      b[k] = y;
    }
    S* const t = series_.t(n);
    substitute(n_, factors(), b, t);
    const S* const hi = divisors_.hi(n);
    const S* const lo = divisors_.lo(n);
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) {
      S before(0), now = t[0] * u0[i * stride];
      for (std::size_t k = 0; k < n_; ++k) {
        const S after = k + 1 < n_ ? S(t[k + 1] * u0[i * stride + k + 1]) : S(0);
        const S sum = next[i * stride + k] + own[k] * (after - now) + above[k] * (before - now);
        next[i * stride + k] = sum * hi[k] + sum * lo[k];
        before = now;
        now = after;
      }
    }
    return;
  }
  for (std::size_t k = 0; k < stride; ++k) b[k] = half_rank * (length_[k] * square[k]);
  for (int i = 0; i < D; ++i) {
    const S* __restrict pull = series_.pull(i);
    const S* __restrict u0 = series_.u(0) + i * stride;
    for (std::size_t k = 0; k < stride; ++k) {
      b[k] += u0[k] * (own[k] * (pull[k + 1] - pull[k]) + above[k] * (pull[k - 1] - pull[k]));
    }
  }
  for (int i = 0; loaded_ && i < D; ++i) {
    const S* __restrict u0 = series_.u(0) + i * stride;
    const S* __restrict extra = extra_.data() + i * stride;
    for (std::size_t k = 0; k < stride; ++k) b[k] += u0[k] * extra[k];
  }
  S y(0);
  for (std::size_t k = n_; k-- > 0;) {
    y = b[k] + coupling_[k] * y;
    b[k] = y;
  }
  S* __restrict t = series_.t(n);
  substitute(n_, factors(), b, t);
  for (int i = 0; i < D; ++i) {
    S* __restrict pull = series_.pull(i);
    const S* __restrict u0 = series_.u(0) + i * stride;
    for (std::size_t k = 0; k < stride; ++k) pull[k] += t[k] * u0[k];
    S* __restrict next = series_.u(n + 2) + i * stride;
    const S* __restrict extra = extra_.data() + i * stride;
    for (std::size_t k = 0; k < stride; ++k) {
      next[k] = own[k] * (pull[k + 1] - pull[k]) + above[k] * (pull[k - 1] - pull[k]);
    }
    if (loaded_) {
      for (std::size_t k = 0; k < stride; ++k) next[k] += extra[k];
    }
    divisors_.divide(n, next);
  }
}

// The state is read back from the series: at order 0 nothing else has it.
template <int D, class S>
void TensionSolver<D, S>::advance(int n, const Loads& loads) {
  take(&loads);
  if (n > 0) {
    series_.convolve(n);
    return solve_order(n);
  }
  state_.resize(2 * D * n_);
  series_.write(0, state_.data(), 0);
  solve_order_zero(state_.data());
  start_series(state_.data());
}

template <int D, class S>
void TensionSolver<D, S>::start_series(const S* x) {
  std::copy_n(tension0_.data() + 1, n_, series_.t(0));
  acceleration_.resize(D * n_);
  accelerations(x, acceleration_.data());
  for (int i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < n_; ++k) {
      series_.u(2)[i * series_.stride() + k] = Plain<S>(0.5) * acceleration_[i * n_ + k];
    }
  }
}

template <int D, class S>
void TensionSolver<D, S>::start(const S* x) {
  take(nullptr);
  reserve(2);
  solve_order_zero(x);
  series_.start(x);
  start_series(x);
}

template <int D, class S>
typename TensionSolver<D, S>::Inside TensionSolver<D, S>::inside() {
  // Rows of the kernel for few links.
  const std::size_t few = rounded_up(n_, n_ <= 2 ? 2 : kNativeWidth);
  return {length_.data(),
          inverse_mass_.data(),
          inverse_mass_above_.data(),
          coupling_.data(),
          inverse_pivot_.data(),
          tip_pivot_,
          series_.u(0),
          series_.t(0),
          std::is_same_v<S, double> && n_ <= kFewLinks ? few : series_.stride(),
          unit_};
}

template <int D, class S>
void TensionSolver<D, S>::taylor_long(const S* x, int order, S* c) {
  reserve(order);
  solve_order_zero(x);
  series_.start(x);
  start_series(x);
  for (int n = 1; n < order; ++n) {
    series_.convolve(n);
    solve_order(n);
  }
  series_.write(order, c, 2 * D * n_);
}

// Few links: the time goes into waiting for results, so the way from one order to the next is kept short:
// links stay in registers, one pack (or two) for each component; constants are multiplied beforehand; the
// newest coefficients enter last. Loops over components are unrolled, or their arrays would live in memory.
template <int D, class S>
template <std::size_t N>
void TensionSolver<D, S>::taylor_of(const S* x, int order, S* c) {
  constexpr int kPack = N <= 2 ? 2 : kNativeWidth;
  constexpr std::size_t kPacks = (N + kPack - 1) / kPack;
  constexpr std::size_t kRow = kPacks * kPack;
  using Lanes = LinkLanes<S, kPack, kPacks>;
  reserve(order);
  solve_order_zero(x);
  S* const u_rows = series_.u(0);
  S* const t_rows = series_.t(0);
  const auto constant = [](const std::vector<S>& values) { return Lanes::template first<N>(values.data()); };
  const Lanes own = constant(inverse_mass_), above = constant(inverse_mass_above_);
  const Lanes length = constant(length_);
  Lanes below = own;
  below.packs[(N - 1) / kPack][(N - 1) % kPack] = S(0);  // nothing hangs from the tip
  S coupling[N], inverse_pivot[N];
  std::copy_n(coupling_.data(), N, coupling);
  std::copy_n(inverse_pivot_.data(), N, inverse_pivot);

  // c = (u, w), row by row; newest is u_{n+1}.
  std::copy_n(x, 2 * D * N, c);
  S* out = c + 2 * D * N;
  std::copy_n(x + D * N, D * N, out);
  accelerations(x, out + D * N);
  Lanes tension = Lanes::template first<N>(tension0_.data() + 1);
  tension.store(t_rows);
  Lanes u0[D], u1[D], u1_length[D], newest[D], by_own[D], by_next[D], by_previous[D];
#pragma GCC unroll 3
  for (int i = 0; i < D; ++i) {
    u0[i] = Lanes::template first<N>(x + i * N);
    u1[i] = Lanes::template first<N>(x + (D + i) * N);
    u1_length[i] = u1[i] * length;
    newest[i] = Lanes::template first<N>(out + (D + i) * N) * S(0.5);
    u0[i].store(u_rows + i * kRow);
    u1[i].store(u_rows + (D + i) * kRow);
    newest[i].store(u_rows + (2 * D + i) * kRow);
    // L u''_k from the parts T_n u_0 of the pulls.
    by_own[i] = (own * u0[i] + above * u0[i]) * S(-1);
    by_next[i] = below * u0[i].from_next();
    by_previous[i] = above * u0[i].from_previous();
  }
  for (int n = 1; n < order; ++n) {
    // Each sum in two halves: one sum would wait for its own last term.
    Lanes pull[D] = {}, pull_half[D] = {}, squares[D] = {}, squares_half[D] = {};
    const auto add_pull = [&](Lanes(&sum)[D], int j) {
      const Lanes older = Lanes::load(t_rows + j * kRow);
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) sum[i] += older * Lanes::load(u_rows + ((n - j) * D + i) * kRow);
    };
    const auto add_square = [&](Lanes(&sum)[D], int j) {
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) {
        sum[i] +=
            Lanes::load(u_rows + (j * D + i) * kRow) * Lanes::load(u_rows + ((n + 2 - j) * D + i) * kRow);
      }
    };
    if (n % 2 == 0) {
      add_square(squares, n / 2 + 1);
#pragma GCC unroll 3
      for (int i = 0; i < D; ++i) squares[i] = squares[i] * S(0.5);
      add_pull(pull, n - 2);
    }
    for (int j = 0; j + 2 < n; j += 2) {
      add_pull(pull, j);
      add_pull(pull_half, j + 1);
    }
    const int pairs = (n + 1) / 2;
    for (int j = 2; j < pairs; j += 2) {
      add_square(squares, j);
      add_square(squares_half, j + 1);
    }
    if (pairs % 2 == 0) add_square(squares, pairs);
    Lanes square = {};
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) {
      pull[i] += pull_half[i];
      square += squares[i] + squares_half[i];
    }
    const S rank = S((n + 2.0) * (n + 1.0));
    Lanes known[D], along = {};
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) {
      pull[i] += tension * u1[i];
      known[i] = below * pull[i].from_next() - own * pull[i] + above * (pull[i].from_previous() - pull[i]);
      along += u0[i] * known[i];
    }
    square = square * length;
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) square += u1_length[i] * newest[i];
    const Lanes right = along + square * rank;
    S b[N];
    for (std::size_t k = 0; k < N; ++k) b[k] = right[k];
    for (std::size_t k = N - 1; k-- > 0;) b[k] += coupling[k] * b[k + 1];
    const S tip = tip_pivot_.times(right[N - 1]);
    if (N > 1) b[0] *= inverse_pivot[0];
    for (std::size_t k = 1; k + 1 < N; ++k) b[k] = b[k] * inverse_pivot[k] + coupling[k - 1] * b[k - 1];
    b[N - 1] = N > 1 ? tip + coupling[N - 2] * b[N - 2] : tip;
    tension = Lanes::template first<N>(b);
    tension.store(t_rows + n * kRow);
    const Lanes tension_next = tension.from_next(), tension_previous = tension.from_previous();
    const Lanes inverse_hi = Lanes::load(divisors_.hi(n)), inverse_lo = Lanes::load(divisors_.lo(n));
    out += 2 * D * N;
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) {
      const Lanes sum =
          (known[i] + by_own[i] * tension) + (by_next[i] * tension_next + by_previous[i] * tension_previous);
      newest[i].template store_first<N>(out + i * N);
      newest[i] = sum * inverse_hi + sum * inverse_lo;
      newest[i].store(u_rows + ((n + 2) * D + i) * kRow);
      (newest[i] * S(n + 2.0)).template store_first<N>(out + (D + i) * N);
    }
  }
}

// In lanes, of few links. Two orders at a time, n and n + 1, whose convolutions take the same coefficients
// but for the newest ones: each that is loaded is used twice, and sums need not wait for their own last
// terms. What the order before gave enters them last, so that they need not wait for it, either. Of wide
// lanes one register comes after the other.
//
// u_n is the first half of the state's coefficient n; rows of these are 2 D N numbers, `B` registers each.
template <int D, class R, std::size_t N>
struct FewLinks {
  static constexpr std::size_t kRow = D * N;
  R own[N], above[N], coupling[N], inverse_pivot[N], tip_hi, tip_lo, length[N];
  R u0[D][N], u1[D][N], by_own[D][N], by_next[D][N],
      by_previous[D][N];  // L u'' from the parts T_n u_0 of pulls
  R pull[D][N], pull_next[D][N], square[N], square_next[N];

  template <class Visit>
  [[gnu::always_inline]] static void each(const Visit& visit) {
#pragma GCC unroll 3
    for (std::size_t i = 0; i < D; ++i) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < N; ++k) visit(i, k);
    }
  }

  void prepare() {
    each([&](std::size_t i, std::size_t k) {
      by_own[i][k] = -(own[k] + above[k]) * u0[i][k];
      by_next[i][k] = k + 1 < N ? R(own[k] * u0[i][(k + 1) % N]) : R(0);
      by_previous[i][k] = k > 0 ? R(above[k] * u0[i][(k + N - 1) % N]) : R(0);
    });
  }

  // Pulls and half squares of orders n and n + 1, n odd, from all that is known; numbers are `B` apart.
  template <std::size_t B>
  [[gnu::always_inline]] void convolve(int n, const R* c, const R* t) {
    constexpr std::size_t kApart = 2 * kRow * B;
    R sum[D][N], next[D][N], high[D][N], now[N];
    const R* const newest = c + static_cast<std::size_t>(n + 1) * kApart;
    const R* from = newest - kApart;
    const auto take = [&](const R* tension) __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < N; ++k) now[k] = in_register(tension[k * B]);
    };
    each([&](std::size_t i, std::size_t k) {
      sum[i][k] = next[i][k] = R(0);
      high[i][k] = from[(i * N + k) * B];
    });
    const R* tension = t + N * B;
    const R* const last = t + static_cast<std::size_t>(n > 1 ? n - 1 : 1) * N * B;
#pragma GCC unroll 2
    for (; tension != last; tension += N * B) {
      from -= kApart;
      take(tension);
      each([&](std::size_t i, std::size_t k) {
        next[i][k] += now[k] * high[i][k];
        high[i][k] = from[(i * N + k) * B];
        sum[i][k] += now[k] * high[i][k];
      });
    }
    take(t);
    each([&](std::size_t i, std::size_t k) {
      sum[i][k] += now[k] * newest[(i * N + k) * B - kApart];
      next[i][k] += now[k] * newest[(i * N + k) * B];
    });
    if (n > 1) {
      take(tension);
      each([&](std::size_t i, std::size_t k) {
        sum[i][k] += now[k] * u1[i][k];
        next[i][k] += now[k] * c[2 * kApart + (i * N + k) * B];
      });
    }
    each([&](std::size_t i, std::size_t k) {
      pull[i][k] = sum[i][k];
      pull_next[i][k] = next[i][k];
    });
    const int pairs = (n + 1) / 2;
    const R* const second = c + 2 * kApart;
    from = newest - kApart;
    each([&](std::size_t i, std::size_t k) {
      high[i][k] = from[(i * N + k) * B];
      next[i][k] = R(0);
      sum[i][k] = pairs > 1 ? R(second[(i * N + k) * B] * high[i][k]) : R(0);
    });
    const R* const middle = c + static_cast<std::size_t>(pairs + 1) * kApart;
#pragma GCC unroll 2
    for (const R* low = second + kApart; low < middle; low += kApart) {
      from -= kApart;
      each([&](std::size_t i, std::size_t k) {
        const R first = in_register(low[(i * N + k) * B]);
        next[i][k] += first * high[i][k];
        high[i][k] = from[(i * N + k) * B];
        sum[i][k] += first * high[i][k];
      });
    }
    each([&](std::size_t i, std::size_t k) {
      const R half = R(0.5) * middle[(i * N + k) * B];
      R with_middle = half * middle[(i * N + k) * B] + next[i][k];
      if (pairs > 1) with_middle += second[(i * N + k) * B] * newest[(i * N + k) * B];
      square[k] = i == 0 ? sum[i][k] : square[k] + sum[i][k];
      square_next[k] = i == 0 ? with_middle : square_next[k] + with_middle;
    });
  }

  // Order n of the tensions and n + 2 of u, and of what the state has of them. From u_{n+1} to u_{n+2} is
  // the way on which everything waits: what does not depend on it is ready.
  template <std::size_t B>
  [[gnu::always_inline]] void solve(int n, bool is_last, const R (&pulls)[D][N], const R (&squares)[N],
                                    const R* hi, const R* lo, R* t, R* c) const {
    constexpr std::size_t kApart = 2 * kRow * B;
    const R rank((n + 2.0) * (n + 1.0)), rate(n + 2.0);
    const R* const newest = c + static_cast<std::size_t>(n + 1) * kApart;
    R known[D][N], b[N], tensions[N];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < N; ++k) {
      R along(0);
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
        // Of differences, which neighbours share.
        R sum = k + 1 < N ? R(own[k] * (pulls[i][(k + 1) % N] - pulls[i][k])) : R(-own[k] * pulls[i][k]);
        if (k > 0) sum += above[k] * (pulls[i][(k + N - 1) % N] - pulls[i][k]);
        known[i][k] = sum;
        along += u0[i][k] * sum;
      }
      R squared = squares[k];
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) squared += u1[i][k] * newest[(i * N + k) * B];
      b[k] = along + rank * length[k] * squared;
    }
    const R tip = b[N - 1] * tip_hi + b[N - 1] * tip_lo;
#pragma GCC unroll 4
    for (std::size_t k = 1; k < N; ++k) b[N - 1 - k] += coupling[N - 1 - k] * b[N - k];
    tensions[0] = N > 1 ? R(b[0] * inverse_pivot[0]) : tip;
#pragma GCC unroll 4
    for (std::size_t k = 1; k < N; ++k) {
      const R alone = k + 1 < N ? R(b[k] * inverse_pivot[k]) : tip;
      tensions[k] = alone + coupling[k - 1] * tensions[k - 1];
    }
    R* const next = c + static_cast<std::size_t>(n + 2) * kApart;
    R* const out = c + static_cast<std::size_t>(n + 1) * kApart + kRow * B;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < N; ++k) {
      t[(static_cast<std::size_t>(n) * N + k) * B] = tensions[k];
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
        R sum = known[i][k];
        if (k > 0) sum += by_previous[i][k] * tensions[(k + N - 1) % N];
        sum += by_own[i][k] * tensions[k];
        if (k + 1 < N) sum += by_next[i][k] * tensions[(k + 1) % N];
        const R last = sum * hi[k * B] + sum * lo[k * B];
        if (!is_last) next[(i * N + k) * B] = last;
        out[(i * N + k) * B] = rate * last;
      }
    }
  }
};

template <int D, class S>
template <std::size_t N>
void TensionSolver<D, S>::taylor_in_lanes(const S* x, int order, S* c) {
  constexpr std::size_t kRow = D * N;
  using R = typename OneRegister<S>::type;
  constexpr std::size_t kB = sizeof(S) / sizeof(R);
  reserve(order);
  solve_order_zero(x);
  std::copy_n(tension0_.data() + 1, N, series_.t(0));
  std::copy_n(x, 2 * kRow, c);
  std::copy_n(x + kRow, kRow, c + 2 * kRow);
  accelerations(x, c + 3 * kRow);
  for (std::size_t i = 0; order > 1 && i < kRow; ++i) c[4 * kRow + i] = S(0.5) * c[3 * kRow + i];
  const auto registers = [](const auto* lanes) { return reinterpret_cast<const R*>(lanes); };
  R* const t = reinterpret_cast<R*>(series_.t(0));
  R* const out = reinterpret_cast<R*>(c);
  FewLinks<D, R, N> parts[kB];
  for (std::size_t b = 0; b < kB; ++b) {
    FewLinks<D, R, N>& part = parts[b];
    for (std::size_t k = 0; k < N; ++k) {
      part.own[k] = registers(inverse_mass_.data())[k * kB + b];
      part.above[k] = registers(inverse_mass_above_.data())[k * kB + b];
      part.length[k] = registers(length_.data())[k * kB + b];
      part.coupling[k] = registers(coupling_.data())[k * kB + b];
      part.inverse_pivot[k] = registers(inverse_pivot_.data())[k * kB + b];
    }
    part.tip_hi = registers(&tip_pivot_.hi)[b];
    part.tip_lo = registers(&tip_pivot_.lo)[b];
    part.each([&](std::size_t i, std::size_t k) {
      part.u0[i][k] = out[(i * N + k) * kB + b];
      part.u1[i][k] = out[(kRow + i * N + k) * kB + b];
    });
    part.prepare();
  }
  const auto solve_all = [&](int n, bool second) __attribute__((always_inline)) {
    const R* hi = registers(divisors_.hi(n));
    const R* lo = registers(divisors_.lo(n));
    for (std::size_t b = 0; b < kB; ++b) {
      FewLinks<D, R, N>& part = parts[b];
      if (second) {
        part.each([&](std::size_t i, std::size_t k) {
          part.pull_next[i][k] += t[(static_cast<std::size_t>(n - 1) * N + k) * kB + b] * part.u1[i][k];
        });
      }
      part.template solve<kB>(n, n + 1 == order, second ? part.pull_next : part.pull,
                              second ? part.square_next : part.square, hi + b, lo + b, t + b, out + b);
    }
  };
  for (int n = 1; n < order; n += 2) {
    for (std::size_t b = 0; b < kB; ++b) parts[b].template convolve<kB>(n, out + b, t + b);
    solve_all(n, false);
    if (n + 1 < order) solve_all(n + 1, true);
  }
}

template <int D, class S>
void TensionSolver<D, S>::reserve(int order) {
  series_.reserve(order);
  divisors_.reserve(order);
}

template <int D, class S>
void TensionSolver<D, S>::taylor(const S* x, int order, S* c) {
  take(nullptr);
  if constexpr (is_lanes<S>) {
    switch (n_) {
      case 1:
        return taylor_in_lanes<1>(x, order, c);
      case 2:
        return taylor_in_lanes<2>(x, order, c);
      case 3:
        return taylor_in_lanes<3>(x, order, c);
    }
  }
  if (std::is_same_v<S, double> && n_ <= kFewLinks) return taylor_short(x, order, c);
  taylor_long(x, order, c);
}

template <int D, class S>
void TensionSolver<D, S>::taylor_short(const S* x, int order, S* c) {
  if constexpr (std::is_same_v<S, double>) {
    switch (n_) {
      case 1:
        return taylor_of<1>(x, order, c);
      case 2:
        return taylor_of<2>(x, order, c);
      case 3:
        return taylor_of<3>(x, order, c);
      case 4:
        return taylor_of<4>(x, order, c);
      case 5:
        return taylor_of<5>(x, order, c);
      case 6:
        return taylor_of<6>(x, order, c);
      case 7:
        return taylor_of<7>(x, order, c);
      case 8:
        return taylor_of<8>(x, order, c);
    }
  }
}

}  // namespace catena
