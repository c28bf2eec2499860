#include "catena/math/column_space.h"

#include <Eigen/QR>

namespace catena {
namespace {

using Reflections = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;

Reflections reflections_of(const std::vector<double>& columns, std::size_t rows, double threshold) {
  const auto n = static_cast<Eigen::Index>(rows);
  const auto count = rows == 0 ? 0 : static_cast<Eigen::Index>(columns.size() / rows);
  Reflections out(Eigen::Map<const Eigen::MatrixXd>(columns.data(), n, count));
  out.setThreshold(threshold);
  return out;
}

}  // namespace

std::vector<std::vector<double>> column_space(const std::vector<double>& columns, std::size_t rows,
                                              double threshold) {
  const Reflections qr = reflections_of(columns, rows, threshold);
  const Eigen::Index rank = qr.maxPivot() > threshold ? qr.rank() : 0;
  const Eigen::MatrixXd basis =
      qr.householderQ() * Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(rows), rank);
  std::vector<std::vector<double>> out;
  for (Eigen::Index j = 0; j < rank; ++j)
    out.emplace_back(basis.data() + j * basis.rows(), basis.data() + (j + 1) * basis.rows());
  return out;
}

std::size_t column_rank(const std::vector<double>& columns, std::size_t rows, double threshold) {
  return static_cast<std::size_t>(reflections_of(columns, rows, threshold).rank());
}

}  // namespace catena
