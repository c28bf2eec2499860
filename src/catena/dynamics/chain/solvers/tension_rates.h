// The series of the rates of a chain of point masses: the recursions of tension.h, linearised. The value's
// series and factors are those of the chain's own solver, so that only products with rates are convolved.
//
//   P = T u,   dP_n = sum_j (dT_j u_{n-j} + T_j du_{n-j})
//   (n+2)(n+1) d(L_k u_{n+2}) = d( (P_{k+1} - P_k)/m_k + (P_{k-1} - P_k)/m_{k-1} ) of order n
//   u_0 . du_{n+2} = -sum_{j<n+2} du_j . u_{n+2-j}
//
// The equations for dT_n have the matrix of those for T_n. What a mass changes follows from the
// accelerations: (P_{k+1} - P_k)/m_k = a_k.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "catena/dynamics/chain/solvers/tension.h"
#include "catena/math/aligned.h"
#include "catena/math/tangent.h"

namespace catena {

// What the rates of all directions meet of a chain's value, each number filling a register.
template <int D>
class TensionValues {
 public:
  using Lanes = Pack<double, 4>;

  // The solver has just made series of this order.
  void take(TensionSolver<D, double>& solver, std::size_t links, int order);

  std::size_t links = 0;
  typename TensionSolver<D, double>::Inside inside{};
  // Of each link: 1/L, and what T_k, T_{k+1} and T_{k-1} do to L u''_k, [component][link].
  std::vector<double> inverse_length, by_own, by_next, by_previous;
  const Lanes* u(int order) const { return u_.data() + static_cast<std::size_t>(order) * D * links; }
  const Lanes* t(int order) const { return t_.data() + static_cast<std::size_t>(order) * links; }

 private:
  AlignedVector<Lanes> u_, t_;  // [order][component][link], [order][link]
};

// Of P times four directions.
template <int D, int P>
class TensionRates {
 public:
  using Lanes = Pack<double, 4>;
  using Solver = TensionSolver<D, Rates>;
  static_assert(Rates::kPacks == 1);

  // `of`: one solver for every four directions, which has the chain's numbers with their rates. They outlive
  // this.
  TensionRates(std::size_t links, const std::array<Solver*, P>& of);

  // Rates of the coefficients that TensionSolver::taylor gives, through states with rates.
  void taylor(const TensionValues<D>& values, int order, const std::array<const Rates*, P>& x,
              const std::array<Rates*, P>& c);

 private:
  // All rows are [component][link][pack], or [link][pack].
  Lanes* u(int order) { return u_.data() + static_cast<std::size_t>(order) * D * n_ * P; }
  Lanes* t(int order) { return t_.data() + static_cast<std::size_t>(order) * n_ * P; }
  void reserve(int order);
  void start(const TensionValues<D>& values, const std::array<const Rates*, P>& x);
  template <int Links>
  void convolve(const TensionValues<D>& values, int n, std::size_t link);
  void add_changes_of_lengths(const TensionValues<D>& values, int n);
  void add_changes_of_masses(const TensionValues<D>& values, int n);
  template <class Count>
  void solve(const TensionValues<D>& values, int n, Count count);
  void solve(const TensionValues<D>& values, int n);
  void write(int order, const std::array<Rates*, P>& c);

  std::size_t n_;
  std::array<Solver*, P> of_;
  bool lengths_change_ = false, masses_change_ = false;
  // Rates of L in the unit of accelerations, and of 1/m as parts of it.
  AlignedVector<Lanes> length_, own_;
  AlignedVector<Lanes> u_, t_;   // [order][..]
  AlignedVector<Lanes> pull_;    // [component][link, with one before and one behind][pack]
  AlignedVector<Lanes> square_;  // sum du_j . u_{n+2-j}
  AlignedVector<Lanes> right_;   // of the equations for tensions
};

}  // namespace catena
