#include "catena/analyze/liouville.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <string_view>

namespace catena {
namespace {

using Matrix = Eigen::MatrixXd;

// "ws_1", "theta_dot_2", "ox_crank", "x_dot": stems of velocities.
bool names_velocity(std::string_view name) {
  if (name.find("_dot") != std::string_view::npos) return true;
  const std::string_view stem = name.substr(0, name.find('_'));
  for (const char* const one : {"ws", "wx", "wy", "wz", "vs", "vx", "vy", "vz", "ox", "oy", "oz", "omega",
                                "omegax", "omegay", "omegaz"}) {
    if (stem == one) return true;
  }
  return false;
}

}  // namespace

LiouvilleDensity::LiouvilleDensity(const Lab& lab) {
  const WorldFacts facts = lab.facts();
  if (facts.equations) obstacle_ = "equations do not say which of their states are momenta";
  for (const std::string& name : facts.lanes) {
    if (name.starts_with("pole")) obstacle_ = "charts change along the motion";
    is_velocity_.push_back(names_velocity(name) ? 1 : 0);
  }
  if (!facts.lagrangian && !facts.lanes.empty() && facts.lanes[0] == "y_0")
    obstacle_ = "the state's numbers have no names of places and velocities";
  if (facts.lagrangian) {  // names of coordinates are the user's own: the first half are places
    const std::size_t n = facts.lagrangian->coordinates.size();
    for (std::size_t i = 0; i < is_velocity_.size(); ++i) is_velocity_[i] = i >= n && i < 2 * n ? 1 : 0;
  }
}

double LiouvilleDensity::log_density(Lab& lab) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!obstacle_.empty()) return kNone;
  const std::vector<std::vector<double>> basis = lab.allowed_directions();
  const auto all = static_cast<Eigen::Index>(basis.size()), d = all / 2;
  const auto lanes = static_cast<Eigen::Index>(lab.dimension());
  Matrix b(lanes, all), place(lanes, all);
  for (Eigen::Index k = 0; k < all; ++k) {
    for (Eigen::Index i = 0; i < lanes; ++i) {
      b(i, k) = basis[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
      place(i, k) = is_velocity_[static_cast<std::size_t>(i)] ? 0.0 : b(i, k);
    }
  }
  // Combinations that leave the place alone are pure changes of velocity; those orthogonal to them move it.
  const Eigen::JacobiSVD<Matrix> svd(place, Eigen::ComputeThinU | Eigen::ComputeFullV);
  if (2 * d != all) return kNone;
  const Matrix moving = place * svd.matrixV().leftCols(d);   // N_place
  const Matrix velocities = b * svd.matrixV().rightCols(d);  // E
  const double t = lab.time();
  std::vector<double> x = lab.state().hi;
  const auto with = [&](const Eigen::VectorXd& v) {
    std::vector<double> out = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (is_velocity_[i]) out[i] = v(static_cast<Eigen::Index>(i));
    }
    return out;
  };
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(lanes);
  const auto kinetic = [&](const Eigen::VectorXd& v) { return lab.energies_of(t, with(v)).kinetic; };
  const double at_rest = kinetic(rest);
  const std::vector<double> drift = lab.rhs(t, with(rest));
  Matrix mass(d, d), rates = Matrix::Zero(lanes, d);
  Eigen::VectorXd own(d);
  for (Eigen::Index k = 0; k < d; ++k) own(k) = kinetic(velocities.col(k));
  for (Eigen::Index k = 0; k < d; ++k) {
    // M_kl from the quadratic form T: linear and constant parts fall out.
    for (Eigen::Index l = 0; l <= k; ++l) {
      const double both = kinetic(velocities.col(k) + velocities.col(l));
      mass(k, l) = mass(l, k) = both - own(k) - own(l) + at_rest;
    }
    const std::vector<double> dx = lab.rhs(t, with(velocities.col(k)));
    for (Eigen::Index i = 0; i < lanes; ++i) {
      const auto lane = static_cast<std::size_t>(i);
      if (!is_velocity_[lane] && lane < lab.motion_lanes()) rates(i, k) = dx[lane] - drift[lane];
    }
  }
  const Matrix s = rates.colPivHouseholderQr().solve(moving);
  const auto log_det = [](const Matrix& m) {
    double sum = 0.0;
    const Eigen::FullPivLU<Matrix> lu(m);
    for (Eigen::Index i = 0; i < m.rows(); ++i) sum += std::log(std::fabs(lu.matrixLU()(i, i)));
    return sum;
  };
  return log_det(mass) + log_det(s);
}

}  // namespace catena
