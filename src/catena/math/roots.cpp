#include "catena/math/roots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace catena {
namespace {

constexpr int kDegree = 16;
constexpr int kDeepest = 40;
constexpr double kTail = 1e-9;      // of the largest coefficient: then the series stands for the function
constexpr double kNothing = 1e-15;  // a function below this all along is zero but for roundoff
constexpr int kMostPieces = 4000;   // of a function that no series fits

using Series = std::array<double, kDegree + 1>;

// Coefficients of the interpolant in the extreme points cos(pi j / n).
Series chebyshev(const Series& values) {
  Series out{};
  for (int k = 0; k <= kDegree; ++k) {
    double sum = 0.0;
    for (int j = 0; j <= kDegree; ++j) {
      const double weight = j == 0 || j == kDegree ? 0.5 : 1.0;
      sum += weight * values[static_cast<std::size_t>(j)] * std::cos(std::numbers::pi * j * k / kDegree);
    }
    out[static_cast<std::size_t>(k)] = (k == 0 || k == kDegree ? 1.0 : 2.0) * sum / kDegree;
  }
  return out;
}

// c'_{k-1} = c'_{k+1} + 2 k c_k
Series slope_of(const Series& c) {
  Series out{};
  for (int k = kDegree; k >= 1; --k) {
    const double above = k + 1 <= kDegree ? out[static_cast<std::size_t>(k + 1)] : 0.0;
    out[static_cast<std::size_t>(k - 1)] = above + 2.0 * k * c[static_cast<std::size_t>(k)];
  }
  out[0] *= 0.5;
  return out;
}

bool cannot_vanish(const Series& c) {
  double rest = 0.0;
  for (int k = 1; k <= kDegree; ++k) rest += std::fabs(c[static_cast<std::size_t>(k)]);
  return std::fabs(c[0]) > rest;
}

bool has_converged(const Series& c) {
  double largest = 0.0;
  for (const double value : c) largest = std::max(largest, std::fabs(value));
  return std::fabs(c[kDegree]) + std::fabs(c[kDegree - 1]) <= kTail * largest;
}

class Search {
 public:
  Search(const std::function<double(double)>& f, std::vector<Crossing>& found) : f_(f), found_(found) {}

  void look(double low, double high, double at_low, double at_high, int depth) {
    const double middle = 0.5 * (low + high);
    const bool tiny = depth >= kDeepest || ++pieces_ > kMostPieces || !(middle > low && middle < high);
    if (!tiny) {
      Series values{};
      values[0] = at_high;
      values[kDegree] = at_low;
      for (int j = 1; j < kDegree; ++j) {
        const double s = std::cos(std::numbers::pi * j / kDegree);
        values[static_cast<std::size_t>(j)] = f_(middle + 0.5 * (high - low) * s);
      }
      const auto is_nothing = [](double value) { return std::fabs(value) <= kNothing; };
      if (std::all_of(values.begin(), values.end(), is_nothing)) return;
      const Series c = chebyshev(values);
      const bool converged = has_converged(c);
      if (converged && cannot_vanish(c) && at_low != 0.0 && at_high != 0.0) return;
      if (!converged || !cannot_vanish(slope_of(c))) {
        const double at_middle = values[kDegree / 2];
        look(low, middle, at_low, at_middle, depth + 1);
        look(middle, high, at_middle, at_high, depth + 1);
        return;
      }
    }
    // One crossing at most: by the signs at the ends; a zero belongs to the piece that it ends.
    if (at_low == 0.0 || (at_high != 0.0 && (at_low > 0.0) == (at_high > 0.0))) return;
    refine(low, high, at_low, at_high);
  }

 private:
  // Bisection with secants in between.
  void refine(double low, double high, double at_low, double at_high) {
    const bool rising = at_low < 0.0;
    const double jump = std::fabs(at_high - at_low);
    double best = high, at_best = at_high;
    for (int i = 0; i < 200 && at_best != 0.0; ++i) {
      double next = 0.5 * (low + high);
      if (i % 3 != 2) {
        const double secant = low - at_low * ((high - low) / (at_high - at_low));
        if (secant > low && secant < high) next = secant;
      }
      if (!(next > low && next < high)) break;
      const double value = f_(next);
      if (std::fabs(value) <= std::fabs(at_best)) best = next, at_best = value;
      ((value > 0.0) == (at_low > 0.0) && value != 0.0 ? low : high) = next;
      ((value > 0.0) == (at_low > 0.0) && value != 0.0 ? at_low : at_high) = value;
    }
    // Where the function jumps over zero it stays as large as it was, however near one looks.
    const double left = std::max(std::fabs(at_low), std::fabs(at_high));
    if (at_best != 0.0 && left > 1e-3 * jump) return;
    found_.push_back({best, rising});
  }

  const std::function<double(double)>& f_;
  std::vector<Crossing>& found_;
  int pieces_ = 0;
};

}  // namespace

std::vector<Crossing> sign_changes(const std::function<double(double)>& f, double low, double high,
                                   double at_low, double at_high) {
  std::vector<Crossing> found;
  if (high > low && !std::isnan(at_low) && !std::isnan(at_high)) {
    Search(f, found).look(low, high, at_low, at_high, 0);
  }
  return found;
}

}  // namespace catena
