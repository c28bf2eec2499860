// A Lagrangian system with constant masses, seen by its momenta p = M q', as `rattle` sees it: p' = f(t, q) +
// G^T lambda.
#pragma once

#include <optional>
#include <vector>

#include "catena/dynamics/lagrangian/lagrangian.h"

namespace catena {

class LagrangianMomenta {
 public:
  // None where masses are singular or depend on something, or forces depend on rates.
  static std::optional<LagrangianMomenta> of(const LagrangianSystem& system);

  std::size_t count() const { return n_; }
  std::size_t rows() const { return m_; }

  void momenta_of(const double* x, double* p) const;
  // The rates that momenta make, into the lanes of x.
  void set_momenta(const double* p, double* x);
  void forces(double t, const double* x, double* f);
  // Changes of the coordinates in free motion for h.
  void fly(double h, const double* p, double* change);
  // g, or its rate.
  void gaps(double t, const double* hi, const double* lo, bool rates, double* rows);
  // From here on G is that at (t, x).
  void hold(double t, const double* x);
  void pull(const double* lambda, double* p) const;  // p += G^T lambda
  void solve(double* rows);                          // G M^-1 G^T lambda = rows, in place

 private:
  explicit LagrangianMomenta(const LagrangianSystem& system);
  void divide(const double* p, double* v);  // v = M^-1 p

  std::size_t n_, m_;
  expr::Program forces_, rows_;
  expr::DigitsProgram gaps_;
  std::vector<double> mass_, held_rows_;
  SaddlePoint free_, held_;
  bool regular_ = false;
  std::vector<double> inputs_, zeros_, velocity_, multipliers_;
  std::vector<DoubleDouble> exact_inputs_, exact_gaps_;
};

}  // namespace catena
