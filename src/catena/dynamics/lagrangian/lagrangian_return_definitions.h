// What LagrangianReturn does, for the files that make it over a number.
#pragma once

#include <cmath>

#include "catena/dynamics/lagrangian/lagrangian_return.h"
#include "catena/math/functions_digits.h"
#include "catena/math/tangent.h"

namespace catena {

inline std::vector<expr::NodeId> gap_outputs(const LagrangianEquations& equations) {
  std::vector<expr::NodeId> outputs = equations.constraints;
  outputs.insert(outputs.end(), equations.gap_rates.begin(), equations.gap_rates.end());
  return outputs;
}

template <class S>
LagrangianReturn<S>::LagrangianReturn(const LagrangianSystem& system, NumberTape* tape)
    : system_(system),
      n_(system.coordinates()),
      m_(system.constraints()),
      gaps_(system.equations().graph, gap_outputs(system.equations()), system.equations().inputs(), 0,
            expr::kNoRow, tape),
      place_(2 * n_),
      left_(m_) {
  gaps_.reserve(1, 0);
}

template <class S>
void LagrangianReturn<S>::measure(const S& t, const S* x) {
  for (std::size_t i = 0; i < 2 * n_; ++i) *gaps_.input(0, static_cast<int>(i)) = x[i];
  *gaps_.input(0, static_cast<int>(2 * n_)) = t;
  gaps_.advance(0);
}

template <class S>
bool LagrangianReturn<S>::factor(const S& t, const S* x) {
  for (std::size_t i = 0; i < 2 * n_; ++i) place_[i] = digits::rounded(x[i]);
  return system_.prepare_return(digits::rounded(t), place_.data());
}

template <class S>
double LagrangianReturn<S>::correct(std::size_t first, S* to) {
  double square = 0.0;
  for (int part = 0; part < kParts<S>; ++part) {
    for (std::size_t j = 0; j < m_; ++j)
      left_[j] = part_of(*gaps_.output(0, static_cast<int>(first + j)), part);
    const std::vector<double>& way = system_.way_back(left_.data());
    for (std::size_t i = 0; i < n_; ++i) {
      add_part(to[i], part, way[i]);
      square += way[i] * way[i];
    }
  }
  return std::sqrt(square);
}

// Each pass with a fresh factor doubles the digits, up to those of a double per pass.
template <class S>
void LagrangianReturn<S>::project(const S& t, S* x) {
  constexpr int kMostPasses = 20;
  constexpr double kMet = is_tangent<S> ? 1e-16 : 1e-33;
  if (m_ == 0) return;
  double before = 0.0;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (!factor(t, x)) return;
    measure(t, x);
    const double size = correct(0, x);
    if (!(size > kMet) || (pass > 2 && !(size < 0.5 * before))) break;
    before = size;
  }
  for (int pass = 0; pass < 3; ++pass) {
    measure(t, x);
    correct(m_, x + n_);
  }
}

}  // namespace catena
