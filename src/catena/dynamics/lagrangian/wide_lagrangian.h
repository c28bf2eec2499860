// Systems given by their Lagrangian, without constraints, with more digits than a double: the equations that
// LagrangianSystem has derived, M q'' = f, order by order.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/dynamics/lagrangian/lagrangian.h"
#include "catena/expr/wide_series.h"

namespace catena {

template <class S>
class WideLagrangian {
 public:
  // `accounts`: behind q and q' the state has the energy dissipated and the work done.
  WideLagrangian(const LagrangianSystem& system, bool accounts);

  void reserve(int order);
  void rhs(const S& t, const S* x, S* dx);
  // Coefficients c[k * dimension + lane], k = 0..order, of the motion through x at t.
  void taylor(const S& t, const S* x, int order, S* c);

 private:
  void feed(expr::WideSeries<S>& series, const S& t, int k);
  // Order k + 1 of the rates.
  void advance(int k, const S& t);
  void account(int k, const S& t, S* next);
  void factor();
  void solve();
  S* row(std::vector<S>& series, int k) { return series.data() + static_cast<std::size_t>(k) * n_; }

  std::size_t n_;
  bool accounts_, has_excess_;
  expr::WideSeries<S> motion_;  // M (upper half), f, loss, power
  expr::WideSeries<S> excess_;  // of the energy
  int reserved_ = -1;
  std::vector<S> q_, v_;  // series, [order][coordinate]
  std::vector<S> mass_;   // factored
  std::vector<std::size_t> pivot_;
  std::vector<S> right_, first_;
};

}  // namespace catena
