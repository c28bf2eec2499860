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

// What the rates of all directions meet of a chain's value. The series of each link lie one after the other,
// order by order: u and behind it T.
template <int D>
class TensionValues {
 public:
  static constexpr std::size_t kRecord = D + 1;

  // The solver has just made series of this order.
  void take(TensionSolver<D, double>& solver, std::size_t links, int order);

  typename TensionSolver<D, double>::Inside inside{};
  // Of each link: 1/L, and what T_k, T_{k+1} and T_{k-1} do to L u''_k, [component][link].
  std::vector<double> inverse_length, by_own, by_next, by_previous;
  const double* of(std::size_t link, int order) const {
    return records_.data() + (link * orders_ + static_cast<std::size_t>(order)) * kRecord;
  }
  // What changes of lengths and masses meet at order n: (n+2)(n+1) u_{n+2} of each link, and behind them its
  // acceleration, the sum of (n+2)(n+1) L u_{n+2} down to it. Of one component, once it is noted.
  const double* motion(int n, std::size_t component) const {
    return motion_.data() + (static_cast<std::size_t>(n) * D + component) * 2 * inverse_length.size();
  }
  void note_motion();

 private:
  std::size_t orders_ = 0;
  bool has_motion_ = false;
  std::vector<double> records_, motion_;
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
  void taylor(TensionValues<D>& values, int order, const std::array<const Rates*, P>& x,
              const std::array<Rates*, P>& c);

 private:
  static constexpr std::size_t kRecord = (D + 1) * P;  // du [component][pack], dT [pack]

  Lanes* of(std::size_t link, int order) {
    return records_.data() + (link * orders_ + static_cast<std::size_t>(order)) * kRecord;
  }
  void reserve(int order);
  void start(const TensionValues<D>& values, const std::array<const Rates*, P>& x);
  template <int Orders>
  void convolve_all(const TensionValues<D>& values, int n);
  template <int Links, int Orders>
  void convolve(const TensionValues<D>& values, int n, std::size_t link);
  void complete_second(const TensionValues<D>& values, int n);
  template <class Count>
  void add_changes(const double* motion, std::size_t first, std::size_t packs, Count count,
                   Lanes* next) const;
  template <int Links>
  void solve_few(const TensionValues<D>& values, int n, std::size_t second);
  void solve_many(const TensionValues<D>& values, int n, std::size_t second);
  void solve(const TensionValues<D>& values, int n, std::size_t second);
  void write(int order, const std::array<Rates*, P>& c);

  std::size_t n_, orders_ = 0;
  std::array<Solver*, P> of_;
  bool numbers_change_ = false;  // lengths or masses
  // Rates of L in the unit of accelerations, and of 1/m as parts of it; [link][pack].
  AlignedVector<Lanes> length_, own_;
  AlignedVector<Lanes> records_;  // [link][order]
  // Of two orders: [component][link, with one before and one behind][pack]; sum du_j . u_{n+2-j},
  // [link][pack]
  std::array<AlignedVector<Lanes>, 2> pull_, square_;
  AlignedVector<Lanes> next_;   // d(L u_{n+2}) so far, [component][link][pack]
  AlignedVector<Lanes> right_;  // of the equations for tensions; then dT_n
};

}  // namespace catena
