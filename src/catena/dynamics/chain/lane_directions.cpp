#include "catena/dynamics/chain/lane_directions.h"

#include "catena/math/recorded.h"

namespace catena {
namespace {

// As CompensatedSum.
template <int W>
struct LaneSum {
  LanesOf<W> hi, lo{0.0};

  void add_product(const LanesOf<W>& a, const LanesOf<W>& a_lo, const LanesOf<W>& b, const LanesOf<W>& b_lo) {
    const LanePairs<W> product = two_product(a, b), sum = two_sum(hi, product.hi);
    hi = sum.hi;
    lo += sum.lo + product.lo;
    lo += a * b_lo + a_lo * (b + b_lo);
  }
};

}  // namespace

template <int D, int W>
void project_directions(std::size_t n, const LanesOf<W>* hi, LanesOf<W>* lo) {
  using S = LanesOf<W>;
  const S one(1.0);
  for (std::size_t k = 0; k < n; ++k) {
    LaneSum<W> square{S(-1.0)}, tangent{S(0.0)};
    for (int i = 0; i < D; ++i) {
      const std::size_t u = i * n + k, w = (D + i) * n + k;
      square.add_product(hi[u], lo[u], hi[u], lo[u]);
      tangent.add_product(hi[u], lo[u], hi[w], lo[w]);
    }
    const S excess = square.hi + square.lo, tangency = tangent.hi + tangent.lo;
    const S length = square_root(one + excess);
    const S shrink = excess / (length * (one + length));  // 1 - 1/|u|, without cancellation
    const S turned = tangency * (one - shrink);           // u . w of the shrunk u
    for (int i = 0; i < D; ++i) {
      const std::size_t u = i * n + k, w = (D + i) * n + k;
      const S whole = hi[u] + lo[u];
      lo[u] -= shrink * whole;
      lo[w] -= turned * (hi[u] + lo[u]);
    }
  }
}

#define CATENA_OF_WIDTH(W)                                                          \
  template void project_directions<2>(std::size_t, const LanesOf<W>*, LanesOf<W>*); \
  template void project_directions<3>(std::size_t, const LanesOf<W>*, LanesOf<W>*);
CATENA_LANE_WIDTHS(CATENA_OF_WIDTH)
CATENA_OF_WIDTH(kRecorded)
#undef CATENA_OF_WIDTH

}  // namespace catena
