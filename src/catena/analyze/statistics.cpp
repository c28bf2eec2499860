#include "catena/analyze/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "catena/math/student.h"

namespace catena {
namespace {

constexpr double kConfidence = 0.95;
constexpr std::size_t kMostBatches = 32;    // of one motion
constexpr std::size_t kLeastBatches = 6;    // of one motion: fewer say nothing at all
constexpr std::size_t kEnoughBatches = 12;  // of one motion
constexpr double kCorrelations = 20.0;      // a batch is at least so many correlation times

// What a motion's growth leaves beyond the mean rate, added up: a walk that diffuses, and swings about that.
// Of `count` windows of it the means are taken, in which swings cancel; differences of neighbouring means,
// with their covariance, have the variance of the walk over a window. What remains inside the windows is the
// swing, which both ends of the run have in full.
double walk_variance(const Stretches& of, const std::vector<double>& rest, std::size_t count) {
  const std::size_t n = rest.size();
  double walk = 0.0, squares = 0.0, neighbours = 0.0, inside = 0.0, before = 0.0, last = 0.0;
  for (std::size_t b = 0; b < count; ++b) {
    double sum = 0.0, square = 0.0, time = 0.0;
    for (std::size_t i = b * n / count; i < (b + 1) * n / count; ++i) {
      const double middle = walk + 0.5 * rest[i];
      sum += middle * of.time[i];
      square += middle * middle * of.time[i];
      time += of.time[i];
      walk += rest[i];
    }
    const double mean = sum / time;
    inside += (square / time - mean * mean) / static_cast<double>(count);
    if (b > 0) {
      const double step = mean - before;
      squares += step * step;
      neighbours += step * last;
      last = step;
    }
    before = mean;
  }
  // The mean rate was taken off, which binds the walk's ends.
  const auto windows = static_cast<double>(count);
  const double diffused =
      std::max(0.0, (squares + 2.0 * neighbours) * windows / (windows - 1.0) * windows / (windows - 2.0));
  const double swing = std::max(0.0, inside - diffused / (6.0 * windows));
  return diffused + 2.0 * swing;
}

}  // namespace

double correlation_length(const std::vector<double>& series) {
  const std::size_t n = series.size();
  if (n < 4) return 1.0;
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(n);
  double variance = 0.0;
  for (const double value : series) variance += (value - mean) * (value - mean);
  if (!(variance > 0.0)) return 1.0;
  double sum = 1.0;
  for (std::size_t lag = 1; lag < n / 2; ++lag) {
    double product = 0.0;
    for (std::size_t i = 0; i + lag < n; ++i) product += (series[i] - mean) * (series[i + lag] - mean);
    sum += 2.0 * product / variance;
    if (static_cast<double>(lag) >= 6.0 * std::max(sum, 1.0)) break;
  }
  return std::max(sum, 1.0);
}

MeanRate mean_rate(const std::vector<Stretches>& motions, bool are_independent) {
  MeanRate out;
  double growth = 0.0, time = 0.0;
  for (const Stretches& one : motions) {
    growth += std::accumulate(one.growth.begin(), one.growth.end(), 0.0);
    time += std::accumulate(one.time.begin(), one.time.end(), 0.0);
  }
  if (!(time > 0.0)) return out;
  out.value = growth / time;
  out.is_settled = true;
  double variance = 0.0;
  for (const Stretches& one : motions) {
    const std::size_t n = one.growth.size();
    std::vector<double> rest(n);
    double whole = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      rest[i] = one.growth[i] - out.value * one.time[i];
      whole += one.time[i];
    }
    const double length = correlation_length(rest);
    out.correlation_time = std::max(out.correlation_time, length * whole / static_cast<double>(n));
    const auto wanted =
        static_cast<std::size_t>(std::min(static_cast<double>(n) / (kCorrelations * length), 1e9));
    std::size_t count = std::min(wanted, kMostBatches);
    if (count < kEnoughBatches) out.is_settled = false;
    count = std::min(std::max(count, kLeastBatches), n);
    if (count >= 4) variance += walk_variance(one, rest, count);
    out.batches += count;
  }
  const double alike = are_independent ? 1.0 : static_cast<double>(motions.size());
  const double batches = static_cast<double>(out.batches) / alike;
  if (out.batches < 4) {
    out.is_settled = false;
    out.error = out.interval = std::numeric_limits<double>::infinity();
    return out;
  }
  // Differences of means of windows have a third of the degrees of freedom of independent batches.
  out.error = std::sqrt(variance * alike) / time;
  out.interval = out.error * student_quantile(kConfidence, batches / 3.0);
  return out;
}

Line fitted_line(const std::vector<double>& x, const std::vector<double>& y) {
  Line out;
  const auto n = static_cast<double>(x.size());
  if (x.size() < 2) return out;
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    xy += (x[i] - mx) * (y[i] - my);
  }
  if (!(xx > 0.0)) return out;
  out.slope = xy / xx;
  out.offset = my - out.slope * mx;
  double squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double rest = y[i] - out.offset - out.slope * x[i];
    squares += rest * rest;
  }
  out.misfit = std::sqrt(squares / n);
  if (x.size() > 2) out.slope_error = std::sqrt(squares / (n - 2.0) / xx);
  return out;
}

// S. Vigna's splitmix64.
std::uint64_t Random::bits() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace catena
