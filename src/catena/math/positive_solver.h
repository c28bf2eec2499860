// Dense symmetric positive definite systems in any number: factored in double, then corrected with the
// residuals of the whole number. Nothing is allocated once it is made.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "catena/math/cholesky.h"
#include "catena/math/functions_digits.h"

namespace catena {

template <class S>
class PositiveSolver {
 public:
  explicit PositiveSolver(std::size_t n)
      : n_(n), matrix_(n * n), right_(n), left_(n), factor_(n * n), change_(n) {}

  // Columns are contiguous; only the lower triangle is read.
  S* matrix() { return matrix_.data(); }
  // False where it is not positive definite.
  bool factor() {
    for (std::size_t i = 0; i < factor_.size(); ++i) factor_[i] = digits::rounded(matrix_[i]);
    return factor_cholesky(factor_.data(), n_);
  }

  // x in place of the right-hand side. A pass wins 16 digits less those of the condition.
  void solve(S* x) {
    constexpr int kMostPasses = 8;
    constexpr double kNothing = 1e-36;
    std::copy_n(x, n_, right_.data());
    std::fill_n(x, n_, S(0.0));
    double before = 0.0;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      residual(x);
      solve_cholesky(factor_.data(), n_, change_.data());
      double largest = 0.0, size = 0.0;
      for (const double change : change_) largest = std::max(largest, std::fabs(change));
      if (pass > 1 && !(largest < 0.5 * before)) return;  // what is left is the number's own roundoff
      for (std::size_t i = 0; i < n_; ++i) {
        x[i] += S(change_[i]);
        size = std::max(size, std::fabs(digits::rounded(x[i])));
      }
      if (pass > 0 && largest <= kNothing * size) return;
      before = largest;
    }
  }

 private:
  void residual(const S* x) {
    left_ = right_;
    for (std::size_t j = 0; j < n_; ++j) {
      const S* column = matrix_.data() + j * n_;
      left_[j] -= column[j] * x[j];
      for (std::size_t i = j + 1; i < n_; ++i) {
        left_[i] -= column[i] * x[j];
        left_[j] -= column[i] * x[i];
      }
    }
    for (std::size_t i = 0; i < n_; ++i) change_[i] = digits::rounded(left_[i]);
  }

  std::size_t n_;
  std::vector<S> matrix_, right_, left_;
  std::vector<double> factor_, change_;
};

// A double is its own leading part.
template <>
class PositiveSolver<double> {
 public:
  explicit PositiveSolver(std::size_t n) : n_(n), matrix_(n * n) {}

  double* matrix() { return matrix_.data(); }
  bool factor() { return factor_cholesky(matrix_.data(), n_); }
  void solve(double* x) const { solve_cholesky(matrix_.data(), n_, x); }

 private:
  std::size_t n_;
  std::vector<double> matrix_;
};

}  // namespace catena
