#include "catena/integrate/hermite.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "catena/integrate/two_point.h"

namespace catena {
namespace {

constexpr int kMostDerivatives = 15;

}  // namespace

TwoPointHermite::TwoPointHermite(const System& system, int most_derivatives) : system_(system) {
  const int most = usable(most_derivatives);
  series_.resize((static_cast<std::size_t>(most) + 1) * system.dimension);
  if (system.taylor && system.reserve) system.reserve(most);
}

int TwoPointHermite::usable(int derivatives) const {
  return system_.taylor ? std::clamp(derivatives, 1, kMostDerivatives) : 1;
}

void TwoPointHermite::expand(double t, const double* x, int derivatives, double length, StepCounts& counts) {
  const std::size_t n = system_.dimension;
  ++counts.evaluations;
  if (system_.taylor) {
    system_.taylor(t, x, derivatives, series_.data());
  } else {
    system_.rhs(t, x, series_.data() + n);
  }
  double power = 1.0;
  for (int k = 1; k <= derivatives; ++k) {
    power *= length;
    double* row = series_.data() + static_cast<std::size_t>(k) * n;
    for (std::size_t i = 0; i < n; ++i) row[i] *= power;
  }
}

// Where a step ends on the kink of a root, the motion has so many derivatives and no more.
int TwoPointHermite::finite_orders(int derivatives) const {
  int order = 1;
  while (order < derivatives &&
         std::isfinite(max_norm(series_.data() + (static_cast<std::size_t>(order) + 1) * system_.dimension,
                                system_.dimension)))
    ++order;
  return order;
}

void TwoPointHermite::fill(double start_time, const double* start, double end_time, const double* end,
                           int derivatives, StepPolynomial& polynomial, StepCounts& counts) {
  const std::size_t n = system_.dimension;
  int m = usable(derivatives);
  expand(start_time, start, m, polynomial.length, counts);
  m = finite_orders(m);
  std::copy_n(start, n, polynomial.row(0));
  std::copy_n(series_.data() + n, static_cast<std::size_t>(m) * n, polynomial.row(1));
  expand(end_time, end, m, polynomial.length, counts);
  m = finite_orders(m);
  polynomial.degree = 2 * m + 1;
  for (std::size_t lane = 0; lane < n; ++lane) match_end(start, end, m, lane, polynomial);
}

void TwoPointHermite::match_end(const double* start, const double* end, int m, std::size_t lane,
                                StepPolynomial& polynomial) const {
  std::array<double, kMostDerivatives + 1> rows{}, rest{};
  for (int k = 1; k <= m; ++k) rows[k] = polynomial.row(k)[lane];
  const auto wanted = [&](int k) {
    return k == 0 ? end[lane] - start[lane] : series_[static_cast<std::size_t>(k) * system_.dimension + lane];
  };
  two_point::match_end(m, rows.data(), wanted, rest.data());
  for (int k = 0; k <= m; ++k) polynomial.row(m + 1 + k)[lane] = rest[k];
}

}  // namespace catena
