#include "catena/dynamics/chain/solvers/tension_rates.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace catena {
namespace {

// A number that is used more than once, in a register: read from memory for each use, loads would set the
// pace.
Pack<double, 4> held(Pack<double, 4> lanes) {
#if defined(__x86_64__)
  asm("" : "+x"(lanes));
#endif
  return lanes;
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
  orders_ = static_cast<std::size_t>(order) + 2;
  const std::size_t row = inside.row;
  records_.resize(links * orders_ * kRecord);
  for (std::size_t k = 0; k < links; ++k) {
    double* out = records_.data() + k * orders_ * kRecord;
    for (std::size_t at = 0; at < orders_; ++at, out += kRecord) {
      for (std::size_t i = 0; i < D; ++i) out[i] = inside.u[(at * D + i) * row + k];
      out[D] = at + 2 < orders_ ? inside.t[at * row + k] : 0.0;
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
  lengths_change_ = masses_change_ = false;
  for (std::size_t q = 0; q < P; ++q) {
    of_[q]->start(x[q]);
    const auto from = of_[q]->inside();
    const double scale = values.inside.unit / from.unit;
    for (std::size_t k = 0; k < n_; ++k) {
      const std::size_t cell = k * P + q;
      length_[cell] = from.length[k].rates(0) * scale;
      own_[cell] = from.inverse_mass[k].rates(0) * (1.0 / from.inverse_mass[k].value());
      lengths_change_ = lengths_change_ || is_some(length_[cell]);
      masses_change_ = masses_change_ || is_some(own_[cell]);
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
// one gives is missing.
template <int D, int P>
template <int Links, int Orders>
void TensionRates<D, P>::convolve(const TensionValues<D>& values, int n, std::size_t link) {
  constexpr std::size_t kCells = D * P, kValue = TensionValues<D>::kRecord;
  Lanes pull[Orders][Links][kCells] = {}, square[Orders][Links][kCells] = {};
  const double *up[Links], *down[Links];  // of the value: orders j and n - j
  const Lanes *dt[Links], *du[Links];
  for (std::size_t k = 0; k < Links; ++k) {
    up[k] = values.of(link + k, 0);
    down[k] = values.of(link + k, n);
    dt[k] = of(link + k, 0) + kCells;
    du[k] = of(link + k, n);
  }
  // T_{j+o} du_{n-j} and du_{n-j} . u_{j+2+o}
  const auto meet = [&](std::size_t k, std::size_t at, const Lanes& rate) {
#pragma GCC unroll 2
    for (std::size_t o = 0; o < Orders; ++o) {
      pull[o][k][at] += rate * up[k][o * kValue + D];
      square[o][k][at] += rate * up[k][(2 + o) * kValue + at / P];
    }
  };
#pragma GCC unroll 2
  for (int j = 0; j < n; ++j) {
#pragma GCC unroll 2
    for (std::size_t k = 0; k < Links; ++k) {
#pragma GCC unroll 8
      for (std::size_t at = 0; at < kCells; ++at) {
        const Lanes pulled = held(dt[k][at % P]);
#pragma GCC unroll 2
        for (std::size_t o = 0; o < Orders; ++o) pull[o][k][at] += pulled * down[k][o * kValue + at / P];
        meet(k, at, du[k][at]);
      }
      up[k] += kValue;
      down[k] -= kValue;
      dt[k] += kRecord;
      du[k] -= kRecord;
    }
  }
  for (std::size_t k = 0; k < Links; ++k) {
    const Lanes* newest = of(link + k, n + 1);
    const double* first = values.of(link + k, 0);
    Lanes sums[Orders][P] = {};
#pragma GCC unroll 8
    for (std::size_t at = 0; at < kCells; ++at) {
      meet(k, at, du[k][at]);
#pragma GCC unroll 2
      for (std::size_t o = 0; o < Orders; ++o) {
        if (o == 1) pull[o][k][at] += newest[at] * first[D];
        sums[o][at % P] += square[o][k][at] + newest[at] * first[(1 + o) * kValue + at / P];
        pull_[o][(at / P * (n_ + 2) + link + k + 1) * P + at % P] = pull[o][k][at];
      }
    }
    for (std::size_t o = 0; o < Orders; ++o) {
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

template <int D, int P>
void TensionRates<D, P>::add_changes_of_lengths(const TensionValues<D>& values, int n) {
  const double rank = (n + 2.0) * (n + 1.0);
  for (std::size_t i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < n_; ++k) {
      const double stretched = values.of(k, n + 2)[i] * rank;
      for (std::size_t q = 0; q < P; ++q) next_[(i * n_ + k) * P + q] -= length_[k * P + q] * stretched;
    }
  }
}

// a_k is the sum of (n+2)(n+1) L u_{n+2} down to link k.
template <int D, int P>
void TensionRates<D, P>::add_changes_of_masses(const TensionValues<D>& values, int n) {
  const double rank = (n + 2.0) * (n + 1.0);
  for (std::size_t i = 0; i < D; ++i) {
    double acceleration = 0.0;
    Lanes above[P] = {};
    for (std::size_t k = 0; k < n_; ++k) {
      acceleration += values.of(k, n + 2)[i] * (rank * values.inside.length[k]);
      for (std::size_t q = 0; q < P; ++q) {
        const Lanes own = own_[k * P + q] * acceleration;
        next_[(i * n_ + k) * P + q] += own - above[q];
        above[q] = own;
      }
    }
  }
}

// dT_n from the factored matrix, then du_{n+2}. `Count`: of links; a fixed one is unrolled.
template <int D, int P>
template <class Count>
void TensionRates<D, P>::solve(const TensionValues<D>& values, int n, std::size_t second, Count count) {
  const double rank = (n + 2.0) * (n + 1.0), over_rank = 1.0 / rank;
  const auto& by = values.inside;
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
  }
  if (lengths_change_) add_changes_of_lengths(values, n);
  if (masses_change_) add_changes_of_masses(values, n);
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

template <int D, int P>
void TensionRates<D, P>::solve(const TensionValues<D>& values, int n, std::size_t second) {
  switch (n_) {
    case 1:
      return solve(values, n, second, std::integral_constant<std::size_t, 1>{});
    case 2:
      return solve(values, n, second, std::integral_constant<std::size_t, 2>{});
    case 3:
      return solve(values, n, second, std::integral_constant<std::size_t, 3>{});
    default:
      return solve(values, n, second, n_);
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
void TensionRates<D, P>::taylor(const TensionValues<D>& values, int order,
                                const std::array<const Rates*, P>& x, const std::array<Rates*, P>& c) {
  constexpr bool kTwoOrders = kManyRegisters || P == 1;
  reserve(order);
  start(values, x);
  int n = 1;
  for (; kTwoOrders && n + 1 < order; n += 2) {
    convolve_all<2>(values, n);
    solve(values, n, 0);
    complete_second(values, n);
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
