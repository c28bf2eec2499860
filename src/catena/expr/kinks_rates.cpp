// Kinks along series with derivatives: where they are, doubles tell; how that place moves follows from the
// quantity that vanishes there, d tau = -dg / g'.
#include <cmath>
#include <vector>

#include "catena/expr/kinks.h"
#include "catena/math/tangent.h"

namespace catena {
namespace {

constexpr double kNoise = 2e-15;

struct Values {
  std::vector<double> c;
  Values(const Rates* from, std::size_t stride, int order) {
    for (int k = 0; k <= order; ++k) c.push_back(from[static_cast<std::size_t>(k) * stride].value());
  }
};

// d tau of a root of the polynomial, or of its derivative, at `root`.
Rates moving(const Rates* c, std::size_t stride, int order, double root, bool of_slope) {
  const auto factor = [of_slope](int k) { return of_slope ? k : 1.0; };
  Rates value(0.0);
  double slope = 0.0;
  const int first = of_slope ? 1 : 0;
  for (int k = order; k >= first; --k) {
    slope = slope * root + value.value();
    value = value * Rates(root) + c[static_cast<std::size_t>(k) * stride] * Rates(factor(k));
  }
  Rates out(root);
  for (int j = 0; j < kDirections; ++j) out.set_rate(j, value.rate(j) == 0.0 ? 0.0 : -value.rate(j) / slope);
  return out;
}

}  // namespace

template <>
Rates first_sign_change(const Rates* c, std::size_t stride, int order, const Rates& length, double noise) {
  const Values values(c, stride, order);
  const double root = first_sign_change(values.c.data(), 1, order, length.value(), noise);
  return root < length.value() ? moving(c, stride, order, root, false) : length;
}

template <>
Rates first_break(const expr::WideSeries<Rates>& series, int order, const Rates& length, double) {
  Rates first = length;
  for (int s = 0; s < static_cast<int>(series.switches().size()); ++s) {
    const bool touches =
        series.switches()[static_cast<std::size_t>(s)].kind == expr::SwitchKind::touches_zero;
    for (std::size_t lane = 0; lane < series.lanes(); ++lane) {
      const Rates* c = series.switch_row(0, s) + lane;
      const std::size_t stride = series.order_stride();
      if (!touches) {
        first = first_sign_change(c, stride, order, first, kNoise * (1.0 + std::fabs(c->value())));
        continue;
      }
      const Values values(c, stride, order);
      const double root = first_touch(values.c.data(), 1, order, first.value());
      if (root < first.value()) first = moving(c, stride, order, root, true);
    }
  }
  return first;
}

}  // namespace catena
