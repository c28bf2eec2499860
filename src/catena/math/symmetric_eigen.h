// Eigenvalues of small symmetric matrices.
#pragma once

#include <cstddef>
#include <vector>

namespace catena {

struct SymmetricEigen {
  std::vector<double> values;                // rising
  std::vector<std::vector<double>> vectors;  // unit, one for each value
};

// By Jacobi's rotations; `matrix` by rows, n x n.
SymmetricEigen symmetric_eigen(std::size_t n, std::vector<double> matrix);

}  // namespace catena
