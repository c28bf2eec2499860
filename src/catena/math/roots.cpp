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
constexpr double kNothing = 1e-30;  // a function below this all along is zero but for roundoff
constexpr int kMostPieces = 4000;   // of a function that no series fits
constexpr double kPole = 1e3;       // grown by so much towards a change of sign: a pole

using Series = std::array<double, kDegree + 1>;

// cos(pi j / n), j = 0 .. 2 n - 1.
const std::array<double, 2 * kDegree>& cosines() {
  static const auto table = [] {
    std::array<double, 2 * kDegree> out{};
    for (int j = 0; j < 2 * kDegree; ++j)
      out[static_cast<std::size_t>(j)] = std::cos(std::numbers::pi * j / kDegree);
    return out;
  }();
  return table;
}

// Coefficients of the interpolant in the extreme points cos(pi j / n).
Series chebyshev(const Series& values) {
  Series out{};
  for (int k = 0; k <= kDegree; ++k) {
    double sum = 0.0;
    for (int j = 0; j <= kDegree; ++j) {
      const double weight = j == 0 || j == kDegree ? 0.5 : 1.0;
      sum += weight * values[static_cast<std::size_t>(j)] *
             cosines()[static_cast<std::size_t>(j * k % (2 * kDegree))];
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

// Clenshaw's sum for s in [-1, 1].
double value_at(const Series& c, double s) {
  double one = 0.0, two = 0.0;
  for (int k = kDegree; k >= 1; --k) {
    const double next = 2.0 * s * one - two + c[static_cast<std::size_t>(k)];
    two = one;
    one = next;
  }
  return s * one - two + c[0];
}

// Whether a series that is known to `margin` stays away from zero.
bool cannot_vanish(const Series& c, double margin) {
  double rest = margin;
  for (int k = 1; k <= kDegree; ++k) rest += std::fabs(c[static_cast<std::size_t>(k)]);
  return std::fabs(c[0]) > rest;
}

double largest(const Series& c) {
  double out = 0.0;
  for (const double value : c) out = std::max(out, std::fabs(value));
  return out;
}

double tail(const Series& c) { return std::fabs(c[kDegree]) + std::fabs(c[kDegree - 1]); }

bool has_converged(const Series& c) { return tail(c) <= kTail * largest(c); }

class Search {
 public:
  Search(const std::function<double(double)>& f, std::vector<Crossing>& found) : f_(f), found_(found) {}

  void look(double low, double high, double at_low, double at_high, int depth) {
    const double middle = 0.5 * (low + high);
    const bool tiny = depth >= kDeepest || ++pieces_ > kMostPieces || !(middle > low && middle < high);
    if (tiny) {
      const bool touches = depth >= kDeepest && touching_kink(low, high, at_low, at_high);
      if (!touches) one_crossing(low, high, at_low, at_high);
      return;
    }
    Series values{};
    values[0] = at_high;
    values[kDegree] = at_low;
    for (int j = 1; j < kDegree; ++j) {
      values[static_cast<std::size_t>(j)] =
          f_(middle + 0.5 * (high - low) * cosines()[static_cast<std::size_t>(j)]);
    }
    if (largest(values) <= kNothing) {
      if (depth > 0 && !touching_kink(low, high, at_low, at_high)) one_crossing(low, high, at_low, at_high);
      return;
    }
    if (depth == 0) size_ = largest(values);
    const Series c = chebyshev(values);
    // On short pieces all that is left may be what rounding makes of the argument.
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double rounding = 4e-16 * (1.0 + std::fabs(high)) * (*most - *least) / (high - low);
    if (has_converged(c) || tail(c) <= rounding) {
      // What the series leaves out, and what roundoff of its values and of differentiating it adds.
      const double unsure = 4 * tail(c) + 1e-15 * largest(values);
      if (cannot_vanish(c, unsure) && at_low != 0.0 && at_high != 0.0) return;
      const Series slope = slope_of(c);
      constexpr double kOfSlope = kDegree * kDegree;
      if (cannot_vanish(slope, kOfSlope * unsure)) return one_crossing(low, high, at_low, at_high);
      if (cannot_vanish(slope_of(slope), kOfSlope * kOfSlope * unsure)) {
        return one_extremum(low, high, at_low, at_high, slope, largest(values));
      }
    } else if (is_pole(values)) {
      return;
    }
    look(low, middle, at_low, values[kDegree / 2], depth + 1);
    look(middle, high, values[kDegree / 2], at_high, depth + 1);
  }

 private:
  // Where 1/f has a series, f is never zero.
  static bool is_pole(const Series& values) {
    Series inverse{};
    for (std::size_t j = 0; j < inverse.size(); ++j) {
      if (values[j] == 0.0 || !std::isfinite(values[j])) return false;
      inverse[j] = 1.0 / values[j];
    }
    return has_converged(chebyshev(inverse));
  }

  // By the signs at the ends; a zero belongs to the piece that it ends.
  void one_crossing(double low, double high, double at_low, double at_high) {
    if (at_low == 0.0 || (at_high != 0.0 && (at_low > 0.0) == (at_high > 0.0))) return;
    if (std::isnan(at_low) || std::isnan(at_high)) return;
    refine(low, high, at_low, at_high);
  }

  // The slope has one root: on both sides of it there is one crossing at most.
  void one_extremum(double low, double high, double at_low, double at_high, const Series& slope,
                    double size) {
    double a = -1.0, b = 1.0;
    const bool falls_first = value_at(slope, a) < 0.0;
    if ((value_at(slope, b) < 0.0) == falls_first) return one_crossing(low, high, at_low, at_high);
    while (b - a > 1e-15) {
      const double middle = 0.5 * (a + b);
      ((value_at(slope, middle) < 0.0) == falls_first ? a : b) = middle;
    }
    const double at = 0.5 * (low + high) + 0.5 * (high - low) * b;
    if (!(at > low && at < high)) return one_crossing(low, high, at_low, at_high);
    const double value = f_(at);
    // To the last digits of what it is the difference of, or of where it is.
    const double roundoff = 8e-16 * size;
    const bool turns_back = (at_low > 0.0) == (at_high > 0.0) && at_low != 0.0 && at_high != 0.0;
    if (turns_back && std::fabs(value) <= roundoff) {
      found_.push_back({at, at_low < 0.0, true});
      return;
    }
    one_crossing(low, at, at_low, value);
    one_crossing(at, high, value, at_high);
  }

  // A kink that reaches zero and turns back, as that of abs does, or a root so flat that neither slope nor
  // bend tell where it is: pieces become as short as this one.
  bool touching_kink(double low, double high, double at_low, double at_high) {
    const double width = high - low, before = f_(low - width), after = f_(high + width);
    const bool above = before > 0.0;
    const auto same_side = [&](double value) { return above ? value > 0.0 : value < 0.0; };
    if (!same_side(before) || !same_side(after) || (!same_side(at_low) && at_low != 0.0) ||
        (!same_side(at_high) && at_high != 0.0))
      return false;
    for (int i = 0; i < 100 && high - low > 1e-16 * (1.0 + std::fabs(high)); ++i) {
      const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
      (std::fabs(f_(a)) < std::fabs(f_(b)) ? high : low) = std::fabs(f_(a)) < std::fabs(f_(b)) ? b : a;
    }
    const double at = 0.5 * (low + high), value = std::fabs(f_(at));
    const double steep = (std::fabs(before) + std::fabs(after)) / width;
    const double roundoff = 8e-16 * size_ + 4e-16 * steep * (1.0 + std::fabs(at));
    if (value > roundoff || value >= std::fabs(before) || value >= std::fabs(after)) return false;
    const bool is_known = !found_.empty() && std::fabs(found_.back().at - at) <= 4.0 * width;
    if (!is_known) found_.push_back({at, !above, true});
    return true;
  }

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
    // At a root the function vanishes, where it jumps it stays as it was, at a pole it grows.
    const double left = std::max(std::fabs(at_low), std::fabs(at_high));
    if (at_best != 0.0 && left > kPole * jump) return;
    const bool jumps = at_best != 0.0 && left > 1e-3 * jump;
    found_.push_back({jumps ? high : best, rising, false, jumps});
  }

  const std::function<double(double)>& f_;
  std::vector<Crossing>& found_;
  int pieces_ = 0;
  double size_ = 0.0;  // of the function, over the whole interval
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
