#include "catena/math/student.h"

#include <cmath>
#include <initializer_list>
#include <limits>

#include "catena/math/log_gamma.h"

namespace catena {
namespace {

// Lentz's evaluation of the continued fraction (DLMF 8.17.22).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMost = 10'000;
  double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
  if (std::fabs(d) < kTiny) d = kTiny;
  d = 1.0 / d;
  double h = d;
  for (int m = 1; m <= kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1.0;
    for (const double term : {even, odd}) {
      d = 1.0 + term * d;
      c = 1.0 + term / c;
      if (std::fabs(d) < kTiny) d = kTiny;
      if (std::fabs(c) < kTiny) c = kTiny;
      d = 1.0 / d;
      change = c * d;
      h *= change;
    }
    if (std::fabs(change - 1.0) < 4.0 * std::numeric_limits<double>::epsilon()) break;
  }
  return h;
}

// P(|t| < q)
double student_within(double q, double freedom) {
  constexpr double kMany = 1e7;  // the difference from a normal distribution is below 1e-7 there
  if (!(freedom < kMany)) return std::erf(q / std::sqrt(2.0));
  return 1.0 - incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + q * q));
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front =
      std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double student_quantile(double probability, double freedom) {
  double low = 0.0, high = 1.0;
  while (student_within(high, freedom) < probability && high < 1e300) high *= 2.0;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (student_within(middle, freedom) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double binomial_below(int k, int n, double p) {
  if (k < 0) return 0.0;
  if (k >= n) return 1.0;
  return incomplete_beta(n - k, k + 1.0, 1.0 - p);
}

}  // namespace catena
