#include "catena/analyze/flat.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "catena/base/words.h"

namespace catena {
namespace {

constexpr double kNothing = 1e-4;  // of the largest: what is zero but for roundoff, after an elimination

bool same(double a, double b) { return std::fabs(a - b) <= 1e-3 * (std::fabs(a) + std::fabs(b)); }

// Columns in which each has a number of its own, and few others.
Eigen::MatrixXd simplest(Eigen::MatrixXd null) {
  for (Eigen::Index column = 0; column < null.cols(); ++column) {
    Eigen::Index row = 0;
    null.col(column).cwiseAbs().maxCoeff(&row);
    null.col(column) /= null(row, column);
    for (Eigen::Index other = 0; other < null.cols(); ++other) {
      if (other != column) null.col(other) -= null(row, other) * null.col(column);
    }
  }
  for (Eigen::Index column = 0; column < null.cols(); ++column) {
    const double largest = null.col(column).cwiseAbs().maxCoeff();
    for (Eigen::Index row = 0; row < null.rows(); ++row) {
      if (std::fabs(null(row, column)) < kNothing * largest) null(row, column) = 0.0;
    }
  }
  return null;
}

// p and q that change by dp and dq together: what of them stays.
std::string kept_of_two(const std::string& first, const std::string& second, double p, double dp, double q,
                        double dq) {
  const bool has_parts = p != 0.0 && q != 0.0;
  const double a = has_parts ? dp / p : 0.0, b = has_parts ? dq / q : 0.0;
  if (has_parts && same(a, b)) return "only their ratio";
  if (has_parts && same(a, -b)) return "only their product";
  if (same(dp, dq)) return "only their difference";
  if (same(dp, -dq)) return "only their sum";
  const auto power = [](const std::string& name, int exponent) {
    return exponent == 1 ? name : fmt::format("{}^{}", name, exponent);
  };
  for (const auto& [m, n] : {std::pair{2, 1}, {1, 2}, {3, 1}, {1, 3}, {3, 2}, {2, 3}}) {
    for (const int sign : {1, -1}) {
      if (has_parts && same(a * m, sign * b * n))
        return fmt::format("only {} {} {}", power(first, m), sign > 0 ? "/" : "*", power(second, n));
    }
  }
  return fmt::format("only {:.4g} {} {} {:.4g} {}", std::fabs(dq), first, dp * dq > 0.0 ? "-" : "+",
                     std::fabs(dp), second);
}

std::string kept_of_all(const std::vector<double>& values, const std::vector<double>& changes) {
  bool ratios = true, differences = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ratios = ratios && values[i] != 0.0 && same(changes[i] / values[i], changes[0] / values[0]);
    differences = differences && same(changes[i], changes[0]);
  }
  return ratios ? "only their ratios" : differences ? "only their differences" : "only combinations of them";
}

}  // namespace

std::vector<FlatDirection> flat_directions(const std::vector<FreeNumber>& free,
                                           const std::vector<double>& values, const Eigen::MatrixXd& null) {
  // In parts of the numbers, so that units do not count.
  Eigen::VectorXd units(null.rows());
  for (Eigen::Index i = 0; i < units.size(); ++i) {
    const double value = std::fabs(values[static_cast<std::size_t>(i)]);
    units(i) = value > 0.0 ? value : 1.0;
  }
  const Eigen::MatrixXd simple = simplest(units.cwiseInverse().asDiagonal() * null);
  std::vector<FlatDirection> out;
  for (Eigen::Index column = 0; column < simple.cols(); ++column) {
    FlatDirection& flat = out.emplace_back();
    std::vector<std::string> names;
    std::vector<double> at, changes;
    for (Eigen::Index row = 0; row < simple.rows(); ++row) {
      if (simple(row, column) == 0.0) continue;
      const auto i = static_cast<std::size_t>(row);
      flat.members.push_back(i);
      names.push_back(free[i].path);
      at.push_back(values[i]);
      changes.push_back(simple(row, column) * units(row));
    }
    const std::string kept = names.size() == 1 ? "the data do not depend on it"
                             : names.size() == 2
                                 ? kept_of_two(names[0], names[1], at[0], changes[0], at[1], changes[1])
                                 : kept_of_all(at, changes);
    flat.text = fmt::format("{}: {}", listed(names, "and"), kept);
  }
  return out;
}

}  // namespace catena
