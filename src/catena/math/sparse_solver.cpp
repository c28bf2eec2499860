#include "catena/math/sparse_solver.h"

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <complex>

namespace catena {

template <class T>
struct SparseSolver<T>::Factors {
  Eigen::SparseMatrix<T> matrix;
  Eigen::SparseLU<Eigen::SparseMatrix<T>> lu;
  Eigen::Matrix<T, Eigen::Dynamic, 1> b;
};

template <class T>
SparseSolver<T>::SparseSolver() : factors_(std::make_unique<Factors>()) {}
template <class T>
SparseSolver<T>::~SparseSolver() = default;
template <class T>
SparseSolver<T>::SparseSolver(SparseSolver&&) noexcept = default;
template <class T>
SparseSolver<T>& SparseSolver<T>::operator=(SparseSolver&&) noexcept = default;

template <class T>
bool SparseSolver<T>::factor(std::size_t size, const std::vector<SparseEntry<T>>& entries) {
  const auto n = static_cast<Eigen::Index>(size);
  factors_->matrix.resize(n, n);
  factors_->matrix.setFromTriplets(entries.begin(), entries.end());
  factors_->b.resize(n);
  factors_->lu.compute(factors_->matrix);
  return factors_->lu.info() == Eigen::Success;
}

template <class T>
void SparseSolver<T>::solve(T* b) {
  std::copy(b, b + factors_->b.size(), factors_->b.data());
  factors_->b = factors_->lu.solve(factors_->b).eval();
  std::copy(factors_->b.data(), factors_->b.data() + factors_->b.size(), b);
}

template class SparseSolver<double>;
template class SparseSolver<std::complex<double>>;

}  // namespace catena
