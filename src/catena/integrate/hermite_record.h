// Both ends of the last step, and the two-point polynomial between them once somebody asks for it.
#pragma once

#include <algorithm>
#include <vector>

#include "catena/integrate/hermite.h"

namespace catena {

class HermiteRecord {
 public:
  HermiteRecord(const System& system, int order)
      : derivatives_(derivatives_for(order)),
        hermite_(system, derivatives_),
        start_(system.dimension),
        end_(start_) {
    polynomial_.resize(hermite_.degree(derivatives_), system.dimension);
  }

  // Before the step is added to the state, and after.
  void begin(const State& state, double h) {
    polynomial_.t = state.t;
    polynomial_.t_lo = state.t_lo;
    polynomial_.length = polynomial_.unit = h;
    std::copy(state.lo.begin(), state.lo.end(), polynomial_.start_lo.begin());
    std::copy(state.hi.begin(), state.hi.end(), start_.begin());
    ready_ = false;
  }
  void end(const State& state) {
    std::copy(state.hi.begin(), state.hi.end(), end_.begin());
    end_time_ = state.t;
  }

  const StepPolynomial& polynomial(StepCounts& counts) {
    if (!ready_) {
      hermite_.fill(polynomial_.t, start_.data(), end_time_, end_.data(), derivatives_, polynomial_, counts);
    }
    ready_ = true;
    return polynomial_;
  }

 private:
  int derivatives_;
  TwoPointHermite hermite_;
  std::vector<double> start_, end_;
  double end_time_ = 0.0;
  bool ready_ = false;
  StepPolynomial polynomial_;
};

}  // namespace catena
