// A chain (or tree) of point masses on Hookean links in D = 2 or 3 dimensions. The state is, per mass, its
// position relative to the pivot and its velocity, in lanes [x, v][component][link]. A link pulls with
// T = c (r - L) and pushes when it is shorter than at rest, unless it goes slack. Damping along the links is
// a law beside these. docs/theory/elastic.md derives the series.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catena/dynamics/chain/solvers/links_motion.h"
#include "catena/dynamics/chain/solvers/spring_blocks.h"

namespace catena {

template <int D>
class ElasticChain : public ChainDescription<D> {
 public:
  using Vector = typename ChainDescription<D>::Vector;
  using ChainDescription<D>::links;
  using ChainDescription<D>::parameters;
  static constexpr bool kElastic = true;
  static constexpr bool kHasAngles = false;

  // Point masses only, each link with a stiffness.
  ElasticChain(ChainLinks given, const Vector& gravity);

  // What the lanes of a link are called.
  static std::vector<std::string> lane_names() {
    if constexpr (D == 2) return {"s", "z", "vs", "vz"};
    return {"x", "y", "z", "vx", "vy", "vz"};
  }
  std::size_t degrees_of_freedom() const { return D * links(); }

  // As in RigidChain. Every state is allowed, so there is nothing to project.
  double series_overhead() const;
  using Loads = ChainLoads<D>;
  void rhs(const double* x, double* dx, const Loads* loads = nullptr) { motion_.rhs(x, dx, loads); }
  void taylor(const double* x, int order, double* c) { motion_.taylor(x, order, c); }
  void reserve(int order) { motion_.reserve(order); }
  void begin(const double* x, double* c, std::size_t row) { motion_.begin(x, c, row); }
  void advance(int n, const Loads& loads) { motion_.advance(n, loads); }
  void finish(int) {}
  ShownRows shown(int n, const double* row) const { return motion_.shown(n, row); }
  RateRows changes(int n, const double* next) const { return motion_.changes(n, next); }
  void project(const double*, double*) const {}
  double constraint_error(const double*, const double*) const { return 0.0; }
  // Tensions count the damping in; the force of the pivot is that of the springs alone, since laws have their
  // own part in it.
  Vector reactions(const double* x, double* tension, const Loads* loads = nullptr) const;
  // Up to where the last series hold: no link goes slack or taut before.
  double smooth_until(int order, double length) const { return motion_.smooth_until(order, length); }
  // The linear equations of implicit methods; see SpringBlocks.
  void linearise(const double* x) { blocks_.linearise(parameters(), x); }
  SpringBlocks<D>& blocks() { return blocks_; }
  Energies energy(const double* hi, const double* lo) const;

  // Of each link: its length minus that at rest.
  void stretches(const double* x, double* stretch) const;

  // Of each link: the unit vector along it and its rate, in lanes [u, w][component][link] as a rigid chain's
  // state has them.
  const double* directions(const double* x, double* u) const;
  const double* accelerations(const double*, const double* dx, double*) const {
    return dx + this->dimension() / 2;
  }
  void vectors_digits(const double* hi, const double* lo, DoubleDouble* vectors) const {
    for (std::size_t i = 0; i < this->dimension(); ++i) vectors[i] = {hi[i], lo[i]};
  }
  LanePair state_of(const LanePair& ends) const { return ends; }
  const BodyLinks* bodies() const { return nullptr; }
  bool settle(double*, double*) const { return false; }
  void angles(const double*, const AngleLanes&) const {}

 private:
  bool pulls(double stretch) const { return !parameters().slack || stretch > 0.0; }
  // Of link k: end minus upper joint.
  Vector across(const double* lanes, std::size_t k) const;

  ElasticLinks<D, double> motion_;
  SpringBlocks<D> blocks_;
};

extern template class ElasticChain<2>;
extern template class ElasticChain<3>;

}  // namespace catena
