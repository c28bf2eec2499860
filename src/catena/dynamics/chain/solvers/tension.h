// The tension solver for serial chains of point masses: all rods' tensions from one symmetric tridiagonal
// system, O(N), and from it the accelerations and the Taylor series of the motion.
//
//   m_k a_k = F_k + T_{k+1} u_{k+1} - T_k u_k,   L_k u''_k = a_k - a_{k-1},   u_k . u''_k = -|w_k|^2
//
// Eliminated from tip to root without any subtraction (docs/theory/chain.md):
//   s_k = (s_{k+1} + |u_k x u_{k+1}|^2 / m_k) / (1 + m_k s_{k+1}),   s_N = 1/m_N
// With s = P/Q the recursion needs no division, and 1/(1/m_k + s_{k+1}) = Q_{k+1}/Q_k.
//
// Of the masses only 1/m_k is used, rounded once: that is the motion of other masses, which keeps an energy
// of its own. Had some places m_k and others 1/m_k, or a rounded 1/(m_k L_k) beside L_k, the equations would
// contradict one another in the last digit, the same way in every step, and the energy would drift
// (docs/decisions/0006-reciprocals-in-two-parts.md).
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "catena/dynamics/chain/solvers/chain_series.h"
#include "catena/math/aligned.h"
#include "catena/math/pack.h"

namespace catena {

struct ChainLinks;
template <int D, class S>
struct ChainLoads;

template <int D, class S>
class TensionSolver {
 public:
  TensionSolver(const ChainLinks& links, const double* gravity);

  using Loads = ChainLoads<D, S>;

  // Without loads: only the chain's own gravity acts.
  void rhs(const S* x, S* dx, const Loads* loads = nullptr);
  void taylor(const S* x, int order, S* c);
  void reserve(int order);

  // The series order by order, under loads that follow from the orders so far: begin, then advance(n) from
  // n = 0 on, which gives u up to order n + 2.
  void begin(const S* x) {
    keep_series();
    series_.start(x);
  }
  void advance(int n, const Loads& loads);
  ChainSeries<D, S>& series() { return series_; }

  // From now on inside() has the series after taylor(), too: those of many links cost memory.
  void keep_series();
  // Order 0, and u up to order 2, at x.
  void start(const S* x);
  // What its series were made with and where they are, after taylor() or start(): constants and factors per
  // link, rows [order][component][link] of u and [order][link] of T, `row` from one row to the next.
  struct Inside {
    const S *length, *inverse_mass, *inverse_mass_above;  // times `unit`
    const S *coupling, *inverse_pivot;                    // see Factors
    TwoPartFactor<S> tip_pivot;
    const S *u, *t;
    std::size_t row;
    double unit;
  };
  Inside inside();

  // Tensions at x; tension[0 .. N).
  void tensions(const S* x, S* tension, const Loads* loads = nullptr);

 private:
  static constexpr std::size_t kWidth = ChainSeries<D, S>::kWidth;
  static constexpr std::size_t kFewLinks = 8;  // have a kernel of their own
  // From so many on, whose rows no cache holds, series are computed where their coefficients go.
  static constexpr std::size_t kManyLinks = 4096;

  struct Bend {
    S dot, cross;
  };
  // Of the tridiagonal matrix: T_{k+1} = y_{k+1} d_{k+1} + l_k T_k and y_k = b_k + l_k y_{k+1}.
  struct Factors {
    S* coupling;       // l_k
    S* inverse_pivot;  // 1/d_k
    S* y;
    S* tension;
  };
  Factors factors() { return {coupling_.data(), inverse_pivot_.data(), y_.data(), tension0_.data() + 1}; }
  template <class Count>
  Bend bend_at(const S* u, Count n, std::size_t k) const;
  template <class Count>
  S demand(const S* x, Count n, std::size_t k) const;
  template <class Count>
  void substitute(Count n, const Factors& by, const S* y, S* tension) const;
  template <class All, class Count>
  void eliminate_block(const S* x, All n, std::size_t first, Count count, const Factors& out, S& p,
                       S& y) const;
  template <class Count>
  void solve(const S* x, Count n, const Factors& out) const;

  void take(const Loads* loads);
  void solve_order_zero(const S* x);
  void accelerations(const S* x, S* w_dot);
  template <std::size_t N>
  void rhs_of(const S* x, S* dx) const;
  void rhs_of_two(const S* x, S* dx) const;
  template <std::size_t N>
  void taylor_of(const S* x, int order, S* c);
  void taylor_of_two(const S* x, int order, S* c);
  void reserve_ranks(int order);
  void taylor_short(const S* x, int order, S* c);
  // In lanes, of few links.
  template <std::size_t N>
  void taylor_in_lanes(const S* x, int order, S* c);
  template <bool Placed = false>
  void taylor_long(const S* x, int order, S* c);
  template <bool Placed = false>
  void start_series(const S* x);
  [[gnu::noinline]] void solve_order(int n);

  std::size_t n_;
  ChainSeries<D, S> series_;
  bool placed_;    // see kManyLinks
  int order_ = 0;  // the highest that room was made for
  double unit_;
  LinkDivisors<S> divisors_;
  S gravity_[D];
  bool loaded_ = false, constants_change_ = false;  // in some direction, of tangents in lanes
  std::vector<S> extra_;  // [component][stride]: L u'' that the loads alone would cause, gravity included
  // Constant per link in the unit of accelerations, padded with zeros to the stride.
  std::vector<S> length_, inverse_mass_;
  std::vector<S> inverse_mass_above_;  // 1/m_{k-1}, 0 at the root
  // Of the tip's pivot d = 1/m_{N-1} + 1/m_N:  1/d, 1/(m_{N-1}^2 d), 1/(m_{N-1} m_N d)
  TwoPartFactor<S> tip_pivot_, tip_bend_, tip_straight_;
  std::vector<S> coupling_, inverse_pivot_, y_;  // see Factors
  std::vector<S> state_, acceleration_;
  // Of two links alone, whose series has a kernel of its own where four doubles go into a register.
  static constexpr bool kTwoLinks = std::is_same_v<S, double> && kNativeWidth == 4;
  AlignedVector<double> ranks_, twice_;  // see TwoLinks
  std::vector<S> tension0_;              // one zero before the root and one behind the tip
};

}  // namespace catena
