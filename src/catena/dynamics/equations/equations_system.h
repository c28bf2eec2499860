// A first-order system given by formulas of its rates: its start, its invariants, and its motion
// (EquationsMotion) in doubles.
#pragma once

#include <cstddef>
#include <vector>

#include "catena/dynamics/equations/equations_motion.h"
#include "catena/dynamics/state/energies.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/surprise.h"
#include "catena/expr/values_digits.h"
#include "catena/math/double_double.h"
#include "catena/model/equations.h"

namespace catena {

// Its formulas; variables are the states, then t.
struct EquationFormulas {
  expr::Graph graph;
  std::vector<expr::NodeId> rates, invariants;

  // `decimals`: numbers stand for their decimals, see expr::Graph::keep_decimals.
  EquationFormulas(const Equations& given, bool decimals);
  int inputs() const { return static_cast<int>(rates.size()) + 1; }
  int time() const { return static_cast<int>(rates.size()); }
};

class EquationsSystem {
 public:
  // Throws InputError where a formula has no value at the start.
  // `decimals`: the run has more digits than a double, and numbers stand for their decimals.
  EquationsSystem(const Equations& given, bool decimals);

  const Equations& given() const { return given_; }
  const EquationFormulas& formulas() const { return formulas_; }
  std::size_t dimension() const { return formulas_.rates.size(); }
  std::size_t degrees_of_freedom() const { return dimension(); }
  const LanePair& start() const { return start_; }

  void taylor(double t, const double* x, int order, double* c, std::size_t stride) {
    motion_.taylor(t, x, order, c, stride);
  }
  void rhs(double t, const double* x, double* dx);
  void reserve(int order) { motion_.reserve(order); }
  double series_overhead() const { return 30.0; }
  double step_overhead() const { return 0.0; }

  bool has_kinks() const { return !motion_.series().switches().empty(); }
  double smooth_until(int order, double length) const;
  // From now on series end where the formulas could do, unseen, what changes a state by more than this.
  void look_inside(double allowed) { allowed_ = allowed; }
  bool looks_inside() const { return allowed_ > 0.0 && !sampled_.empty(); }
  // Whether they could have done so between samples of the motion, in order from 0, over a step from t on.
  void sample(int which, double t, const double* x);
  bool misses(double t, double length);
  bool reads_time() const { return motion_.series().reads(formulas_.time()); }
  // Rates that follow are those at t plus this.
  void set_low_time(double low) { rates_.set_low(low); }

  // Every state is allowed, and there is no energy: a system of equations need not be one of mechanics.
  bool has_constraints() const { return false; }
  void project(double, const double*, double*) const {}
  double constraint_error(double, const double*, const double*) const { return 0.0; }
  bool may_be_singular() const { return false; }
  double margin(double, const double*) const { return 1.0; }
  bool settle(double*, double*) const { return false; }
  bool moves_energy() const { return false; }
  Energies energy(double, const double*, const double*) const { return {}; }
  double weight_scale() const { return 0.0; }

  // Values of the invariants.
  std::vector<DoubleDouble> invariants(double t, const double* hi, const double* lo);

 private:
  void refuse_start() const;
  void show(double t, const double* x);

  Equations given_;
  EquationFormulas formulas_;
  LanePair start_;
  EquationsMotion<double> motion_;
  expr::Program rates_;
  expr::SampledFormulas sampled_;
  expr::DigitsProgram invariants_;
  double allowed_ = 0.0;
  std::vector<double> inputs_;
  std::vector<DoubleDouble> exact_inputs_;
};

}  // namespace catena
