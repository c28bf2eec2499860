// Serial chains of point masses in angles, in motion over any number: Lagrange's equations with dense
// matrices, in the charts of coordinate_chain.h. docs/theory/formulations.md derives what is computed here.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/dynamics/chain/solvers/chain_links.h"
#include "catena/dynamics/chain/solvers/coordinate_series.h"
#include "catena/math/positive_solver.h"

namespace catena {

template <int D, class S>
class CoordinateLinks {
 public:
  static constexpr int kDimension = D;
  using Loads = ChainLoads<D, S>;
  using Series = CoordinateSeries<D, S>;
  using Vector = typename Series::Vector;

  CoordinateLinks(const ChainLinks& links, const double* gravity);

  std::size_t links() const { return n_; }
  std::size_t dimension() const { return (D == 2 ? 2 : 5) * n_; }

  // As RigidLinks.
  void rhs(const S* x, S* dx, const Loads* loads);
  void taylor(const S* x, int order, S* c);
  void reserve(int order);
  void begin(const S* x, S* c, std::size_t row);
  void advance(int n, const Loads& loads);
  void finish(int order);
  const S* directions(int order, std::size_t& stride);
  ShownRowsOver<S> shown(int n, const S* row);
  RateRowsOver<S> changes(int n, const S* next);
  S smooth_until(int, const S& length) const { return length; }

  // Unit vectors along the links and their rates, [u, w][component][link].
  const S* directions(const S* x, S* u);
  // w' from the rates of the state.
  const S* accelerations(const S* x, const S* dx, S* w_dot);
  // Values at the state looked at last.
  const Series& series() const { return series_; }

 private:
  static constexpr int kAngles = Series::kAngles;
  static constexpr int kCurvatures = Series::kCurvatures;

  S common(std::size_t i, std::size_t j) const;
  bool factor_a();
  void fill_b();
  void fill_squares(const S* rates);
  void sum_forces(int n_th, const Loads& loads);
  void sum_loads(const Loads& loads);
  S force_on(const Loads& loads, int i, std::size_t k) const;
  void sum_upwards(S* f) const;
  void keep_directions(int order);
  void fill_right(int n_th);
  S* force_row(int order) { return force_.data() + static_cast<std::size_t>(order) * D * n_; }

  std::size_t n_;
  std::vector<S> length_, mass_;
  Vector gravity_;
  Series series_;
  std::vector<S> carried_;  // mass of a link and all below it
  // Lanes of the matrices are [angle][link], columns of B [curvature][link].
  PositiveSolver<S> a_;
  std::vector<S> b_, right_, squares_, force_;
  std::vector<S> u_rows_;  // series of the directions, [order][component][link]
  // Of the series that is being made.
  S* out_ = nullptr;
  std::size_t row_ = 0;
  bool regular_ = true;
};

}  // namespace catena
