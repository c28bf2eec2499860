#include "catena/integrate/stepper.h"

#include "catena/math/double_double.h"

namespace catena {

namespace {

// The same sums, with lo below the last digit of hi.
void tidy(State& state) {
  double* __restrict hi = state.hi.data();
  double* __restrict lo = state.lo.data();
  for (std::size_t i = 0; i < state.hi.size(); ++i) {
    const DoubleDouble clean = fast_two_sum(hi[i], lo[i]);
    hi[i] = clean.hi;
    lo[i] = clean.lo;
  }
}

}  // namespace

void add_step(State& state, double h, const double* increment) {
  double* __restrict hi = state.hi.data();
  double* __restrict lo = state.lo.data();
  for (std::size_t i = 0; i < state.hi.size(); ++i) {
    const DoubleDouble sum = two_sum(hi[i], increment[i]);
    const DoubleDouble clean = fast_two_sum(sum.hi, lo[i] + sum.lo);
    hi[i] = clean.hi;
    lo[i] = clean.lo;
  }
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

}  // namespace catena
