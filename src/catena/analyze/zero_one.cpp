#include "catena/analyze/zero_one.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "catena/analyze/statistics.h"

namespace catena {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double ma = mean_of(a), mb = mean_of(b);
  double aa = 0.0, bb = 0.0, ab = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - ma) * (a[i] - ma);
    bb += (b[i] - mb) * (b[i] - mb);
    ab += (a[i] - ma) * (b[i] - mb);
  }
  return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0;
}

// K of one frequency c.
double growth_correlation(const std::vector<double>& series, double mean, double c) {
  const std::size_t n = series.size(), reach = n / 10;
  std::vector<double> p(n + 1, 0.0), q(n + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = c * static_cast<double>(i + 1);
    p[i + 1] = p[i] + series[i] * std::cos(angle);
    q[i + 1] = q[i] + series[i] * std::sin(angle);
  }
  std::vector<double> times, moved;
  const std::size_t step = std::max<std::size_t>(1, reach / 100);
  for (std::size_t lag = 1; lag <= reach; lag += step) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n - reach; ++i) {
      const double dp = p[i + lag] - p[i], dq = q[i + lag] - q[i];
      sum += dp * dp + dq * dq;
    }
    const double swing = mean * mean * (1.0 - std::cos(c * static_cast<double>(lag))) / (1.0 - std::cos(c));
    times.push_back(static_cast<double>(lag));
    moved.push_back(sum / static_cast<double>(n - reach) - swing);
  }
  return correlation(times, moved);
}

}  // namespace

std::size_t decorrelation(const std::vector<double>& series) {
  const std::size_t n = series.size();
  if (n < 4) return 1;
  const double mean = mean_of(series);
  double variance = 0.0;
  for (const double value : series) variance += (value - mean) * (value - mean);
  for (std::size_t lag = 1; lag < n / 4; ++lag) {
    double sum = 0.0;
    for (std::size_t i = 0; i + lag < n; ++i) sum += (series[i] - mean) * (series[i + lag] - mean);
    if (sum < variance / std::numbers::e) return lag;
  }
  return std::max<std::size_t>(1, n / 4);
}

ZeroOne zero_one_test(const std::vector<double>& series) {
  constexpr int kFrequencies = 100;
  ZeroOne out;
  if (series.size() < 100) {
    out.value = out.error = std::nan("");
    return out;
  }
  const double mean = mean_of(series);
  Random random(1);
  // Away from 0 and pi, where every series resonates.
  for (int i = 0; i < kFrequencies; ++i) {
    const double c = std::numbers::pi * (0.2 + 0.6 * random.uniform());
    out.by_frequency.push_back(growth_correlation(series, mean, c));
  }
  std::vector<double> sorted = out.by_frequency;
  std::sort(sorted.begin(), sorted.end());
  out.value = 0.5 * (sorted[kFrequencies / 2 - 1] + sorted[kFrequencies / 2]);
  // Of the median, from the quartiles: 1.2533 sigma/sqrt(n), sigma = 0.7413 times their distance.
  out.error =
      1.2533 * 0.7413 * (sorted[3 * kFrequencies / 4] - sorted[kFrequencies / 4]) / std::sqrt(kFrequencies);
  return out;
}

}  // namespace catena
