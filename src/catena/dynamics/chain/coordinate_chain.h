// Serial chains of point masses in angles, the classic form of Lagrange's equations with dense matrices: to
// compare with the formulations that have neither angles nor dense matrices. docs/theory/formulations.md
// derives what is computed here.
//
//   D = 2: theta and its rate for each link; lanes [theta, theta_dot][link].
//   D = 3: theta, phi and their rates in one of two charts, whose poles lie along z and along x; lanes
//          [theta, phi, theta_dot, phi_dot, pole][link]. A link whose theta comes near its chart's pole goes
//          over to the other chart between two steps; `pole` is 1 for z, 0 for x, and constant in a step.
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
class CoordinateChain : public ChainDescription<D> {
 public:
  using Vector = typename ChainDescription<D>::Vector;
  using ChainDescription<D>::links;
  using ChainDescription<D>::parameters;
  static constexpr bool kElastic = false;
  static constexpr bool kHasAngles = true;

  CoordinateChain(ChainLinks given, const Vector& gravity);
  CoordinateChain(const CoordinateChain&);
  CoordinateChain(CoordinateChain&&) noexcept;
  ~CoordinateChain();

  std::size_t dimension() const { return (D == 2 ? 2 : 5) * links(); }
  // What the lanes of a link are called.
  static std::vector<std::string> lane_names() {
    if constexpr (D == 2) return {"theta", "theta_dot"};
    return {"theta", "phi", "theta_dot", "phi_dot", "pole"};
  }
  std::size_t degrees_of_freedom() const { return (D - 1) * links(); }

  using Loads = ChainLoads<D>;

  // As in RigidChain. Every state is allowed, so there is nothing to project.
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
  void project(const double*, double*) const {}
  double constraint_error(const double*, const double*) const { return 0.0; }
  Vector reactions(const double* x, double* tension, const Loads* loads = nullptr);
  Energies energy(const double* hi, const double* lo);

  // Unit vectors along the links and their rates, [u, w][component][link], and the state that has them.
  const double* directions(const double* x, double* u);
  // w' from the rates of the state.
  const double* accelerations(const double* x, const double* dx, double* w_dot);
  LanePair state_of(const LanePair& directions) const;

  // The same of a state with all its digits.
  void vectors_digits(const double* hi, const double* lo, DoubleDouble* u) const;

  // Links near the pole of their chart go over to the other one; true if one did.
  bool settle(double* hi, double* lo);
  const BodyLinks* bodies() const { return nullptr; }

  // The state's own angles: planar ones count turns, spatial ones have theta in [0, pi], phi in [0, 2 pi).
  void angles(const double* x, const AngleLanes& out) const;

 private:
  struct Workspace;
  Owned<Workspace> work_;
};

extern template class CoordinateChain<2>;
extern template class CoordinateChain<3>;

}  // namespace catena
