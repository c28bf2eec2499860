// What the methods of more digits share: lanes from states and back.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/integrate/step_control.h"
#include "catena/integrate/stepper_digits.h"
#include "catena/math/packs_digits.h"

namespace catena {

// The relative error of one operation, about.
template <class S>
constexpr double resolution() {
  return std::is_same_v<S, DoubleDouble> ? 0x1p-104 : 0x1p-112;
}

template <class S>
void read_lanes(const State& state, S* x) {
  for (std::size_t i = 0; i < state.hi.size(); ++i) x[i] = from_pair<S>(state.hi[i], state.lo[i]);
}

// Largest |x_i|; infinite when one of them is not a number.
template <class S>
double size_of(const S* x, std::size_t n) {
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::fabs(to_pair(x[i]).hi);
    if (!(size <= largest)) largest = std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
  }
  return largest;
}

inline void begin_polynomial(const State& state, double h, StepPolynomial& polynomial) {
  polynomial.t = state.t;
  polynomial.t_lo = state.t_lo;
  polynomial.length = h;
  polynomial.start_lo = state.lo;
}

// How far behind the start of a step.
template <class S>
S ahead(const DoubleDouble& time, const StepPolynomial& polynomial) {
  const DoubleDouble rounded = two_sum(time.hi, -polynomial.t);
  return from_pair<S>(rounded.hi, rounded.lo) - S(polynomial.t_lo) + S(time.lo);
}

// The state at the end of a step: x, brought back to where it is allowed to be.
template <class S>
void finish(const SystemDigits<S>& system, State& state, const S& h, S* x) {
  const DoubleDouble time = DoubleDouble(state.t, state.t_lo) + to_pair(h);
  if (system.project) system.project(from_pair<S>(time.hi, time.lo), x);
  for (std::size_t i = 0; i < system.dimension; ++i) {
    const DoubleDouble pair = to_pair(x[i]);
    state.hi[i] = pair.hi;
    state.lo[i] = pair.lo;
  }
  state.t = time.hi;
  state.t_lo = time.lo;
}

}  // namespace catena
