// Through a recorded run of any length in little memory, and through long lists of what it has.
#pragma once

#include <algorithm>
#include <vector>

#include "catena/draw/plot/run_columns.h"
#include "catena/draw/plot/run_figures.h"

namespace catena::draw {

constexpr std::size_t kMostPaths = 7;  // that a figure tells apart

// `count` of `all`, evenly spread, the last one among them.
template <class T>
std::vector<T> spread(const std::vector<T>& all, std::size_t count) {
  if (all.size() <= count) return all;
  std::vector<T> out;
  for (std::size_t i = 1; i <= count; ++i) out.push_back(all[i * all.size() / count - 1]);
  return out;
}

// Rows of a run one after the other.
class RowWalker {
 public:
  explicit RowWalker(const RunRows& run) : run_(run), width_(RunColumns(run.stems).size()) {
    block_rows_ = std::max<std::size_t>(1, kBlockBytes / (8 * width_));
  }

  const double* next() {
    if (row_ >= run_.rows) return nullptr;
    if (row_ >= first_ + count_) {
      first_ = row_;
      count_ = std::min(block_rows_, run_.rows - first_);
      block_.resize(count_ * width_);
      run_.read(first_, count_, block_.data());
    }
    return block_.data() + (row_++ - first_) * width_;
  }

 private:
  static constexpr std::size_t kBlockBytes = 1 << 22;

  const RunRows& run_;
  std::size_t width_, block_rows_, row_ = 0, first_ = 0, count_ = 0;
  std::vector<double> block_;
};

}  // namespace catena::draw
