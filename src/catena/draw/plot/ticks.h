// Where an axis has its ticks, and what they say.
#pragma once

#include <string>
#include <vector>

namespace catena::draw {

struct Ticks {
  std::vector<double> at;           // with labels
  std::vector<double> minor;        // without
  std::vector<std::string> labels;  // as in label.h, one per `at`
  // A tick at value v says (v - offset) / 10^exponent. Both belong into the axis's title: nothing is hidden.
  int exponent = 0;
  double offset = 0.0;
};

// About `wanted` ticks at multiples of 1, 2 or 5 times a power of ten inside [low, high], low < high.
Ticks linear_ticks(double low, double high, int wanted);

// Powers of ten, thinned out to about `wanted`; inside less than a decade the linear ones.
Ticks log_ticks(double low, double high, int wanted);

// Multiples of pi or simple parts of it, for angles.
Ticks angle_ticks(double low, double high, int wanted);

// The range to draw for data from `low` to `high`: some air at both ends, and never empty.
struct Span {
  double low, high;
};
Span padded(double low, double high, bool logarithmic);

}  // namespace catena::draw
