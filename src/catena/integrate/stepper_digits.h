// Methods with more digits than a double: taylor and bulirsch-stoer in double-double and quad. The state
// between steps is the pair hi + lo that every method keeps, 106 bits; the arithmetic of a step is wider.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "catena/integrate/stepper.h"
#include "catena/math/quad.h"

namespace catena {

// As System.
template <class S>
struct SystemDigits {
  std::size_t dimension = 0;
  std::size_t controlled = 0;
  std::function<void(const S& t, const S* x, S* dx)> rhs;
  std::function<void(const S& t, const S* x, int order, S* c)> taylor;
  std::function<void(int order)> reserve;
  std::function<void(const S& t, S* x)> project;
  std::function<S(const S& length)> smooth_until;
  std::function<double(double t, const S* x)> margin;
  double series_overhead = 20.0;
  double step_overhead = 0.0;
};

class StepperDigits : public Stepper {
 public:
  // State hi + lo at a time in the last step, which may be known to more digits than a double has. dense()
  // has the same polynomials, rounded to doubles.
  virtual void evaluate(const DoubleDouble& time, double* hi, double* lo) = 0;
  // The nearest state that is allowed, to all digits.
  virtual void project(State& state) = 0;
};

// The tolerance that a run without one has: what the arithmetic still resolves.
template <class S>
double finest_tolerance();

template <class S>
std::unique_ptr<StepperDigits> make_taylor_digits(const SystemDigits<S>& system, const StepOptions& options);

template <class S>
std::unique_ptr<StepperDigits> make_bulirsch_stoer_digits(SystemDigits<S> system, const StepOptions& options);

}  // namespace catena
