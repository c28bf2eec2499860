#include "catena/dynamics/chain/solvers/spring_blocks.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/dynamics/chain/solvers/chain_links.h"

namespace catena {

template <int D>
struct SpringBlocks<D>::Numbers {
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

  void linearise(const ChainLinks& links, const double* x);
  void add_to_mass(std::size_t k, int i, int j, double stiffness, double damping);
  bool factor(double real_shift, std::complex<double> complex_shift);
  void solve_real(double* b);
  void solve_complex(double* re, double* im);

  void reserve(const ChainLinks& links);
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
void SpringBlocks<D>::Numbers::reserve(const ChainLinks& links) {
  links_ = &links;
  if (n_ == links.count()) return;
  n_ = links.count();
  link_stiffness_.resize(n_);
  if (!links.axial_damping.empty()) link_damping_.resize(n_);
  const auto make_room = [&](auto& factors) {
    factors.links.resize(n_);
    factors.collected.resize(n_);
    factors.y.resize(n_);
  };
  make_room(real_);
  make_room(complex_);
}

// Pull c (r - L) along u = d / r:      K = c (u u^T + (1 - L/r) P)      with P = I - u u^T
// damping b (u . d') along u:          C = b u u^T      K += b ((u . d') P + u (P d')^T) / r
template <int D>
void SpringBlocks<D>::Numbers::linearise(const ChainLinks& links, const double* x) {
  using Vector = Eigen::Matrix<double, D, 1>;
  reserve(links);
  for (auto* of_masses : {&mass_stiffness_, &mass_damping_}) {
    std::fill(of_masses->begin(), of_masses->end(), Block::Zero());
  }
  const auto across_link = [&](const double* lanes, std::size_t k) {
    const int parent = links.parent[k];
    Vector d;
    for (int i = 0; i < D; ++i) d[i] = lanes[i * n_ + k] - (parent < 0 ? 0.0 : lanes[i * n_ + parent]);
    return d;
  };
  for (std::size_t k = 0; k < n_; ++k) {
    Vector u = across_link(x, k);
    const double radius = u.norm();
    u /= radius;
    const Vector rate = across_link(x + D * n_, k);
    const double lengthening = u.dot(rate);
    const bool pulls = !links.slack || links.pull(k, radius - links.length[k], lengthening) > 0.0;
    const double along = pulls ? links.stiffness[k] : 0.0, across = along * (1 - links.length[k] / radius);
    link_stiffness_[k] = (along - across) * u * u.transpose();
    link_stiffness_[k].diagonal().array() += across;
    if (links.axial_damping.empty()) continue;
    const double damping = pulls ? links.axial_damping[k] : 0.0;
    const Vector turning = rate - lengthening * u;
    link_damping_[k] = damping * u * u.transpose();
    link_stiffness_[k] += damping / radius * (u * turning.transpose() - lengthening * u * u.transpose());
    link_stiffness_[k].diagonal().array() += damping / radius * lengthening;
  }
}

template <int D>
void SpringBlocks<D>::Numbers::add_to_mass(std::size_t k, int i, int j, double stiffness, double damping) {
  if (mass_stiffness_.empty()) {
    mass_stiffness_.assign(n_, Block::Zero());
    mass_damping_.assign(n_, Block::Zero());
  }
  mass_stiffness_[k](i, j) += stiffness;
  mass_damping_[k](i, j) += damping;
}

template <int D>
template <class T>
bool SpringBlocks<D>::Numbers::factor_with(T shift, Factors<T>& factors) {
  using Matrix = typename Factors<T>::Matrix;
  factors.shift = shift;
  for (std::size_t k = 0; k < n_; ++k) {
    Matrix& r = factors.collected[k];
    r = Matrix::Identity() * (shift * shift * links_->mass[k]);
    if (!mass_stiffness_.empty()) r += mass_stiffness_[k].template cast<T>();
    if (!mass_damping_.empty()) r += shift * mass_damping_[k].template cast<T>();
  }
  bool regular = true;
  for (std::size_t k = n_; k-- > 0;) {  // children stand behind their parents
    Matrix b = link_stiffness_[k].template cast<T>();
    if (!link_damping_.empty()) b += shift * link_damping_[k].template cast<T>();
    const Matrix& r = factors.collected[k];
    const Matrix s = r + b;
    auto& link = factors.links[k];
    link.inverse = s.inverse();  // closed form for two and three dimensions
    link.down.noalias() = link.inverse * b;
    link.up.noalias() = b * link.inverse;
    regular = regular && std::isfinite(std::abs(link.inverse.sum()));
    if (links_->parent[k] >= 0) factors.collected[links_->parent[k]].noalias() += link.up * r;
  }
  return regular;
}

template <int D>
bool SpringBlocks<D>::Numbers::factor(double real_shift, std::complex<double> complex_shift) {
  return factor_with(real_shift, real_) && factor_with(complex_shift, complex_);
}

// (R + B) dx = y + B dx of the parent, where y has collected the children's.
template <int D>
template <class T>
void SpringBlocks<D>::Numbers::solve_with(Factors<T>& factors) {
  for (std::size_t k = n_; k-- > 0;) {
    auto& y = factors.y[k];
    const int parent = links_->parent[k];
    if (parent >= 0) factors.y[parent].noalias() += factors.links[k].up * y;
    y = (factors.links[k].inverse * y).eval();
  }
  for (std::size_t k = 0; k < n_; ++k) {
    const int parent = links_->parent[k];
    if (parent >= 0) factors.y[k].noalias() += factors.links[k].down * factors.y[parent];
  }
}

// `get` and `put` reach the right-hand side by its lane.
template <int D>
template <class T, class Get, class Put>
void SpringBlocks<D>::Numbers::solve_lanes(Factors<T>& factors, Get get, Put put) {
  using Vector = typename Factors<T>::Vector;
  const std::size_t half = D * n_;
  const auto p_of = [&](std::size_t k) {
    Vector p;
    for (int i = 0; i < D; ++i) p[i] = get(i * n_ + k);
    return p;
  };
  for (std::size_t k = 0; k < n_; ++k) {
    Vector q;
    for (int i = 0; i < D; ++i) q[i] = get(half + i * n_ + k);
    factors.y[k] = links_->mass[k] * (q + factors.shift * p_of(k));
    if (!mass_damping_.empty()) factors.y[k] += mass_damping_[k].template cast<T>() * p_of(k);
    if (link_damping_.empty()) continue;
    const int parent = links_->parent[k];
    const Vector across = parent < 0 ? p_of(k) : Vector(p_of(k) - p_of(static_cast<std::size_t>(parent)));
    const Vector pull = link_damping_[k].template cast<T>() * across;
    factors.y[k] += pull;
    if (parent >= 0) factors.y[parent] -= pull;  // parents stand before their children, so theirs is there
  }
  solve_with(factors);
  for (std::size_t k = 0; k < n_; ++k) {
    for (int i = 0; i < D; ++i) {
      const T p = get(i * n_ + k), dx = factors.y[k][i];
      put(i * n_ + k, dx);
      put(half + i * n_ + k, factors.shift * dx - p);
    }
  }
}

template <int D>
void SpringBlocks<D>::Numbers::solve_real(double* b) {
  solve_lanes(
      real_, [&](std::size_t lane) { return b[lane]; },
      [&](std::size_t lane, double value) { b[lane] = value; });
}

template <int D>
void SpringBlocks<D>::Numbers::solve_complex(double* re, double* im) {
  solve_lanes(
      complex_, [&](std::size_t lane) { return std::complex<double>(re[lane], im[lane]); },
      [&](std::size_t lane, const std::complex<double>& value) {
        re[lane] = value.real();
        im[lane] = value.imag();
      });
}

template <int D>
SpringBlocks<D>::SpringBlocks() : numbers_(std::make_unique<Numbers>()) {}
template <int D>
SpringBlocks<D>::SpringBlocks(const SpringBlocks&) = default;
template <int D>
SpringBlocks<D>::SpringBlocks(SpringBlocks&&) noexcept = default;
template <int D>
SpringBlocks<D>& SpringBlocks<D>::operator=(const SpringBlocks&) = default;
template <int D>
SpringBlocks<D>& SpringBlocks<D>::operator=(SpringBlocks&&) noexcept = default;
template <int D>
SpringBlocks<D>::~SpringBlocks() = default;

template <int D>
void SpringBlocks<D>::linearise(const ChainLinks& links, const double* x) {
  numbers_->linearise(links, x);
}
template <int D>
void SpringBlocks<D>::add_to_mass(std::size_t k, int i, int j, double stiffness, double damping) {
  numbers_->add_to_mass(k, i, j, stiffness, damping);
}
template <int D>
bool SpringBlocks<D>::factor(double real_shift, std::complex<double> complex_shift) {
  return numbers_->factor(real_shift, complex_shift);
}
template <int D>
void SpringBlocks<D>::solve_real(double* b) {
  numbers_->solve_real(b);
}
template <int D>
void SpringBlocks<D>::solve_complex(double* re, double* im) {
  numbers_->solve_complex(re, im);
}

template <int D>
std::size_t SpringBlocks<D>::count() const {
  return numbers_->n_;
}
template <int D>
int SpringBlocks<D>::parent_of(std::size_t k) const {
  return numbers_->links_->parent[k];
}
template <int D>
double SpringBlocks<D>::stiffness(std::size_t k, int i, int j) const {
  return numbers_->link_stiffness_[k](i, j);
}
template <int D>
double SpringBlocks<D>::damping(std::size_t k, int i, int j) const {
  return numbers_->link_damping_.empty() ? 0.0 : numbers_->link_damping_[k](i, j);
}

template class SpringBlocks<2>;
template class SpringBlocks<3>;

}  // namespace catena
