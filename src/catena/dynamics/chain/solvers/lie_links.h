// Serial chains of point masses on (TS2)^N, in motion over any number; lie_chain.h says what the lanes are.
// Rates come from a dense system, R(q) omega' = r(q, omega), series from those of u and w by the tensions.
// docs/theory/formulations.md has the matrices.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/dynamics/chain/solvers/links_motion.h"
#include "catena/math/positive_solver.h"

namespace catena {

template <int D, class S>
class LieLinks {
 public:
  static constexpr int kDimension = D;
  static constexpr int kTurning = D == 2 ? 1 : 3;  // components of omega
  using Loads = ChainLoads<D, S>;

  LieLinks(const ChainLinks& links, const double* gravity);

  std::size_t links() const { return n_; }
  std::size_t dimension() const { return (D + kTurning) * n_; }

  // As RigidLinks.
  void rhs(const S* x, S* dx, const Loads* loads);
  void taylor(const S* x, int order, S* c);
  void reserve(int order);
  void begin(const S* x, S* c, std::size_t row);
  void advance(int n, const Loads& loads);
  void finish(int order);
  const S* directions(int order, std::size_t& stride) { return twin_.directions(order, stride); }
  ShownRowsOver<S> shown(int n, const S* row) { return twin_.shown(n, row); }
  RateRowsOver<S> changes(int n, const S* next) { return twin_.changes(n, next); }
  S smooth_until(int, const S& length) const { return length; }

  // R(q), kTurning N columns of as many rows, and r(q, omega); rows and columns [component][link].
  void equations(const S* x, S* matrix, S* right, const Loads* loads) const;
  // omega' from the tensions, in O(N): what rhs must agree with.
  void rhs_by_tensions(const S* x, S* dx, const Loads* loads);

  // Unit vectors along the links and their rates, [u, w][component][link].
  const S* directions(const S* x, S* u) const;
  // w' from the rates of the state.
  const S* accelerations(const S* x, const S* dx, S* w_dot) const;

 private:
  // From the series of u and w.
  void write_series(int order, S* c, std::size_t row) const;

  std::size_t n_;
  std::vector<S> length_, mass_, carried_;  // carried: mass of a link and all below it
  std::array<S, D> gravity_;
  RigidLinks<D, S> twin_;  // the same chain in (u, w)
  PositiveSolver<S> matrix_;
  std::vector<S> right_, u_, du_, series_;
  // Of the series that is being made.
  std::vector<S> start_;
  S* out_ = nullptr;
  std::size_t row_ = 0;
};

}  // namespace catena
