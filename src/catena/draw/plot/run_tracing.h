// What is kept of a run's rows as they pass: curves over time, traces in a plane, counts.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>

#include "catena/draw/plot/figure.h"

namespace catena::draw {

constexpr double kPi = std::numbers::pi;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kNoJump = 1e300;

// A column over time. Angles that jump by a turn get a gap there instead of a stroke across the figure.
struct TimeJob {
  std::size_t column;
  bool wraps;
  Envelope envelope;
  double last = kNan;

  void take(double t, double value) {
    if (wraps && std::fabs(value - last) > kPi) envelope.add(t, kNan);
    envelope.add(t, value);
    last = value;
  }
};

using RowPoint = std::function<Point(const double* row)>;

struct TraceJob {
  RowPoint value;
  Trace trace;
  double jump;  // in x or y: a gap
  Bounds x_bounds, y_bounds;
  Point last{kNan, kNan};

  void take(const double* row) {
    const Point point = value(row);
    if (std::fabs(point.x - last.x) > jump || std::fabs(point.y - last.y) > jump) trace.add(kNan, kNan);
    trace.add(point.x, point.y);
    last = point;
  }
};

// Counts of log10(value), fine enough to be joined into any bins.
struct LogCounts {
  static constexpr double kPerDecade = 60;
  std::map<int, double> counts;
  double all = 0.0;

  void take(double value) {
    if (!(value > 0.0) || !std::isfinite(value)) return;
    counts[static_cast<int>(std::floor(std::log10(value) * kPerDecade))] += 1;
    all += 1;
  }
};

}  // namespace catena::draw
