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

#include "catena/dynamics/chain_links.h"

namespace catena {

template <int D>
class LieChain : public ChainDescription<D> {
 public:
  using Vector = typename ChainDescription<D>::Vector;
  using ChainDescription<D>::links;
  using ChainDescription<D>::parameters;
  static constexpr bool kElastic = false;
  static constexpr int kTurning = D == 2 ? 1 : 3;  // components of omega

  LieChain(ChainLinks given, const Vector& gravity);
  LieChain(LieChain&&) noexcept;
  ~LieChain();

  std::size_t dimension() const { return (D + kTurning) * links(); }
  std::size_t degrees_of_freedom() const { return (D - 1) * links(); }

  // As in RigidChain. rhs solves the dense system; taylor takes the series of u and w from the tensions.
  double series_overhead() const;
  void rhs(const double* x, double* dx);
  void taylor(const double* x, int order, double* c);
  void reserve(int order);
  void project(const double* hi, double* lo) const;
  double constraint_error(const double* hi, const double* lo) const;
  Vector reactions(const double* x, double* tension);
  Energies energy(const double* hi, const double* lo) const;

  // omega' from the tensions, in O(N): what rhs must agree with.
  void rhs_by_tensions(const double* x, double* dx);

  // Unit vectors along the links and their rates, [u, w][component][link], and the state that has them.
  void directions(const double* x, double* u) const;
  LanePair state_of(const LanePair& directions) const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

extern template class LieChain<2>;
extern template class LieChain<3>;

}  // namespace catena
