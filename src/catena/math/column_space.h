// What the columns of a small dense matrix span, by Householder's reflections with pivots. The matrix is
// given column by column.
#pragma once

#include <cstddef>
#include <vector>

namespace catena {

// An orthonormal basis of it. A column counts where what the others leave of it is above `threshold` times
// the largest; where the largest is below `threshold` itself, there is none.
std::vector<std::vector<double>> column_space(const std::vector<double>& columns, std::size_t rows,
                                              double threshold);

// Of how many dimensions it is, with the same threshold, for columns of about unit length.
std::size_t column_rank(const std::vector<double>& columns, std::size_t rows, double threshold);

}  // namespace catena
