#include "catena/math/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace catena {

SymmetricEigen symmetric_eigen(std::size_t n, std::vector<double> a) {
  constexpr int kSweeps = 30;  // convergence is quadratic: far fewer are needed
  std::vector<double> v(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) v[i * n + i] = 1.0;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p * n + q] == 0.0) continue;
        rotated = true;
        const double angle = 0.5 * std::atan2(2 * a[p * n + q], a[q * n + q] - a[p * n + p]);
        const double c = std::cos(angle), s = std::sin(angle);
        const auto turn = [&](double& x, double& y) {
          const double old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        };
        for (std::size_t k = 0; k < n; ++k) turn(a[k * n + p], a[k * n + q]);
        for (std::size_t k = 0; k < n; ++k) turn(a[p * n + k], a[q * n + k]);
        for (std::size_t k = 0; k < n; ++k) turn(v[k * n + p], v[k * n + q]);
      }
    }
    if (!rotated) break;
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return a[i * n + i] < a[j * n + j]; });
  SymmetricEigen out;
  for (const std::size_t i : order) {
    out.values.push_back(a[i * n + i]);
    std::vector<double>& vector = out.vectors.emplace_back();
    for (std::size_t k = 0; k < n; ++k) vector.push_back(v[k * n + i]);
  }
  return out;
}

}  // namespace catena
