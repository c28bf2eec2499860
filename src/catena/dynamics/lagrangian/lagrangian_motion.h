// The series of Lagrange's equations over any number, order by order,
//
//     (k+1) M_0 v_{k+1} = f_k - sum_{j>=1} M_j (k+1-j) v_{k+1-j} + sum_{j>=0} G_j^T lambda_{k-j}
//           G_0 v_{k+1} = -d_{k+1} - sum_{j>=1} G_j v_{k+1-j}          d = dg/dt at fixed q
//
// with one factorisation for all orders. docs/theory/lagrangian.md has the reasons.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/dynamics/lagrangian/lagrangian_equations.h"
#include "catena/expr/series.h"
#include "catena/math/saddle_solver.h"

namespace catena {

template <class S>
class LagrangianMotion {
 public:
  explicit LagrangianMotion(const LagrangianEquations& equations, NumberTape* tape = nullptr);

  // Coefficients c[k * stride + lane] of the motion through x, q and then q', at t; energy dissipated and
  // work done go to lanes `accounts` and the next, unless kNoAccounts.
  static constexpr std::size_t kNoAccounts = static_cast<std::size_t>(-1);
  void taylor(const S& t, const S* x, int order, S* c, std::size_t stride, std::size_t accounts);
  // Order 1 of it. Leaves the series as they are.
  void rhs(const S& t, const S* x, S* dx, std::size_t accounts);
  void reserve(int order);
  // How fast the constraints change at fixed coordinates, d.
  std::vector<S> drifts(const S& t, const S* x);
  // At a kink d jumps, and with it the velocities: M dv = G^T Lambda, G dv = -the jump; gives the work done,
  // -Lambda . (d before + d now) / 2.
  S strike(const S& t, S* x, const std::vector<S>& drifts_before);
  // How many lanes a state has.
  std::size_t lanes(std::size_t accounts) const { return 2 * n_ + (accounts == kNoAccounts ? 0 : 2); }

  // Of the last series, or of the last right-hand side: order 0.
  const S* multipliers() const { return lambda_.data(); }
  int last_order() const { return last_order_; }
  expr::Series<S>& motion() { return motion_; }
  const expr::Series<S>& motion() const { return motion_; }
  expr::Series<S>& ties() { return ties_; }
  const expr::Series<S>& ties() const { return ties_; }

 private:
  void feed(expr::Series<S>& series, int k, bool rates_known);
  void begin(const S& t, const S* x);
  void factor();
  // Orders k + 1 of the coordinates and rates and order k of the multipliers from all that is known below.
  void advance(int k);
  void take_masses(int k);
  void take_ties(int k);
  void account(int k, S* next);
  S* row(std::vector<S>& series, int k) { return series.data() + static_cast<std::size_t>(k) * n_; }

  std::size_t n_, m_;
  bool has_excess_, driven_;
  expr::Series<S> motion_;  // M (upper half), f, loss, power
  expr::Series<S> ties_;    // G, d
  expr::Series<S> excess_;  // of the energy
  SaddleSolver<S> saddle_;
  int reserved_ = -1, last_order_ = 0;
  S time_{};
  std::vector<S> q_, v_, lambda_;  // series, [order][coordinate or constraint]
  std::vector<S> mass_, rows_, right_, demand_, solution_, order_one_;
};

// Upper half of M, f, loss, power; G, d.
std::vector<expr::NodeId> motion_outputs(const LagrangianEquations& equations);
std::vector<expr::NodeId> tie_outputs(const LagrangianEquations& equations);

}  // namespace catena
