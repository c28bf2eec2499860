// A system given by its Lagrangian: its start, its way back onto the constraints, its energies, and its
// motion (LagrangianMotion) in doubles.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catena/dynamics/lagrangian/lagrangian_equations.h"
#include "catena/dynamics/lagrangian/lagrangian_motion.h"
#include "catena/dynamics/state/energies.h"
#include "catena/expr/evaluate.h"
#include "catena/expr/surprise.h"
#include "catena/expr/taylor.h"
#include "catena/expr/values_digits.h"
#include "catena/math/saddle_point.h"
#include "catena/model/lagrangian.h"

namespace catena {

class LagrangianSystem {
 public:
  // Throws InputError where a formula has no value at the start, constraints cannot be met, or a motion is
  // left undetermined.
  // `decimals`: the run has more digits than a double, and numbers stand for their decimals.
  explicit LagrangianSystem(const Lagrangian& given, bool decimals = false);
  // Long where they are made anew, so they are defined once.
  LagrangianSystem(const LagrangianSystem& other);
  LagrangianSystem(LagrangianSystem&& other) noexcept;
  LagrangianSystem& operator=(const LagrangianSystem& other);
  LagrangianSystem& operator=(LagrangianSystem&& other) noexcept;
  ~LagrangianSystem();

  const Lagrangian& given() const { return given_; }
  const LagrangianEquations& equations() const { return equations_; }
  std::size_t coordinates() const { return n_; }
  std::size_t constraints() const { return m_; }
  std::size_t dimension() const { return 2 * n_; }  // q, then q'
  std::size_t degrees_of_freedom() const { return n_ - rank_; }
  std::size_t rank() const { return rank_; }
  const std::vector<std::size_t>& redundant() const { return redundant_; }  // constraints that follow
  // Whether something takes energy away or brings it.
  bool moves_energy() const { return moves_energy_; }
  // Whether accelerations depend on coordinates and time alone, and there are no constraints.
  bool separable() const { return separable_; }
  bool has_kinks() const;
  double series_overhead() const { return 30.0; }
  double step_overhead() const { return 0.0; }
  double weight_scale() const { return 0.0; }  // energies have a scale of their own: what they change by
  // Up to where the series of this order hold, at most `length`.
  double smooth_until(int order, double length) const;
  // From now on series end where the formulas could do, unseen, what changes a rate by more than this part of
  // it.
  void look_inside(double allowed);
  bool looks_inside() const;
  // Whether they could have done so between samples of the motion, in order from 0, over a step from t on.
  void sample(int which, double t, const double* x);
  bool misses(double t, double length);
  bool reads_time() const;
  // Rates that follow are those at t plus this.
  void set_low_time(double low);

  // The start, on the constraints, and by how much it had to be changed for that.
  const LanePair& start() const { return start_; }
  double start_change() const { return start_change_; }

  // Coefficients c[k * stride + lane]; energy moved goes to lanes `accounts` and the next, unless npos.
  static constexpr std::size_t kNoAccounts = LagrangianMotion<double>::kNoAccounts;
  void taylor(double t, const double* x, int order, double* c, std::size_t stride, std::size_t accounts);
  void rhs(double t, const double* x, double* dx, std::size_t accounts);
  void reserve(int order) { motion_.reserve(order); }
  bool has_constraints() const { return m_ > 0; }
  bool may_be_singular() const { return m_ > 0; }
  bool settle(double*, double*) const { return false; }
  void project(double t, const double* hi, double* lo);
  // The way back onto the constraints near x: prepared, then for what is left of them.
  bool prepare_return(double t, const double* x);
  const std::vector<double>& way_back(const double* gaps);
  double constraint_error(double t, const double* hi, const double* lo);
  double margin(double t, const double* x);

  // Constraints with kinks in time: from now on the piece holds that does at this moment.
  void take_piece(double moment);
  // How fast the constraints change at fixed coordinates.
  std::vector<double> drifts(double t, const double* hi, const double* lo);
  // At a kink that rate jumps, and with it the velocities: M dv = G^T Lambda, G dv = -the jump. Corrects lo;
  // gives the work done, -Lambda . (rates before + rates now) / 2.
  double strike(double t, const double* hi, double* lo, const std::vector<double>& drifts_before);
  // The constraint that is furthest from met.
  struct Gap {
    std::size_t constraint = 0;
    double size = 0.0;
  };
  Gap largest_gap(double t, const double* hi, const double* lo);
  Energies energy(double t, const double* hi, const double* lo);
  void multipliers(double t, const double* x, double* out);

 private:
  void check_start();
  void check_values();
  void meet_constraints();
  void check_determined();
  void show(double t, const double* hi, const double* lo);
  // Values of M and G at the state shown, factored: for the motion, or for going back onto the constraints.
  bool factor(bool for_projection);
  // One correction of Newton-Raphson; returns its size.
  double correct_positions(double t, const double* hi, double* lo);
  void correct_rates(double t, const double* hi, double* lo);
  void gaps(double t, const double* hi, const double* lo);
  // The state that evaluations begin from: with dependent coordinates restored where some are independent.
  const double* restored(double t, const double* x, std::size_t accounts);

  Lagrangian given_;
  bool decimals_;
  LagrangianEquations equations_;
  std::size_t n_, m_;
  std::size_t rank_ = 0;
  std::vector<std::size_t> redundant_;
  bool moves_energy_ = false, separable_ = false;
  double allowed_ = 0.0;
  LagrangianMotion<double> motion_;
  expr::SampledFormulas sampled_;  // M, f, G, d
  expr::Program matrices_;         // M (upper half), G
  expr::DigitsProgram exact_;      // g, its rate
  expr::DigitsProgram energies_;
  SaddlePoint saddle_;
  LanePair start_;
  double start_change_ = 0.0;
  // Scratch.
  std::vector<double> inputs_, values_, mass_, rows_, right_, demand_, left_, solution_, reaction_;
  std::vector<double> restored_hi_, restored_lo_;
  std::vector<double> rates_;
  std::vector<DoubleDouble> exact_inputs_, gaps_;
};

}  // namespace catena
