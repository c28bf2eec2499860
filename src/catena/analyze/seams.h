// The linear problem of multiple shooting: least squares whose segments must fit together,
//
//   min |r + J_p dp + J_s ds|^2 / 2    with    Phi_k ds_k + G_k dp - ds_(k+1) + c_k = 0
//
// H. G. Bock, Numerical treatment of inverse problems in chemical reaction kinetics, 1981. It is solved with
// its multipliers as one sparse system: products of many Phi, which grow like the differences of a chaotic
// motion, are never formed.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace catena {

// Of a segment with a start of its own.
struct SegmentEquations {
  Eigen::MatrixXd normal, mixed;  // J_s^T J_s; J_p^T J_s
  Eigen::VectorXd gradient;       // J_s^T r
  // The seam before it: how the end of the one before changes, in the basis of this start.
  Eigen::MatrixXd by_start, by_numbers;  // Phi (none behind the first segment), G
  Eigen::VectorXd defect;                // that end less this start
};

struct SeamEquations {
  Eigen::MatrixXd normal;    // J_p^T J_p
  Eigen::VectorXd gradient;  // J_p^T r
  std::vector<SegmentEquations> segments;
};

struct SeamSolution {
  Eigen::VectorXd numbers;
  std::vector<Eigen::VectorXd> starts;
  bool good = false;
  double decrease = 0.0;  // of the cost, as far as it is quadratic, were there no defects
};

// `damping`: a part of the diagonal that is added to it. `frozen`: numbers that stay.
SeamSolution solved(const SeamEquations& equations, const std::vector<char>& frozen, double damping);

// The covariance of the numbers, the seams closed, in units of 1/scale of each: without what the data do not
// determine it would be the inverse of J^T J, J by the numbers alone.
Eigen::MatrixXd covariance(const SeamEquations& equations, const std::vector<char>& frozen, double damping,
                           const Eigen::VectorXd& scale);

}  // namespace catena
