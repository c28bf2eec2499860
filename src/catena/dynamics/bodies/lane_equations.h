// The equations of all orders of bodies in lanes, M v' = f + J^T lambda, J v' = r: the mass metric of each
// motion, and its constraints (lane_factor.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "catena/dynamics/bodies/bodies_over.h"
#include "catena/dynamics/bodies/lane_factor_definitions.h"
#include "catena/dynamics/bodies/multibody.h"
#include "catena/math/lane_kinds.h"

namespace catena {

// Numbers other than lanes have none.
template <class S>
struct LaneEquations {};

template <int W>
class LaneEquations<LanesOf<W>> {
 public:
  using S = LanesOf<W>;
  using Matrix = std::array<std::array<S, 3>, 3>;

  // Bodies that all have inertia, and few of them. Of others the bodies themselves know what to do.
  static bool can_take(const Multibody& bodies) { return goes_in_lanes(bodies) && !bodies.has_massless(); }

  // `tree`: the rows of joints that form a tree, leaf to root.
  LaneEquations(const Multibody& bodies, std::size_t rows, std::size_t rank, std::vector<std::size_t> tree,
                const std::vector<S>& masses, const std::vector<Matrix>& inertias)
      : n_(bodies.bodies()),
        factor_(kMotion * n_, rows, rank, std::move(tree)),
        y_(kMotion * n_, S(0.0)),
        places_(kPlace * n_, S(0.0)) {
    for (std::size_t b = 0; b < n_; ++b) {
      over_root_mass_.push_back(S(1.0) / square_root(masses[b]));
      root_.emplace_back();
      over_root_.emplace_back();
      if (bodies.lanes().point(b)) {
        for (std::size_t i = 0; i < 3; ++i) root_[b][i].fill(S(0.0));
        over_root_[b].fill(S(0.0));
      } else {
        take_root(b, inertias[b]);
      }
    }
  }

  // Whether it is factored at this state; from now on it is, once J is given.
  bool holds(const S& t, const S* x) const {
    if constexpr (W < 0) {
      return false;  // what is recorded does not look
    } else {
      return held_ && t == t_ && std::equal(places_.begin(), places_.end(), x);
    }
  }
  void hold(const S& t, const S* x) {
    t_ = t;
    std::copy_n(x, places_.size(), places_.begin());
    factor_.clear();
  }
  S& gradient(std::size_t row, std::size_t body, std::size_t component) {
    return factor_.gradient(row, kMotion * body + component);
  }
  void factor() {
    for (std::size_t row = 0; row < factor_.rows(); ++row) {
      for (std::size_t b = 0; b < n_; ++b) divide_by_root(b, factor_.gradients(row) + kMotion * b);
    }
    factor_.factor();
    held_ = true;
  }
  const S& margin() const { return factor_.margin(); }

  // `force`, `acceleration`: [component][body].
  void solve(const S* r, const S* force, S* acceleration, S* multipliers) {
    for (std::size_t b = 0; b < n_; ++b) {
      for (std::size_t c = 0; c < kMotion; ++c) y_[kMotion * b + c] = force[c * n_ + b];
      divide_by_root(b, y_.data() + kMotion * b);
    }
    factor_.solve(r, y_.data(), multipliers);
    for (std::size_t b = 0; b < n_; ++b) {
      divide_by_transposed_root(b, y_.data() + kMotion * b);
      for (std::size_t c = 0; c < kMotion; ++c) acceleration[c * n_ + b] = y_[kMotion * b + c];
    }
  }
  // What closes gaps, in the mass metric, of one motion.
  void solve_lane(int lane, const double* r, double* y) { factor_.solve_lane(lane, r, y); }

 private:
  // Lower triangular L with L L^T = I.
  void take_root(std::size_t b, const Matrix& inertia) {
    Matrix& l = root_[b];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        S sum = inertia[i][j];
        for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
        l[i][j] = i == j ? square_root(sum) : sum / l[j][j];
      }
      over_root_[b][i] = S(1.0) / l[i][i];
    }
  }
  void divide_by_root(std::size_t body, S* six) const {
    for (std::size_t i = 0; i < 3; ++i) six[i] = six[i] * over_root_mass_[body];
    S* w = six + 3;
    const Matrix& l = root_[body];
    const std::array<S, 3>& over = over_root_[body];
    w[0] = w[0] * over[0];
    w[1] = S(w[1] - l[1][0] * w[0]) * over[1];
    w[2] = S(S(w[2] - l[2][0] * w[0]) - l[2][1] * w[1]) * over[2];
  }
  void divide_by_transposed_root(std::size_t body, S* six) const {
    for (std::size_t i = 0; i < 3; ++i) six[i] = six[i] * over_root_mass_[body];
    S* w = six + 3;
    const Matrix& l = root_[body];
    const std::array<S, 3>& over = over_root_[body];
    w[2] = w[2] * over[2];
    w[1] = S(w[1] - l[2][1] * w[2]) * over[1];
    w[0] = S(S(w[0] - l[1][0] * w[1]) - l[2][0] * w[2]) * over[0];
  }

  std::size_t n_;
  LaneFactor<S> factor_;
  std::vector<S> over_root_mass_;
  std::vector<Matrix> root_;
  std::vector<std::array<S, 3>> over_root_;
  std::vector<S> y_;
  bool held_ = false;
  S t_{0.0};
  std::vector<S> places_;
};

}  // namespace catena
