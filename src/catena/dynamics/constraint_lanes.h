// Constraints of one kind in lanes. From the equations C(x, p, t) = 0 follow, by expr, the Jacobian J of
// dC/dt = J v - c  and its series.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "catena/dynamics/joint_lanes.h"
#include "catena/dynamics/kinks.h"
#include "catena/expr/exact.h"
#include "catena/expr/taylor.h"
#include "catena/math/aligned.h"

namespace catena {

using EquationMaker = std::function<std::vector<expr::Expression>(const JointSymbols&)>;

class ConstraintLanes {
 public:
  // `moves` says for each side whether its bodies move.
  ConstraintLanes(const std::vector<bool>& moves, const EquationMaker& equations,
                  std::vector<JointLane> lanes);

  std::size_t count() const { return lanes_.size(); }
  int rows() const { return rows_; }
  const std::vector<JointLane>& lanes() const { return lanes_; }
  std::size_t moving() const { return variables_.moving(); }
  int moving_body(std::size_t lane, std::size_t rank) const { return body_[rank * count() + lane]; }
  void add_turns(std::size_t lane, double first, double second);

  void reserve(int order);

  // Series, order by order: places of order k, then J of order k.
  void advance(int k, double t, const BodyRows& places);
  // J of order 0: derivative of `row` by the motion of a moving side, six numbers.
  void jacobian(std::size_t lane, int row, std::size_t rank, double* six) const;
  // The same for all rows and sides that are not zero throughout: put(row, rank, component, value).
  template <class Put>
  void for_gradients(std::size_t lane, Put&& put) const {
    for (const Entry& entry : entries_) {
      put(entry.row, entry.motion / kMotion, entry.motion % kMotion,
          series_[0].output(0, entry.output)[lane]);
    }
  }
  // Order k of the velocities.
  void set_velocities(int k, const BodyRows& velocities);
  // Order k of  c - sum_{j>=1} J_j v_{k-j}  into rows[row * count() + lane].
  void rate_left(int k, double* rows) const;
  // Order k of the multipliers, as rows[row * count() + lane].
  void set_multipliers(int k, const double* rows);
  // Adds order k of  sum_{j>=1} J_j^T lambda_{k-j}  to the bodies' forces [6][body].
  void add_reactions(int k, double* forces, std::size_t stride) const;

  // Up to where the series of this order hold, at most `length`: formulas of motors may have kinks.
  double smooth_until(int order, double length) const { return first_kink(series_[0], order, length); }
  bool has_kinks() const { return !series_[0].switches().empty(); }

  // Order k of lambda . c: the power that driven constraints put in.
  double work(int k) const;

  // C and then dC/dt of one lane in a state of so many bodies. Valid until the next call.
  const DoubleDouble* violation(std::size_t lane, double t, std::size_t bodies, const double* hi,
                                const double* lo);

 private:
  struct Entry {
    int row;
    std::size_t motion;  // rank of the side times six, plus component
    int output;
    bool steady;
  };
  void refresh_steady();
  // From now on these have a say in the series.
  void enliven_motion(std::size_t motion);
  void enliven_row(int row);

  std::vector<JointLane> lanes_;
  std::vector<int> body_;           // [rank][lane]: the bodies that move
  JointVariables variables_;        // for series
  JointVariables exact_variables_;  // with motions
  int rows_ = 0;
  std::vector<Entry> entries_;
  // Of these, those that are not steady and whose velocity, or multiplier, has not always been zero.
  std::vector<Entry> rate_entries_, reaction_entries_;
  std::vector<std::size_t> pushed_;  // the motions that the latter act on
  std::vector<char> live_motion_, live_row_;
  std::vector<int> drive_;                   // output with c of each row, or -1
  std::vector<expr::SeriesProgram> series_;  // one: made after the graph
  std::vector<expr::ExactProgram> exact_;
  std::size_t stride_ = 0;              // lanes, filled up
  AlignedVector<double> velocities_;    // [order][motion][lane]
  AlignedVector<double> multipliers_;   // [order][row][lane]
  mutable AlignedVector<double> sums_;  // [row] or [motion], of lanes
  std::vector<DoubleDouble> inputs_, outputs_;
};

}  // namespace catena
