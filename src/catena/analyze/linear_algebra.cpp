#include "catena/analyze/linear_algebra.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace catena {

Eigen::MatrixXd row_space(const Eigen::MatrixXd& rows) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
  qr.setThreshold(1e-8);
  const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(rows.cols(), qr.rank());
  return q.transpose();
}

double largest_stretch(const Eigen::MatrixXd& matrix) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues()(0);
}

RealEigen real_eigen(Eigen::MatrixXd matrix) {
  const Eigen::Index n = matrix.rows();
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(n);
  for (bool changed = true; changed;) {
    changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double own = std::fabs(matrix(i, i));
      const double column = matrix.col(i).lpNorm<1>() - own, row = matrix.row(i).lpNorm<1>() - own;
      if (!(column > 0.0) || !(row > 0.0)) continue;
      const double by = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (by == 1.0 || !(column * by + row / by < 0.95 * (column + row))) continue;
      matrix.col(i) *= by;
      matrix.row(i) /= by;
      scale(i) *= by;
      changed = true;
    }
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix);
  return {solver.eigenvalues(), scale.asDiagonal() * solver.eigenvectors()};
}

}  // namespace catena
