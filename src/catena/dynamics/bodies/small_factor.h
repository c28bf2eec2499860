// The constraints of few bodies, factored as ConstraintFactor has it, A = Q R, and Q multiplied out, since
// some thirty orders use it. What has nothing to do with each other is taken apart:
// motions and rows that no entry connects, as those along a plane and across it. Parts of which nothing is
// asked cost nothing.
//
// What connects what is looked up in the numbers at every factorisation, so it follows from the state alone.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "catena/math/pack.h"

namespace catena {

class SmallFactor {
 public:
  static bool can_take(std::size_t bodies, std::size_t rows) {
    return bodies > 0 && bodies <= kMostBodies && rows > 0 && rows <= kMostRows;
  }

  SmallFactor();
  // `tree`: rows of joints that form a tree, leaf to root; they are independent. The others close loops.
  SmallFactor(std::size_t bodies, std::size_t rows, const std::vector<std::size_t>& tree);
  SmallFactor(const SmallFactor& other);
  SmallFactor(SmallFactor&& other) noexcept;
  SmallFactor& operator=(SmallFactor other) noexcept;
  ~SmallFactor();

  bool empty() const { return parts_ == nullptr; }

  // Before factor(): all rows zero, and then the six numbers of a row that are one body's.
  void clear();
  void put(std::size_t row, std::size_t body, const double* six);
  // No more than so many rows that close loops count.
  void factor(std::size_t most_loop_rank);

  std::size_t loop_rank() const;
  // What is left of each column that closes loops, of unit length: largest first, as they were taken.
  const std::vector<double>& pivots() const;
  std::vector<std::size_t> dependent_rows() const;
  // y = g + A mu, A^T y = r: y holds g and then the solution.
  void solve(const double* r, double* y, double* mu);
  void solve(const Pack<double, 4>* r, Pack<double, 4>* y, Pack<double, 4>* mu);
  // Vectors n with A n = 0, a number for each row.
  std::vector<std::vector<double>> null_space() const;

 private:
  static constexpr std::size_t kMostBodies = 8, kMostRows = 60;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
