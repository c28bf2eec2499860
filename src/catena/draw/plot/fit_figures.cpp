#include "catena/draw/plot/fit_figures.h"

#include <cmath>

#include "catena/draw/label.h"

namespace catena::draw {
namespace {

Figure empty_figure(const char* title, const FitLook& look, std::size_t panels) {
  Figure figure;
  figure.title = in_words(title, look.language);
  figure.note = look.note;
  figure.panel_height = panels == 1 ? 260 : 150;
  figure.shared_x = true;
  return figure;
}

Panel panel_of(const FittedColumn& column, const FitLook& look) {
  Panel panel;
  panel.x = {.label = in_words("Time", look.language) + " $t$", .unit = "s"};
  panel.y = {.label = plain_label(column.name), .unit = column.unit};
  if (!column.times.empty() && column.times.back() > column.times.front())
    panel.x.range = Span{column.times.front(), column.times.back()};
  return panel;
}

Curve dots(const FittedColumn& column, const Colour& colour) {
  Curve curve;
  curve.colour = colour;
  curve.width = 0.0;
  curve.marker = Marker::disc;
  curve.marker_size = column.times.size() > 300 ? 1.2 : 2.2;
  return curve;
}

}  // namespace

Figure fit_figure(const std::vector<FittedColumn>& columns, const FitLook& look) {
  Figure figure = empty_figure("Measured and fitted", look, columns.size());
  for (const FittedColumn& column : columns) {
    Panel panel = panel_of(column, look);
    Curve measured = dots(column, faded(series_colour(look.theme, 0, kDistinctColours), 0.7)), fitted;
    measured.name = in_words("measured", look.language);
    fitted.name = in_words("fitted", look.language);
    fitted.colour = series_colour(look.theme, 1, kDistinctColours);
    for (std::size_t i = 0; i < column.times.size(); ++i) {
      if (!std::isnan(column.measured[i])) measured.points.push_back({column.times[i], column.measured[i]});
      fitted.points.push_back({column.times[i], column.modelled[i]});
    }
    panel.curves = {std::move(measured), std::move(fitted)};
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

Figure residual_figure(const std::vector<FittedColumn>& columns, const FitLook& look) {
  Figure figure = empty_figure("What is left: measured less fitted", look, columns.size());
  for (const FittedColumn& column : columns) {
    Panel panel = panel_of(column, look);
    Curve left = dots(column, series_colour(look.theme, 0, kDistinctColours));
    for (std::size_t i = 0; i < column.times.size(); ++i) {
      const double residual = column.measured[i] - column.modelled[i];
      if (!std::isnan(residual)) left.points.push_back({column.times[i], residual});
    }
    panel.curves = {std::move(left)};
    panel.levels = {0.0};
    if (column.noise > 0.0) panel.levels = {-2.0 * column.noise, 0.0, 2.0 * column.noise};
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace catena::draw
