// The equations of catena/dynamics/bodies/constraint_factor.h in lanes, for mechanisms of few bodies: A of W
// motions at once, each with the pivots and the rank of its own,
//
//     y = g + A mu,   A^T y = r          A Pi = Q R by Householder's reflections
//
// Columns of joints that form a tree come first, as they are; those that close loops are pivoted, which
// reveals the rank. Nothing moves from place to place: which column is next and which row it is turned onto
// is a choice of each lane, sums go through rows and columns in the order that they have, and what is zero in
// all lanes is left out. Q and R^-1 are multiplied out, so that a solution is sums of products: d = R^-T Pi^T
// r - Q^T g, y = g + Q d, mu = Pi R^-1 d.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "catena/math/aligned.h"
#include "catena/math/lanes.h"

namespace catena {

template <class S>
class LaneFactor {
 public:
  // `motions`: numbers in y; `rows`: numbers in mu. `first`: columns that are independent wherever the bodies
  // are, in the order in which they go. Those beyond the rank follow from the others.
  LaneFactor(std::size_t motions, std::size_t rows, std::size_t rank, std::vector<std::size_t> first = {});

  std::size_t rows() const { return n_; }
  void clear() { std::fill(a_.begin(), a_.end(), S(0.0)); }
  // Before factor(): the gradient of a row by a motion, in the mass metric.
  S& gradient(std::size_t row, std::size_t motion) { return a_[row * m_ + motion]; }
  S* gradients(std::size_t row) { return a_.data() + row * m_; }

  void factor();
  // The smallest pivot of those that close loops; 0 where fewer count than the rank.
  const S& margin() const { return margin_; }
  // y: g in, the solution out. mu: 0 for rows that follow from others.
  void solve(const S* r, S* y, S* mu);
  // The motion of one lane.
  void solve_lane(int lane, const double* r, double* y);

 private:
  using Mask = typename S::Mask;
  // The lanes that choose what is there.
  struct Choice {
    std::size_t at;
    Mask lanes;
  };
  struct Step {
    std::vector<Choice> columns, rows;
    S turn;                                               // tau of H = 1 - tau v v^T
    S pivot;                                              // on the diagonal of R
    Mask counts;                                          // it is none of those that follow from others
    std::vector<std::size_t> some, some_of_q, some_of_w;  // where v, and the columns of Q and W, are not zero
  };

  S* row(AlignedVector<S>& of, std::size_t step, std::size_t width) { return of.data() + step * width; }
  void scale_columns();
  bool choose_pivot(std::size_t k);
  void turn_columns(std::size_t k);
  void expand_turns();
  void invert();

  std::size_t m_, n_, rank_;
  std::vector<std::size_t> first_;
  std::vector<Step> steps_;
  AlignedVector<S> a_, scale_;  // [column][row]
  AlignedVector<S> v_, q_;      // [step][row]: reflections, columns of Q
  AlignedVector<S> r_, w_;      // [step][column]: rows of R, columns of Pi R^-1
  AlignedVector<S> t_, u_;      // [step][step]: R, and its inverse
  AlignedVector<S> d_;
  std::vector<double> lane_d_;
  S margin_{0.0};
};

}  // namespace catena
