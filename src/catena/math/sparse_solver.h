// Sparse systems without symmetry, in real or complex numbers: elimination with pivots in an order that keeps
// it sparse. Compiled once, for it takes long.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace catena {

// Entries at one place add up.
template <class T>
struct SparseEntry {
  int at_row = 0, at_column = 0;
  T number{};

  int row() const { return at_row; }
  int col() const { return at_column; }
  const T& value() const { return number; }
};

template <class T>
class SparseSolver {
 public:
  SparseSolver();
  ~SparseSolver();
  SparseSolver(SparseSolver&&) noexcept;
  SparseSolver& operator=(SparseSolver&&) noexcept;

  // Whether the system is regular.
  bool factor(std::size_t size, const std::vector<SparseEntry<T>>& entries);
  // Replaces the right-hand side by the solution.
  void solve(T* b);

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace catena
