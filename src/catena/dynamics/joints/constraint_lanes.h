// Constraints of one kind in lanes. From the equations C(x, p, t) = 0 follow, by expr, the Jacobian J of
// dC/dt = J v - c  and its series.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catena/dynamics/joints/joint_lanes.h"
#include "catena/expr/digits_lanes.h"
#include "catena/expr/kinks.h"
#include "catena/expr/surprise.h"
#include "catena/expr/taylor.h"
#include "catena/math/aligned.h"

namespace catena {

using EquationMaker = std::function<std::vector<expr::Expression>(const JointSymbols&)>;

class ConstraintLanes {
 public:
  // `moves` says for each side whether its bodies move. Where they do, those of some lanes may rest all the
  // same: the ground.
  // `called`: what these equations are known as; what was made for the same ones and the same numbers is made
  // once. Empty: they are not known.
  ConstraintLanes(const std::vector<bool>& moves, const EquationMaker& equations,
                  std::vector<JointLane> lanes, const std::string& called = {});
  // Long where they are made anew, so they are defined once.
  ConstraintLanes(const ConstraintLanes& other);
  ConstraintLanes(ConstraintLanes&& other) noexcept;
  ConstraintLanes& operator=(const ConstraintLanes& other);
  ConstraintLanes& operator=(ConstraintLanes&& other) noexcept;
  ~ConstraintLanes();

  std::size_t count() const { return lanes_.size(); }
  int rows() const { return static_cast<int>(rows_); }
  const std::vector<JointLane>& lanes() const { return lanes_; }
  std::size_t moving() const { return variables_.moving(); }
  // The body of a side, or kGround.
  int moving_body(std::size_t lane, std::size_t rank) const { return body_[rank * stride_ + lane]; }
  std::size_t rank_of(int side) const;
  void add_turns(std::size_t lane, double first, double second);
  // Where its rows are among those of all constraints: [row * count() + lane].
  void place_rows(std::vector<std::size_t> at) { row_at_ = std::move(at); }

  void reserve(int order);

  // Series, order by order: places of order k, then J of order k.
  void advance(int k, double t, const BodyRows& places);
  // J of order 0: derivative of `row` by the motion of a moving side, six numbers.
  void jacobian(std::size_t lane, int row, std::size_t rank, double* six) const;
  // The same for all rows and sides that are not zero throughout: put(row, rank, component, value).
  template <class Put>
  void for_gradients(std::size_t lane, Put&& put) const {
    for (const Entry& entry : entries_) {
      if (moving_body(lane, entry.motion / kMotion) == kGround) continue;
      put(static_cast<int>(entry.row), entry.motion / kMotion, entry.motion % kMotion,
          series_[0].output(0, entry.output)[lane]);
    }
  }
  // Order k of the velocities.
  void set_velocities(int k, const BodyRows& velocities);
  // Adds (k + 1) times order k + 1 of  c - sum_{j>=1} J_j v_{k+1-j}  to its rows among all, and order k of
  // sum_{j>=1} J_j^T lambda_{k-j}  to the bodies' forces [6][body].
  void add_sums(int k, double* right, double* forces, std::size_t stride);
  // Order k of the multipliers of all constraints.
  void set_multipliers(int k, const double* all);

  // Up to where the series of this order hold, at most `length`: formulas of motors may have kinks.
  double smooth_until(int order, double length) const {
    return first_break(series_[0], order, length, allowed_ * length);
  }
  // From now on series end where a motor's formula could do, unseen, what changes an equation by more than
  // this.
  void look_inside(double allowed) { allowed_ = allowed; }
  bool reads_time() const { return series_[0].reads(static_cast<int>(variables_.time())); }
  // Coefficients that follow are those at t plus this.
  void set_low_time(double low) { series_[0].set_low(low); }
  bool looks_inside() const { return allowed_ > 0.0 && expr::may_surprise(series_[0]); }
  double allowed() const { return allowed_; }
  bool has_kinks() const { return !series_[0].switches().empty(); }

  // Order k of lambda . c: the power that driven constraints put in.
  double work(int k) const;

  // C and dC/dt, rounded from all their digits, of one lane in a state of so many bodies: row i at [i] and
  // [rows + i]. Valid until the next call.
  const double* violation(std::size_t lane, double t, std::size_t bodies, const double* hi, const double* lo);
  // -C and -dC/dt of all lanes, into their rows among all.
  void measure(double t, std::size_t bodies, const double* hi, const double* lo, double* gaps, double* rates);

 private:
  struct Entry {
    std::size_t row;
    std::size_t motion;  // rank of the side times six, plus component
    int output;
  };
  struct Input {  // an input that J depends on
    int input;
    std::size_t rank, component;
  };
  struct Part {  // a motion, or a row
    std::size_t index;
    bool live;  // has not always been zero
  };
  // Of equations in all their digits: an input that follows the state, of a side that moves.
  struct Followed {
    std::size_t input, rank, component;
  };
  struct Exact {
    JointVariables variables;  // with motions
    expr::DigitsLanes program;
    std::vector<Followed> followed;
    std::vector<std::size_t> steady;  // inputs that are read
    AlignedVector<double> held;       // their values: [register][input][hi or lo][lane]
    std::vector<DoubleDouble> one;    // of a lane
  };
  void make(const EquationMaker& equations);
  void make_exact(const EquationMaker& equations);
  void refresh_exact();
  void evaluate_exact(std::size_t first_lane, double t, std::size_t bodies, const double* hi,
                      const double* lo);
  void put_bodies();
  void refresh_steady();
  void find_parts();
  void enliven(Part& part, std::size_t Entry::*index);
  void list_sums();
  // Products of an entry of J with a velocity, and with a multiplier.
  struct Term {
    std::ptrdiff_t j;  // where its order 0 begins
    std::size_t row, motion;
    bool with_velocity, with_multiplier;
  };
  // The last lane fills up the last register.
  const JointLane& filled(std::size_t i) const { return lanes_[std::min(i, count() - 1)]; }
  std::size_t row_at(std::size_t row, std::size_t lane) const { return row_at_[row * count() + lane]; }

  std::vector<JointLane> lanes_;
  double allowed_ = 0.0;
  std::size_t stride_ = 0;    // lanes, filled up
  std::vector<int> body_;     // [rank][lane, filled up]: the bodies of sides that move
  JointVariables variables_;  // for series
  std::size_t rows_ = 0;
  std::vector<Entry> entries_, changing_;  // all, and those that may change beyond order 0
  // Of the latter those that count as things are; as of that plan of the series, 0: none.
  std::vector<Term> terms_;
  std::vector<std::size_t> summed_rows_, summed_motions_;  // that they have
  std::size_t listed_ = 0;
  AlignedVector<double> sums_;  // [row, then motion][lane of a register]
  std::vector<Input> places_;
  std::vector<Part> motions_, multiplied_;
  std::vector<std::size_t> row_at_;
  std::vector<int> drive_;                   // output with c of each row, or -1
  std::vector<expr::SeriesProgram> series_;  // one: made after the graph
  std::vector<Exact> exact_;                 // one: made after the graph
  AlignedVector<double> velocities_;         // [order][motion][lane]
  AlignedVector<double> multipliers_;        // [order][row][lane]
  std::vector<double> outputs_;
};

}  // namespace catena
