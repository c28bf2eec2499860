#include "catena/draw/canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "catena/base/links.h"
#include "catena/draw/font.h"
#include "catena/draw/label.h"

namespace catena::draw {
namespace {

bool is_gap(const Point& point) { return !std::isfinite(point.x) || !std::isfinite(point.y); }

void set_colour(cairo_t* context, const Colour& colour) {
  cairo_set_source_rgba(context, colour.r, colour.g, colour.b, colour.a);
}

void set_stroke(cairo_t* context, const Stroke& stroke) {
  set_colour(context, stroke.colour);
  cairo_set_line_width(context, stroke.width);
  cairo_set_dash(context, stroke.dashes.data(), static_cast<int>(stroke.dashes.size()), 0.0);
}

// One stretch of text in one font: how wide it is, and its glyphs if they are wanted.
struct Piece {
  cairo_scaled_font_t* font = nullptr;
  std::vector<cairo_glyph_t> glyphs;
  double width = 0.0;
};

Piece shaped(cairo_font_face_t* face, std::string_view text, double size) {
  cairo_matrix_t scale, identity;
  cairo_matrix_init_scale(&scale, size, size);
  cairo_matrix_init_identity(&identity);
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  Piece piece;
  piece.font = cairo_scaled_font_create(face, &scale, &identity, options);
  cairo_font_options_destroy(options);
  cairo_glyph_t* glyphs = nullptr;
  int count = 0;
  cairo_scaled_font_text_to_glyphs(piece.font, 0, 0, text.data(), static_cast<int>(text.size()), &glyphs,
                                   &count, nullptr, nullptr, nullptr);
  piece.glyphs.assign(glyphs, glyphs + count);
  cairo_text_extents_t extents;
  cairo_scaled_font_glyph_extents(piece.font, glyphs, count, &extents);
  piece.width = extents.x_advance;
  cairo_glyph_free(glyphs);
  return piece;
}

// A label laid out from (0, 0), its baseline along x.
class Layout {
 public:
  Layout(std::string_view label, double size, bool bold) {
    for (const LabelRun& run : label_runs(label)) add(run, size, bold);
  }
  ~Layout() {
    for (Piece& piece : pieces_) cairo_scaled_font_destroy(piece.font);
  }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  double width() const { return width_; }

  void show(cairo_t* context) {
    for (Piece& piece : pieces_) {
      cairo_set_scaled_font(context, piece.font);
      cairo_show_glyphs(context, piece.glyphs.data(), static_cast<int>(piece.glyphs.size()));
    }
    for (const auto& [center, radius] : dots_) {
      cairo_new_sub_path(context);
      cairo_arc(context, center.x, center.y, radius, 0, 2 * std::numbers::pi);
      cairo_fill(context);
    }
  }

 private:
  void add(const LabelRun& run, double size, bool bold) {
    const double start = width_, own = size * run.scale, rise = size * run.rise;
    visit_fonts(run.text, {run.italic, bold || run.bold},
                [&](cairo_font_face_t* face, std::string_view text) {
                  Piece piece = shaped(face, text, own);
                  for (cairo_glyph_t& glyph : piece.glyphs) {
                    glyph.x += width_;
                    glyph.y -= rise;
                  }
                  width_ += piece.width;
                  pieces_.push_back(std::move(piece));
                });
    // Above the letter, and a little to the right where it leans.
    if (run.dotted) {
      dots_.push_back(
          {{0.5 * (start + width_) + (run.italic ? 0.08 * own : 0.0), -rise - 0.92 * own}, 0.065 * own});
    }
  }

  std::vector<Piece> pieces_;
  std::vector<std::pair<Point, double>> dots_;
  double width_ = 0.0;
};

constexpr double kAscent = 0.76, kDescent = 0.24;  // of the font size: what a text's box reaches to

double level_shift(Align level, double size) {
  return level == Align::start ? 0.0 : level == Align::middle ? 0.36 * size : kAscent * size;
}

std::string unfinished(const std::string& path) { return through_links(path) + ".tmp"; }

[[noreturn]] void cannot_write(const std::string& path, const char* why) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const bool lacks_folder = !folder.empty() && !std::filesystem::is_directory(folder);
  throw std::runtime_error(
      lacks_folder ? fmt::format("cannot write '{}': there is no folder '{}'", path, folder.string())
                   : fmt::format("cannot write '{}': {}", path, why));
}

}  // namespace

bool can_write(std::string_view text) { return fonts_have(text); }

Canvas::Canvas(double width, double height) : width_(width), height_(height) {}

Canvas::Canvas(Canvas&& other) noexcept
    : width_(other.width_),
      height_(other.height_),
      scale_(other.scale_),
      path_(std::move(other.path_)),
      context_(std::exchange(other.context_, nullptr)),
      texts_(std::move(other.texts_)) {}

Canvas::~Canvas() {
  if (context_ != nullptr) cairo_destroy(context_);
}

namespace {

cairo_t* prepared(cairo_surface_t* surface) {
  cairo_t* context = cairo_create(surface);
  cairo_surface_destroy(surface);  // the context keeps it
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND);
  cairo_set_tolerance(context, 0.05);
  return context;
}

cairo_surface_t* image_surface(double width, double height, double scale) {
  return cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(std::lround(width * scale)),
                                    static_cast<int>(std::lround(height * scale)));
}

}  // namespace

Canvas Canvas::to_file(const std::string& path, double width, double height, double scale) {
  Canvas canvas(width, height);
  canvas.path_ = path;
  if (path.ends_with(".svg")) {
    cairo_surface_t* surface = cairo_svg_surface_create(unfinished(path).c_str(), width, height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    canvas.context_ = prepared(surface);
  } else if (path.ends_with(".pdf")) {
    canvas.context_ = prepared(cairo_pdf_surface_create(unfinished(path).c_str(), width, height));
  } else {
    canvas.context_ = prepared(image_surface(width, height, scale));
    cairo_scale(canvas.context_, scale, scale);
    canvas.scale_ = scale;
  }
  if (cairo_status(canvas.context_) != CAIRO_STATUS_SUCCESS) {
    cannot_write(path, cairo_status_to_string(cairo_status(canvas.context_)));
  }
  return canvas;
}

Canvas Canvas::to_image(double width, double height, double scale) {
  Canvas canvas(width, height);
  canvas.context_ = prepared(image_surface(width, height, scale));
  cairo_scale(canvas.context_, scale, scale);
  canvas.scale_ = scale;
  return canvas;
}

Canvas Canvas::onto(Image& image) {
  Canvas canvas(image.width, image.height);
  canvas.context_ = prepared(
      cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(image.pixels.data()),
                                          CAIRO_FORMAT_ARGB32, image.width, image.height, 4 * image.width));
  return canvas;
}

void Canvas::fill(const Colour& colour) {
  set_colour(context_, colour);
  cairo_paint(context_);
}

void Canvas::fill(const Rect& rect, const Colour& colour, double radius) {
  set_colour(context_, colour);
  if (radius <= 0.0) {
    cairo_rectangle(context_, rect.x, rect.y, rect.width, rect.height);
  } else {
    constexpr double kQuarter = std::numbers::pi / 2;
    cairo_new_sub_path(context_);
    cairo_arc(context_, rect.right() - radius, rect.y + radius, radius, -kQuarter, 0);
    cairo_arc(context_, rect.right() - radius, rect.bottom() - radius, radius, 0, kQuarter);
    cairo_arc(context_, rect.x + radius, rect.bottom() - radius, radius, kQuarter, 2 * kQuarter);
    cairo_arc(context_, rect.x + radius, rect.y + radius, radius, 2 * kQuarter, 3 * kQuarter);
    cairo_close_path(context_);
  }
  cairo_fill(context_);
}

void Canvas::start_path(std::span<const Point> polygon) {
  cairo_new_path(context_);
  for (const Point& point : polygon) cairo_line_to(context_, point.x, point.y);
  cairo_close_path(context_);
}

void Canvas::fill(std::span<const Point> polygon, const Colour& colour) {
  set_colour(context_, colour);
  start_path(polygon);
  cairo_fill(context_);
}

void Canvas::fill_facet(std::span<const Point> polygon, const Colour& colour) {
  set_colour(context_, colour);
  start_path(polygon);
  cairo_fill_preserve(context_);
  cairo_set_line_width(context_, 0.6);
  cairo_set_dash(context_, nullptr, 0, 0.0);
  cairo_stroke(context_);
}

void Canvas::disc(Point center, double radius, const Colour& colour) {
  set_colour(context_, colour);
  cairo_new_sub_path(context_);
  cairo_arc(context_, center.x, center.y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(context_);
}

void Canvas::ball(Point center, double radius, const Colour& colour) {
  cairo_pattern_t* shade = cairo_pattern_create_radial(center.x - 0.35 * radius, center.y - 0.4 * radius,
                                                       0.05 * radius, center.x, center.y, radius);
  const Colour bright = mixed(colour, rgb(0xffffff), 0.55), edge = mixed(colour, rgb(0x000000), 0.28);
  cairo_pattern_add_color_stop_rgba(shade, 0.0, bright.r, bright.g, bright.b, colour.a);
  cairo_pattern_add_color_stop_rgba(shade, 0.45, colour.r, colour.g, colour.b, colour.a);
  cairo_pattern_add_color_stop_rgba(shade, 1.0, edge.r, edge.g, edge.b, colour.a);
  cairo_set_source(context_, shade);
  cairo_new_sub_path(context_);
  cairo_arc(context_, center.x, center.y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(context_);
  cairo_pattern_destroy(shade);
}

void Canvas::line(Point from, Point to, const Stroke& stroke) {
  const Point ends[] = {from, to};
  polyline(ends, stroke);
}

void Canvas::polyline(std::span<const Point> points, const Stroke& stroke) {
  set_stroke(context_, stroke);
  cairo_new_path(context_);
  // Cairo takes time quadratic in the length of a path that crosses itself: stroke it in parts.
  constexpr std::size_t kPart = 256;
  const bool is_translucent = stroke.colour.a < 1.0;
  std::size_t in_part = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_gap(points[i])) continue;
    const bool starts = i == 0 || is_gap(points[i - 1]);
    const bool alone = starts && (i + 1 == points.size() || is_gap(points[i + 1]));
    if (alone) {  // a round cap of no length
      cairo_move_to(context_, points[i].x, points[i].y);
      cairo_close_path(context_);
    } else if (starts) {
      cairo_move_to(context_, points[i].x, points[i].y);
    } else {
      cairo_line_to(context_, points[i].x, points[i].y);
    }
    if (++in_part < kPart || is_translucent) continue;
    cairo_stroke(context_);
    cairo_move_to(context_, points[i].x, points[i].y);
    in_part = 0;
  }
  cairo_stroke(context_);
}

void Canvas::outline(std::span<const Point> polygon, const Stroke& stroke) {
  set_stroke(context_, stroke);
  start_path(polygon);
  cairo_stroke(context_);
}

void Canvas::image(const Image& image, const Rect& place) {
  cairo_surface_t* surface = image_surface(image.width, image.height, 1.0);
  const int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; y < image.height; ++y) {
    std::memcpy(cairo_image_surface_get_data(surface) + static_cast<std::ptrdiff_t>(y) * stride,
                image.pixels.data() + static_cast<std::ptrdiff_t>(y) * image.width,
                4 * static_cast<std::size_t>(image.width));
  }
  cairo_surface_mark_dirty(surface);
  cairo_save(context_);
  cairo_translate(context_, place.x, place.y);
  cairo_scale(context_, place.width / image.width, place.height / image.height);
  cairo_set_source_surface(context_, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(context_), CAIRO_FILTER_GOOD);
  cairo_paint(context_);
  cairo_restore(context_);
  cairo_surface_destroy(surface);
}

void Canvas::clip(const Rect& rect) {
  cairo_save(context_);
  cairo_rectangle(context_, rect.x, rect.y, rect.width, rect.height);
  cairo_clip(context_);
}

void Canvas::unclip() { cairo_restore(context_); }

Rect Canvas::text(std::string_view label, Point at, const TextStyle& style) {
  Layout layout(label, style.size, style.bold);
  const double back = style.align == Align::start ? 0.0 : style.align == Align::middle ? 0.5 : 1.0;
  const Point start = {-back * layout.width(), level_shift(style.level, style.size)};
  cairo_save(context_);
  cairo_translate(context_, at.x, at.y);
  cairo_rotate(context_, style.angle);
  cairo_translate(context_, start.x, start.y);
  set_colour(context_, style.colour);
  layout.show(context_);
  cairo_restore(context_);
  cairo_new_path(context_);

  const double c = std::cos(style.angle), s = std::sin(style.angle);
  Point low{1e300, 1e300}, high{-1e300, -1e300};
  for (const double x : {start.x, start.x + layout.width()}) {
    for (const double y : {start.y - kAscent * style.size, start.y + kDescent * style.size}) {
      const Point corner = {at.x + c * x - s * y, at.y + s * x + c * y};
      low = {std::min(low.x, corner.x), std::min(low.y, corner.y)};
      high = {std::max(high.x, corner.x), std::max(high.y, corner.y)};
    }
  }
  const Rect box = {low.x, low.y, high.x - low.x, high.y - low.y};
  if (!label.empty()) texts_.push_back({box, std::string(label)});
  return box;
}

double Canvas::text_width(std::string_view label, double size, bool bold) {
  return Layout(label, size, bold).width();
}

void Canvas::finish() {
  cairo_surface_t* surface = cairo_get_target(context_);
  if (cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE) {
    const cairo_status_t status = cairo_surface_write_to_png(surface, unfinished(path_).c_str());
    if (status != CAIRO_STATUS_SUCCESS) cannot_write(path_, cairo_status_to_string(status));
  } else {
    cairo_show_page(context_);
    cairo_surface_finish(surface);
    const cairo_status_t status = cairo_surface_status(surface);
    if (status != CAIRO_STATUS_SUCCESS) cannot_write(path_, cairo_status_to_string(status));
  }
  std::error_code error;
  std::filesystem::rename(unfinished(path_), through_links(path_), error);
  if (error) cannot_write(path_, error.message().c_str());
}

Image Canvas::taken_image() {
  cairo_surface_t* surface = cairo_get_target(context_);
  cairo_surface_flush(surface);
  Image out;
  out.width = cairo_image_surface_get_width(surface);
  out.height = cairo_image_surface_get_height(surface);
  out.pixels.resize(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height));
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; y < out.height; ++y) {
    std::memcpy(out.pixels.data() + static_cast<std::ptrdiff_t>(y) * out.width,
                data + static_cast<std::ptrdiff_t>(y) * stride, 4 * static_cast<std::size_t>(out.width));
  }
  return out;
}

}  // namespace catena::draw
