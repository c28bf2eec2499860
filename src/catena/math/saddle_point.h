// Linear equations of constrained motion, dense and small:
//
//     M a = f + G^T lambda        G a = c
//
// M is symmetric and may be singular where G determines the rest; rows of G may follow from one another. By
// an orthogonal factorisation of G^T with pivoting: a = Y y + Z z, where G Z = 0, y meets the constraints
// and z what is left of M. Rows are scaled to unit length and coordinates by their masses, so that units do
// not matter.
#pragma once

#include <cstddef>
#include <vector>

namespace catena {

class SaddlePoint {
 public:
  SaddlePoint(std::size_t unknowns, std::size_t constraints);

  // M row by row, then G row by row. False where `a` is left undetermined. Does not allocate.
  bool factor(const double* mass, const double* rows);

  // Multipliers of rows that follow from others are zero. Does not allocate.
  void solve(const double* f, const double* c, double* a, double* lambda);

  std::size_t rank() const { return rank_; }
  // Rows that follow from the others.
  std::vector<std::size_t> redundant() const;
  // The smallest part of a row that counts and does not follow from those before it; 1 where there are none.
  double margin() const { return margin_; }
  // After factor() has failed: a direction of `a` that nothing determines, in the scaled units; its largest
  // entry is 1.
  std::vector<double> undetermined() const;

 private:
  void scale(const double* mass, const double* rows);
  void triangularise();
  void reflect(std::size_t k);
  void reduce(const double* mass);
  bool eliminate();

  std::size_t n_, m_;
  std::size_t rank_ = 0, pivots_ = 0;
  double margin_ = 1.0;
  std::vector<double> unit_;     // of each coordinate
  std::vector<double> length_;   // of each row
  std::vector<double> columns_;  // of G^T, scaled; then R. [constraint][coordinate]
  std::vector<std::size_t> order_;
  std::vector<double> q_;        // row by row
  std::vector<double> reduced_;  // Q^T M Q, row by row; its last block factored in place
  std::vector<double> half_;     // M Q
  std::vector<std::size_t> row_order_, column_order_;
  std::vector<double> reflector_, right_, turned_;
};

}  // namespace catena
