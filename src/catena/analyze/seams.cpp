#include "catena/analyze/seams.h"

#include <cmath>

#include "catena/math/sparse_solver.h"

namespace catena {
namespace {

// Unknowns: of each segment its start and the multipliers of its seam, and behind all the numbers; each in
// units in which its diagonal is 1.
class Factored {
 public:
  Factored(const SeamEquations& equations, const std::vector<char>& frozen, double damping)
      : equations_(equations), frozen_(frozen), damping_(damping) {
    Eigen::Index at = 0;
    for (const SegmentEquations& one : equations.segments) {
      offsets_.push_back(at);
      at += 2 * one.normal.rows();
    }
    numbers_ = at;
    size_ = at + equations.normal.rows();
    number_units_ = units(equations.normal);
    for (const SegmentEquations& one : equations.segments) start_units_.push_back(units(one.normal));
    fill();
  }

  bool good() const { return good_; }
  const Eigen::VectorXd& number_units() const { return number_units_; }
  Eigen::Index numbers() const { return numbers_; }
  Eigen::Index size() const { return size_; }

  Eigen::VectorXd solve(Eigen::VectorXd right) {
    solver_.solve(right.data());
    return right;
  }

  // -gradient and -defects, in these units.
  Eigen::VectorXd right() const {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(size_);
    for (Eigen::Index j = 0; j < size_ - numbers_; ++j) {
      if (!frozen_[static_cast<std::size_t>(j)])
        out(numbers_ + j) = -number_units_(j) * equations_.gradient(j);
    }
    for (std::size_t k = 0; k < offsets_.size(); ++k) {
      const SegmentEquations& one = equations_.segments[k];
      const Eigen::Index m = one.normal.rows();
      out.segment(offsets_[k], m) = -start_units_[k].cwiseProduct(one.gradient);
      out.segment(offsets_[k] + m, m) = -one.defect.cwiseQuotient(start_units_[k]);
    }
    return out;
  }

  Eigen::VectorXd start(const Eigen::VectorXd& solution, std::size_t k) const {
    const Eigen::Index m = equations_.segments[k].normal.rows();
    return start_units_[k].cwiseProduct(solution.segment(offsets_[k], m));
  }

 private:
  static Eigen::VectorXd units(const Eigen::MatrixXd& normal) {
    Eigen::VectorXd out(normal.rows());
    const double largest = normal.rows() > 0 ? normal.diagonal().maxCoeff() : 0.0;
    for (Eigen::Index i = 0; i < out.size(); ++i) {
      const double value = std::max(normal(i, i), 1e-20 * largest);
      out(i) = value > 0.0 ? 1.0 / std::sqrt(value) : 1.0;
    }
    return out;
  }

  void put(Eigen::Index row, Eigen::Index column, double value) {
    if (value != 0.0) entries_.push_back({static_cast<int>(row), static_cast<int>(column), value});
  }
  void put_both(Eigen::Index row, Eigen::Index column, double value) {
    put(row, column, value);
    put(column, row, value);
  }

  void fill() {
    const Eigen::Index count = size_ - numbers_;
    const auto is_frozen = [&](Eigen::Index j) { return frozen_[static_cast<std::size_t>(j)] != 0; };
    for (Eigen::Index i = 0; i < count; ++i) {
      for (Eigen::Index j = 0; j < count; ++j) {
        if (i != j && (is_frozen(i) || is_frozen(j))) continue;
        double value = number_units_(i) * number_units_(j) * equations_.normal(i, j);
        if (i == j) value = is_frozen(i) ? 1.0 : value + damping_;
        put(numbers_ + i, numbers_ + j, value);
      }
    }
    for (std::size_t k = 0; k < offsets_.size(); ++k) fill(k);
    good_ = solver_.factor(static_cast<std::size_t>(size_), entries_);
  }

  void fill(std::size_t k) {
    const SegmentEquations& one = equations_.segments[k];
    const Eigen::Index m = one.normal.rows(), at = offsets_[k];
    const Eigen::VectorXd& units = start_units_[k];
    for (Eigen::Index i = 0; i < m; ++i) {
      for (Eigen::Index j = 0; j < m; ++j)
        put(at + i, at + j, units(i) * units(j) * one.normal(i, j) + (i == j ? damping_ : 0.0));
      put_both(at + m + i, at + i, -1.0);
      for (Eigen::Index j = 0; j < size_ - numbers_; ++j) {
        if (frozen_[static_cast<std::size_t>(j)]) continue;
        put_both(at + i, numbers_ + j, units(i) * number_units_(j) * one.mixed(j, i));
        put_both(at + m + i, numbers_ + j, one.by_numbers(i, j) * number_units_(j) / units(i));
      }
      if (k == 0) continue;
      for (Eigen::Index j = 0; j < one.by_start.cols(); ++j)
        put_both(at + m + i, offsets_[k - 1] + j, one.by_start(i, j) * start_units_[k - 1](j) / units(i));
    }
  }

  const SeamEquations& equations_;
  const std::vector<char>& frozen_;
  double damping_;
  std::vector<Eigen::Index> offsets_;
  Eigen::Index numbers_ = 0, size_ = 0;
  Eigen::VectorXd number_units_;
  std::vector<Eigen::VectorXd> start_units_;
  std::vector<SparseEntry<double>> entries_;
  SparseSolver<double> solver_;
  bool good_ = false;
};

}  // namespace

SeamSolution solved(const SeamEquations& equations, const std::vector<char>& frozen, double damping) {
  SeamSolution out;
  Factored factored(equations, frozen, damping);
  if (!factored.good()) return out;
  const Eigen::VectorXd solution = factored.solve(factored.right());
  if (!solution.allFinite()) return out;
  const Eigen::Index count = equations.normal.rows();
  out.numbers = factored.number_units().cwiseProduct(solution.tail(count));
  for (Eigen::Index j = 0; j < count; ++j) {
    if (frozen[static_cast<std::size_t>(j)]) out.numbers(j) = 0.0;
  }
  Eigen::VectorXd slope = equations.normal * out.numbers + equations.gradient;
  double sum = equations.gradient.dot(out.numbers) + 0.5 * out.numbers.dot(equations.normal * out.numbers);
  for (std::size_t k = 0; k < equations.segments.size(); ++k) {
    const SegmentEquations& one = equations.segments[k];
    out.starts.push_back(factored.start(solution, k));
    const Eigen::VectorXd& start = out.starts.back();
    sum += one.gradient.dot(start) + 0.5 * start.dot(one.normal * start) + out.numbers.dot(one.mixed * start);
  }
  out.decrease = -sum;
  out.good = true;
  return out;
}

Eigen::MatrixXd covariance(const SeamEquations& equations, const std::vector<char>& frozen, double damping,
                           const Eigen::VectorXd& scale) {
  Factored factored(equations, frozen, damping);
  const Eigen::Index count = equations.normal.rows();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(count, count);
  if (!factored.good()) return out;
  for (Eigen::Index j = 0; j < count; ++j) {
    if (frozen[static_cast<std::size_t>(j)]) continue;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(factored.size());
    right(factored.numbers() + j) = 1.0;
    const Eigen::VectorXd column = factored.solve(right).tail(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      if (frozen[static_cast<std::size_t>(i)]) continue;
      out(i, j) = column(i) * factored.number_units()(i) * factored.number_units()(j) * scale(i) * scale(j);
    }
  }
  return 0.5 * (out + out.transpose());
}

}  // namespace catena
