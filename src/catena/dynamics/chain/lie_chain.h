// Serial chains of point masses on (TS2)^N: for each link its unit vector q and its angular velocity omega,
// perpendicular to q. q' = omega x q and R(q) omega' = r(q, omega), with a dense symmetric positive definite
// R: E. Celledoni, E. Cokaj, A. Leone, D. Murari, B. Owren, "Lie group integrators for mechanical systems",
// Int. J. Comput. Math. 99 (2022). docs/theory/formulations.md has the matrices.
//
// Lanes [q, omega][component][link]. In a plane omega is one number, the rate of the angle from straight
// down.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "catena/base/owned.h"
#include "catena/dynamics/chain/solvers/chain_links.h"
#include "catena/math/double_double.h"

namespace catena {

template <int D>
class LieChain : public ChainDescription<D> {
 public:
  using Vector = typename ChainDescription<D>::Vector;
  using ChainDescription<D>::links;
  using ChainDescription<D>::parameters;
  static constexpr bool kElastic = false;
  static constexpr bool kHasAngles = false;
  static constexpr int kTurning = D == 2 ? 1 : 3;  // components of omega

  LieChain(ChainLinks given, const Vector& gravity);
  LieChain(const LieChain&);
  LieChain(LieChain&&) noexcept;
  ~LieChain();

  std::size_t dimension() const { return (D + kTurning) * links(); }
  // What the lanes of a link are called.
  static std::vector<std::string> lane_names() {
    if constexpr (D == 2) return {"qs", "qz", "omega"};
    return {"qx", "qy", "qz", "omegax", "omegay", "omegaz"};
  }
  std::size_t degrees_of_freedom() const { return (D - 1) * links(); }

  using Loads = ChainLoads<D>;

  // As in RigidChain. rhs solves the dense system; series take those of u and w from the tensions.
  double series_overhead() const;
  void rhs(const double* x, double* dx, const Loads* loads = nullptr);
  void taylor(const double* x, int order, double* c);
  void reserve(int order);
  void begin(const double* x, double* c, std::size_t row);
  void advance(int n, const Loads& loads);
  void finish(int order);
  const double* directions(int order, std::size_t& stride);
  ShownRows shown(int n, const double* row);
  RateRows changes(int n, const double* next);
  double smooth_until(int, double length) const { return length; }
  void project(const double* hi, double* lo);
  double constraint_error(const double* hi, const double* lo);
  Vector reactions(const double* x, double* tension, const Loads* loads = nullptr);
  Energies energy(const double* hi, const double* lo);

  // R(q), kTurning N columns of as many rows, and r(q, omega); rows and columns [component][link].
  void equations(const double* x, double* matrix, double* right, const Loads* loads = nullptr) const;

  // omega' from the tensions, in O(N): what rhs must agree with.
  void rhs_by_tensions(const double* x, double* dx, const Loads* loads = nullptr);

  // Unit vectors along the links and their rates, [u, w][component][link], and the state that has them.
  const double* directions(const double* x, double* u) const;
  // w' from the rates of the state.
  const double* accelerations(const double* x, const double* dx, double* w_dot) const;
  // The directions of a state with all its digits.
  void vectors_digits(const double* hi, const double* lo, DoubleDouble* u) const;
  LanePair state_of(const LanePair& directions) const;
  const BodyLinks* bodies() const { return nullptr; }
  bool settle(double*, double*) const { return false; }
  void angles(const double*, const AngleLanes&) const {}

 private:
  struct Workspace;
  Owned<Workspace> work_;
};

extern template class LieChain<2>;
extern template class LieChain<3>;

}  // namespace catena
