// The way back onto a Lagrangian's constraints with more digits than a double: what is left of the
// constraints is computed in the number, the correction in double, until nothing is left.
#pragma once

#include <vector>

#include "catena/dynamics/lagrangian/lagrangian.h"
#include "catena/expr/kinks.h"
#include "catena/expr/series_over.h"
#include "catena/math/lane_kinds.h"

namespace catena {

template <class S>
class LagrangianReturn {
 public:
  explicit LagrangianReturn(const LagrangianSystem& system, NumberTape* tape = nullptr);

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
  expr::SeriesOver<S> gaps_;
  std::vector<double> place_, left_;
};

// In lanes whoever takes the step brings states back, each in doubles; of tangents in lanes there are no
// constraints.
template <class S>
requires(is_lanes<S> || has_lane_rates<S>) class LagrangianReturn<S> {
 public:
  explicit LagrangianReturn(const LagrangianSystem&, NumberTape* = nullptr) {}
  void project(const S&, S*) const {}
  bool restores() const { return false; }
};

// A system given by its Lagrangian, in motion over numbers other than double.
template <class S>
class LagrangianOver {
 public:
  explicit LagrangianOver(const LagrangianSystem& system, NumberTape* tape = nullptr)
      : motion_(system.equations(), tape), return_(system, tape) {}

  // As LagrangianMotion; where some coordinates follow from others, from x with those restored.
  void taylor(const S& t, const S* x, int order, S* c, std::size_t stride, std::size_t accounts) {
    motion_.taylor(t, start(t, x, stride), order, c, stride, accounts);
  }
  void rhs(const S& t, const S* x, S* dx, std::size_t accounts) {
    motion_.rhs(t, start(t, x, motion_.lanes(accounts)), dx, accounts);
  }
  void reserve(int order) { motion_.reserve(order); }
  S smooth_until(int order, const S& length) const {
    return first_break(motion_.ties(), order, first_break(motion_.motion(), order - 1, length, 0.0), 0.0);
  }
  void project(const S& t, S* x) { return_.project(t, x); }
  // At kinks in time: as LagrangianMotion.
  std::vector<S> drifts(const S& t, const S* x) { return motion_.drifts(t, x); }
  S strike(const S& t, S* x, const std::vector<S>& drifts_before) {
    return motion_.strike(t, x, drifts_before);
  }

 private:
  const S* start(const S& t, const S* x, std::size_t lanes) {
    if (!return_.restores()) return x;
    restored_.assign(x, x + lanes);
    return_.project(t, restored_.data());
    return restored_.data();
  }

  LagrangianMotion<S> motion_;
  LagrangianReturn<S> return_;
  std::vector<S> restored_;
};

}  // namespace catena
