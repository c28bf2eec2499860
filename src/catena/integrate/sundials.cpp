#include "catena/integrate/sundials.h"

#if defined(CATENA_SUNDIALS)

#include <cvode/cvode.h>
#include <ida/ida.h>
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

double* values(N_Vector vector) { return N_VGetArrayPointer(vector); }

// Backward differentiation formulas of order 1 to 5. They remember several steps, so that a run taken up
// again starts anew at order 1: it goes on, but not with the same bits.
class Sundials : public Stepper {
 public:
  Sundials(const System& system, const StepOptions& options)
      : system_(system),
        n_(system.dimension),
        tolerance_(std::max(options.tolerance, kFinestTolerance)),
        first_step_(options.step.value_or(0.0)) {
    const auto size = static_cast<sunindextype>(n_);
    SUNContext_Create(nullptr, &context_);
    state_ = N_VNew_Serial(size, context_);
    slope_ = N_VNew_Serial(size, context_);
    derivative_ = N_VNew_Serial(size, context_);
    for (const N_Vector vector : {state_, slope_, derivative_}) std::fill_n(values(vector), n_, 0.0);
    matrix_ = SUNDenseMatrix(size, size, context_);
    solver_ = SUNLinSol_Dense(state_, matrix_, context_);
    last_.t = std::nan("");
    last_.hi.assign(n_, std::nan(""));
    polynomial_.resize(kHighestOrder, n_);
  }
  ~Sundials() override {
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    for (const N_Vector vector : {state_, slope_, derivative_}) N_VDestroy(vector);
    SUNContext_Free(&context_);
  }
  Sundials(const Sundials&) = delete;
  Sundials& operator=(const Sundials&) = delete;

  int order() const override { return order_; }
  StepMemory memory() const override { return {last_step_}; }
  void restore(const StepMemory& memory) override { first_step_ = memory[0]; }

  StepStatus step(State& state, double horizon) override {
    if (state.t != last_.t || state.hi != last_.hi) {
      std::copy(state.hi.begin(), state.hi.end(), values(state_));
      rejected_so_far_ = 0;
      start_at(state.t);
    }
    double reached = state.t;
    // In one-step mode this only tells the direction.
    const StepStatus status = advance(std::max(horizon, state.t + 1.0), reached);
    if (status != StepStatus::done) {
      last_.t = std::nan("");
      return status;
    }
    finish(state, reached);
    return status;
  }

  const StepPolynomial& dense() override {
    if (!dense_ready_) expand();
    dense_ready_ = true;
    return polynomial_;
  }

 protected:
  virtual void start_at(double t) = 0;  // from state_
  virtual StepStatus advance(double ahead, double& reached) = 0;
  virtual int last_order() = 0;
  virtual long int failures() = 0;  // since the start
  virtual void derivative(double t, int k) = 0;

  // False: try a shorter step.
  bool right_hand_side(double t, N_Vector x, N_Vector dx) {
    system_.rhs(t, values(x), values(dx));
    ++counts_.evaluations;
    return std::isfinite(max_norm(values(dx), n_));
  }

  const System& system_;
  std::size_t n_;
  double tolerance_, first_step_;
  SUNContext context_ = nullptr;
  N_Vector state_ = nullptr, slope_ = nullptr, derivative_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;

 private:
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
    counts_.rejected += failures() - rejected_so_far_;
    rejected_so_far_ = failures();
    order_ = last_order();
    dense_ready_ = false;
    last_step_ = h;
    ++counts_.steps;
  }

  // The library's own polynomial, known by its derivatives at the end of the step: x_k = x^(k) h^k / k! in
  // powers of s - 1, then shifted to powers of s.
  void expand() {
    polynomial_.degree = order_;
    double factor = 1.0;
    for (int k = 0; k <= order_; ++k) {
      if (k > 0) factor *= polynomial_.length / k;
      derivative(last_.t, k);
      for (std::size_t i = 0; i < n_; ++i) polynomial_.row(k)[i] = factor * values(derivative_)[i];
    }
    for (int low = 0; low < order_; ++low) {
      for (int k = order_ - 1; k >= low; --k) {
        for (std::size_t i = 0; i < n_; ++i) polynomial_.row(k)[i] -= polynomial_.row(k + 1)[i];
      }
    }
  }

  State last_;  // where the library stands
  long int rejected_so_far_ = 0;
  int order_ = 1;
  bool dense_ready_ = false;
  StepPolynomial polynomial_;
};

class Cvode final : public Sundials {
 public:
  Cvode(const System& system, const StepOptions& options) : Sundials(system, options) {
    memory_ = CVodeCreate(CV_BDF, context_);
    CVodeInit(memory_, slope_of, 0.0, state_);
    CVodeSetErrFile(memory_, nullptr);
    CVodeSetUserData(memory_, this);
    CVodeSStolerances(memory_, tolerance_, tolerance_);
    CVodeSetLinearSolver(memory_, solver_, matrix_);
    if (system.project) CVodeSetProjFn(memory_, project);
  }
  ~Cvode() override { CVodeFree(&memory_); }

 private:
  static int slope_of(realtype t, N_Vector x, N_Vector dx, void* self) {
    return static_cast<Cvode*>(self)->right_hand_side(t, x, dx) ? 0 : 1;
  }
  static int project(realtype t, N_Vector x, N_Vector correction, realtype, N_Vector, void* self) {
    auto& own = *static_cast<Cvode*>(self);
    std::fill_n(values(correction), own.n_, 0.0);
    own.system_.project(t, values(x), values(correction));
    return 0;
  }

  void start_at(double t) override {
    CVodeReInit(memory_, t, state_);
    CVodeSetInitStep(memory_, first_step_);
  }
  StepStatus advance(double ahead, double& reached) override {
    CVodeSetMaxStep(memory_, std::isfinite(longest_) ? longest_ : 0.0);  // 0: any
    const int flag = CVode(memory_, ahead, state_, &reached, CV_ONE_STEP);
    if (flag >= 0) return StepStatus::done;
    return flag == CV_CONV_FAILURE ? StepStatus::not_solved : StepStatus::step_too_small;
  }
  int last_order() override {
    int order = 1;
    CVodeGetLastOrder(memory_, &order);
    return order;
  }
  long int failures() override {
    long int count = 0;
    CVodeGetNumErrTestFails(memory_, &count);
    return count;
  }
  void derivative(double t, int k) override { CVodeGetDky(memory_, t, k, derivative_); }
};

// The equations as x' - f(t, x) = 0.
class Ida final : public Sundials {
 public:
  Ida(const System& system, const StepOptions& options) : Sundials(system, options) {
    memory_ = IDACreate(context_);
    IDAInit(memory_, residual, 0.0, state_, slope_);
    IDASetErrFile(memory_, nullptr);
    IDASetUserData(memory_, this);
    IDASStolerances(memory_, tolerance_, tolerance_);
    IDASetLinearSolver(memory_, solver_, matrix_);
  }
  ~Ida() override { IDAFree(&memory_); }

 private:
  static int residual(realtype t, N_Vector x, N_Vector dx, N_Vector out, void* self) {
    auto& own = *static_cast<Ida*>(self);
    const bool good = own.right_hand_side(t, x, out);
    for (std::size_t i = 0; i < own.n_; ++i) values(out)[i] = values(dx)[i] - values(out)[i];
    return good ? 0 : 1;
  }

  void start_at(double t) override {
    right_hand_side(t, state_, slope_);
    IDAReInit(memory_, t, state_, slope_);
    IDASetInitStep(memory_, first_step_);
  }
  StepStatus advance(double ahead, double& reached) override {
    IDASetMaxStep(memory_, std::isfinite(longest_) ? longest_ : 0.0);
    const int flag = IDASolve(memory_, ahead, &reached, state_, slope_, IDA_ONE_STEP);
    if (flag >= 0) return StepStatus::done;
    return flag == IDA_CONV_FAIL ? StepStatus::not_solved : StepStatus::step_too_small;
  }
  int last_order() override {
    int order = 1;
    IDAGetLastOrder(memory_, &order);
    return order;
  }
  long int failures() override {
    long int count = 0;
    IDAGetNumErrTestFails(memory_, &count);
    return count;
  }
  void derivative(double t, int k) override { IDAGetDky(memory_, t, k, derivative_); }
};

}  // namespace

std::unique_ptr<Stepper> make_cvode(const System& system, const StepOptions& options) {
  return std::make_unique<Cvode>(system, options);
}

std::unique_ptr<Stepper> make_ida(const System& system, const StepOptions& options) {
  return std::make_unique<Ida>(system, options);
}

}  // namespace catena

#endif
