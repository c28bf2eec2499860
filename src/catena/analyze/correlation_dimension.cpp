#include "catena/analyze/correlation_dimension.h"

#include <algorithm>
#include <cmath>

#include "catena/analyze/recurrence.h"
#include "catena/analyze/statistics.h"

namespace catena {

CorrelationDimension correlation_dimension(const std::vector<std::vector<double>>& states, std::size_t apart,
                                           std::size_t most) {
  CorrelationDimension out;
  const std::size_t every = states.size() / most + 1;
  std::vector<std::vector<double>> taken;
  for (std::size_t i = 0; i < states.size(); i += every) taken.push_back(states[i]);
  taken = standardised(taken);
  apart = apart / every + 1;
  const std::size_t n = taken.size();
  if (n < 200 || taken[0].empty() || n < 4 * apart) return out;
  // Scales by factors of 2^(1/4), from 4 down to 2^-12.
  constexpr int kPerOctave = 4, kScales = 14 * kPerOctave;
  std::vector<double> counts(kScales, 0.0);
  double all = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j + apart <= i; ++j) {
      double squares = 0.0;
      for (std::size_t k = 0; k < taken[i].size(); ++k) {
        const double difference = taken[i][k] - taken[j][k];
        squares += difference * difference;
      }
      all += 1.0;
      const double octaves = 2.0 - 0.5 * std::log2(std::max(squares, 1e-300));  // below r = 4
      const int bin = static_cast<int>(std::floor(octaves * kPerOctave));
      if (bin >= 0) counts[static_cast<std::size_t>(std::min(bin, kScales - 1))] += 1.0;
    }
  }
  // C(r) is what lies in this bin and below.
  double below = 0.0;
  std::vector<double> scales, shares;
  constexpr double kLeastPairs = 100.0;
  for (int bin = kScales - 1; bin >= 0; --bin) {
    below += counts[static_cast<std::size_t>(bin)];
    if (below < kLeastPairs) continue;
    scales.push_back(std::exp2(2.0 - static_cast<double>(bin) / kPerOctave));
    shares.push_back(below / all);
  }
  out.scales = scales;
  out.pairs = shares;
  for (std::size_t i = 0; i + 1 < scales.size(); ++i)
    out.slopes.push_back(std::log(shares[i + 1] / shares[i]) / std::log(scales[i + 1] / scales[i]));
  // The widest range below the size of the whole in which local slopes stay within a tenth of their mean.
  constexpr double kAgree = 0.1;
  std::size_t first = 0, best = 0;
  for (std::size_t i = 0; i < out.slopes.size(); ++i) {
    double low = out.slopes[i], high = low;
    std::size_t j = i;
    for (; j < out.slopes.size() && scales[j + 1] <= 1.0; ++j) {
      low = std::min(low, out.slopes[j]);
      high = std::max(high, out.slopes[j]);
      if (high - low > kAgree * (high + low)) break;
    }
    if (j - i > best) {
      best = j - i;
      first = i;
    }
  }
  if (best < 2 * kPerOctave) return out;
  std::vector<double> x, y;
  double least = out.slopes[first], greatest = least;
  for (std::size_t i = first; i <= first + best; ++i) {
    x.push_back(std::log(scales[i]));
    y.push_back(std::log(shares[i]));
    if (i < first + best) least = std::min(least, out.slopes[i]);
    if (i < first + best) greatest = std::max(greatest, out.slopes[i]);
  }
  const Line line = fitted_line(x, y);
  out.value = line.slope;
  // Neighbouring scales share their pairs: the residuals say too little, a quarter of the slopes' range
  // tells.
  out.error = std::max(line.slope_error, 0.25 * (greatest - least));
  out.from = scales[first];
  out.to = scales[first + best];
  out.is_found = true;
  return out;
}

}  // namespace catena
