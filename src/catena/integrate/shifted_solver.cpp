#include "catena/integrate/shifted_solver.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace catena {
namespace {

using Complex = std::complex<double>;

template <class Number>
class Factored {
  using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;

 public:
  explicit Factored(Eigen::Index n) : matrix_(n, n), lu_(n) {}

  bool factor(const Eigen::MatrixXd& jacobian, Number shift) {
    matrix_ = -jacobian.cast<Number>();
    matrix_.diagonal().array() += shift;
    lu_.compute(matrix_);
    const auto pivots = lu_.matrixLU().diagonal().array().abs();
    return std::isfinite(pivots.sum()) && pivots.minCoeff() > 0.0;
  }

  // Row exchanges by hand: Eigen's own solve would make room for a copy each time.
  void solve(Eigen::Matrix<Number, Eigen::Dynamic, 1>& b,
             Eigen::Matrix<Number, Eigen::Dynamic, 1>& room) const {
    const auto& rows = lu_.permutationP().indices();
    for (Eigen::Index i = 0; i < b.size(); ++i) room[rows[i]] = b[i];
    lu_.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(room);
    lu_.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(room);
    b = room;
  }

 private:
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> lu_;
};

class DenseShiftedSolver final : public ShiftedSolver {
 public:
  explicit DenseShiftedSolver(const System& system)
      : system_(system),
        n_(static_cast<Eigen::Index>(system.dimension)),
        jacobian_(n_, n_),
        real_(n_),
        complex_(n_),
        point_(system.dimension),
        real_b_(n_),
        real_room_(n_),
        complex_b_(n_),
        complex_room_(n_) {}

  int linearise(double t, const double* x, const double* slope) override {
    std::copy_n(x, point_.size(), point_.data());
    const Eigen::Map<const Eigen::VectorXd> here(slope, n_);
    for (Eigen::Index j = 0; j < n_; ++j) {
      // Half the digits for the difference, half for what it is divided by (E. Hairer, G. Wanner, radau5).
      const double wanted =
          std::sqrt(std::numeric_limits<double>::epsilon() * std::max(1e-5, std::fabs(x[j])));
      point_[j] = x[j] + wanted;
      system_.rhs(t, point_.data(), jacobian_.col(j).data());
      jacobian_.col(j) = (jacobian_.col(j) - here) / (point_[j] - x[j]);
      point_[j] = x[j];
    }
    return static_cast<int>(n_);
  }

  bool factor(double real_shift, double shift_re, double shift_im) override {
    return real_.factor(jacobian_, real_shift) && complex_.factor(jacobian_, {shift_re, shift_im});
  }

  void solve_real(double* b) override {
    Eigen::Map<Eigen::VectorXd> vector(b, n_);
    real_b_ = vector;
    real_.solve(real_b_, real_room_);
    vector = real_b_;
  }

  void solve_complex(double* re, double* im) override {
    for (Eigen::Index i = 0; i < n_; ++i) complex_b_[i] = {re[i], im[i]};
    complex_.solve(complex_b_, complex_room_);
    for (Eigen::Index i = 0; i < n_; ++i) {
      re[i] = complex_b_[i].real();
      im[i] = complex_b_[i].imag();
    }
  }

 private:
  const System& system_;
  Eigen::Index n_;
  Eigen::MatrixXd jacobian_;
  Factored<double> real_;
  Factored<Complex> complex_;
  std::vector<double> point_;
  Eigen::VectorXd real_b_, real_room_;
  Eigen::VectorXcd complex_b_, complex_room_;
};

}  // namespace

std::unique_ptr<ShiftedSolver> dense_shifted_solver(const System& system) {
  return std::make_unique<DenseShiftedSolver>(system);
}

}  // namespace catena
