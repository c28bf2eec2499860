// A chain (or tree) of rigid links in D = 2 or 3 dimensions. The state is, per link, the unit vector u along
// it and its rate w = du/dt, in lanes [u, w][component][link]; the equations are polynomial and have no
// poles. docs/theory/chain.md derives what is computed here.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "catena/math/double_double.h"

namespace catena {

// Constant description of a chain's links. parent[k] < k, or -1 for the pivot.
struct ChainLinks {
  std::vector<double> length;
  std::vector<double> mass;
  std::vector<double> center_of_mass;  // fraction of the length, from the upper joint
  std::vector<double> inertia;         // transverse, about the centre of mass
  std::vector<int> parent;

  std::size_t count() const { return length.size(); }
  bool serial() const;        // every link hangs from the one before
  bool point_masses() const;  // all mass at the links' ends
};

enum class ChainSolver {
  tension,      // tridiagonal in the tensions; serial chains of point masses
  articulated,  // D x D articulated-mass recursion; any links, any tree
};

template <int D>
class RigidChain {
 public:
  using Vector = std::array<double, D>;

  RigidChain(ChainLinks links, const Vector& gravity, ChainSolver solver);
  RigidChain(RigidChain&&) noexcept;
  ~RigidChain();

  std::size_t links() const { return links_.count(); }
  std::size_t dimension() const { return 2 * D * links(); }
  const ChainLinks& parameters() const { return links_; }
  const Vector& gravity() const { return gravity_; }
  ChainSolver solver() const { return solver_; }

  // Cost of one order of the series without its convolutions, in units of the convolutions' cost per order:
  // what the choice of the cheapest order needs to know.
  double series_overhead() const;

  // dx/dt at x. Uses scratch memory inside: one thread at a time per object.
  void rhs(const double* x, double* dx);

  // Taylor coefficients c[k * dimension + lane], k = 0..order, of the motion through x.
  void taylor(const double* x, int order, double* c);

  // Makes room for series up to `order`, so that taylor() does not allocate.
  void reserve(int order);

  // Brings hi + lo back to |u| = 1, u . w = 0 by correcting lo only.
  void project(const double* hi, double* lo) const;

  // Largest violation of |u| = 1 and u . w = 0 in hi + lo.
  double constraint_error(const double* hi, const double* lo) const;

  // Forces in the joints at state x: into `tension` the pull along each link at its upper joint. Returns the
  // total force of the pivot on the chain.
  Vector reactions(const double* x, double* tension);

  struct Energy {
    DoubleDouble kinetic;
    DoubleDouble potential;  // zero for the pivot's place
  };
  // To about 30 digits, so that an energy error seen is the motion's and not the sum's.
  Energy energy(const double* hi, const double* lo) const;

 private:
  struct Workspace;
  ChainLinks links_;
  Vector gravity_;
  ChainSolver solver_;
  std::unique_ptr<Workspace> work_;
};

extern template class RigidChain<2>;
extern template class RigidChain<3>;

}  // namespace catena
