#include "catena/integrate/cvode.h"

#if defined(CATENA_CVODE)

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/integrate/step_control.h"

namespace catena {
namespace {

constexpr int kHighestOrder = 5;

// Backward differentiation formulas of order 1 to 5. They remember several steps, so that a run taken up
// again starts anew at order 1: it goes on, but not with the same bits.
class Cvode final : public Stepper {
 public:
  Cvode(const System& system, const StepOptions& options)
      : system_(system), n_(system.dimension), first_step_(options.step.value_or(0.0)) {
    const auto size = static_cast<sunindextype>(n_);
    const double tolerance = std::max(options.tolerance, kFinestTolerance);
    SUNContext_Create(nullptr, &context_);
    state_ = N_VNew_Serial(size, context_);
    derivative_ = N_VNew_Serial(size, context_);
    std::fill_n(values(state_), n_, 0.0);
    memory_ = CVodeCreate(CV_BDF, context_);
    CVodeInit(memory_, right_hand_side, 0.0, state_);
    CVodeSetErrFile(memory_, nullptr);
    CVodeSetUserData(memory_, this);
    CVodeSStolerances(memory_, tolerance, tolerance);
    matrix_ = SUNDenseMatrix(size, size, context_);
    solver_ = SUNLinSol_Dense(state_, matrix_, context_);
    CVodeSetLinearSolver(memory_, solver_, matrix_);
    if (system.project) CVodeSetProjFn(memory_, project);
    last_.hi.assign(n_, std::nan(""));
    polynomial_.resize(kHighestOrder, n_);
  }

  ~Cvode() override {
    CVodeFree(&memory_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    N_VDestroy(derivative_);
    N_VDestroy(state_);
    SUNContext_Free(&context_);
  }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;

  int order() const override { return order_; }
  StepMemory memory() const override { return {last_step_}; }
  void restore(const StepMemory& memory) override { first_step_ = memory[0]; }

  StepStatus step(State& state, double horizon) override {
    if (state.t != last_.t || state.hi != last_.hi) start_at(state);
    double reached = state.t;
    const double ahead = std::max(horizon, state.t + 1.0);  // in one-step mode this only tells the direction
    const int flag = CVode(memory_, ahead, state_, &reached, CV_ONE_STEP);
    if (flag < 0) {
      last_.t = std::nan("");
      return flag == CV_CONV_FAILURE ? StepStatus::not_solved : StepStatus::step_too_small;
    }
    finish(state, reached);
    return StepStatus::done;
  }

  const StepPolynomial& dense() override {
    if (!dense_ready_) expand();
    dense_ready_ = true;
    return polynomial_;
  }

 private:
  static double* values(N_Vector vector) { return N_VGetArrayPointer(vector); }

  static int right_hand_side(realtype t, N_Vector x, N_Vector dx, void* self) {
    auto& own = *static_cast<Cvode*>(self);
    own.system_.rhs(t, values(x), values(dx));
    ++own.counts_.evaluations;
    return std::isfinite(max_norm(values(dx), own.n_)) ? 0 : 1;  // 1: try a shorter step
  }

  static int project(realtype t, N_Vector x, N_Vector correction, realtype, N_Vector, void* self) {
    auto& own = *static_cast<Cvode*>(self);
    std::fill_n(values(correction), own.n_, 0.0);
    own.system_.project(t, values(x), values(correction));
    return 0;
  }

  void start_at(const State& state) {
    std::copy(state.hi.begin(), state.hi.end(), values(state_));
    CVodeReInit(memory_, state.t, state_);
    CVodeSetInitStep(memory_, first_step_);
    rejected_so_far_ = 0;
  }

  void finish(State& state, double reached) {
    const double h = reached - state.t;
    polynomial_.t = state.t;
    polynomial_.t_lo = 0.0;
    polynomial_.length = polynomial_.unit = h;
    std::fill(polynomial_.start_lo.begin(), polynomial_.start_lo.end(), 0.0);
    std::copy_n(values(state_), n_, state.hi.begin());
    std::fill(state.lo.begin(), state.lo.end(), 0.0);
    state.t = reached;
    state.t_lo = 0.0;
    last_ = state;
    long int failures = 0;
    CVodeGetNumErrTestFails(memory_, &failures);
    counts_.rejected += failures - rejected_so_far_;
    rejected_so_far_ = failures;
    CVodeGetLastOrder(memory_, &order_);
    dense_ready_ = false;
    last_step_ = h;
    ++counts_.steps;
  }

  // CVODE's own polynomial, known by its derivatives at the end of the step: x_k = x^(k) h^k / k! in powers
  // of s - 1, then shifted to powers of s.
  void expand() {
    polynomial_.degree = order_;
    double factor = 1.0;
    for (int k = 0; k <= order_; ++k) {
      if (k > 0) factor *= polynomial_.length / k;
      CVodeGetDky(memory_, last_.t, k, derivative_);
      for (std::size_t i = 0; i < n_; ++i) polynomial_.row(k)[i] = factor * values(derivative_)[i];
    }
    for (int low = 0; low < order_; ++low) {
      for (int k = order_ - 1; k >= low; --k) {
        for (std::size_t i = 0; i < n_; ++i) polynomial_.row(k)[i] -= polynomial_.row(k + 1)[i];
      }
    }
  }

  const System& system_;
  std::size_t n_;
  double first_step_;
  SUNContext context_ = nullptr;
  N_Vector state_ = nullptr, derivative_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  State last_;  // where CVODE stands
  long int rejected_so_far_ = 0;
  int order_ = 1;
  bool dense_ready_ = false;
  StepPolynomial polynomial_;
};

}  // namespace

std::unique_ptr<Stepper> make_cvode(const System& system, const StepOptions& options) {
  return std::make_unique<Cvode>(system, options);
}

}  // namespace catena

#endif
