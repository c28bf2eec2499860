#include "catena/analyze/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace catena {

void fourier_transform(std::vector<std::complex<double>>& values) {
  const std::size_t n = values.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (std::size_t length = 2; length <= n; length <<= 1) {
    const double angle = -2.0 * std::numbers::pi / static_cast<double>(length);
    std::vector<std::complex<double>> turns(length / 2);
    for (std::size_t k = 0; k < length / 2; ++k) turns[k] = std::polar(1.0, angle * static_cast<double>(k));
    for (std::size_t first = 0; first < n; first += length) {
      for (std::size_t k = 0; k < length / 2; ++k) {
        const std::complex<double> even = values[first + k], odd = turns[k] * values[first + k + length / 2];
        values[first + k] = even + odd;
        values[first + k + length / 2] = even - odd;
      }
    }
  }
}

namespace {

std::vector<double> periodogram(const double* series, std::size_t length, double mean, double spacing) {
  std::vector<std::complex<double>> values(length);
  double weight = 0.0;
  for (std::size_t i = 0; i < length; ++i) {
    const double window =
        0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length));
    values[i] = window * (series[i] - mean);
    weight += window * window;
  }
  fourier_transform(values);
  std::vector<double> out(length / 2 + 1);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double sides = k == 0 || k == length / 2 ? 1.0 : 2.0;
    out[k] = sides * std::norm(values[k]) * spacing / weight;
  }
  return out;
}

// How much of the power is in lines: bins that stand out of the median of their neighbours by a factor of a
// hundred, where a broad band has at most some ten.
double share_of_lines(const std::vector<double>& power) {
  constexpr std::size_t kReach = 16;
  constexpr double kStandsOut = 100.0;
  double all = 0.0, lines = 0.0;
  std::vector<char> is_line(power.size(), 0);
  for (std::size_t k = 1; k < power.size(); ++k) {
    all += power[k];
    std::vector<double> near;
    for (std::size_t j = k > kReach ? k - kReach : 1; j <= std::min(k + kReach, power.size() - 1); ++j) {
      if (j + 3 <= k || j >= k + 3) near.push_back(power[j]);
    }
    if (near.empty()) continue;
    std::nth_element(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2), near.end());
    if (power[k] <= kStandsOut * near[near.size() / 2]) continue;
    // A line under Hann's window is four bins wide.
    for (std::size_t j = k > 2 ? k - 2 : 1; j <= std::min(k + 2, power.size() - 1); ++j) is_line[j] = 1;
  }
  for (std::size_t k = 1; k < power.size(); ++k) lines += is_line[k] ? power[k] : 0.0;
  return all > 0.0 ? lines / all : 0.0;
}

}  // namespace

Spectrum power_spectrum(const std::vector<double>& series, double spacing) {
  Spectrum out;
  std::size_t length = 1;
  constexpr std::size_t kSegments = 8;
  while (2 * length <= series.size() && length * kSegments < 2 * series.size()) length *= 2;
  if (series.size() < 64) return out;
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(series.size());
  std::vector<std::vector<double>> parts;
  for (std::size_t first = 0; first + length <= series.size(); first += length / 2)
    parts.push_back(periodogram(series.data() + first, length, mean, spacing));
  out.segments = parts.size();
  const auto n = static_cast<double>(parts.size());
  for (std::size_t k = 0; k <= length / 2; ++k) {
    double sum = 0.0, squares = 0.0;
    for (const std::vector<double>& part : parts) sum += part[k];
    for (const std::vector<double>& part : parts) squares += (part[k] - sum / n) * (part[k] - sum / n);
    out.frequencies.push_back(static_cast<double>(k) / (static_cast<double>(length) * spacing));
    out.power.push_back(sum / n);
    // Segments that overlap by half under Hann's window are worth 18/19 of a full one each (Welch).
    out.errors.push_back(parts.size() > 1 ? std::sqrt(squares / (n - 1.0) / n * 19.0 / 18.0) : std::nan(""));
  }
  // In one piece: the longer, the narrower are lines and the lower is a broad band beside them.
  std::size_t whole = 1;
  while (2 * whole <= series.size()) whole *= 2;
  const auto lines_in = [&](std::size_t first, std::size_t count) {
    return share_of_lines(periodogram(series.data() + first, count, mean, spacing));
  };
  out.lines = lines_in(series.size() - whole, whole);
  out.lines_error = 0.5 * std::fabs(lines_in(0, whole / 2) - lines_in(series.size() - whole / 2, whole / 2));
  return out;
}

}  // namespace catena
