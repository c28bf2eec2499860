// The series of any first-order system over any number: x_{k+1} = f_k / (k + 1), the coefficients f_k of the
// rates' formulas following from those of the states so far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "catena/expr/kinks.h"
#include "catena/expr/series.h"

namespace catena {

template <class S>
class EquationsMotion {
 public:
  // Variables of the graph: the states, then t. `rates`: of each state.
  EquationsMotion(const expr::Graph& graph, const std::vector<expr::NodeId>& rates,
                  NumberTape* tape = nullptr)
      : n_(rates.size()),
        series_(expr::made_series<S>(graph, rates, static_cast<int>(n_) + 1, static_cast<int>(n_), tape)),
        order_one_(2 * n_) {
    reserve(1);
  }

  // Coefficients c[k * stride + lane] of the motion through x at t.
  void taylor(const S& t, const S* x, int order, S* c, std::size_t stride) {
    reserve(order);
    std::copy_n(x, n_, c);
    for (int k = 0; k < order; ++k, c += stride) {
      for (std::size_t i = 0; i < n_; ++i) *series_.input(k, static_cast<int>(i)) = c[i];
      *series_.input(k, static_cast<int>(n_)) = k == 0 ? t : S(k == 1 ? 1.0 : 0.0);
      series_.advance(k);
      for (std::size_t i = 0; i < n_; ++i)
        c[stride + i] = *series_.output(k, static_cast<int>(i)) / S(k + 1.0);
    }
  }

  // Order 1 of it.
  void rhs(const S& t, const S* x, S* dx) {
    taylor(t, x, 1, order_one_.data(), n_);
    std::copy_n(order_one_.data() + n_, n_, dx);
  }

  void reserve(int order) {
    if (order <= reserved_) return;
    series_.reserve(1, order);
    reserved_ = order;
  }

  // Up to where the series of this order hold, at most `length`; of numbers other than double.
  S smooth_until(int order, const S& length) const { return first_break(series_, order - 1, length, 0.0); }
  void project(const S&, S*) const {}  // every state is allowed
  const expr::Series<S>& series() const { return series_; }

 private:
  std::size_t n_;
  expr::Series<S> series_;
  std::vector<S> order_one_;
  int reserved_ = -1;
};

}  // namespace catena
