#include "catena/dynamics/chain/solvers/tension_rates.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace catena {
namespace {

Pack<double, 4> spread(double value) { return Pack<double, 4>{value, value, value, value}; }

void spread_rows(const double* from, std::size_t rows, std::size_t row, std::size_t links,
                 Pack<double, 4>* to) {
  if (row == links) {  // one after the other
    links *= rows;
    rows = 1;
  }
  for (std::size_t at = 0; at < rows; ++at, from += row, to += links) {
    for (std::size_t k = 0; k < links; ++k) to[k] = spread(from[k]);
  }
}

bool is_some(const Pack<double, 4>& lanes) {
  return lanes[0] != 0.0 || lanes[1] != 0.0 || lanes[2] != 0.0 || lanes[3] != 0.0;
}

}  // namespace

template <int D>
void TensionValues<D>::take(TensionSolver<D, double>& solver, std::size_t count, int order) {
  links = count;
  inside = solver.inside();
  const std::size_t orders = static_cast<std::size_t>(order) + 2, row = inside.row;
  u_.resize(orders * D * links);
  t_.resize(orders * links);
  spread_rows(inside.u, orders * D, row, links, u_.data());
  spread_rows(inside.t, orders - 2, row, links, t_.data());
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
  for (auto* room : {&length_, &own_, &square_, &right_}) room->assign(n_ * P, Lanes{});
  pull_.assign(D * (n_ + 2) * P, Lanes{});
}

template <int D, int P>
void TensionRates<D, P>::reserve(int order) {
  const std::size_t orders = static_cast<std::size_t>(order) + 2;
  if (u_.size() >= orders * D * n_ * P) return;
  u_.assign(orders * D * n_ * P, Lanes{});
  t_.assign(orders * n_ * P, Lanes{});
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
      t(0)[cell] = from.t[k].rates(0);
    }
    for (std::size_t at = 0; at < 3 * D; ++at) {
      for (std::size_t k = 0; k < n_; ++k) u_[(at * n_ + k) * P + q] = from.u[at * from.row + k].rates(0);
    }
  }
}

// Of a few links: dP_n without dT_n u_0, and sum du_j . u_{n+2-j}. Sums that need not wait for one another.
template <int D, int P>
template <int Links>
void TensionRates<D, P>::convolve(const TensionValues<D>& values, int n, std::size_t link) {
  constexpr std::size_t kCells = static_cast<std::size_t>(Links) * P;
  const std::size_t row = n_ * P;
  Lanes left[kCells][D] = {}, right[kCells][D] = {};
  const Lanes* tv = values.t(0) + link;
  const Lanes* uv = values.u(n) + link;
  const Lanes* dt = t(0) + link * P;
  const Lanes* du = u(n) + link * P;
#pragma GCC unroll 2
  for (int j = 0; j < n; ++j, tv += n_, uv -= D * n_, dt += row, du -= D * row) {
#pragma GCC unroll 4
    for (std::size_t cell = 0; cell < kCells; ++cell) {
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) {
        left[cell][i] += dt[cell] * uv[i * n_ + cell / P];
        right[cell][i] += du[i * row + cell] * tv[cell / P];
      }
    }
  }
#pragma GCC unroll 4
  for (std::size_t cell = 0; cell < kCells; ++cell) {  // T_n du_0
#pragma GCC unroll 3
    for (std::size_t i = 0; i < D; ++i) {
      right[cell][i] += du[i * row + cell] * tv[cell / P];
      pull_[(i * (n_ + 2) + link + 1) * P + cell] = left[cell][i] + right[cell][i];
    }
  }
  Lanes square[kCells][D] = {};
  uv = values.u(n + 2) + link;
  du = u(0) + link * P;
#pragma GCC unroll 2
  for (int j = 0; j < n + 2; ++j, uv -= D * n_, du += D * row) {
#pragma GCC unroll 4
    for (std::size_t cell = 0; cell < kCells; ++cell) {
#pragma GCC unroll 3
      for (std::size_t i = 0; i < D; ++i) square[cell][i] += du[i * row + cell] * uv[i * n_ + cell / P];
    }
  }
#pragma GCC unroll 4
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    Lanes sum = square[cell][0];
#pragma GCC unroll 2
    for (std::size_t i = 1; i < D; ++i) sum += square[cell][i];
    square_[link * P + cell] = sum;
  }
}

template <int D, int P>
void TensionRates<D, P>::add_changes_of_lengths(const TensionValues<D>& values, int n) {
  const double rank = (n + 2.0) * (n + 1.0);
  for (std::size_t i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < n_; ++k) {
      const Lanes stretched = values.u(n + 2)[i * n_ + k] * rank;
      for (std::size_t q = 0; q < P; ++q) u(n + 2)[(i * n_ + k) * P + q] -= length_[k * P + q] * stretched;
    }
  }
}

// a_k is the sum of (n+2)(n+1) L u_{n+2} down to link k.
template <int D, int P>
void TensionRates<D, P>::add_changes_of_masses(const TensionValues<D>& values, int n) {
  const double rank = (n + 2.0) * (n + 1.0);
  for (std::size_t i = 0; i < D; ++i) {
    Lanes acceleration = {}, above[P] = {};
    for (std::size_t k = 0; k < n_; ++k) {
      acceleration += values.u(n + 2)[i * n_ + k] * (rank * values.inside.length[k]);
      for (std::size_t q = 0; q < P; ++q) {
        const Lanes own = own_[k * P + q] * acceleration;
        u(n + 2)[(i * n_ + k) * P + q] += own - above[q];
        above[q] = own;
      }
    }
  }
}

// dT_n from the factored matrix, then du_{n+2}. `Count`: of links; a fixed one is unrolled.
template <int D, int P>
template <class Count>
void TensionRates<D, P>::solve(const TensionValues<D>& values, int n, Count count) {
  const double rank = (n + 2.0) * (n + 1.0), over_rank = 1.0 / rank;
  const auto& by = values.inside;
  Lanes* __restrict next = u(n + 2);
  for (std::size_t i = 0; i < D; ++i) {
    const Lanes* __restrict pulls = pull_.data() + i * (count + 2) * P;
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
  const Lanes* __restrict u0 = values.u(0);
  Lanes y[P] = {};
  for (std::size_t k = count; k-- > 0;) {
    const double stretched = rank * by.length[k], coupling = by.coupling[k];
    for (std::size_t q = 0; q < P; ++q) {
      y[q] = square_[k * P + q] * stretched + y[q] * coupling;
      for (std::size_t i = 0; i < D; ++i) y[q] += next[(i * count + k) * P + q] * u0[i * count + k];
      right[k * P + q] = y[q];
    }
  }
  Lanes* __restrict tension = t(n);
  Lanes above[P] = {};
  for (std::size_t k = 0; k < count; ++k) {
    const double pivot = k + 1 == count ? by.tip_pivot.hi + by.tip_pivot.lo : by.inverse_pivot[k];
    const double coupling = k == 0 ? 0.0 : by.coupling[k - 1];
    for (std::size_t q = 0; q < P; ++q)
      tension[k * P + q] = above[q] = right[k * P + q] * pivot + above[q] * coupling;
  }
  for (std::size_t i = 0; i < D; ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = i * count + k;
      const double over = over_rank * values.inverse_length[k];
      for (std::size_t q = 0; q < P; ++q) {
        Lanes sum = next[at * P + q] + tension[k * P + q] * values.by_own[at];
        if (k > 0) sum += tension[(k - 1) * P + q] * values.by_previous[at];
        if (k + 1 < count) sum += tension[(k + 1) * P + q] * values.by_next[at];
        next[at * P + q] = sum * over;
      }
    }
  }
}

template <int D, int P>
void TensionRates<D, P>::solve(const TensionValues<D>& values, int n) {
  switch (n_) {
    case 1:
      return solve(values, n, std::integral_constant<std::size_t, 1>{});
    case 2:
      return solve(values, n, std::integral_constant<std::size_t, 2>{});
    case 3:
      return solve(values, n, std::integral_constant<std::size_t, 3>{});
    default:
      return solve(values, n, n_);
  }
}

// Rates of the state, w_k = (k + 1) u_{k+1}.
template <int D, int P>
void TensionRates<D, P>::write(int order, const std::array<Rates*, P>& c) {
  const std::size_t half = D * n_;
  for (std::size_t q = 0; q < P; ++q) {
    Rates* out = c[q];
    for (int k = 0; k <= order; ++k, out += 2 * half) {
      const Lanes* now = u(k) + q;
      const Lanes* next = u(k + 1) + q;
      const double rank = k + 1.0;
      for (std::size_t lane = 0; lane < half; ++lane) {
        out[lane].rates(0) = now[lane * P];
        out[half + lane].rates(0) = next[lane * P] * rank;
      }
    }
  }
}

template <int D, int P>
void TensionRates<D, P>::taylor(const TensionValues<D>& values, int order,
                                const std::array<const Rates*, P>& x, const std::array<Rates*, P>& c) {
  constexpr std::size_t kAtOnce = P == 1 ? 2 : 1;  // as many links as registers hold
  reserve(order);
  start(values, x);
  for (int n = 1; n < order; ++n) {
    std::size_t link = 0;
    for (; link + kAtOnce <= n_; link += kAtOnce) convolve<kAtOnce>(values, n, link);
    if (link < n_) convolve<1>(values, n, link);
    solve(values, n);
  }
  write(order, c);
}

template class TensionValues<2>;
template class TensionValues<3>;
template class TensionRates<2, 1>;
template class TensionRates<2, 2>;
template class TensionRates<3, 1>;
template class TensionRates<3, 2>;

}  // namespace catena
