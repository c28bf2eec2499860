#include "catena/expr/kinks.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/expr/surprise.h"
#include "catena/math/polynomial.h"

namespace catena {
namespace {

// Roundoff of a switch, of its own size and of what it is the difference of.
constexpr double kNoise = 2e-15;

// Coefficients of the polynomial in s = t / length; empty where it cannot vanish.
std::vector<double> scaled(const double* c, std::size_t stride, int order, double length, double& size) {
  double rest = 0.0, power = 1.0;
  for (int k = 1; k <= order; ++k)
    rest += std::fabs(c[static_cast<std::size_t>(k) * stride]) * (power *= length);
  size = rest + std::fabs(c[0]);
  if (std::fabs(c[0]) > rest || !std::isfinite(rest)) return {};
  std::vector<double> out;
  power = 1.0;
  for (int k = 0; k <= order; ++k, power *= length)
    out.push_back(c[static_cast<std::size_t>(k) * stride] * power);
  return out;
}

}  // namespace

// A square that touches zero does so at a minimum.
double first_touch(const double* c, std::size_t stride, int order, double length) {
  double size = 0.0;
  const std::vector<double> square = scaled(c, stride, order, length, size);
  if (square.empty()) return length;
  const std::vector<double> slope = derivative_of(square);
  for (const double s : crossings(slope)) {
    if (s * length <= 1e-9 * length) continue;
    if (polynomial_value(square, s) <= 4e-15 * size) return s * length;
  }
  return length;
}

double first_sign_change(const double* c, std::size_t stride, int order, double length, double noise) {
  double size = 0.0;
  const std::vector<double> value = scaled(c, stride, order, length, size);
  if (value.empty()) return length;
  for (const double s : crossings(value)) {
    // One that a step has just landed on.
    if (std::fabs(value[0]) <= 2 * noise && std::fabs(polynomial_value(value, 0.5 * s)) <= 2 * noise)
      continue;
    double beyond = s;
    for (double more = 1e-16; more < 1e-3 && std::fabs(polynomial_value(value, beyond)) <= noise; more *= 2) {
      beyond = std::min(1.0, s + more);
    }
    return std::min(length, beyond * length);
  }
  return length;
}

double first_kink(const expr::SeriesProgram& series, int order, double length) {
  double first = length;
  for (int s = 0; s < static_cast<int>(series.switches().size()); ++s) {
    const bool touches =
        series.switches()[static_cast<std::size_t>(s)].kind == expr::SwitchKind::touches_zero;
    const std::size_t stride = series.order_stride();
    for (std::size_t lane = 0; lane < series.lanes(); ++lane) {
      const double* c = series.switch_row(0, s) + lane;
      first = touches ? first_touch(c, stride, order, first)
                      : first_sign_change(c, stride, order, first, kNoise * (1.0 + std::fabs(c[0])));
    }
  }
  return first;
}

double first_break(const expr::SeriesProgram& series, int order, double length, double allowed) {
  if (allowed > 0.0) length = expr::known_until(series, order, length, allowed);
  return first_kink(series, order, length);
}

}  // namespace catena
