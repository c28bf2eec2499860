#include "catena/analyze/covariant.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace catena {

CovariantAngles::CovariantAngles(std::size_t count, std::size_t window) : count_(count), window_(window) {
  constexpr std::size_t kAllPairs = 8;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < (count <= kAllPairs ? count : std::min(i + 2, count)); ++j)
      pairs_.emplace_back(i, j);
  }
  counts_.assign(pairs_.size(), std::vector<double>(kBins, 0.0));
  growth_.assign(count, 0.0);
}

void CovariantAngles::add(const Eigen::MatrixXd& triangle, double time) {
  later_.push_back({triangle, time});
  if (later_.size() < window_) return;
  if (!settled_) {
    settled_ = true;
    later_.clear();
    return;
  }
  if (!earlier_.empty()) go_back();
  earlier_ = std::move(later_);
  later_.clear();
}

void CovariantAngles::go_back() {
  const auto n = static_cast<Eigen::Index>(count_);
  Eigen::MatrixXd c = Eigen::MatrixXd::Ones(n, n).triangularView<Eigen::Upper>();
  for (auto one = later_.rbegin(); one != later_.rend(); ++one) {
    one->triangle.triangularView<Eigen::Upper>().solveInPlace(c);
    c.colwise().normalize();
  }
  for (auto one = earlier_.rbegin(); one != earlier_.rend(); ++one) {
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto i = static_cast<Eigen::Index>(pairs_[p].first),
                 j = static_cast<Eigen::Index>(pairs_[p].second);
      // Of nearly parallel lines the sine has the digits.
      const double along = std::fabs(c.col(i).dot(c.col(j)));
      const double across = (c.col(j) - c.col(i) * c.col(i).dot(c.col(j))).norm();
      const double degrees = std::atan2(across, along) * 180.0 / std::numbers::pi;
      counts_[p][static_cast<std::size_t>(std::clamp(static_cast<int>(degrees), 0, kBins - 1))] += 1.0;
    }
    ++looks_;
    one->triangle.triangularView<Eigen::Upper>().solveInPlace(c);
    for (Eigen::Index k = 0; k < n; ++k) growth_[static_cast<std::size_t>(k)] -= std::log(c.col(k).norm());
    c.colwise().normalize();
    time_ += one->time;
  }
}

std::vector<double> CovariantAngles::exponents() const {
  std::vector<double> out = growth_;
  for (double& one : out) one = time_ > 0.0 ? one / time_ : std::nan("");
  return out;
}

}  // namespace catena
