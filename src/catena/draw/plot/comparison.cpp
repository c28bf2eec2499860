#include "catena/draw/plot/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "catena/draw/label.h"

namespace catena::draw {
namespace {

constexpr std::array kMarkers = {Marker::disc, Marker::square, Marker::triangle, Marker::diamond,
                                 Marker::cross};

// More methods than colours: the marker tells those of one colour apart.
Curve method_curve(std::size_t i, const std::string& method, const Theme& theme, bool marked) {
  Curve curve;
  curve.name = plain_label(method);
  curve.colour = series_colour(theme, i % kDistinctColours, kDistinctColours);
  const std::size_t round = i / kDistinctColours;
  if (marked) curve.marker = kMarkers[round % kMarkers.size()];
  curve.dashed = round % 2 == 1;
  return curve;
}

Figure over_time(const char* title, const char* label, const char* symbol, const char* unit,
                 const std::vector<MethodSeries>& methods, const ComparisonOptions& options) {
  Figure figure;
  figure.title = in_words(title, options.language);
  figure.note = options.note;
  figure.panel_height = 260;
  Panel panel;
  panel.x = {.label = in_words("Time", options.language) + " $t$", .unit = "s"};
  panel.y = {.label = in_words(label, options.language) + " " + symbol, .unit = unit, .logarithmic = true};
  Bounds time;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    Curve curve = method_curve(i, methods[i].method, options.theme, false);
    for (const Point& point : methods[i].points) {
      time.add(point.x);
      const double size = std::fabs(point.y);
      curve.points.push_back({point.x, size > 0.0 ? size : std::nan("")});
    }
    panel.curves.push_back(std::move(curve));
  }
  if (time.high > time.low) panel.x.range = Span{time.low, time.high};
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace

Figure accuracy_figure(const std::vector<MethodRuns>& methods, const std::string& cost_label,
                       const std::string& cost_unit, const std::string& error_label,
                       const std::string& error_unit, const ComparisonOptions& options) {
  Figure figure;
  figure.title = in_words("Accuracy against cost", options.language);
  figure.note = options.note;
  figure.panel_height = 380;
  Panel panel;
  panel.x = {.label = in_words(cost_label, options.language), .unit = cost_unit, .logarithmic = true};
  panel.y = {.label = in_words(error_label, options.language), .unit = error_unit, .logarithmic = true};
  for (std::size_t i = 0; i < methods.size(); ++i) {
    Curve curve = method_curve(i, methods[i].method, options.theme, true);
    for (const MethodRun& run : methods[i].runs) {
      if (run.cost > 0.0 && run.error > 0.0 && std::isfinite(run.cost) && std::isfinite(run.error)) {
        curve.points.push_back({run.cost, run.error});
      }
    }
    std::sort(curve.points.begin(), curve.points.end(),
              [](const Point& a, const Point& b) { return a.x < b.x; });
    panel.curves.push_back(std::move(curve));
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

Figure energy_error_figure(const std::vector<MethodSeries>& methods, const ComparisonOptions& options) {
  return over_time("Energy error over time", "Energy error", "$|E\u2009-\u2009E_0|$", "J", methods, options);
}

Figure step_size_figure(const std::vector<MethodSeries>& methods, const ComparisonOptions& options) {
  return over_time("Step size over time", "Step size", "$h$", "s", methods, options);
}

Figure score_figure(const std::vector<MethodScore>& methods, const ComparisonOptions& options) {
  Figure figure;
  figure.title = in_words("Methods compared", options.language);
  figure.note = options.note;
  figure.columns = 2;
  figure.width = 720;
  figure.panel_height = std::max(60.0, 20.0 * static_cast<double>(methods.size()));
  Panel errors, speeds;
  errors.y.label = in_words("Mean absolute error (MAE) of total energy", options.language);
  errors.x = {.label = in_words("Energy error", options.language), .unit = "J", .logarithmic = true};
  speeds.y.label = in_words("Calculation speed", options.language);
  speeds.x = {.label = in_words("simulated seconds per second", options.language), .logarithmic = true};
  const std::string failed = in_words("failed", options.language);
  for (const MethodScore& method : methods) {
    const double none = std::nan("");
    const bool exact = !method.failed && method.energy_error == 0.0;
    errors.bars.push_back({plain_label(method.method), method.failed || exact ? none : method.energy_error,
                           series_colour(options.theme, 1, kDistinctColours),
                           method.failed ? failed
                           : exact       ? "$0$"
                                         : ""});
    speeds.bars.push_back({plain_label(method.method), method.failed ? none : method.speed,
                           series_colour(options.theme, 0, kDistinctColours), method.failed ? failed : ""});
  }
  figure.panels = {std::move(errors), std::move(speeds)};
  return figure;
}

}  // namespace catena::draw
