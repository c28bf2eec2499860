#include "catena/math/saddle_point.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace catena {
namespace {

// Of unit rows: what roundoff leaves of one that follows from the others stays far below.
constexpr double kDependent = 1e-11;
// Of a matrix with entries of size one.
constexpr double kSingular = 1e-13;

}  // namespace

SaddlePoint::SaddlePoint(std::size_t unknowns, std::size_t constraints)
    : n_(unknowns),
      m_(constraints),
      unit_(n_),
      length_(m_),
      columns_(m_ * n_),
      order_(m_),
      q_(n_ * n_),
      reduced_(n_ * n_),
      half_(n_ * n_),
      row_order_(n_),
      column_order_(n_),
      reflector_(n_),
      right_(std::max(n_, m_)),
      turned_(n_) {}

bool SaddlePoint::factor(const double* mass, const double* rows) {
  scale(mass, rows);
  triangularise();
  reduce(mass);
  return eliminate();
}

// Coordinates without mass of their own take the size that the constraints give them.
void SaddlePoint::scale(const double* mass, const double* rows) {
  const auto massless = [&](std::size_t i) { return !(std::fabs(mass[i * n_ + i]) > 0.0); };
  for (std::size_t i = 0; i < n_; ++i)
    unit_[i] = massless(i) ? 0.0 : 1.0 / std::sqrt(std::fabs(mass[i * n_ + i]));
  for (std::size_t j = 0; j < m_; ++j) {
    double square = 0.0, all = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double g = rows[j * n_ + i];
      square += g * g * unit_[i] * unit_[i];
      all += g * g;
    }
    length_[j] = std::sqrt(square > 0.0 ? square : all);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    if (unit_[i] > 0.0) continue;
    double square = 0.0;
    for (std::size_t j = 0; j < m_; ++j) {
      const double g = length_[j] > 0.0 ? rows[j * n_ + i] / length_[j] : 0.0;
      square += g * g;
    }
    unit_[i] = square > 0.0 ? 1.0 / std::sqrt(square) : 1.0;
  }
  for (std::size_t j = 0; j < m_; ++j) {
    double square = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      columns_[j * n_ + i] = rows[j * n_ + i] * unit_[i];
      square += columns_[j * n_ + i] * columns_[j * n_ + i];
    }
    length_[j] = square > 0.0 ? std::sqrt(square) : 1.0;
    for (std::size_t i = 0; i < n_; ++i) columns_[j * n_ + i] /= length_[j];
  }
}

void SaddlePoint::triangularise() {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::fill(q_.begin(), q_.end(), 0.0);
  for (std::size_t i = 0; i < n_; ++i) q_[i * n_ + i] = 1.0;
  rank_ = 0;
  margin_ = 1.0;
  for (std::size_t k = 0; k < std::min(n_, m_); ++k) {
    std::size_t best = k;
    double largest = -1.0;
    for (std::size_t j = k; j < m_; ++j) {
      const double* column = columns_.data() + order_[j] * n_;
      const double rest = std::inner_product(column + k, column + n_, column + k, 0.0);
      if (rest > largest) largest = rest, best = j;
    }
    largest = std::sqrt(largest);
    if (!(largest > kDependent)) return;
    std::swap(order_[k], order_[best]);
    margin_ = std::min(margin_, largest);
    reflect(k);
    rank_ = k + 1;
  }
}

// A Householder reflection that leaves nothing of column k below its diagonal.
void SaddlePoint::reflect(std::size_t k) {
  double* column = columns_.data() + order_[k] * n_;
  double* v = reflector_.data();
  const double size = std::sqrt(std::inner_product(column + k, column + n_, column + k, 0.0));
  const double diagonal = column[k] > 0.0 ? -size : size;
  std::copy(column + k, column + n_, v + k);
  v[k] -= diagonal;
  const double square = std::inner_product(v + k, v + n_, v + k, 0.0);
  if (square == 0.0) return;
  const auto apply = [&](double* x) {
    const double along = 2.0 * std::inner_product(v + k, v + n_, x + k, 0.0) / square;
    for (std::size_t i = k; i < n_; ++i) x[i] -= along * v[i];
  };
  for (std::size_t j = k + 1; j < m_; ++j) apply(columns_.data() + order_[j] * n_);
  for (std::size_t i = 0; i < n_; ++i) apply(q_.data() + i * n_);
  std::fill(column + k, column + n_, 0.0);
  column[k] = diagonal;
}

void SaddlePoint::reduce(const double* mass) {
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < n_; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n_; ++k) sum += mass[i * n_ + k] * unit_[k] * q_[k * n_ + j];
      half_[i * n_ + j] = unit_[i] * sum;
    }
  }
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < n_; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n_; ++k) sum += q_[k * n_ + i] * half_[k * n_ + j];
      reduced_[i * n_ + j] = sum;
    }
  }
}

// Gauss with complete pivoting on what the constraints leave.
bool SaddlePoint::eliminate() {
  std::iota(row_order_.begin(), row_order_.end(), std::size_t{0});
  std::iota(column_order_.begin(), column_order_.end(), std::size_t{0});
  const auto at = [&](std::size_t i, std::size_t j) -> double& {
    return reduced_[row_order_[i] * n_ + column_order_[j]];
  };
  for (pivots_ = rank_; pivots_ < n_; ++pivots_) {
    const std::size_t k = pivots_;
    std::size_t row = k, column = k;
    for (std::size_t i = k; i < n_; ++i) {
      for (std::size_t j = k; j < n_; ++j) {
        if (!(std::fabs(at(i, j)) <= std::fabs(at(row, column)))) row = i, column = j;
      }
    }
    if (!(std::fabs(at(row, column)) > kSingular)) return false;
    std::swap(row_order_[k], row_order_[row]);
    std::swap(column_order_[k], column_order_[column]);
    for (std::size_t i = k + 1; i < n_; ++i) {
      const double factor = at(i, k) /= at(k, k);
      for (std::size_t j = k + 1; j < n_; ++j) at(i, j) -= factor * at(k, j);
    }
  }
  return true;
}

void SaddlePoint::solve(const double* f, const double* c, double* a, double* lambda) {
  const auto r = [&](std::size_t i, std::size_t k) { return columns_[order_[k] * n_ + i]; };
  double* x = turned_.data();  // a, turned by Q
  for (std::size_t k = 0; k < rank_; ++k) {
    double sum = c[order_[k]] / length_[order_[k]];
    for (std::size_t i = 0; i < k; ++i) sum -= r(i, k) * x[i];
    x[k] = sum / r(k, k);
  }
  double* w = right_.data();
  for (std::size_t i = 0; i < n_; ++i) {
    w[i] = 0.0;
    for (std::size_t k = 0; k < n_; ++k) w[i] += q_[k * n_ + i] * unit_[k] * f[k];
  }
  // z by substitution, in place of w's last part.
  for (std::size_t i = rank_; i < n_; ++i) {
    for (std::size_t j = 0; j < rank_; ++j) w[i] -= reduced_[i * n_ + j] * x[j];
  }
  const auto at = [&](std::size_t i, std::size_t j) {
    return reduced_[row_order_[i] * n_ + column_order_[j]];
  };
  for (std::size_t i = rank_; i < n_; ++i) {
    double sum = w[row_order_[i]];
    for (std::size_t j = rank_; j < i; ++j) sum -= at(i, j) * reflector_[j];
    reflector_[i] = sum;
  }
  for (std::size_t i = n_; i-- > rank_;) {
    double sum = reflector_[i];
    for (std::size_t j = i + 1; j < n_; ++j) sum -= at(i, j) * x[column_order_[j]];
    x[column_order_[i]] = sum / at(i, i);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_; ++k) sum += q_[i * n_ + k] * x[k];
    a[i] = unit_[i] * sum;
  }
  // R lambda = (Q^T M Q x - w) in the first rows, which elimination has left as they were.
  std::fill_n(lambda, m_, 0.0);
  for (std::size_t k = rank_; k-- > 0;) {
    double sum = -w[k];
    for (std::size_t j = 0; j < n_; ++j) sum += reduced_[k * n_ + j] * x[j];
    for (std::size_t j = k + 1; j < rank_; ++j) sum -= r(k, j) * lambda[order_[j]];
    lambda[order_[k]] = sum / r(k, k);
  }
  for (std::size_t j = 0; j < m_; ++j) lambda[j] /= length_[j];
}

std::vector<std::size_t> SaddlePoint::redundant() const {
  std::vector<std::size_t> rows(order_.begin() + static_cast<std::ptrdiff_t>(rank_), order_.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

// The first column without a pivot free, the others as the equations before it say.
std::vector<double> SaddlePoint::undetermined() const {
  std::vector<double> x(n_, 0.0), out(n_, 0.0);
  x[column_order_[pivots_]] = 1.0;
  const auto at = [&](std::size_t i, std::size_t j) {
    return reduced_[row_order_[i] * n_ + column_order_[j]];
  };
  for (std::size_t i = pivots_; i-- > rank_;) {
    double sum = 0.0;
    for (std::size_t j = i + 1; j <= pivots_; ++j) sum -= at(i, j) * x[column_order_[j]];
    x[column_order_[i]] = sum / at(i, i);
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t k = 0; k < n_; ++k) out[i] += q_[i * n_ + k] * x[k];
    largest = std::max(largest, std::fabs(out[i]));
  }
  for (double& value : out) value /= largest;
  return out;
}

}  // namespace catena
