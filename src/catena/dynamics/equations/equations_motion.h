// The series of any first-order system over any number: x_{k+1} = f_k / (k + 1), the coefficients f_k of the
// rates' formulas following from those of the states so far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "catena/expr/series.h"

namespace catena {

template <class S>
class EquationsMotion {
 public:
  // Variables of the graph: the states, then t. `rates`: of each state.
  EquationsMotion(const expr::Graph& graph, const std::vector<expr::NodeId>& rates)
      : n_(rates.size()),
        series_(graph, rates, static_cast<int>(n_) + 1, 0, static_cast<int>(n_)),
        order_one_(2 * n_) {
    reserve(1);
  }

  // Coefficients c[k * stride + lane] of the motion through x at t.
  void taylor(const S& t, const S* x, int order, S* c, std::size_t stride) {
    reserve(order);
    last_order_ = order;
    std::copy_n(x, n_, c);
    for (int k = 0; k < order; ++k, c += stride) {
      for (std::size_t i = 0; i < n_; ++i) *series_.input(k, static_cast<int>(i)) = c[i];
      *series_.input(k, static_cast<int>(n_)) = k == 0 ? t : S(k == 1 ? 1.0 : 0.0);
      series_.advance(k);
      for (std::size_t i = 0; i < n_; ++i)
        c[stride + i] = *series_.output(k, static_cast<int>(i)) / S(k + 1.0);
    }
  }

  // Order 1 of it. Leaves the series' order as it is.
  void rhs(const S& t, const S* x, S* dx) {
    const int before = last_order_;
    taylor(t, x, 1, order_one_.data(), n_);
    last_order_ = before;
    std::copy_n(order_one_.data() + n_, n_, dx);
  }

  void reserve(int order) {
    if (order <= reserved_) return;
    series_.reserve(1, order);
    reserved_ = order;
  }

  int last_order() const { return last_order_; }
  const expr::Series<S>& series() const { return series_; }

 private:
  std::size_t n_;
  expr::Series<S> series_;
  std::vector<S> order_one_;
  int reserved_ = -1, last_order_ = 0;
};

}  // namespace catena
