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

#include <Eigen/Core>
#include <complex>
#include <cstddef>
#include <vector>

namespace catena {

struct ChainLinks;

template <int D>
class SpringBlocks {
 public:
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
  using Block = Eigen::Matrix<double, D, D>;

  template <class T>
  struct Factors {
    using Matrix = Eigen::Matrix<T, D, D>;
    using Vector = Eigen::Matrix<T, D, 1>;
    struct OfLink {
      Matrix inverse;  // of S
      Matrix down;     // S^-1 B: from a mass to its children
      Matrix up;       // B S^-1: from a mass to its parent
    };
    T shift{};
    std::vector<OfLink> links;
    std::vector<Matrix> collected;  // R
    std::vector<Vector> y;
  };

  void reserve(const ChainLinks& links);
  int parent_of(std::size_t k) const;
  template <class T>
  bool factor_with(T shift, Factors<T>& factors);
  template <class T>
  void solve_with(Factors<T>& factors);
  template <class T, class Get, class Put>
  void solve_lanes(Factors<T>& factors, Get get, Put put);

  std::size_t n_ = 0;
  const ChainLinks* links_ = nullptr;
  // Where forces enter: linearise() fills these. A law along links adds to the first two, a law on masses to
  // the last two; all but the first may stay empty, which means zero.
  std::vector<Block> link_stiffness_;  // K
  std::vector<Block> link_damping_;    // C
  std::vector<Block> mass_stiffness_;  // P
  std::vector<Block> mass_damping_;    // Q
  Factors<double> real_;
  Factors<std::complex<double>> complex_;
};

template <int D>
template <class Call>
void SpringBlocks<D>::for_entries(Call&& call) const {
  for (std::size_t k = 0; k < n_; ++k) {
    const int own = static_cast<int>(k), parent = parent_of(k);
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) {
        const double stiffness = link_stiffness_[k](i, j);
        const double damping = link_damping_.empty() ? 0.0 : link_damping_[k](i, j);
        call(own, i, own, j, stiffness, damping);
        if (parent < 0) continue;
        call(own, i, parent, j, -stiffness, -damping);
        call(parent, i, own, j, -stiffness, -damping);
        call(parent, i, parent, j, stiffness, damping);
      }
    }
  }
}

extern template class SpringBlocks<2>;
extern template class SpringBlocks<3>;

}  // namespace catena
