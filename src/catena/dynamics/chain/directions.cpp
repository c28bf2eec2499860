#include "catena/dynamics/chain/directions.h"

#include <algorithm>
#include <cmath>

#include "catena/math/compensated.h"

namespace catena {
namespace {

// |u|^2 - 1 and u . w for one link, from exact products.
struct Violation {
  double length;
  double tangency;
};

template <int D>
inline Violation violation(const double* hi, const double* lo, std::size_t n, std::size_t k) {
  CompensatedSum square, tangency;
  square.add(-1.0);
  for (int i = 0; i < D; ++i) {
    const std::size_t u = i * n + k, w = (D + i) * n + k;
    square.add_product(hi[u], lo[u], hi[u], lo[u]);
    tangency.add_product(hi[u], lo[u], hi[w], lo[w]);
  }
  return {square.hi() + square.lo(), tangency.hi() + tangency.lo()};
}

}  // namespace

template <int D>
void project_directions(std::size_t n, const double* hi, double* lo) {
  for (std::size_t k = 0; k < n; ++k) {
    const auto [excess, tangency] = violation<D>(hi, lo, n, k);
    const double length = std::sqrt(1.0 + excess);
    const double shrink = excess / (length * (1.0 + length));  // 1 - 1/|u|, without cancellation
    for (int i = 0; i < D; ++i) {
      const std::size_t u = i * n + k, w = (D + i) * n + k;
      lo[u] -= shrink * (hi[u] + lo[u]);
      lo[w] -= tangency * (1.0 - shrink) * (hi[u] + lo[u]);  // u . w of the shrunk u
    }
  }
}

template <int D>
double largest_violation(std::size_t n, const double* hi, const double* lo) {
  double largest = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const Violation v = violation<D>(hi, lo, n, k);
    largest = std::max({largest, 0.5 * std::fabs(v.length), std::fabs(v.tangency)});
  }
  return largest;
}

template void project_directions<2>(std::size_t, const double*, double*);
template void project_directions<3>(std::size_t, const double*, double*);
template double largest_violation<2>(std::size_t, const double*, const double*);
template double largest_violation<3>(std::size_t, const double*, const double*);

}  // namespace catena
