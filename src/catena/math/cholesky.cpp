#include "catena/math/cholesky.h"

#include <cmath>

namespace catena {

// Column by column, each taken from all behind it: the inner loop runs down contiguous numbers.
bool factor_cholesky(double* matrix, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    double* __restrict column = matrix + j * n;
    const double pivot = std::sqrt(column[j]);
    if (!(pivot > 0.0)) return false;
    for (std::size_t i = j; i < n; ++i) column[i] /= pivot;
    for (std::size_t k = j + 1; k < n; ++k) {
      double* __restrict later = matrix + k * n;
      const double factor = column[k];
      for (std::size_t i = k; i < n; ++i) later[i] -= factor * column[i];
    }
  }
  return true;
}

void solve_cholesky(const double* factor, std::size_t n, double* x) {
  for (std::size_t j = 0; j < n; ++j) {
    const double* column = factor + j * n;
    x[j] /= column[j];
    for (std::size_t i = j + 1; i < n; ++i) x[i] -= x[j] * column[i];
  }
  for (std::size_t j = n; j-- > 0;) {
    const double* column = factor + j * n;
    for (std::size_t i = j + 1; i < n; ++i) x[j] -= x[i] * column[i];
    x[j] /= column[j];
  }
}

}  // namespace catena
