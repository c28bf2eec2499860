#include "catena/analyze/naff.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "catena/analyze/spectrum.h"

namespace catena {
namespace {

using Complex = std::complex<double>;

// The window 1 + cos is an average with weight 1.
std::vector<double> windowed(const std::vector<double>& series) {
  std::vector<double> out(series.size());
  const auto n = static_cast<double>(series.size() - 1);
  for (std::size_t i = 0; i < series.size(); ++i)
    out[i] = series[i] * (1.0 - std::cos(2.0 * std::numbers::pi * static_cast<double>(i) / n)) / n;
  return out;
}

// <f, e^(i w t)> under the window; the angle is turned on by multiplication and set right now and then.
Complex overlap(const std::vector<double>& windowed, double angle) {
  constexpr std::size_t kStretch = 256;
  Complex sum = 0.0;
  const Complex turn = std::polar(1.0, -angle);
  for (std::size_t first = 0; first < windowed.size(); first += kStretch) {
    Complex e = std::polar(1.0, -angle * static_cast<double>(first));
    for (std::size_t i = first; i < std::min(first + kStretch, windowed.size()); ++i) {
      sum += windowed[i] * e;
      e *= turn;
    }
  }
  return sum;
}

// The angle per sample at which the overlap is largest, near the largest bin of the transform.
double strongest(const std::vector<double>& windowed) {
  std::size_t n = 1;
  while (n < windowed.size()) n *= 2;
  std::vector<Complex> values(n, 0.0);
  std::copy(windowed.begin(), windowed.end(), values.begin());
  fourier_transform(values);
  std::size_t best = 1;
  for (std::size_t k = 1; k < n / 2; ++k) {
    if (std::norm(values[k]) > std::norm(values[best])) best = k;
  }
  const double bin = 2.0 * std::numbers::pi / static_cast<double>(n);
  double low = bin * (static_cast<double>(best) - 1.0), high = bin * (static_cast<double>(best) + 1.0);
  // Golden section down to where the parabola's roundoff begins, then one step along the parabola.
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double fa = std::norm(overlap(windowed, a)), fb = std::norm(overlap(windowed, b));
  while (high - low > 1e-4 * bin) {
    if (fa > fb) {
      high = b;
      b = a;
      fb = fa;
      a = high - kGolden * (high - low);
      fa = std::norm(overlap(windowed, a));
    } else {
      low = a;
      a = b;
      fa = fb;
      b = low + kGolden * (high - low);
      fb = std::norm(overlap(windowed, b));
    }
  }
  double middle = 0.5 * (low + high);
  for (const double h : {1e-1 * bin, 1e-2 * bin}) {
    const double before = std::norm(overlap(windowed, middle - h)),
                 here = std::norm(overlap(windowed, middle)),
                 after = std::norm(overlap(windowed, middle + h));
    const double bend = before - 2.0 * here + after;
    if (bend < 0.0) middle += 0.5 * h * (before - after) / bend;
  }
  return middle;
}

std::vector<double> without_mean(std::vector<double> series) {
  // Under the window: a constant is the frequency zero.
  std::vector<double> weighted = windowed(series);
  const double mean = std::accumulate(weighted.begin(), weighted.end(), 0.0);
  for (double& value : series) value -= mean;
  return series;
}

}  // namespace

std::vector<Frequency> frequencies_of(const std::vector<double>& series, double spacing, std::size_t count) {
  std::vector<Frequency> out;
  if (series.size() < 16) return out;
  std::vector<double> rest = without_mean(series);
  for (std::size_t found = 0; found < count; ++found) {
    const std::vector<double> weighted = windowed(rest);
    const double angle = strongest(weighted);
    // a e^(iwt) + conj: both sides of a real series, which are not quite orthogonal.
    const Complex plus = overlap(weighted, angle);
    std::vector<double> ones(series.size(), 1.0);
    const Complex cross = overlap(windowed(ones), 2.0 * angle);
    const Complex amplitude = (plus - cross * std::conj(plus)) / (1.0 - std::norm(cross));
    out.push_back({angle / spacing, 2.0 * std::abs(amplitude), std::arg(amplitude)});
    for (std::size_t i = 0; i < rest.size(); ++i)
      rest[i] -= 2.0 * std::real(amplitude * std::polar(1.0, angle * static_cast<double>(i)));
  }
  return out;
}

FrequencyDrift frequency_drift(const std::vector<double>& series, double spacing) {
  FrequencyDrift out;
  const auto leading = [&](std::size_t first, std::size_t count) {
    const auto begin = series.begin() + static_cast<std::ptrdiff_t>(first);
    return frequencies_of({begin, begin + static_cast<std::ptrdiff_t>(count)}, spacing, 1)[0].value;
  };
  if (series.size() < 64) {
    out.frequency = out.error = out.drift = std::nan("");
    return out;
  }
  const std::size_t half = series.size() / 2;
  const double first = leading(0, half), second = leading(series.size() - half, half);
  out.frequency = leading(0, series.size());
  out.error = std::fabs(first - second);
  out.drift = out.frequency > 0.0 ? out.error / out.frequency : out.error;
  return out;
}

}  // namespace catena
