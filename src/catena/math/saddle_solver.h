// SaddlePoint's equations in any number: factored in double, then corrected with the residuals of the whole
// number. A pass wins 16 digits less those of the condition.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "catena/math/functions_digits.h"
#include "catena/math/lane_kinds.h"
#include "catena/math/saddle_point.h"
#include "catena/math/tangent.h"

namespace catena {

template <class S>
class SaddleSolver {
 public:
  SaddleSolver(std::size_t unknowns, std::size_t constraints)
      : n_(unknowns),
        m_(constraints),
        saddle_(unknowns, constraints),
        mass_(n_ * n_),
        rows_(m_ * n_),
        left_(n_),
        gap_(m_),
        rounded_mass_(n_ * n_),
        rounded_rows_(m_ * n_),
        rounded_left_(n_),
        rounded_gap_(m_),
        change_(n_),
        reaction_(m_) {}

  bool factor(const S* mass, const S* rows) {
    mass_.assign(mass, mass + n_ * n_);
    rows_.assign(rows, rows + m_ * n_);
    round(mass_, rounded_mass_);
    round(rows_, rounded_rows_);
    return saddle_.factor(rounded_mass_.data(), rounded_rows_.data());
  }

  void solve(const S* f, const S* c, S* a, S* lambda) {
    constexpr int kMostPasses = 8;
    constexpr double kNothing = 1e-36;
    for (std::size_t i = 0; i < n_; ++i) a[i] = S(0.0);
    for (std::size_t j = 0; j < m_; ++j) lambda[j] = S(0.0);
    double before = 0.0;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      residual(f, c, a, lambda);
      round(left_, rounded_left_);
      round(gap_, rounded_gap_);
      saddle_.solve(rounded_left_.data(), rounded_gap_.data(), change_.data(), reaction_.data());
      double largest = 0.0;
      for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, std::fabs(change_[i]));
      if (pass > 1 && !(largest < 0.5 * before)) return;  // what is left is the number's own roundoff
      for (std::size_t i = 0; i < n_; ++i) add_part(a[i], 0, change_[i]);
      for (std::size_t j = 0; j < m_; ++j) add_part(lambda[j], 0, reaction_[j]);
      if constexpr (is_tangent<S>) {
        if (pass == 0) continue;
        return solve_rates(a, lambda);
      }
      if (pass > 0 && largest <= kNothing * size(a)) return;
      before = largest;
    }
  }

  // Rates follow from those of the residual, which has the value's solution in it: once, and exactly.
  void solve_rates(S* a, S* lambda) {
    for (int part = 1; part < kParts<S>; ++part) {
      for (std::size_t i = 0; i < n_; ++i) rounded_left_[i] = part_of(left_[i], part);
      for (std::size_t j = 0; j < m_; ++j) rounded_gap_[j] = part_of(gap_[j], part);
      saddle_.solve(rounded_left_.data(), rounded_gap_.data(), change_.data(), reaction_.data());
      for (std::size_t i = 0; i < n_; ++i) add_part(a[i], part, change_[i]);
      for (std::size_t j = 0; j < m_; ++j) add_part(lambda[j], part, reaction_[j]);
    }
  }

 private:
  static void round(const std::vector<S>& from, std::vector<double>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = digits::rounded(from[i]);
  }

  double size(const S* a) const {
    double largest = 0.0;
    for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, std::fabs(digits::rounded(a[i])));
    return largest;
  }

  // f + G^T lambda - M a, c - G a
  void residual(const S* f, const S* c, const S* a, const S* lambda) {
    for (std::size_t i = 0; i < n_; ++i) {
      S sum = f[i];
      for (std::size_t j = 0; j < n_; ++j) sum = sum - mass_[i * n_ + j] * a[j];
      for (std::size_t r = 0; r < m_; ++r) sum = sum + rows_[r * n_ + i] * lambda[r];
      left_[i] = sum;
    }
    for (std::size_t r = 0; r < m_; ++r) {
      S sum = c[r];
      for (std::size_t j = 0; j < n_; ++j) sum = sum - rows_[r * n_ + j] * a[j];
      gap_[r] = sum;
    }
  }

  std::size_t n_, m_;
  SaddlePoint saddle_;
  std::vector<S> mass_, rows_, left_, gap_;
  std::vector<double> rounded_mass_, rounded_rows_, rounded_left_, rounded_gap_, change_, reaction_;
};

// In lanes: each its own factor.
template <int W>
class SaddleSolver<LanesOf<W>> {
 public:
  SaddleSolver(std::size_t unknowns, std::size_t constraints)
      : n_(unknowns),
        m_(constraints),
        saddles_(kLanes, SaddlePoint(unknowns, constraints)),
        mass_(n_ * n_),
        rows_(m_ * n_),
        f_(n_),
        c_(m_),
        a_(n_),
        lambda_(m_) {}

  bool factor(const LanesOf<W>* mass, const LanesOf<W>* rows) {
    bool good = true;
    for (int l = 0; l < kLanes; ++l) {
      take(mass, l, mass_);
      take(rows, l, rows_);
      good = saddles_[static_cast<std::size_t>(l)].factor(mass_.data(), rows_.data()) && good;
    }
    return good;
  }
  void solve(const LanesOf<W>* f, const LanesOf<W>* c, LanesOf<W>* a, LanesOf<W>* lambda) {
    for (int l = 0; l < kLanes; ++l) {
      take(f, l, f_);
      take(c, l, c_);
      saddles_[static_cast<std::size_t>(l)].solve(f_.data(), c_.data(), a_.data(), lambda_.data());
      for (std::size_t i = 0; i < n_; ++i) a[i].set_lane(l, a_[i]);
      for (std::size_t j = 0; j < m_; ++j) lambda[j].set_lane(l, lambda_[j]);
    }
  }

 private:
  static void take(const LanesOf<W>* from, int lane, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i].lane(lane);
  }

  // W is no number of lanes in numbers that write down what is done with them.
  static constexpr int kLanes = LanesOf<W>::kWidth;
  std::size_t n_, m_;
  std::vector<SaddlePoint> saddles_;
  std::vector<double> mass_, rows_, f_, c_, a_, lambda_;
};

// A double is its own leading part.
template <>
class SaddleSolver<double> : public SaddlePoint {
 public:
  using SaddlePoint::SaddlePoint;
};

}  // namespace catena
