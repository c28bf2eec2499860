// SaddlePoint's equations with tangents in lanes: each lane its own factor, and with it the rates of what is
// left.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/math/lane_rates.h"
#include "catena/math/saddle_solver.h"

namespace catena {

template <>
class SaddleSolver<LaneRates> {
 public:
  using Lanes = LaneRates::Lanes;

  SaddleSolver(std::size_t unknowns, std::size_t constraints)
      : n_(unknowns),
        m_(constraints),
        saddles_(Lanes::kWidth, SaddlePoint(unknowns, constraints)),
        mass_(n_ * n_),
        rows_(m_ * n_),
        left_(n_),
        gap_(m_),
        masses_(n_ * n_),
        ties_(m_ * n_),
        f_(n_),
        c_(m_),
        a_(n_),
        lambda_(m_) {}

  bool factor(const LaneRates* mass, const LaneRates* rows) {
    mass_.assign(mass, mass + n_ * n_);
    rows_.assign(rows, rows + m_ * n_);
    bool good = true;
    for (int l = 0; l < Lanes::kWidth; ++l) {
      take(mass_, 0, l, masses_);
      take(rows_, 0, l, ties_);
      good = saddles_[static_cast<std::size_t>(l)].factor(masses_.data(), ties_.data()) && good;
    }
    return good;
  }

  // M a' = f' + G'^T lambda - M' a, G a' = c' - G' a
  void solve(const LaneRates* f, const LaneRates* c, LaneRates* a, LaneRates* lambda) {
    left_.assign(f, f + n_);
    gap_.assign(c, c + m_);
    for (int part = 0; part <= LaneRates::kDirections; ++part) {
      for (int l = 0; l < Lanes::kWidth; ++l) {
        take(left_, part, l, f_);
        take(gap_, part, l, c_);
        saddles_[static_cast<std::size_t>(l)].solve(f_.data(), c_.data(), a_.data(), lambda_.data());
        for (std::size_t i = 0; i < n_; ++i) of(a[i], part).set_lane(l, a_[i]);
        for (std::size_t r = 0; r < m_; ++r) of(lambda[r], part).set_lane(l, lambda_[r]);
      }
      if (part == 0) leave_rates(a, lambda);
    }
  }

 private:
  static Lanes& of(LaneRates& number, int part) { return part == 0 ? number.value : number.rates[part - 1]; }
  static void take(std::vector<LaneRates>& from, int part, int lane, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = of(from[i], part).lane(lane);
  }
  // Of the right-hand sides what the rates of the matrices leave.
  void leave_rates(const LaneRates* a, const LaneRates* lambda) {
    for (int q = 0; q < LaneRates::kDirections; ++q) {
      for (std::size_t i = 0; i < n_; ++i) {
        Lanes& left = left_[i].rates[q];
        for (std::size_t j = 0; j < n_; ++j) left -= mass_[i * n_ + j].rates[q] * a[j].value;
        for (std::size_t r = 0; r < m_; ++r) left += rows_[r * n_ + i].rates[q] * lambda[r].value;
      }
      for (std::size_t r = 0; r < m_; ++r) {
        for (std::size_t j = 0; j < n_; ++j) gap_[r].rates[q] -= rows_[r * n_ + j].rates[q] * a[j].value;
      }
    }
  }

  std::size_t n_, m_;
  std::vector<SaddlePoint> saddles_;
  std::vector<LaneRates> mass_, rows_, left_, gap_;
  std::vector<double> masses_, ties_, f_, c_, a_, lambda_;
};

}  // namespace catena
