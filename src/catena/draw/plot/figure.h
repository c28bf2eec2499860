// Figures as plain structs: panels of curves, bars and histograms with axes, drawn into PNG, SVG or PDF.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/draw/canvas.h"
#include "catena/draw/colour.h"
#include "catena/draw/plot/curve.h"
#include "catena/draw/plot/ticks.h"

namespace catena::draw {

// All texts are labels (label.h).
struct Axis {
  std::string label;
  std::string unit = {};
  bool logarithmic = false;
  bool angle = false;              // ticks at parts of pi
  std::optional<Span> range = {};  // none: that of the data, with some air
  bool tight = false;              // no air
  bool hide_ticks = false;
};

enum class Marker { none, disc, square, triangle, diamond, cross, dots };  // dots: small, and no line

struct Curve {
  std::string name = {};  // in the legend; empty: not there. The same name in several panels is one entry
  Colour colour;
  std::vector<Point> points;
  double width = 1.3;  // 0: no line, markers alone
  bool dashed = false;
  Marker marker = Marker::none;
  double marker_size = 3.0;
  // Instead of points: a curve that passes everywhere. Its corners are at x_bounds and y_bounds.
  std::shared_ptr<const Density> density = {};
  Bounds x_bounds = {}, y_bounds = {};
};

// Lines of text with a bar each, for comparisons by name. The x axis is that of the values.
struct Bar {
  std::string name;
  double value = 0.0;  // NaN: no bar, the text says why
  Colour colour;
  std::string text = {};  // at its end; empty: the value
};

// Counts between edges; one more edge than counts.
struct Histogram {
  std::vector<double> edges;
  std::vector<double> counts;
  Colour colour;
};

struct Panel {
  Axis x, y;
  std::vector<Curve> curves = {};
  std::vector<Bar> bars = {};
  std::optional<Histogram> histogram = {};
  std::vector<double> levels = {};  // horizontal hairlines
  bool equal = false;               // a unit of x is as long as one of y
};

// Many curves that differ by a number (links 1 to 100): a strip of their colours instead of a legend.
struct ColourKey {
  std::string label, first, last;
};

struct Figure {
  std::string title;
  std::string note = {};  // below the title, small
  std::vector<Panel> panels;
  std::size_t columns = 1;
  bool shared_x = false;  // only the lowest panel of a column has the numbers of the x axis
  double width = 640;
  double panel_height = 150;  // of the axes alone
  std::optional<ColourKey> key = {};
};

// Where a panel's axes are, to find data in the picture.
struct Frame {
  Rect rect;
  Span x, y;
  bool log_x = false, log_y = false;

  Point place(double x_value, double y_value) const;
};

struct Drawn {
  double width = 0.0, height = 0.0;
  std::vector<TextBox> texts;
  std::vector<Frame> frames;
};

// The height that the figure will have.
double height_of(const Figure& figure);

Drawn draw(const Figure& figure, const Theme& theme, Canvas& canvas);

// Into a file, whose ending says the format.
Drawn draw(const Figure& figure, const Theme& theme, const std::string& path);

// One panel inside `place`, for pictures with a panel in a corner.
Frame draw_panel(const Panel& panel, const Theme& theme, Canvas& canvas, const Rect& place, double text_size);

}  // namespace catena::draw
