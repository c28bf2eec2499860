#include "catena/draw/plot/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/draw/label.h"

namespace catena::draw {
namespace {

double nice_step(double raw) {
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// The number of fewest digits inside [low, high].
double simplest_inside(double low, double high) {
  if (low <= 0.0 && high >= 0.0) return 0.0;
  const double middle = 0.5 * (low + high);
  for (int digits = 1; digits < 17; ++digits) {
    const double rounded = std::stod(fmt::format("{:.{}e}", middle, digits - 1));
    if (rounded >= low && rounded <= high) return rounded;
  }
  return middle;
}

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-12)); }

// "-0" is 0, and "2.50" stays: all labels of an axis have the same decimals.
std::string fixed_label(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  if (is_zero && text[0] == '-') text.erase(0, 1);
  return "$" + text + "$";
}

}  // namespace

Ticks linear_ticks(double low, double high, int wanted) {
  Ticks ticks;
  const double size = std::max(std::fabs(low), std::fabs(high));
  // More digits than people read: ticks say how far they are from the simplest number in the range.
  constexpr double kReadable = 2e-5;
  if ((high - low) / size < kReadable) ticks.offset = simplest_inside(low, high);
  const double from = low - ticks.offset, to = high - ticks.offset;
  const double step = nice_step((to - from) / std::max(1, wanted));
  const double largest = std::max(std::fabs(from), std::fabs(to));
  const int magnitude = exponent_of(largest);
  if (magnitude > 4 || magnitude < -2) ticks.exponent = magnitude;
  const double unit = std::pow(10.0, ticks.exponent);
  const int decimals = std::max(0, ticks.exponent - exponent_of(step));
  for (double k = std::ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; ++k) {
    ticks.at.push_back(ticks.offset + k * step);
    ticks.labels.push_back(fixed_label(k * step / unit, decimals));
  }
  return ticks;
}

Ticks log_ticks(double low, double high, int wanted) {
  const double first = std::log10(low), last = std::log10(high);
  if (last - first < 0.9) {
    Ticks ticks = linear_ticks(low, high, wanted);
    ticks.offset = 0.0;
    return ticks;
  }
  Ticks ticks;
  const double decades = std::floor(last + 1e-9) - std::ceil(first - 1e-9) + 1;
  const double every = std::max(1.0, std::ceil(decades / std::max(1, wanted)));
  for (double k = std::ceil(first - 1e-9); k <= last + 1e-9; ++k) {
    const bool labelled = std::fmod(std::fabs(k), every) < 0.5;
    const double value = std::pow(10.0, k);
    if (labelled) {
      ticks.at.push_back(value);
      ticks.labels.push_back(k == 0 ? "$1$" : k == 1 ? "$10$" : fmt::format("$10^{{{}}}$", k));
    } else {
      ticks.minor.push_back(value);
    }
  }
  const bool few = ticks.at.size() < 3 && wanted >= 3;  // then 2 and 5 times a power of ten have labels too
  if (decades <= 6) {
    for (double k = std::floor(first); k <= last; ++k) {
      for (int digit = 2; digit < 10; ++digit) {
        const double value = digit * std::pow(10.0, k);
        if (value < low || value > high) continue;
        if (few && (digit == 2 || digit == 5)) {
          ticks.at.push_back(value);
        } else {
          ticks.minor.push_back(value);
        }
      }
    }
  }
  if (few) {
    std::sort(ticks.at.begin(), ticks.at.end());
    ticks.labels.clear();
    for (const double value : ticks.at) ticks.labels.push_back("$" + number_label(value, 1) + "$");
  }
  return ticks;
}

Ticks angle_ticks(double low, double high, int wanted) {
  constexpr double kHalfTurn = std::numbers::pi;
  const double parts = (high - low) / kHalfTurn;
  // Less than a sixth of pi, or hundreds of turns: numbers read better.
  if (parts < 0.5 || parts > 60) return linear_ticks(low, high, wanted);
  Ticks ticks;
  double step = 0.25;
  for (const double candidate : {0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 20.0}) {
    step = candidate;
    if (parts / candidate <= wanted) break;
  }
  for (double k = std::ceil(low / (step * kHalfTurn) - 1e-9); k * step * kHalfTurn <= high + 1e-9; ++k) {
    ticks.at.push_back(k * step * kHalfTurn);
    const double value = k * step;
    const bool half = std::fmod(std::fabs(value), 1.0) == 0.5,
               quarter = std::fmod(std::fabs(value), 0.5) == 0.25;
    const int denominator = quarter ? 4 : half ? 2 : 1;
    const double numerator = value * denominator;
    std::string text = value == 0.0      ? "0"
                       : numerator == 1  ? "π"
                       : numerator == -1 ? "-π"
                                         : fmt::format("{}π", numerator);
    if (denominator > 1) text += fmt::format("/{}", denominator);
    ticks.labels.push_back("$" + text + "$");
  }
  return ticks;
}

Span padded(double low, double high, bool logarithmic) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    return logarithmic ? Span{0.1, 10.0} : Span{0.0, 1.0};  // nothing to show
  }
  if (logarithmic) {
    const double first = std::log10(low), last = std::log10(high);
    const double air = std::max(0.04 * (last - first), 0.05);
    if (last - first < 1e-3) return {std::pow(10.0, first - 0.6), std::pow(10.0, last + 0.6)};
    return {std::pow(10.0, first - air), std::pow(10.0, last + air)};
  }
  const double size = std::max(std::fabs(low), std::fabs(high));
  // Constant but for rounding, or one value: a range that shows it in the middle.
  if (high - low <= 4e-16 * size || size == 0.0) {
    const double half = size == 0.0 ? 1.0 : 0.1 * size;
    return {0.5 * (low + high) - half, 0.5 * (low + high) + half};
  }
  const double air = 0.05 * (high - low);
  return {low - air, high + air};
}

}  // namespace catena::draw
