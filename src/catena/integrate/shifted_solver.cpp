#include "catena/integrate/shifted_solver.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <array>
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

  // To be filled before factor().
  Matrix& matrix() { return matrix_; }

  bool factor() {
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

// Half the digits for the difference, half for what it is divided by (E. Hairer, G. Wanner, radau5).
double difference(double size) {
  return std::sqrt(std::numeric_limits<double>::epsilon() * std::max(1e-5, size));
}

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
      point_[j] = x[j] + difference(std::fabs(x[j]));
      system_.rhs(t, point_.data(), jacobian_.col(j).data());
      jacobian_.col(j) = (jacobian_.col(j) - here) / (point_[j] - x[j]);
      point_[j] = x[j];
    }
    return static_cast<int>(n_);
  }

  bool factor(double real_shift, double shift_re, double shift_im) override {
    return factor_with(real_, real_shift) && factor_with(complex_, Complex(shift_re, shift_im));
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
  template <class Number>
  bool factor_with(Factored<Number>& factored, Number shift) {
    factored.matrix() = -jacobian_.cast<Number>();
    factored.matrix().diagonal().array() += shift;
    return factored.factor();
  }

  const System& system_;
  Eigen::Index n_;
  Eigen::MatrixXd jacobian_;
  Factored<double> real_;
  Factored<Complex> complex_;
  std::vector<double> point_;
  Eigen::VectorXd real_b_, real_room_;
  Eigen::VectorXcd complex_b_, complex_room_;
};

// Systems with unit vectors u and their rates w. Three quarters of what concerns them in a plane is known
// without linear algebra: u' = w, and what changes a vector's length is small and follows from the rest. Left
// are the rates across the vectors, one unknown for each in a plane and two in space, and all other lanes.
// With J in a frame of each vector, columns for places and rates across it only,
//     (s - R - P/s) y = b + P p/s,      P, R: by places, by rates and other lanes;  p: of b, places across
// and y_u = (b_u + y_w)/s. The iteration's matrix leaves out how forces change with a vector's length, which
// stages keep to second order: what it converges to is the same.
class TangentShiftedSolver final : public ShiftedSolver {
 public:
  explicit TangentShiftedSolver(const System& system)
      : system_(system), lanes_(system.dimension), point_(lanes_), slope_(lanes_) {
    std::vector<bool> taken(lanes_, false);
    for (const UnitVectors& block : system.unit_vectors) {
      for (std::size_t k = 0; k < block.count; ++k) {
        Vector one{.space = block.space};
        for (std::size_t i = 0; i < block.space; ++i) {
          one.place[i] = block.position + i * block.count + k;
          one.rate[i] = block.velocity + i * block.count + k;
          taken[one.place[i]] = taken[one.rate[i]] = true;
        }
        across_ += block.space - 1;
        vectors_.push_back(one);
      }
    }
    const std::size_t controlled = controlled_lanes(system);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      if (!taken[lane]) (lane < controlled ? others_ : integrals_).push_back(lane);
    }
    unknowns_ = across_ + others_.size();
    rows_ = unknowns_ + vectors_.size() + integrals_.size();
    const auto rows = static_cast<Eigen::Index>(rows_), m = static_cast<Eigen::Index>(unknowns_);
    by_places_.resize(rows, static_cast<Eigen::Index>(across_));
    by_rates_.resize(rows, m);
    real_.resize(rows, m, static_cast<Eigen::Index>(across_));
    complex_.resize(rows, m, static_cast<Eigen::Index>(across_));
  }

  int linearise(double t, const double* x, const double* slope) override {
    for (Vector& vector : vectors_) vector.set_frame(x);
    std::copy_n(x, lanes_, point_.data());
    Eigen::Index column = 0;
    int evaluations = 0;
    const auto take = [&](auto&& move, double by, Eigen::MatrixXd& into, Eigen::Index at) {
      move(by);
      system_.rhs(t, point_.data(), slope_.data());
      ++evaluations;
      for (std::size_t lane = 0; lane < lanes_; ++lane) slope_[lane] = (slope_[lane] - slope[lane]) / by;
      rows_of(slope_.data(), into.col(at).data());
    };
    for (const Vector& vector : vectors_) {
      for (std::size_t e = 0; e + 1 < vector.space; ++e, ++column) {
        const auto along = [&](const std::array<std::size_t, 3>& lanes) {
          return [&, e](double by) {
            for (std::size_t i = 0; i < vector.space; ++i)
              point_[lanes[i]] = x[lanes[i]] + by * vector.frame[e][i];
          };
        };
        const auto back = [&](const std::array<std::size_t, 3>& lanes) {
          for (std::size_t i = 0; i < vector.space; ++i) point_[lanes[i]] = x[lanes[i]];
        };
        take(along(vector.place), difference(1.0), by_places_, column);
        back(vector.place);
        double speed = 0.0;
        for (std::size_t i = 0; i < vector.space; ++i) speed = std::max(speed, std::fabs(x[vector.rate[i]]));
        take(along(vector.rate), difference(speed), by_rates_, column);
        back(vector.rate);
      }
    }
    for (const std::size_t lane : others_) {
      const double by = (x[lane] + difference(std::fabs(x[lane]))) - x[lane];
      take([&](double change) { point_[lane] = x[lane] + change; }, by, by_rates_, column++);
      point_[lane] = x[lane];
    }
    return evaluations;
  }

  bool factor(double real_shift, double shift_re, double shift_im) override {
    return factor_with(real_, real_shift) && factor_with(complex_, Complex(shift_re, shift_im));
  }

  void solve_real(double* b) override {
    solve_with(
        real_, [&](std::size_t lane) { return b[lane]; },
        [&](std::size_t lane, double value) { b[lane] = value; });
  }

  void solve_complex(double* re, double* im) override {
    solve_with(
        complex_, [&](std::size_t lane) { return Complex(re[lane], im[lane]); },
        [&](std::size_t lane, const Complex& value) {
          re[lane] = value.real();
          im[lane] = value.imag();
        });
  }

 private:
  // Lanes of one unit vector and a frame: directions across it, then itself.
  struct Vector {
    std::size_t space;
    std::array<std::size_t, 3> place{}, rate{};
    std::array<std::array<double, 3>, 3> frame{};

    void set_frame(const double* x) {
      std::array<double, 3>& u = frame[space - 1];
      double square = 0.0;
      for (std::size_t i = 0; i < space; ++i) square += x[place[i]] * x[place[i]];
      for (std::size_t i = 0; i < space; ++i) u[i] = x[place[i]] / std::sqrt(square);
      if (space == 2) {
        frame[0] = {-u[1], u[0], 0.0};
        return;
      }
      // From the axis that is most across.
      std::size_t axis = 0;
      for (std::size_t i = 1; i < 3; ++i) axis = std::fabs(u[i]) < std::fabs(u[axis]) ? i : axis;
      std::array<double, 3>& first = frame[0];
      const double scale = 1.0 / std::sqrt(1.0 - u[axis] * u[axis]);
      for (std::size_t i = 0; i < 3; ++i) first[i] = ((i == axis ? 1.0 : 0.0) - u[axis] * u[i]) * scale;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        frame[1][i] = u[j] * first[k] - u[k] * first[j];
      }
    }
  };

  template <class Number>
  struct Side {
    Number shift{};
    Factored<Number> factored{0};
    Eigen::Matrix<Number, Eigen::Dynamic, 1> rows, places, unknowns, room;

    void resize(Eigen::Index all, Eigen::Index m, Eigen::Index across) {
      factored = Factored<Number>(m);
      rows.resize(all);
      places.resize(across);
      unknowns.resize(m);
      room.resize(m);
    }
  };

  // Rates of change by rows: across the vectors, other lanes, along the vectors, integrals.
  void rows_of(const double* lanes, double* rows) const {
    std::size_t across = 0, along = unknowns_;
    for (const Vector& vector : vectors_) {
      for (std::size_t e = 0; e < vector.space; ++e) {
        double sum = 0.0;
        for (std::size_t i = 0; i < vector.space; ++i) sum += vector.frame[e][i] * lanes[vector.rate[i]];
        rows[e + 1 < vector.space ? across++ : along++] = sum;
      }
    }
    for (const std::size_t lane : others_) rows[across++] = lanes[lane];
    for (const std::size_t lane : integrals_) rows[along++] = lanes[lane];
  }

  template <class Number>
  bool factor_with(Side<Number>& side, Number shift) {
    const auto m = static_cast<Eigen::Index>(unknowns_), across = static_cast<Eigen::Index>(across_);
    side.shift = shift;
    const Number inverse = 1.0 / shift;
    auto& matrix = side.factored.matrix();
    for (Eigen::Index j = 0; j < m; ++j) {
      for (Eigen::Index i = 0; i < m; ++i) matrix(i, j) = -by_rates_(i, j);
      if (j < across) {
        for (Eigen::Index i = 0; i < m; ++i) matrix(i, j) -= inverse * by_places_(i, j);
      }
      matrix(j, j) += shift;
    }
    return side.factored.factor();
  }

  template <class Number, class Get, class Put>
  void solve_with(Side<Number>& side, Get get, Put put) {
    const auto m = static_cast<Eigen::Index>(unknowns_), across = static_cast<Eigen::Index>(across_);
    const auto rest = static_cast<Eigen::Index>(rows_) - m;
    const Number inverse = 1.0 / side.shift;
    Eigen::Index next = 0, along = m;
    for (const Vector& vector : vectors_) {
      for (std::size_t e = 0; e < vector.space; ++e) {
        Number place(0), rate(0);
        for (std::size_t i = 0; i < vector.space; ++i) {
          place += vector.frame[e][i] * get(vector.place[i]);
          rate += vector.frame[e][i] * get(vector.rate[i]);
        }
        if (e + 1 < vector.space) {
          side.places[next] = inverse * place;
          side.rows[next++] = rate;
        } else {
          side.rows[along++] = rate;
        }
      }
    }
    for (const std::size_t lane : others_) side.rows[next++] = get(lane);
    for (const std::size_t lane : integrals_) side.rows[along++] = get(lane);
    side.unknowns = side.rows.head(m);
    add_product(by_places_, 0, m, side.places, side.unknowns);
    side.factored.solve(side.unknowns, side.room);
    for (Eigen::Index i = 0; i < across; ++i) side.places[i] += inverse * side.unknowns[i];
    auto behind = side.rows.tail(rest);
    add_product(by_places_, m, rest, side.places, behind);
    add_product(by_rates_, m, rest, side.unknowns, behind);
    next = 0, along = m;
    for (const Vector& vector : vectors_) {
      std::array<Number, 3> rate{};
      for (std::size_t e = 0; e < vector.space; ++e) {
        const Number part = e + 1 < vector.space ? side.unknowns[next++] : inverse * side.rows[along++];
        for (std::size_t i = 0; i < vector.space; ++i) rate[i] += vector.frame[e][i] * part;
      }
      for (std::size_t i = 0; i < vector.space; ++i) {
        put(vector.place[i], inverse * (get(vector.place[i]) + rate[i]));
        put(vector.rate[i], rate[i]);
      }
    }
    for (const std::size_t lane : others_) put(lane, side.unknowns[next++]);
    for (const std::size_t lane : integrals_) put(lane, inverse * side.rows[along++]);
  }

  // to += rows [first, first + count) of the matrix, times x
  template <class Vector, class To>
  static void add_product(const Eigen::MatrixXd& matrix, Eigen::Index first, Eigen::Index count,
                          const Vector& x, To&& to) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      const auto factor = x[j];
      const double* column = matrix.col(j).data() + first;
      for (Eigen::Index i = 0; i < count; ++i) to[i] += column[i] * factor;
    }
  }

  const System& system_;
  std::size_t lanes_;
  std::size_t across_ = 0, unknowns_ = 0, rows_ = 0;
  std::vector<Vector> vectors_;
  std::vector<std::size_t> others_, integrals_;
  std::vector<double> point_, slope_;
  Eigen::MatrixXd by_places_, by_rates_;
  Side<double> real_;
  Side<Complex> complex_;
};

}  // namespace

std::unique_ptr<ShiftedSolver> dense_shifted_solver(const System& system) {
  if (!system.unit_vectors.empty()) return std::make_unique<TangentShiftedSolver>(system);
  return std::make_unique<DenseShiftedSolver>(system);
}

}  // namespace catena
