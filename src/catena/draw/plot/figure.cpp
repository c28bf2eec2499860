#include "catena/draw/plot/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "catena/draw/label.h"

namespace catena::draw {
namespace {

constexpr double kMargin = 16, kTitleSize = 13, kTextSize = 9, kTickSize = 8;
constexpr double kTickLength = 3.5, kTickGap = 3;

struct Scale {
  Span span;
  bool logarithmic = false;

  double operator()(double value) const {
    if (!logarithmic) return (value - span.low) / (span.high - span.low);
    if (!(value > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    return std::log(value / span.low) / std::log(span.high / span.low);
  }
};

// What the axes of a panel have to show.
struct Extent {
  Bounds x, y;
};

Extent extent_of(const Panel& panel) {
  Extent extent;
  for (const Curve& curve : panel.curves) {
    for (const Point& point : curve.points) {
      if (panel.x.logarithmic && !(point.x > 0.0)) continue;
      if (panel.y.logarithmic && !(point.y > 0.0)) continue;
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      extent.x.add(point.x);
      extent.y.add(point.y);
    }
    if (curve.density) {
      extent.x.add(curve.x_bounds);
      extent.y.add(curve.y_bounds);
    }
  }
  for (const Bar& bar : panel.bars) {
    if (!panel.x.logarithmic || bar.value > 0.0) extent.x.add(bar.value);
  }
  if (!panel.bars.empty() && !panel.x.logarithmic) extent.x.add(0.0);
  if (panel.histogram) {
    extent.y.add(0.0);
    for (const double edge : panel.histogram->edges) extent.x.add(edge);
    for (const double count : panel.histogram->counts) extent.y.add(count);
  }
  return extent;
}

Span span_of(const Axis& axis, const Bounds& bounds) {
  if (axis.range) return *axis.range;
  if (axis.tight && bounds.high > bounds.low) return {bounds.low, bounds.high};
  return padded(axis.logarithmic && bounds.low <= 0.0 ? bounds.least_positive : bounds.low, bounds.high,
                axis.logarithmic);
}

Ticks ticks_of(const Axis& axis, const Span& span, int wanted) {
  if (axis.logarithmic) return log_ticks(span.low, span.high, wanted);
  return axis.angle ? angle_ticks(span.low, span.high, wanted) : linear_ticks(span.low, span.high, wanted);
}

double widest(Canvas& canvas, const Ticks& ticks, double size) {
  double width = 0.0;
  for (const std::string& label : ticks.labels) width = std::max(width, canvas.text_width(label, size));
  return width;
}

// As many ticks as their labels leave room for.
Ticks fitting_x_ticks(Canvas& canvas, const Axis& axis, const Span& span, double length, double size) {
  int wanted = std::max(1, static_cast<int>(length / 60));
  for (;; --wanted) {
    Ticks ticks = ticks_of(axis, span, wanted);
    const double room = length / std::max(1.0, static_cast<double>(ticks.at.size()));
    if (wanted <= 1 || widest(canvas, ticks, size) + 10 < room) return ticks;
  }
}

Ticks fitting_y_ticks(const Axis& axis, const Span& span, double length, double size) {
  return ticks_of(axis, span, std::max(1, static_cast<int>(length / (3.2 * size))));
}

// "Energy $E$ - 5.45 (10^{-14} J)": what the ticks leave out stands here.
std::string axis_title(const Axis& axis, const Ticks& ticks) {
  std::string title = axis.label;
  if (ticks.offset != 0.0) {
    const bool negative = ticks.offset < 0.0;
    title +=
        fmt::format(" $\u2009{}\u2009{}$", negative ? "+" : "-", number_label(std::fabs(ticks.offset), 15));
  }
  std::string unit = axis.unit;
  if (ticks.exponent != 0) {
    unit = fmt::format("$10^{{{}}}${}{}", ticks.exponent, unit.empty() ? "" : "\u2009", unit);
  }
  return unit.empty() ? title : fmt::format("{} ({})", title, unit);
}

double fitted_size(Canvas& canvas, const std::string& label, double size, double room, bool bold = false) {
  const double width = canvas.text_width(label, size, bold);
  return width <= room ? size : size * room / width;
}

Stroke hairline(const Colour& colour, double width = 0.7) { return {colour, width}; }

void draw_marker(Canvas& canvas, Marker marker, Point at, double r, const Colour& colour) {
  const auto polygon = [&](std::initializer_list<Point> corners) {
    std::vector<Point> points;
    for (const Point& corner : corners) points.push_back({at.x + r * corner.x, at.y + r * corner.y});
    canvas.fill(points, colour);
  };
  switch (marker) {
    case Marker::none:
      return;
    case Marker::disc:
    case Marker::dots:
      return canvas.disc(at, r, colour);
    case Marker::square:
      return polygon({{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}});
    case Marker::triangle:
      return polygon({{0, -1.2}, {1.1, 0.75}, {-1.1, 0.75}});
    case Marker::diamond:
      return polygon({{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}});
    case Marker::cross:
      canvas.line({at.x - r, at.y - r}, {at.x + r, at.y + r}, {colour, 1.4});
      return canvas.line({at.x - r, at.y + r}, {at.x + r, at.y - r}, {colour, 1.4});
  }
}

Image density_image(const Density& density, const Colour& colour) {
  std::uint32_t most = 1;
  for (const std::uint32_t hits : density.hits) most = std::max(most, hits);
  const double scale = 0.75 / std::log1p(static_cast<double>(most));
  Image image{density.width, density.height, {}};
  image.pixels.resize(density.hits.size());
  for (std::size_t i = 0; i < density.hits.size(); ++i) {
    if (density.hits[i] == 0) continue;
    const double alpha = 0.25 + scale * std::log1p(static_cast<double>(density.hits[i]));
    const auto byte = [&](double part) {
      return static_cast<std::uint32_t>(std::lround(255 * part * alpha));
    };
    image.pixels[i] = byte(1.0) << 24 | byte(colour.r) << 16 | byte(colour.g) << 8 | byte(colour.b);
  }
  return image;
}

// A panel whose ranges are known, before it has a place.
class PanelDrawing {
 public:
  PanelDrawing(Canvas& canvas, const Panel& panel, const Theme& theme, double text_size)
      : canvas_(canvas),
        panel_(panel),
        theme_(theme),
        text_(text_size),
        tick_(text_size * kTickSize / kTextSize) {
    const Extent extent = extent_of(panel);
    x_ = span_of(panel.x, extent.x);
    y_ = span_of(panel.y, extent.y);
    if (!panel.bars.empty()) {
      y_ = {static_cast<double>(panel.bars.size()) - 0.4, -0.6};  // first bar on top
      if (!panel.x.range) widen_for_bar_texts();
    }
    if (panel.histogram && !panel.y.range) y_ = {0.0, 1.08 * std::max(extent.y.high, 1e-300)};
  }

  // Room for the labels at the left of the axes.
  double gutter(double height) {
    double width = 0.0;
    if (!panel_.bars.empty()) {
      for (const Bar& bar : panel_.bars) width = std::max(width, canvas_.text_width(bar.name, text_));
    } else if (!panel_.y.hide_ticks) {
      width = widest(canvas_, fitting_y_ticks(panel_.y, y_, height, tick_), tick_);
    }
    return width + kTickLength + kTickGap;
  }

  double title_height() const { return has_title() ? 2.0 * text_ : 0.4 * text_; }
  double foot_height(bool with_x) const {
    return with_x ? kTickLength + kTickGap + 1.2 * tick_ + (panel_.x.label.empty() ? 0.0 : 1.5 * text_) : 5.0;
  }

  // `rect`: the axes. `left`: where the title may begin. `with_x`: numbers and title of the x axis.
  Frame draw(const Rect& rect, double left, double right, bool with_x) {
    rect_ = rect;
    if (panel_.equal) equalise();
    frame_ = {rect_, x_, y_, panel_.x.logarithmic, panel_.y.logarithmic};
    draw_axes(left, right, with_x);
    canvas_.clip({rect_.x - 2, rect_.y - 2, rect_.width + 4, rect_.height + 4});
    if (panel_.histogram) draw_histogram();
    for (const Curve& curve : panel_.curves) draw_curve(curve);
    canvas_.unclip();
    draw_bars();
    return frame_;
  }

 private:
  bool has_title() const { return !panel_.y.label.empty(); }

  void widen_for_bar_texts() {  // their texts stand behind the bars
    if (panel_.x.logarithmic) {
      x_ = {std::pow(10.0, std::floor(std::log10(x_.low))), x_.high * std::pow(x_.high / x_.low, 0.28)};
    } else {
      x_ = {std::min(0.0, x_.low), x_.low + (x_.high - x_.low) * 1.25};
    }
  }

  void equalise() {
    const double per_x = (x_.high - x_.low) / rect_.width, per_y = (y_.high - y_.low) / rect_.height;
    Span& wider = per_x > per_y ? y_ : x_;
    const double middle = 0.5 * (wider.low + wider.high);
    const double half = 0.5 * std::max(per_x, per_y) * (per_x > per_y ? rect_.height : rect_.width);
    wider = {middle - half, middle + half};
  }

  void draw_axes(double left, double right, bool with_x) {
    const Ticks x_ticks = fitting_x_ticks(canvas_, panel_.x, x_, rect_.width, tick_);
    const Ticks y_ticks = panel_.bars.empty() ? fitting_y_ticks(panel_.y, y_, rect_.height, tick_) : Ticks{};
    for (const double value : x_ticks.at) vertical(value, hairline(theme_.grid));
    for (const double value : y_ticks.at) horizontal(value, hairline(theme_.grid));
    for (const double value : panel_.levels) horizontal(value, hairline(theme_.muted));
    const Colour axis_colour = mixed(theme_.muted, theme_.paper, 0.25);
    canvas_.line({rect_.x, rect_.bottom()}, {rect_.right(), rect_.bottom()}, hairline(axis_colour, 0.9));
    if (panel_.bars.empty())
      canvas_.line({rect_.x, rect_.y}, {rect_.x, rect_.bottom()}, hairline(axis_colour, 0.9));
    draw_x_ticks(x_ticks, with_x);
    if (!panel_.y.hide_ticks) draw_y_ticks(y_ticks);
    if (has_title()) {
      const std::string title = axis_title(panel_.y, y_ticks);
      canvas_.text(title, {left, rect_.y - 0.85 * text_},
                   {.size = fitted_size(canvas_, title, text_, right - left), .colour = theme_.ink});
    }
    if (with_x && !panel_.x.label.empty()) {
      const std::string title = axis_title(panel_.x, x_ticks);
      const double y = rect_.bottom() + kTickLength + kTickGap + 1.2 * tick_ + 1.0 * text_;
      canvas_.text(title, {rect_.x + 0.5 * rect_.width, y},
                   {.size = fitted_size(canvas_, title, text_, right - left),
                    .colour = theme_.ink,
                    .align = Align::middle});
    }
  }

  void vertical(double value, const Stroke& stroke) {
    const double x = frame_.place(value, y_.low).x;
    canvas_.line({x, rect_.y}, {x, rect_.bottom()}, stroke);
  }
  void horizontal(double value, const Stroke& stroke) {
    const double y = frame_.place(x_.low, value).y;
    if (y < rect_.y - 0.01 || y > rect_.bottom() + 0.01) return;
    canvas_.line({rect_.x, y}, {rect_.right(), y}, stroke);
  }

  void draw_x_ticks(const Ticks& ticks, bool with_labels) {
    const Stroke stroke = hairline(theme_.muted, 0.8);
    const double y = rect_.bottom();
    for (const double value : ticks.minor) {
      const double x = frame_.place(value, y_.low).x;
      canvas_.line({x, y}, {x, y + 0.55 * kTickLength}, stroke);
    }
    double free_from = -1e9;
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
      const double x = frame_.place(ticks.at[i], y_.low).x;
      canvas_.line({x, y}, {x, y + kTickLength}, stroke);
      const double half = 0.5 * canvas_.text_width(ticks.labels[i], tick_);
      if (!with_labels || x - half < free_from) continue;
      canvas_.text(ticks.labels[i], {x, y + kTickLength + kTickGap},
                   {.size = tick_, .colour = theme_.muted, .align = Align::middle, .level = Align::end});
      free_from = x + half + 4;
    }
  }

  void draw_y_ticks(const Ticks& ticks) {
    const Stroke stroke = hairline(theme_.muted, 0.8);
    for (const double value : ticks.minor) {
      const double y = frame_.place(x_.low, value).y;
      canvas_.line({rect_.x - 0.55 * kTickLength, y}, {rect_.x, y}, stroke);
    }
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
      const double y = frame_.place(x_.low, ticks.at[i]).y;
      canvas_.line({rect_.x - kTickLength, y}, {rect_.x, y}, stroke);
      canvas_.text(ticks.labels[i], {rect_.x - kTickLength - kTickGap, y},
                   {.size = tick_, .colour = theme_.muted, .align = Align::end, .level = Align::middle});
    }
  }

  void draw_curve(const Curve& curve) {
    if (curve.density) {
      const Point corner = frame_.place(curve.x_bounds.low, curve.y_bounds.high);
      const Point other = frame_.place(curve.x_bounds.high, curve.y_bounds.low);
      canvas_.image(density_image(*curve.density, curve.colour),
                    {corner.x, corner.y, other.x - corner.x, other.y - corner.y});
      return;
    }
    std::vector<Point> points;
    points.reserve(curve.points.size());
    for (const Point& point : curve.points) points.push_back(frame_.place(point.x, point.y));
    if (curve.marker == Marker::dots) {
      for (const Point& point : points) {
        if (std::isfinite(point.x) && std::isfinite(point.y)) canvas_.disc(point, 0.8, curve.colour);
      }
      return;
    }
    Stroke stroke = {curve.colour, curve.width};
    if (curve.dashed) stroke.dashes = {4, 3};
    if (curve.width > 0.0) canvas_.polyline(points, stroke);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto there = [&](std::size_t k) {
        return k < points.size() && std::isfinite(points[k].x) && std::isfinite(points[k].y);
      };
      if (!there(i)) continue;
      draw_marker(canvas_, curve.marker, points[i], curve.marker_size, curve.colour);
      const bool alone = !there(i - 1) && !there(i + 1);  // before the first: i - 1 is no index
      if (alone) canvas_.disc(points[i], 2.0, curve.colour);
    }
  }

  void draw_histogram() {
    const Histogram& histogram = *panel_.histogram;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
      const Point low = frame_.place(histogram.edges[i], 0.0);
      const Point high = frame_.place(histogram.edges[i + 1], histogram.counts[i]);
      if (histogram.counts[i] > 0.0) {
        canvas_.fill({low.x + 0.3, high.y, high.x - low.x - 0.6, low.y - high.y}, histogram.colour);
      }
    }
  }

  void draw_bars() {
    const double height = rect_.height / std::max(1.0, static_cast<double>(panel_.bars.size()));
    for (std::size_t i = 0; i < panel_.bars.size(); ++i) {
      const Bar& bar = panel_.bars[i];
      const double y = frame_.place(x_.low, static_cast<double>(i)).y;
      canvas_.text(bar.name, {rect_.x - kTickLength - kTickGap, y},
                   {.size = std::min(text_, 0.8 * height),
                    .colour = theme_.ink,
                    .align = Align::end,
                    .level = Align::middle});
      const double base = panel_.x.logarithmic ? x_.low : 0.0;
      const double start = frame_.place(base, 0).x;
      double end = frame_.place(bar.value, 0).x;
      if (!std::isfinite(end)) end = start;
      const double thick = std::min(0.62 * height, 16.0);
      canvas_.fill({std::min(start, end), y - 0.5 * thick, std::fabs(end - start), thick}, bar.colour);
      const std::string text = bar.text.empty() ? "$" + number_label(bar.value, 2) + "$" : bar.text;
      canvas_.text(text, {end + 4, y},
                   {.size = std::min(tick_, 0.75 * height), .colour = theme_.muted, .level = Align::middle});
    }
  }

  Canvas& canvas_;
  const Panel& panel_;
  const Theme& theme_;
  double text_, tick_;
  Span x_{}, y_{};
  Rect rect_;
  Frame frame_;
};

struct Entry {
  std::string name;
  Colour colour;
  bool dashed, lined;
  Marker marker;
};

std::vector<Entry> legend_of(const Figure& figure) {
  std::vector<Entry> entries;
  if (figure.key) return entries;
  for (const Panel& panel : figure.panels) {
    for (const Curve& curve : panel.curves) {
      const bool known =
          curve.name.empty() ||
          std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == curve.name; });
      if (!known)
        entries.push_back({curve.name, curve.colour, curve.dashed, curve.width > 0.0, curve.marker});
    }
  }
  return entries;
}

constexpr double kSwatch = 16, kEntryGap = 14, kLegendLine = 14;

// Above all panels, so that it covers no curve. Draws unless `only_measure`; returns its height.
double put_legend(const Figure& figure, const Theme& theme, Canvas& canvas, double top, bool only_measure) {
  if (figure.key) {
    if (only_measure) return kLegendLine + 4;
    const double y = top + 0.5 * kLegendLine;
    const TextStyle style = {.size = kTickSize + 0.5, .colour = theme.muted, .level = Align::middle};
    double x = kMargin;
    x = canvas.text(figure.key->label, {x, y}, style).right() + 8;
    x = canvas.text(figure.key->first, {x, y}, style).right() + 5;
    constexpr int kCells = 60;
    for (int i = 0; i < kCells; ++i) {
      canvas.fill({x + 2.0 * i, y - 3, 2.2, 6},
                  sequence_colour(theme, static_cast<double>(i) / (kCells - 1)));
    }
    canvas.text(figure.key->last, {x + 2.0 * kCells + 5, y}, style);
    return kLegendLine + 4;
  }
  const std::vector<Entry> entries = legend_of(figure);
  if (entries.empty()) return 0.0;
  double x = kMargin, y = top + 0.5 * kLegendLine;
  for (const Entry& entry : entries) {
    const double width = kSwatch + 4 + canvas.text_width(entry.name, kTickSize + 0.5);
    if (x > kMargin && x + width > figure.width - kMargin) {
      x = kMargin;
      y += kLegendLine;
    }
    if (!only_measure) {
      Stroke stroke = {entry.colour, 2.0};
      if (entry.dashed) stroke.dashes = {4, 3};
      if (entry.lined && entry.marker != Marker::dots) canvas.line({x, y}, {x + kSwatch, y}, stroke);
      draw_marker(canvas, entry.marker, {x + 0.5 * kSwatch, y}, 3, entry.colour);
      canvas.text(entry.name, {x + kSwatch + 4, y},
                  {.size = kTickSize + 0.5, .colour = theme.ink, .level = Align::middle});
    }
    x += width + kEntryGap;
  }
  return y + 0.5 * kLegendLine + 4 - top;
}

double header_height(const Figure& figure, const Theme& theme, Canvas& canvas) {
  double height = kMargin;
  if (!figure.title.empty()) height += 1.35 * kTitleSize;
  if (!figure.note.empty()) height += 1.5 * kTextSize;
  return height + 6 + put_legend(figure, theme, canvas, 0.0, true);
}

void draw_header(const Figure& figure, const Theme& theme, Canvas& canvas) {
  double y = kMargin;
  const double room = figure.width - 2 * kMargin;
  if (!figure.title.empty()) {
    canvas.text(figure.title, {kMargin, y + 0.76 * kTitleSize},
                {.size = fitted_size(canvas, figure.title, kTitleSize, room, true),
                 .colour = theme.ink,
                 .bold = true});
    y += 1.35 * kTitleSize;
  }
  if (!figure.note.empty()) {
    canvas.text(figure.note, {kMargin, y + 0.9 * kTextSize},
                {.size = fitted_size(canvas, figure.note, kTextSize, room), .colour = theme.muted});
    y += 1.5 * kTextSize;
  }
  put_legend(figure, theme, canvas, y + 6, false);
}

// Sizes of everything, so that a figure's height is known before there is a canvas of that height.
struct Plan {
  std::vector<PanelDrawing> drawings;
  double top = 0.0;
  std::vector<double> title_heights, foot_heights;  // per row
  std::vector<double> gutters;                      // per column
  std::size_t rows = 0, columns = 0;

  Plan(const Figure& figure, const Theme& theme, Canvas& canvas) {
    columns = std::max<std::size_t>(1, figure.columns);
    rows = (figure.panels.size() + columns - 1) / columns;
    top = header_height(figure, theme, canvas);
    title_heights.assign(rows, 0.0);
    foot_heights.assign(rows, 0.0);
    gutters.assign(columns, 0.0);
    drawings.reserve(figure.panels.size());
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
      const std::size_t row = i / columns, column = i % columns;
      PanelDrawing& drawing = drawings.emplace_back(canvas, figure.panels[i], theme, kTextSize);
      gutters[column] = std::max(gutters[column], drawing.gutter(figure.panel_height));
      title_heights[row] = std::max(title_heights[row], drawing.title_height());
      foot_heights[row] = std::max(foot_heights[row], drawing.foot_height(has_x(figure, i)));
    }
  }

  // The lowest panel of its column has the numbers where all share them.
  bool has_x(const Figure& figure, std::size_t i) const {
    return !figure.shared_x || i + columns >= figure.panels.size();
  }

  double height(const Figure& figure) const {
    double height = top + kMargin;
    for (std::size_t row = 0; row < rows; ++row) {
      height += title_heights[row] + figure.panel_height + foot_heights[row] + kRowGap;
    }
    return height - kRowGap;
  }

  static constexpr double kRowGap = 8, kColumnGap = 22;
};

}  // namespace

Point Frame::place(double x_value, double y_value) const {
  const double sx = Scale{x, log_x}(x_value), sy = Scale{y, log_y}(y_value);
  return {rect.x + sx * rect.width, rect.bottom() - sy * rect.height};
}

double height_of(const Figure& figure) {
  Canvas canvas = Canvas::to_image(1, 1);
  return std::ceil(Plan(figure, light_theme(), canvas).height(figure));
}

Drawn draw(const Figure& figure, const Theme& theme, Canvas& canvas) {
  canvas.fill(theme.paper);
  Plan plan(figure, theme, canvas);
  draw_header(figure, theme, canvas);
  double gutters = 0.0;
  for (const double gutter : plan.gutters) gutters += gutter;
  const double columns = static_cast<double>(plan.columns);
  const double width =
      (figure.width - 2 * kMargin - gutters - (columns - 1) * Plan::kColumnGap - 6) / columns;
  Drawn drawn{canvas.width(), canvas.height(), {}, {}};
  double y = plan.top;
  for (std::size_t row = 0; row < plan.rows; ++row) {
    y += plan.title_heights[row];
    double x = kMargin;
    for (std::size_t column = 0; column < plan.columns; ++column) {
      const std::size_t i = row * plan.columns + column;
      if (i >= figure.panels.size()) break;
      const double left = x;
      x += plan.gutters[column];
      drawn.frames.push_back(
          plan.drawings[i].draw({x, y, width, figure.panel_height}, left, x + width, plan.has_x(figure, i)));
      x += width + Plan::kColumnGap;
    }
    y += figure.panel_height + plan.foot_heights[row] + Plan::kRowGap;
  }
  drawn.texts = canvas.texts();
  return drawn;
}

Drawn draw(const Figure& figure, const Theme& theme, const std::string& path) {
  Canvas canvas = Canvas::to_file(path, figure.width, height_of(figure));
  Drawn drawn = draw(figure, theme, canvas);
  canvas.finish();
  return drawn;
}

Frame draw_panel(const Panel& panel, const Theme& theme, Canvas& canvas, const Rect& place,
                 double text_size) {
  PanelDrawing drawing(canvas, panel, theme, text_size);
  const double head = drawing.title_height(), foot = drawing.foot_height(!panel.x.hide_ticks);
  const double height = place.height - head - foot;
  const double gutter = drawing.gutter(height);
  return drawing.draw({place.x + gutter, place.y + head, place.width - gutter, height}, place.x,
                      place.right(), !panel.x.hide_ticks);
}

}  // namespace catena::draw
