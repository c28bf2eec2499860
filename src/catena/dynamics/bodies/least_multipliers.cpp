// Of the multipliers that redundant constraints leave open, the least.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "catena/dynamics/bodies/constraint_factor.h"

namespace catena {
namespace {

// Of a null vector of unit length: entries that are not zero.
constexpr double kOpen = 1e-9;

}  // namespace

std::vector<char> ConstraintFactor::take_least(std::vector<double>& mu) {
  if (is_sparse_) return take_least_of(sparse_.null_space(), mu);
  std::vector<char> open(mu.size(), 0);
  std::vector<std::vector<double>> basis;
  for (std::vector<double> n : null_space()) {
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& other : basis) {
        const double along = std::inner_product(n.begin(), n.end(), other.begin(), 0.0);
        for (std::size_t i = 0; i < n.size(); ++i) n[i] -= along * other[i];
      }
    }
    const double size = std::sqrt(std::inner_product(n.begin(), n.end(), n.begin(), 0.0));
    if (size < 1e-12) continue;
    for (double& x : n) x /= size;
    const double along = std::inner_product(n.begin(), n.end(), mu.begin(), 0.0);
    for (std::size_t i = 0; i < n.size(); ++i) {
      mu[i] -= along * n[i];
      if (std::fabs(n[i]) > kOpen) open[i] = 1;
    }
    basis.push_back(std::move(n));
  }
  return open;
}

// With the null vectors as columns of N, the least multipliers are mu + N c with N^T (mu + N c) = 0. A null
// vector has entries along a loop, so N is as sparse as the loops are short.
std::vector<char> ConstraintFactor::take_least_of(const std::vector<SparseOrthogonal::Entries>& null,
                                                  std::vector<double>& mu) const {
  std::vector<char> open(mu.size(), 0);
  std::vector<int> sizes, block_of(rows_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    sizes.push_back(blocks_[b].rows);
    for (int row = 0; row < blocks_[b].rows; ++row)
      block_of[first_row_[b] + static_cast<std::size_t>(row)] = static_cast<int>(b);
  }
  std::vector<SparseOrthogonal::Columns> columns;
  std::vector<double> entries;
  for (const SparseOrthogonal::Entries& n : null) {
    double square = 0.0;
    for (const double x : n.value) square += x * x;
    SparseOrthogonal::Columns column{1, {}};
    std::size_t at = 0;  // of the last block
    for (std::size_t i = 0; i < n.index.size(); ++i) {
      const auto row = static_cast<std::size_t>(n.index[i]);
      const int block = block_of[row];
      if (column.rows.empty() || column.rows.back() != block) {
        column.rows.push_back(block);
        at = entries.size();
        entries.resize(at + static_cast<std::size_t>(sizes[static_cast<std::size_t>(block)]), 0.0);
      }
      entries[at + row - first_row_[static_cast<std::size_t>(block)]] = n.value[i];
      if (n.value[i] * n.value[i] > kOpen * kOpen * square) open[row] = 1;
    }
    if (!columns.empty() && columns.back().rows == column.rows) {
      ++columns.back().count;
    } else {
      columns.push_back(std::move(column));
    }
  }
  if (std::all_of(mu.begin(), mu.end(), [](double x) { return x == 0.0; })) return open;
  SparseOrthogonal all(sizes, columns);
  all.factor(entries.data());
  const std::vector<double> none(null.size(), 0.0);
  std::vector<double> unused(null.size());
  all.solve(none.data(), mu.data(), unused.data());
  return open;
}

}  // namespace catena
