// A chain (or tree) of rigid links in D = 2 or 3 dimensions. The state is, per link, the unit vector u along
// it and its rate w = du/dt, in lanes [u, w][component][link]; the equations are polynomial and have no
// poles. docs/theory/chain.md derives what is computed here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catena/dynamics/chain/solvers/links_motion.h"
#include "catena/math/compensated.h"

namespace catena {

template <int D>
class RigidChain : public ChainDescription<D> {
 public:
  using Vector = typename ChainDescription<D>::Vector;
  using ChainDescription<D>::links;
  using ChainDescription<D>::parameters;
  static constexpr bool kElastic = false;
  static constexpr bool kHasAngles = false;

  RigidChain(ChainLinks given, const Vector& gravity, ChainSolver solver);

  // What the lanes of a link are called.
  static std::vector<std::string> lane_names() {
    if constexpr (D == 2) return {"us", "uz", "ws", "wz"};
    return {"ux", "uy", "uz", "wx", "wy", "wz"};
  }
  std::size_t degrees_of_freedom() const;
  ChainSolver solver() const { return solver_; }
  TensionSolver<D, double>* tension() { return motion_.tension(); }

  // Cost of one order of the series without its convolutions, in units of the convolutions' cost per order:
  // what the choice of the cheapest order needs to know.
  double series_overhead() const;

  using Loads = ChainLoads<D>;

  // As RigidLinks. Uses scratch memory inside: one thread at a time per object.
  void rhs(const double* x, double* dx, const Loads* loads = nullptr) { motion_.rhs(x, dx, loads); }
  void taylor(const double* x, int order, double* c) { motion_.taylor(x, order, c); }
  // Makes room for series up to `order`, so that taylor() does not allocate.
  void reserve(int order) { motion_.reserve(order); }
  void begin(const double* x, double* c, std::size_t row) { motion_.begin(x, c, row); }
  void advance(int n, const Loads& loads) { motion_.advance(n, loads); }
  void finish(int order) { motion_.finish(order); }
  const double* directions(int order, std::size_t& stride) { return motion_.directions(order, stride); }
  ShownRows shown(int n, const double* row) { return motion_.shown(n, row); }
  RateRows changes(int n, const double* next) { return motion_.changes(n, next); }
  double smooth_until(int, double length) const { return length; }

  // Brings hi + lo back to |u| = 1, u . w = 0 by correcting lo only.
  void project(const double* hi, double* lo) const;

  // Largest violation of |u| = 1 and u . w = 0 in hi + lo.
  double constraint_error(const double* hi, const double* lo) const;

  // Forces in the joints at state x: into `tension` the pull along each link at its upper joint. Returns the
  // total force of the pivot on the chain.
  Vector reactions(const double* x, double* tension, const Loads* loads = nullptr);

  // The potential energy is zero for the pivot's place.
  Energies energy(const double* hi, const double* lo);

  // The state consists of directions and their rates, and knows no bodies, charts or angles.
  const double* directions(const double* x, double*) const { return x; }
  const double* accelerations(const double*, const double* dx, double*) const {
    return dx + this->dimension() / 2;
  }
  void vectors_digits(const double* hi, const double* lo, DoubleDouble* vectors) const {
    for (std::size_t i = 0; i < this->dimension(); ++i) vectors[i] = {hi[i], lo[i]};
  }
  LanePair state_of(const LanePair& directions) const { return directions; }
  const BodyLinks* bodies() const { return nullptr; }
  bool settle(double*, double*) const { return false; }
  void angles(const double*, const AngleLanes&) const {}

 private:
  ChainSolver solver_;
  RigidLinks<D, double> motion_;
  bool serial_;
  std::vector<CompensatedSum> room_;  // of each end that others hang from its velocity, then its position
};

extern template class RigidChain<2>;
extern template class RigidChain<3>;

}  // namespace catena
