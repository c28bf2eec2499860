// The linear equations of implicit methods for masses on springs, in a chain or a tree, O(N).
//
// With F the force on each mass, x' = v and M v' = F(x, v), so (s I - J) (dx, dv) = (p, q) is
//   dv = s dx - p        (s^2 M - s dF/dv - dF/dx) dx = M (q + s p) - dF/dv p
// A link pulls at its two ends in opposite ways, so its D x D blocks K = -dF/dx and C = -dF/dv (of the force
// on its own end, by the link's vector d and by d') enter four times with two signs. With B = K + s C, from
// the leaves to the root,
//   R_k = s^2 m_k + s Q_k + P_k + sum over children of B_c S_c^-1 R_c        S_k = R_k + B_k
// where P = -dF/dx and Q = -dF/dv of forces that act on mass k alone. That is block elimination without
// subtraction: however stiff the links, no digit is lost.
#pragma once

#include <complex>
#include <cstddef>

#include "catena/base/owned.h"

namespace catena {

struct ChainLinks;

template <int D>
class SpringBlocks {
 public:
  SpringBlocks();
  SpringBlocks(const SpringBlocks&);
  SpringBlocks(SpringBlocks&&) noexcept;
  SpringBlocks& operator=(const SpringBlocks&);
  SpringBlocks& operator=(SpringBlocks&&) noexcept;
  ~SpringBlocks();

  // Takes up the state, lanes [x, v][component][link]. Allocates the first time.
  void linearise(const ChainLinks& links, const double* x);
  // Adds to -dF/dx and -dF/dv of mass k, by its own place and velocity.
  void add_to_mass(std::size_t k, int i, int j, double stiffness, double damping);
  bool factor(double real_shift, std::complex<double> complex_shift);
  // Each replaces the right-hand side (p, q), in lanes as the state, by (dx, dv).
  void solve_real(double* b);
  void solve_complex(double* re, double* im);

  // Calls with (mass, component, other mass, its component, -dF/dx, -dF/dv) of the links.
  template <class Call>
  void for_entries(Call&& call) const;

 private:
  struct Numbers;

  std::size_t count() const;
  int parent_of(std::size_t k) const;
  // K and C of a link.
  double stiffness(std::size_t k, int i, int j) const;
  double damping(std::size_t k, int i, int j) const;

  Owned<Numbers> numbers_;
};

template <int D>
template <class Call>
void SpringBlocks<D>::for_entries(Call&& call) const {
  for (std::size_t k = 0; k < count(); ++k) {
    const int own = static_cast<int>(k), parent = parent_of(k);
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) {
        const double by_place = stiffness(k, i, j), by_rate = damping(k, i, j);
        call(own, i, own, j, by_place, by_rate);
        if (parent < 0) continue;
        call(own, i, parent, j, -by_place, -by_rate);
        call(parent, i, own, j, -by_place, -by_rate);
        call(parent, i, parent, j, by_place, by_rate);
      }
    }
  }
}

extern template class SpringBlocks<2>;
extern template class SpringBlocks<3>;

}  // namespace catena
