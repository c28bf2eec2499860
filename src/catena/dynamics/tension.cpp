#include "catena/dynamics/tension.h"

#include <algorithm>
#include <type_traits>

#include "catena/dynamics/chain_links.h"
#include "catena/math/pack.h"

namespace catena {
namespace {

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

}  // namespace

template <int D, class S>
TensionSolver<D, S>::TensionSolver(const ChainLinks& links, const double* gravity)
    : n_(links.count()), series_(n_) {
  std::copy(gravity, gravity + D, gravity_);
  for (auto* lanes :
       {&length_, &mass_, &inverse_mass_, &below_, &above_, &middle_, &coupling_, &inverse_pivot_, &y_}) {
    lanes->assign(series_.stride(), S(0));
  }
  tension0_.assign(n_ + 2, S(0));
  extra_.assign(D * series_.stride(), S(0));
  for (std::size_t k = 0; k < n_; ++k) {
    length_[k] = links.length[k];
    mass_[k] = links.mass[k];
    inverse_mass_[k] = 1 / mass_[k];
    below_[k] = inverse_mass_[k] / length_[k];
    above_[k] = k == 0 ? S(0) : inverse_mass_[k - 1] / length_[k];
    middle_[k] = below_[k] + above_[k];
  }
}

template <int D, class S>
void TensionSolver<D, S>::take(const Loads* loads) {
  loaded_ = loads != nullptr;
  if (!loaded_) return;
  for (int i = 0; i < D; ++i) {
    const S* __restrict force = loads->force + i * n_;
    S* __restrict extra = extra_.data() + i * series_.stride();
    extra[0] = (force[0] * inverse_mass_[0] + loads->gravity[i]) / length_[0];
    for (std::size_t k = 1; k < n_; ++k) extra[k] = below_[k] * force[k] - above_[k] * force[k - 1];
  }
}

// Tip to root over links first .. first + count - 1, none of them the tip. On entry p = s and y = y of the
// link below the block, on return those of the block's first link.
template <int D, class S>
template <class Count>
inline void TensionSolver<D, S>::eliminate_block(const S* x, std::size_t first, Count count, S& p, S& y) {
  const S* u = x + first;
  const S* w = x + D * n_ + first;
  S cosine[kWidth], bend[kWidth], b[kWidth], q[kWidth + 1], l[kWidth];
  for (std::size_t k = 0; k < count; ++k) {
    S dot(0), cross(0), speed(0);
    for (int i = 0; i < D; ++i) {
      const S* ui = u + i * n_;
      const S* uj = u + (i + 1) % D * n_;
      dot += ui[k] * ui[k + 1];
      speed += w[i * n_ + k] * w[i * n_ + k];
      if (D == 3 || i == 0) {
        const S component = ui[k] * uj[k + 1] - uj[k] * ui[k + 1];
        cross += component * component;
      }
    }
    cosine[k] = dot;
    bend[k] = cross * inverse_mass_[first + k];
    b[k] = length_[first + k] * speed;
  }
  if (loaded_) {
    for (int i = 0; i < D; ++i) {
      const S* extra = extra_.data() + i * series_.stride() + first;
      for (std::size_t k = 0; k < count; ++k) b[k] += length_[first + k] * (u[i * n_ + k] * extra[k]);
    }
  } else if (first == 0) {
    for (int i = 0; i < D; ++i) b[0] += u[i * n_] * S(gravity_[i]);
  }
  S numerator = p, denominator(1);
  q[count] = denominator;
  for (std::size_t k = count; k-- > 0;) {
    const S next = numerator + bend[k] * denominator;
    denominator = denominator + mass_[first + k] * numerator;
    numerator = next;
    q[k] = denominator;
  }
  p = numerator / denominator;
  for (std::size_t k = 0; k < count; ++k) {
    const S share = q[k + 1] / q[k];
    l[k] = cosine[k] * share;
    coupling_[first + k] = l[k];
    inverse_pivot_[first + k + 1] = mass_[first + k] * share;
  }
  for (std::size_t k = count; k-- > 0;) {
    y = b[k] + l[k] * y;
    y_[first + k] = y;
  }
}

template <int D, class S>
void TensionSolver<D, S>::solve_order_zero(const S* x) {
  const std::size_t tip = n_ - 1;
  const S* w = x + D * n_;
  S speed(0);
  for (int i = 0; i < D; ++i) speed += w[i * n_ + tip] * w[i * n_ + tip];
  S y = length_[tip] * speed;
  if (loaded_) {
    for (int i = 0; i < D; ++i) y += length_[tip] * (x[i * n_ + tip] * extra_[i * series_.stride() + tip]);
  } else if (tip == 0) {
    for (int i = 0; i < D; ++i) y += x[i * n_] * S(gravity_[i]);
  }
  y_[tip] = y;
  S p = inverse_mass_[tip];
  std::size_t first = tip;
  for (; first >= kWidth; first -= kWidth) {
    eliminate_block(x, first - kWidth, std::integral_constant<std::size_t, kWidth>{}, p, y);
  }
  const auto eliminate_first = [&](auto count) { eliminate_block(x, 0, count, p, y); };
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
  inverse_pivot_[0] = 1 / p;

  S* tension = tension0_.data() + 1;
  S previous = y_[0] * inverse_pivot_[0];
  tension[0] = previous;
  for (std::size_t k = 1; k < n_; ++k) {
    previous = y_[k] * inverse_pivot_[k] + coupling_[k - 1] * previous;
    tension[k] = previous;
  }
}

template <int D, class S>
void TensionSolver<D, S>::accelerations(const S* x, S* w_dot) {
  const S* __restrict tension = tension0_.data() + 1;
  const S* __restrict below = below_.data();
  const S* __restrict middle = middle_.data();
  const S* __restrict above = above_.data();
  for (int i = 0; i < D; ++i) {
    const S* __restrict u = x + i * n_;
    S* __restrict out = w_dot + i * n_;
    const S* __restrict extra = extra_.data() + i * series_.stride();
    const S fall = loaded_ ? extra[0] : S(gravity_[i]) / length_[0];
    if (n_ == 1) {
      out[0] = fall - middle[0] * (tension[0] * u[0]);
      continue;
    }
    out[0] = fall + below[0] * (tension[1] * u[1]) - middle[0] * (tension[0] * u[0]);
    for (std::size_t k = 1; k + 1 < n_; ++k) {
      out[k] = below[k] * (tension[k + 1] * u[k + 1]) - middle[k] * (tension[k] * u[k]) +
               above[k] * (tension[k - 1] * u[k - 1]);
    }
    const std::size_t tip = n_ - 1;
    out[tip] = above[tip] * (tension[tip - 1] * u[tip - 1]) - middle[tip] * (tension[tip] * u[tip]);
    if (!loaded_) continue;
    for (std::size_t k = 1; k < n_; ++k) out[k] += extra[k];
  }
}

template <int D, class S>
void TensionSolver<D, S>::rhs(const S* x, S* dx, const Loads* loads) {
  take(loads);
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
  const S half_rank = S(0.5 * (n + 2) * (n + 1));
  const S* __restrict square = series_.square();
  S* __restrict b = y_.data();
  for (std::size_t k = 0; k < stride; ++k) b[k] = half_rank * square[k];
  for (int i = 0; i < D; ++i) {
    const S* __restrict pull = series_.pull(i);
    const S* __restrict u0 = series_.u(0) + i * stride;
    for (std::size_t k = 0; k < stride; ++k) {
      b[k] += u0[k] * (below_[k] * pull[k + 1] - middle_[k] * pull[k] + above_[k] * pull[k - 1]);
    }
  }
  for (int i = 0; loaded_ && i < D; ++i) {
    const S* __restrict u0 = series_.u(0) + i * stride;
    const S* __restrict extra = extra_.data() + i * stride;
    for (std::size_t k = 0; k < stride; ++k) b[k] += u0[k] * extra[k];
  }
  for (std::size_t k = 0; k < stride; ++k) b[k] *= length_[k];
  S y(0);
  for (std::size_t k = n_; k-- > 0;) {
    y = b[k] + coupling_[k] * y;
    b[k] = y;
  }
  S* __restrict t = series_.t(n);
  S previous = b[0] * inverse_pivot_[0];
  t[0] = previous;
  for (std::size_t k = 1; k < n_; ++k) {
    previous = b[k] * inverse_pivot_[k] + coupling_[k - 1] * previous;
    t[k] = previous;
  }
  const Reciprocal scale((n + 2.0) * (n + 1.0));
  for (int i = 0; i < D; ++i) {
    S* __restrict pull = series_.pull(i);
    const S* __restrict u0 = series_.u(0) + i * stride;
    for (std::size_t k = 0; k < stride; ++k) pull[k] += t[k] * u0[k];
    S* __restrict next = series_.u(n + 2) + i * stride;
    const S* __restrict extra = extra_.data() + i * stride;
    if (loaded_) {
      for (std::size_t k = 0; k < stride; ++k) {
        next[k] =
            scale.times(extra[k] + below_[k] * pull[k + 1] - middle_[k] * pull[k] + above_[k] * pull[k - 1]);
      }
    } else {
      for (std::size_t k = 0; k < stride; ++k) {
        next[k] = scale.times(below_[k] * pull[k + 1] - middle_[k] * pull[k] + above_[k] * pull[k - 1]);
      }
    }
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
      series_.u(2)[i * series_.stride() + k] = S(0.5) * acceleration_[i * n_ + k];
    }
  }
}

template <int D, class S>
void TensionSolver<D, S>::taylor_long(const S* x, int order, S* c) {
  series_.reserve(order);
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
void TensionSolver<D, S>::taylor_short(const S* x, int order, S* c) {
  constexpr int kPack = N <= 2 ? 2 : kNativeWidth;
  constexpr std::size_t kPacks = (N + kPack - 1) / kPack;
  constexpr std::size_t kRow = kPacks * kPack;
  using Lanes = LinkLanes<S, kPack, kPacks>;
  series_.reserve(order);
  solve_order_zero(x);
  S* const u_rows = series_.u(0);
  S* const t_rows = series_.t(0);
  const auto constant = [](const std::vector<S>& values) { return Lanes::template first<N>(values.data()); };
  Lanes below = constant(below_);
  below.packs[(N - 1) / kPack][(N - 1) % kPack] = S(0);  // nothing hangs from the tip
  const Lanes middle = constant(middle_), above = constant(above_), length = constant(length_);
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
  Lanes u1[D], newest[D], u0_length[D], by_own[D], by_next[D], by_previous[D];
#pragma GCC unroll 3
  for (int i = 0; i < D; ++i) {
    const Lanes u0 = Lanes::template first<N>(x + i * N);
    u1[i] = Lanes::template first<N>(x + (D + i) * N);
    newest[i] = Lanes::template first<N>(out + (D + i) * N) * S(0.5);
    u0.store(u_rows + i * kRow);
    u1[i].store(u_rows + (D + i) * kRow);
    newest[i].store(u_rows + (2 * D + i) * kRow);
    u0_length[i] = u0 * length;
    // L u''_k from the parts T_n u_0 of the pulls.
    by_own[i] = middle * u0 * S(-1);
    by_next[i] = below * u0.from_next();
    by_previous[i] = above * u0.from_previous();
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
      known[i] = below * pull[i].from_next() - middle * pull[i] + above * pull[i].from_previous();
      along += u0_length[i] * known[i];
    }
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) square += u1[i] * newest[i];
    const Lanes right = along + length * rank * square;
    S b[N];
    for (std::size_t k = 0; k < N; ++k) b[k] = right[k];
    for (std::size_t k = N - 1; k-- > 0;) b[k] += coupling[k] * b[k + 1];
    b[0] *= inverse_pivot[0];
    for (std::size_t k = 1; k < N; ++k) b[k] = b[k] * inverse_pivot[k] + coupling[k - 1] * b[k - 1];
    tension = Lanes::template first<N>(b);
    tension.store(t_rows + n * kRow);
    const Lanes tension_next = tension.from_next(), tension_previous = tension.from_previous();
    const Reciprocal scale(rank);
    out += 2 * D * N;
#pragma GCC unroll 3
    for (int i = 0; i < D; ++i) {
      const Lanes sum =
          (known[i] + by_own[i] * tension) + (by_next[i] * tension_next + by_previous[i] * tension_previous);
      newest[i].template store_first<N>(out + i * N);
      newest[i] = scale.times(sum);
      newest[i].store(u_rows + ((n + 2) * D + i) * kRow);
      (newest[i] * S(n + 2.0)).template store_first<N>(out + (D + i) * N);
    }
  }
}

template <int D, class S>
void TensionSolver<D, S>::taylor(const S* x, int order, S* c) {
  take(nullptr);
  switch (n_) {
    case 1:
      return taylor_short<1>(x, order, c);
    case 2:
      return taylor_short<2>(x, order, c);
    case 3:
      return taylor_short<3>(x, order, c);
    case 4:
      return taylor_short<4>(x, order, c);
    case 5:
      return taylor_short<5>(x, order, c);
    case 6:
      return taylor_short<6>(x, order, c);
    case 7:
      return taylor_short<7>(x, order, c);
    case 8:
      return taylor_short<8>(x, order, c);
    default:
      return taylor_long(x, order, c);
  }
}

template class TensionSolver<2, double>;
template class TensionSolver<3, double>;

}  // namespace catena
