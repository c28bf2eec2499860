#include "catena/integrate/stepper.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "catena/math/double_double.h"

namespace catena {

namespace {

// The same sums, with lo below the last digit of hi.
void tidy(State& state) {
  for (std::size_t i = 0; i < state.hi.size(); ++i) {
    const DoubleDouble clean = fast_two_sum(state.hi[i], state.lo[i]);
    state.hi[i] = clean.hi;
    state.lo[i] = clean.lo;
  }
}

}  // namespace

void add_step(State& state, double h, const double* increment) {
  double* __restrict hi = state.hi.data();
  double* __restrict lo = state.lo.data();
  for (std::size_t i = 0; i < state.hi.size(); ++i) {
    const DoubleDouble sum = two_sum(hi[i], increment[i]);
    hi[i] = sum.hi;
    lo[i] += sum.lo;
  }
  tidy(state);
  const DoubleDouble time = DoubleDouble(state.t, state.t_lo) + DoubleDouble(h);
  state.t = time.hi;
  state.t_lo = time.lo;
}

void accumulate(const System& system, State& state, double h, const double* increment) {
  add_step(state, h, increment);
  if (!system.project) return;
  system.project(state.t, state.hi.data(), state.lo.data());
  // The next step starts from hi alone. Were the correction left in lo, hi would stay off the manifold by it,
  // and where a step spans a radian or more the next correction would be larger: it grows from step to step.
  tidy(state);
}

double max_norm(const double* x, std::size_t n) {
  // Sizes of doubles order like their bits, and NaN beyond infinity: a maximum of integers, which needs no
  // care for NaN and runs in vectors.
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    bits &= std::numeric_limits<std::int64_t>::max();
    largest = bits > largest ? bits : largest;
  }
  double size;
  std::memcpy(&size, &largest, sizeof size);
  return std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
}

}  // namespace catena
