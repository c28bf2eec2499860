// Dense symmetric positive definite systems, factored once and solved for many right-hand sides. Columns of
// the matrix are contiguous; only its lower triangle is read. Nothing is allocated.
#pragma once

#include <cstddef>

namespace catena {

// A = L L^T, L in place of A's lower triangle. False where A is not positive definite.
bool factor_cholesky(double* matrix, std::size_t n);

// x in place of the right-hand side.
void solve_cholesky(const double* factor, std::size_t n, double* x);

}  // namespace catena
