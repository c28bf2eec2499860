#include "catena/math/polynomial.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace catena {
namespace {

constexpr int kDeepest = 48;  // halvings: beyond, two crossings are nearer than rounding can tell

// sum c_k s^k in the Bernstein basis of [0, 1]: b_i = sum_{k <= i} c_k binom(i, k)/binom(n, k).
Few<double> bernstein(std::span<const double> c) {
  const std::size_t n = c.size() - 1;
  Few<double> b(c.size());
  // Scaled coefficients c_k / binom(n, k), summed by Pascal's rule.
  double binomial = 1.0;
  for (std::size_t k = 0; k <= n; ++k) {
    b[k] = c[k] / binomial;
    binomial *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  for (std::size_t level = 1; level <= n; ++level) {
    for (std::size_t i = n; i >= level; --i) b[i] += b[i - 1];
  }
  return b;
}

// What lies within the noise counts as zero, and zeros count for neither sign.
int sign_changes(const Few<double>& b, double noise) {
  int changes = 0;
  double last = 0.0;
  for (const double value : b) {
    if (std::fabs(value) <= noise) continue;
    if (last != 0.0 && (value > 0.0) != (last > 0.0)) ++changes;
    last = value;
  }
  return changes;
}

// De Casteljau at the middle.
void halve(Few<double>& left, Few<double>& right) {
  const std::size_t n = left.size() - 1;
  right.resize(n + 1);
  right[n] = left[n];
  for (std::size_t level = 1; level <= n; ++level) {
    for (std::size_t i = n; i >= level; --i) left[i] = 0.5 * (left[i - 1] + left[i]);
    right[n - level] = left[n];
  }
}

// The one crossing between low and high: bisection, then secants that stay inside.
double refine(std::span<const double> c, double low, double high) {
  double at_low = polynomial_value(c, low), at_high = polynomial_value(c, high);
  if (at_high == 0.0) return high;
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
    double middle = 0.5 * (low + high);
    if (i % 3 != 2 && at_low != at_high) {
      const double secant = low - at_low * (high - low) / (at_high - at_low);
      if (secant > low && secant < high) middle = secant;
    }
    const double value = polynomial_value(c, middle);
    if (value == 0.0) return middle;
    if ((value > 0.0) == (at_low > 0.0) && at_low != 0.0) {
      low = middle, at_low = value;
    } else {
      high = middle, at_high = value;
    }
  }
  return high;
}

void isolate(std::span<const double> c, Few<double> b, double low, double high, double noise, int depth,
             Few<double>& roots) {
  const int changes = sign_changes(b, noise);
  if (changes == 0) return;
  const bool ends_differ = (b.front() > 0.0) != (b.back() > 0.0) && b.front() != 0.0;
  if ((changes == 1 && ends_differ) || depth >= kDeepest) {
    if (ends_differ) roots.push_back(refine(c, low, high));
    return;
  }
  Few<double> right;
  halve(b, right);
  const double middle = 0.5 * (low + high);
  isolate(c, b, low, middle, noise, depth + 1, roots);
  isolate(c, right, middle, high, noise, depth + 1, roots);
}

}  // namespace

double polynomial_value(std::span<const double> c, double s) {
  double value = 0.0;
  for (std::size_t k = c.size(); k-- > 0;) value = value * s + c[k];
  return value;
}

Few<double> crossings(std::span<const double> c, double noise) {
  Few<double> roots;
  double rest = 0.0;
  for (std::size_t k = 1; k < c.size(); ++k) rest += std::fabs(c[k]);
  if (c.size() < 2 || !std::isfinite(rest) || std::fabs(c[0]) > rest) return roots;
  isolate(c, bernstein(c), 0.0, 1.0, noise, 0, roots);
  return roots;
}

Few<double> derivative_of(std::span<const double> c) {
  Few<double> out;
  for (std::size_t k = 1; k < c.size(); ++k) out.push_back(static_cast<double>(k) * c[k]);
  return out;
}

}  // namespace catena
