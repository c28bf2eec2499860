#include "catena/integrate/hermite.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace catena {
namespace {

constexpr int kMostDerivatives = 15;

double binomial(int n, int k) {
  double out = 1.0;
  for (int i = 1; i <= k; ++i) out = out * (n - k + i) / i;
  return out;
}

// A polynomial in powers of s - from as one in powers of s - to.
void shift(double* c, int degree, double from, double to) {
  for (int low = 0; low < degree; ++low) {
    for (int k = degree - 1; k >= low; --k) c[k] += (to - from) * c[k + 1];
  }
}

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

// With the series at the start as rows 0..m, the rest is s^(m+1) q(s). What the rows lack at s = 1 in value
// and derivatives gives q in powers of s - 1, since s^(m+1) = sum of binomial(m+1, k) (s - 1)^k.
void TwoPointHermite::match_end(const double* start, const double* end, int m, std::size_t lane,
                                StepPolynomial& polynomial) const {
  std::array<double, kMostDerivatives + 1> rows{}, rest{};
  for (int k = 1; k <= m; ++k) rows[k] = polynomial.row(k)[lane];
  shift(rows.data(), m, 0.0, 1.0);
  for (int k = 0; k <= m; ++k) {
    const double wanted =
        k == 0 ? end[lane] - start[lane] : series_[static_cast<std::size_t>(k) * system_.dimension + lane];
    rest[k] = wanted - rows[k];
    for (int j = 0; j < k; ++j) rest[k] -= binomial(m + 1, k - j) * rest[j];
  }
  shift(rest.data(), m, 1.0, 0.0);
  for (int k = 0; k <= m; ++k) polynomial.row(m + 1 + k)[lane] = rest[k];
}

}  // namespace catena
