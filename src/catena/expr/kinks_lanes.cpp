// Kinks along series in lanes: each lane by itself, in doubles.
#include <cmath>
#include <vector>

#include "catena/expr/kinks.h"
#include "catena/math/lanes.h"

namespace catena {
namespace {

// The coefficients of one lane, one behind the other.
template <int W>
std::vector<double> of_lane(const LanesOf<W>* c, std::size_t stride, int order, int lane) {
  std::vector<double> out;
  for (int k = 0; k <= order; ++k) out.push_back(c[static_cast<std::size_t>(k) * stride].lane(lane));
  return out;
}

}  // namespace

template <int W>
LanesOf<W> first_sign_change(const LanesOf<W>* c, std::size_t stride, int order, const LanesOf<W>& length,
                             double noise, const LanesOf<W>& size) {
  LanesOf<W> out = length;
  for (int l = 0; l < W; ++l) {
    const std::vector<double> one = of_lane(c, stride, order, l);
    out.set_lane(l, first_sign_change(one.data(), 1, order, length.lane(l), noise * size.lane(l)));
  }
  return out;
}

template <class S>
S first_break(const expr::SeriesOver<S>& series, int order, const S& length, double) {
  constexpr double kNoise = 2e-15;  // roundoff of a switch
  S first = length;
  for (int s = 0; s < static_cast<int>(series.switches().size()); ++s) {
    const bool touches =
        series.switches()[static_cast<std::size_t>(s)].kind == expr::SwitchKind::touches_zero;
    for (std::size_t i = 0; i < series.lanes(); ++i) {
      for (int l = 0; l < S::kWidth; ++l) {
        const std::vector<double> one = of_lane(series.switch_row(0, s) + i, series.order_stride(), order, l);
        const double until = first.lane(l);
        if (!std::isfinite(until)) continue;
        first.set_lane(
            l, touches ? first_touch(one.data(), 1, order, until)
                       : first_sign_change(one.data(), 1, order, until, kNoise * (1.0 + std::fabs(one[0]))));
      }
    }
  }
  return first;
}

#define CATENA_OF_WIDTH(W)                                                                              \
  template LanesOf<W> first_sign_change(const LanesOf<W>*, std::size_t, int, const LanesOf<W>&, double, \
                                        const LanesOf<W>&);                                             \
  template LanesOf<W> first_break(const expr::SeriesOver<LanesOf<W>>&, int, const LanesOf<W>&, double);
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
#undef CATENA_OF_WIDTH

}  // namespace catena
