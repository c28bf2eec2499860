// The way back onto a Lagrangian's constraints with more digits than a double: what is left of the
// constraints is computed in the number, the correction in double, until nothing is left.
#pragma once

#include <vector>

#include "catena/dynamics/lagrangian/lagrangian.h"
#include "catena/expr/wide_series.h"

namespace catena {

template <class S>
class LagrangianReturn {
 public:
  explicit LagrangianReturn(const LagrangianSystem& system);

  // Coordinates and rates.
  void project(const S& t, S* x);
  // Whether every evaluation begins with it: some coordinates follow from the others.
  bool restores() const { return system_.given().picks_coordinates; }

 private:
  // What is left of the constraints, and of their rates.
  void measure(const S& t, const S* x);
  bool factor(const S& t, const S* x);
  // Corrects what stands from `to` on by the gaps from `first` on; returns the size of the correction.
  double correct(std::size_t first, S* to);

  LagrangianSystem system_;
  std::size_t n_, m_;
  expr::WideSeries<S> gaps_;
  std::vector<double> place_, left_;
};

}  // namespace catena
