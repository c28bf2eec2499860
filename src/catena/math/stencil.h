// The value and the slope of a function at 0 from its values elsewhere: weights of the polynomial through
// them. Smooth functions that are known to all digits of a double have their slopes to nearly all: with ten
// points at whole multiples of h, -5 h to 5 h, the error is of order (h/R)^10, R the distance of the next
// singular point, and roundoff is 2 / h times that of the values.
#pragma once

#include <cstddef>
#include <vector>

namespace catena {

struct Stencil {
  std::vector<double> nodes;  // in units of the spacing; 0 is none of them
  std::vector<double> value;  // weights of f(0)
  std::vector<double> slope;  // of f'(0), per unit of spacing
  std::vector<double> rough;  // of f'(0) by two points less: the difference tells how good the slope is

  explicit Stencil(std::vector<double> at);
  // -5 .. 5 and, where a function ends at 0, 1 .. 9.
  static Stencil central();
  static Stencil forward(double side);
};

// Weights [derivative][node] of derivatives 0 and 1 at 0: B. Fornberg, Math. Comp. 51, 699 (1988).
std::vector<std::vector<double>> derivative_weights(const std::vector<double>& nodes);

}  // namespace catena
