#include "catena/dynamics/chain/solvers/tension_rates.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace catena {
namespace {

// A number that is used more than once, in a register: read from memory for each use, loads would set the
// pace.
Pack<double, 4> held(Pack<double, 4> lanes) {
#if defined(__AVX__)  // without, it takes two
  asm("" : "+x"(lanes));
#endif
  return lanes;
}

// For all that the compiler knows.
const double* elsewhere(const double* at) {
#if defined(__x86_64__)
  asm("" : "+r"(at));
#endif
  return at;
}

// As many links and orders go together as registers hold sums of.
#if defined(__AVX512VL__)
constexpr bool kManyRegisters = true;
#else
constexpr bool kManyRegisters = false;
#endif

bool is_some(const Pack<double, 4>& lanes) {
  return lanes[0] != 0.0 || lanes[1] != 0.0 || lanes[2] != 0.0 || lanes[3] != 0.0;
}

}  // namespace

template <int D>
void TensionValues<D>::take(TensionSolver<D, double>& solver, std::size_t links, int order) {
  inside = solver.inside();
  has_motion_ = false;
  orders_ = static_cast<std::size_t>(order) + 2;
  const std::size_t row = inside.row;
  records_.resize(links * orders_ * kRecord);
  for (std::size_t k = 0; k < links; ++k) {
    double* out = records_.data() + k * orders_ * kRecord;
    const double *u = inside.u + k, *t = inside.t + k;
    for (std::size_t at = 0; at + 2 < orders_; ++at, t += row) {
      for (std::size_t i = 0; i < D; ++i, u += row) *out++ = *u;
      *out++ = *t;
    }
    for (std::size_t at = 0; at < 2; ++at) {
      for (std::size_t i = 0; i < D; ++i, u += row) *out++ = *u;
      *out++ = 0.0;
    }
  }
  for (auto* room : {&by_own, &by_next, &by_previous}) room->assign(D * links, 0.0);
  inverse_length.resize(links);
  for (std::size_t k = 0; k < links; ++k) {
    const double own = inside.inverse_mass[k], above = inside.inverse_mass_above[k];
    inverse_length[k] = 1.0 / inside.length[k];
    for (std::size_t i = 0; i < D; ++i) {
      const double* u0 = inside.u + i * row;
      by_own[i * links + k] = -(own + above) * u0[k];
      if (k + 1 < links) by_next[i * links + k] = own * u0[k + 1];
      if (k > 0) by_previous[i * links + k] = above * u0[k - 1];
    }
  }
}

template <int D>
void TensionValues<D>::note_motion() {
  if (has_motion_) return;
  has_motion_ = true;
  const std::size_t links = inverse_length.size();
  motion_.resize(orders_ * 2 * D * links);
  for (std::size_t n = 1; n + 2 < orders_; ++n) {
    const double rank = (static_cast<double>(n) + 2.0) * (static_cast<double>(n) + 1.0);
    double* out = motion_.data() + n * D * 2 * links;
    double acceleration[D] = {};
    for (std::size_t k = 0; k < links; ++k) {
      const double* u = of(k, static_cast<int>(n) + 2);
      for (std::size_t i = 0; i < D; ++i) {
        const double turned = u[i] * rank;
        out[i * 2 * links + k] = turned;
        out[(i * 2 + 1) * links + k] = acceleration[i] += turned * inside.length[k];
      }
    }
  }
}

template <int D, int P>
TensionRates<D, P>::TensionRates(std::size_t links, const std::array<Solver*, P>& of) : n_(links), of_(of) {
  for (auto* room : {&length_, &own_, &square_[0], &square_[1], &right_}) room->assign(n_ * P, Lanes{});
  next_.assign(D * n_ * P, Lanes{});
  for (auto& room : pull_) room.assign(D * (n_ + 2) * P, Lanes{});
}

template <int D, int P>
void TensionRates<D, P>::reserve(int order) {
  const std::size_t orders = static_cast<std::size_t>(order) + 2;
  if (orders_ >= orders) return;
  orders_ = orders;
  records_.assign(n_ * orders_ * kRecord, Lanes{});
}

// Rates of the chain's numbers, and of orders 0 to 2.
template <int D, int P>
void TensionRates<D, P>::start(const TensionValues<D>& values, const std::array<const Rates*, P>& x) {
  numbers_change_ = false;
  for (std::size_t q = 0; q < P; ++q) {
    of_[q]->start(x[q]);
    const auto from = of_[q]->inside();
    const double scale = values.inside.unit / from.unit;
    for (std::size_t k = 0; k < n_; ++k) {
      const std::size_t cell = k * P + q;
      length_[cell] = from.length[k].rates(0) * scale;
      own_[cell] = from.inverse_mass[k].rates(0) * (1.0 / from.inverse_mass[k].value());
      numbers_change_ = numbers_change_ || is_some(length_[cell]) || is_some(own_[cell]);
      of(k, 0)[D * P + q] = from.t[k].rates(0);
      for (int order = 0; order < 3; ++order) {
        for (std::size_t i = 0; i < D; ++i) {
          const std::size_t row = static_cast<std::size_t>(order) * D + i;
          of(k, order)[i * P + q] = from.u[row * from.row + k].rates(0);
        }
      }
    }
  }
}

// Of a few links: dP_n without dT_n u_0, and sum du_j . u_{n+2-j}. They meet the same du, and with two orders
// at once also the same dT and values: loads would set the pace otherwise. Of the second order what the first
// one gives is missing. Two orders of two packs leave registers for one sum of squares each.
template <int D, int P>
template <int Links, int Orders>
void TensionRates<D, P>::convolve(const TensionValues<D>& values, int n, std::size_t link) {
  constexpr std::size_t kCells = D * P, kValue = TensionValues<D>::kRecord;
  constexpr bool kFull = kCells == 4 && Orders == 2 && !kManyRegisters;
  constexpr std::size_t kSquares = kFull ? P : kCells;
  Lanes pull[Orders][Links][kCells] = {}, square[Orders][Links][kSquares] = {};
  const double *up[Links], *down[Links];  // of the value: orders j and n - j
  const Lanes *dt[Links], *du[Links];
  for (std::size_t k = 0; k < Links; ++k) {
    up[k] = values.of(link + k, 0);
    down[k] = values.of(link + k, n);
    dt[k] = of(link + k, 0) + kCells;
    du[k] = of(link + k, n);
  }
  // dT_j u_{n+o-j}
  const auto draw = [&](std::size_t k, std::size_t i) {
    Lanes tension[P];
    for (std::size_t q = 0; q < P; ++q) tension[q] = kFull ? dt[k][q] : held(dt[k][q]);
#pragma GCC unroll 2
    for (std::size_t o = 0; o < Orders; ++o) {
      const double value = down[k][o * kValue + i];
#pragma GCC unroll 2
      for (std::size_t q = 0; q < P; ++q) pull[o][k][i * P + q] += tension[q] * value;
    }
  };
  // T_{j+o} du_{n-j} and du_{n-j} . u_{j+2+o}
  const auto meet = [&](std::size_t k, std::size_t i) {
    Lanes rate[P];
    for (std::size_t q = 0; q < P; ++q) rate[q] = held(du[k][i * P + q]);
#pragma GCC unroll 2
    for (std::size_t o = 0; o < Orders; ++o) {
      const double tension = up[k][o * kValue + D], turned = up[k][(2 + o) * kValue + i];
#pragma GCC unroll 2
      for (std::size_t q = 0; q < P; ++q) {
        pull[o][k][i * P + q] += rate[q] * tension;
        square[o][k][(i * P + q) % kSquares] += rate[q] * turned;
      }
    }
  };
#pragma GCC unroll 2
  for (int j = 0; j < n; ++j) {
#pragma GCC unroll 2
    for (std::size_t k = 0; k < Links; ++k) {
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
        draw(k, i);
        meet(k, i);
      }
      up[k] += kValue;
      down[k] -= kValue;
      dt[k] += kRecord;
      du[k] -= kRecord;
      if constexpr (kFull) {  // there are no registers for values that the next ones meet, too
        up[k] = elsewhere(up[k]);
        down[k] = elsewhere(down[k]);
      }
    }
  }
  for (std::size_t k = 0; k < Links; ++k) {
    const Lanes* newest = of(link + k, n + 1);
    const double* first = values.of(link + k, 0);
    Lanes sums[Orders][P] = {};
#pragma GCC unroll 3
    for (std::size_t i = 0; i < D; ++i) meet(k, i);
#pragma GCC unroll 8
    for (std::size_t at = 0; at < kCells; ++at) {
#pragma GCC unroll 2
      for (std::size_t o = 0; o < Orders; ++o) {
        Lanes& sum = pull[o][k][at];
        if (o == 1) sum += newest[at] * first[D];
        sums[o][at % P] += newest[at] * first[(1 + o) * kValue + at / P];
        pull_[o][(at / P * (n_ + 2) + link + k + 1) * P + at % P] = sum;
      }
    }
    for (std::size_t o = 0; o < Orders; ++o) {
      for (std::size_t at = 0; at < kSquares; ++at) sums[o][at % P] += square[o][k][at];
      for (std::size_t q = 0; q < P; ++q) square_[o][(link + k) * P + q] = sums[o][q];
    }
  }
}

// What was missing of order n + 1: dT_n u_1 and du_{n+2} . u_1.
template <int D, int P>
void TensionRates<D, P>::complete_second(const TensionValues<D>& values, int n) {
  for (std::size_t k = 0; k < n_; ++k) {
    const double* u1 = values.of(k, 1);
    const Lanes *tension = of(k, n) + D * P, *newest = of(k, n + 2);
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t q = 0; q < P; ++q) {
        pull_[1][(i * (n_ + 2) + k + 1) * P + q] += tension[q] * u1[i];
        square_[1][k * P + q] += newest[i * P + q] * u1[i];
      }
    }
  }
}

// What changes of lengths and masses do to a component, of some packs from the first on, [link][pack].
template <int D, int P>
template <class Count>
void TensionRates<D, P>::add_changes(const double* motion, std::size_t first, std::size_t packs, Count count,
                                     Lanes* next) const {
  const double *turned = motion, *acceleration = motion + count;
  for (std::size_t q = 0; q < packs; ++q) {
    Lanes above = {};
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t cell = k * P + first + q;
      const Lanes own = own_[cell] * acceleration[k];
      next[k * packs + q] += own - above - length_[cell] * turned[k];
      above = own;
    }
  }
}

// dT_n from the factored matrix, then du_{n+2}. `second`: whether it is the second of two orders that were
// convolved together.
template <int D, int P>
void TensionRates<D, P>::solve_many(const TensionValues<D>& values, int n, std::size_t second) {
  const double rank = (n + 2.0) * (n + 1.0), over_rank = 1.0 / rank;
  const auto& by = values.inside;
  const std::size_t count = n_;
  Lanes* __restrict next = next_.data();
  for (std::size_t i = 0; i < D; ++i) {
    const Lanes* __restrict pulls = pull_[second].data() + i * (count + 2) * P;
    for (std::size_t k = 0; k < count; ++k) {
      const double own = by.inverse_mass[k], above = by.inverse_mass_above[k];
      for (std::size_t q = 0; q < P; ++q) {
        const Lanes here = pulls[(k + 1) * P + q];
        next[(i * count + k) * P + q] =
            (pulls[(k + 2) * P + q] - here) * own + (pulls[k * P + q] - here) * above;
      }
    }
    if (numbers_change_) add_changes(values.motion(n, i), 0, P, count, next + i * count * P);
  }
  Lanes* __restrict right = right_.data();
  Lanes y[P] = {};
  for (std::size_t k = count; k-- > 0;) {
    const double stretched = rank * by.length[k], coupling = by.coupling[k];
    const double* u0 = values.of(k, 0);
    for (std::size_t q = 0; q < P; ++q) {
      y[q] = square_[second][k * P + q] * stretched + y[q] * coupling;
      for (std::size_t i = 0; i < D; ++i) y[q] += next[(i * count + k) * P + q] * u0[i];
      right[k * P + q] = y[q];
    }
  }
  Lanes above[P] = {};
  for (std::size_t k = 0; k < count; ++k) {
    const double pivot = k + 1 == count ? by.tip_pivot.hi + by.tip_pivot.lo : by.inverse_pivot[k];
    const double coupling = k == 0 ? 0.0 : by.coupling[k - 1];
    for (std::size_t q = 0; q < P; ++q)
      right[k * P + q] = above[q] = right[k * P + q] * pivot + above[q] * coupling;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const double over = over_rank * values.inverse_length[k];
    Lanes* tension = of(k, n) + D * P;
    Lanes* coefficient = of(k, n + 2);
    for (std::size_t q = 0; q < P; ++q) tension[q] = right[k * P + q];
    for (std::size_t i = 0; i < D; ++i) {
      const std::size_t at = i * count + k;
      for (std::size_t q = 0; q < P; ++q) {
        Lanes sum = next[at * P + q] + right[k * P + q] * values.by_own[at];
        if (k > 0) sum += right[(k - 1) * P + q] * values.by_previous[at];
        if (k + 1 < count) sum += right[(k + 1) * P + q] * values.by_next[at];
        coefficient[i * P + q] = sum * over;
      }
    }
  }
}

// The same of a few links, whose numbers stay in registers, pack by pack; what was missing of a second order
// is added on the way.
template <int D, int P>
template <int Links>
void TensionRates<D, P>::solve_few(const TensionValues<D>& values, int n, std::size_t second) {
  constexpr std::size_t kLinks = Links;
  constexpr std::integral_constant<std::size_t, kLinks> kCount;
  const double rank = (n + 2.0) * (n + 1.0), over_rank = 1.0 / rank;
  const auto& by = values.inside;
#pragma GCC unroll 2
  for (std::size_t q = 0; q < P; ++q) {
    Lanes next[D][kLinks], right[kLinks];
#pragma GCC unroll 3
    for (std::size_t k = 0; k < kLinks; ++k) right[k] = square_[second][k * P + q];
#pragma GCC unroll 3
    for (std::size_t i = 0; i < D; ++i) {
      Lanes pull[kLinks];
#pragma GCC unroll 3
      for (std::size_t k = 0; k < kLinks; ++k) {
        pull[k] = pull_[second][(i * (kLinks + 2) + k + 1) * P + q];
        if (second == 0) continue;
        const double u1 = values.of(k, 1)[i];
        pull[k] += of(k, n - 1)[D * P + q] * u1;
        right[k] += of(k, n + 1)[i * P + q] * u1;
      }
#pragma GCC unroll 3
      for (std::size_t k = 0; k < kLinks; ++k) {
        next[i][k] = (k + 1 < kLinks ? pull[k + 1] - pull[k] : -pull[k]) * by.inverse_mass[k];
        if (k > 0) next[i][k] += (pull[k - 1] - pull[k]) * by.inverse_mass_above[k];
      }
      if (numbers_change_) add_changes(values.motion(n, i), q, 1, kCount, next[i]);
    }
    for (std::size_t k = kLinks; k-- > 0;) {
      right[k] = right[k] * (rank * by.length[k]);
      if (k + 1 < kLinks) right[k] += right[k + 1] * by.coupling[k];
      const double* u0 = values.of(k, 0);
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) right[k] += next[i][k] * u0[i];
    }
#pragma GCC unroll 3
    for (std::size_t k = 0; k < kLinks; ++k) {
      right[k] = right[k] * (k + 1 == kLinks ? by.tip_pivot.hi + by.tip_pivot.lo : by.inverse_pivot[k]);
      if (k > 0) right[k] += right[k - 1] * by.coupling[k - 1];
      of(k, n)[D * P + q] = right[k];
    }
#pragma GCC unroll 3
    for (std::size_t k = 0; k < kLinks; ++k) {
      const double over = over_rank * values.inverse_length[k];
      Lanes* coefficient = of(k, n + 2);
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
        const std::size_t at = i * kLinks + k;
        Lanes sum = next[i][k] + right[k] * values.by_own[at];
        if (k > 0) sum += right[k - 1] * values.by_previous[at];
        if (k + 1 < kLinks) sum += right[k + 1] * values.by_next[at];
        coefficient[i * P + q] = sum * over;
      }
    }
  }
}

template <int D, int P>
void TensionRates<D, P>::solve(const TensionValues<D>& values, int n, std::size_t second) {
  switch (n_) {
    case 1:
      return solve_few<1>(values, n, second);
    case 2:
      return solve_few<2>(values, n, second);
    case 3:
      return solve_few<3>(values, n, second);
    default:
      if (second == 1) complete_second(values, n - 1);
      return solve_many(values, n, second);
  }
}

// Rates of the state, w_k = (k + 1) u_{k+1}.
template <int D, int P>
void TensionRates<D, P>::write(int order, const std::array<Rates*, P>& c) {
  const std::size_t half = D * n_;
  for (std::size_t k = 0; k < n_; ++k) {
    const Lanes* now = of(k, 0);
    for (int at = 0; at <= order; ++at, now += kRecord) {
      const double rank = at + 1.0;
      const std::size_t row = static_cast<std::size_t>(at) * 2 * half;
      for (std::size_t q = 0; q < P; ++q) {
        Rates* out = c[q] + row;
        for (std::size_t i = 0; i < D; ++i) {
          out[i * n_ + k].rates(0) = now[i * P + q];
          out[half + i * n_ + k].rates(0) = now[kRecord + i * P + q] * rank;
        }
      }
    }
  }
}

template <int D, int P>
void TensionRates<D, P>::taylor(TensionValues<D>& values, int order, const std::array<const Rates*, P>& x,
                                const std::array<Rates*, P>& c) {
  constexpr bool kTwoOrders = kManyRegisters || P == 1 || D == 2;
  reserve(order);
  start(values, x);
  if (numbers_change_) values.note_motion();
  int n = 1;
  for (; kTwoOrders && n + 1 < order; n += 2) {
    convolve_all<2>(values, n);
    solve(values, n, 0);
    solve(values, n + 1, 1);
  }
  for (; n < order; ++n) {
    convolve_all<1>(values, n);
    solve(values, n, 0);
  }
  write(order, c);
}

template <int D, int P>
template <int Orders>
void TensionRates<D, P>::convolve_all(const TensionValues<D>& values, int n) {
  constexpr std::size_t kAtOnce = kManyRegisters && P == 1 ? 2 : 1;
  std::size_t link = 0;
  for (; link + kAtOnce <= n_; link += kAtOnce) convolve<kAtOnce, Orders>(values, n, link);
  if (link < n_) convolve<1, Orders>(values, n, link);
}

template class TensionValues<2>;
template class TensionValues<3>;
template class TensionRates<2, 1>;
template class TensionRates<2, 2>;
template class TensionRates<3, 1>;
template class TensionRates<3, 2>;

}  // namespace catena
