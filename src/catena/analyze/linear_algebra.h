// Between lists of numbers and Eigen's matrices, for the analyses.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <vector>

namespace catena {

inline Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

inline Eigen::VectorXd vector_of(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

inline std::vector<double> list_of(const Eigen::VectorXd& x) { return {x.data(), x.data() + x.size()}; }

// A flat list of rows of n numbers each.
inline Eigen::MatrixXd rows_of(const std::vector<double>& flat, std::size_t n) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(flat.data(), static_cast<Eigen::Index>(flat.size() / n),
                                    static_cast<Eigen::Index>(n));
}

inline Eigen::MatrixXd matrix_of(const std::vector<std::vector<double>>& rows, std::size_t n) {
  Eigen::MatrixXd out(rows.size(), n);
  for (std::size_t i = 0; i < rows.size(); ++i) out.row(static_cast<Eigen::Index>(i)) = vector_of(rows[i]);
  return out;
}

inline std::vector<std::vector<double>> lists_of(const Eigen::MatrixXd& rows) {
  std::vector<std::vector<double>> out;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) out.push_back(list_of(rows.row(i).transpose()));
  return out;
}

inline std::vector<double> flat_of(const std::vector<std::vector<double>>& rows) {
  std::vector<double> out;
  for (const std::vector<double>& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

// An orthonormal basis, by rows, of what the rows span.
Eigen::MatrixXd row_space(const Eigen::MatrixXd& rows);

// By how much it can lengthen a vector: its largest singular value.
double largest_stretch(const Eigen::MatrixXd& matrix);

// Eigenvalues of a real matrix, balanced first: Osborne's scaling by powers of two.
struct RealEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // columns
};
RealEigen real_eigen(Eigen::MatrixXd matrix);

}  // namespace catena
