#include "catena/math/stencil.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace catena {

// By Lagrange's polynomials, l_i(0) and l_i'(0): 0 is none of the nodes.
std::vector<std::vector<double>> derivative_weights(const std::vector<double>& nodes) {
  std::vector<std::vector<double>> out(2, std::vector<double>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    double value = 1.0, sum = 0.0;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j == i) continue;
      value *= -nodes[j] / (nodes[i] - nodes[j]);
      sum -= 1.0 / nodes[j];
    }
    out[0][i] = value;
    out[1][i] = value * sum;
  }
  return out;
}

Stencil::Stencil(std::vector<double> at) : nodes(std::move(at)), rough(nodes.size(), 0.0) {
  std::vector<std::vector<double>> weights = derivative_weights(nodes);
  value = std::move(weights[0]);
  slope = std::move(weights[1]);
  // Without the two outermost.
  std::vector<std::size_t> order(nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::fabs(nodes[a]) < std::fabs(nodes[b]); });
  order.resize(order.size() - 2);
  std::vector<double> inner;
  for (const std::size_t i : order) inner.push_back(nodes[i]);
  const std::vector<double> fewer = derivative_weights(inner)[1];
  for (std::size_t i = 0; i < order.size(); ++i) rough[order[i]] = fewer[i];
}

Stencil Stencil::central() { return Stencil({-5, -4, -3, -2, -1, 1, 2, 3, 4, 5}); }

Stencil Stencil::forward(double side) {
  std::vector<double> nodes;
  for (int k = 1; k <= 9; ++k) nodes.push_back(side * k);
  return Stencil(std::move(nodes));
}

}  // namespace catena
