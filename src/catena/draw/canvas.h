// A sheet to draw on: PNG, SVG or PDF, by Cairo. Lengths are points (1/72 inch), y goes down.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/draw/colour.h"

struct _cairo;

namespace catena::draw {

struct Point {
  double x = 0.0, y = 0.0;
};

struct Rect {
  double x = 0.0, y = 0.0, width = 0.0, height = 0.0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  bool overlaps(const Rect& other) const {
    return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
  }
};

// Where a text was put: what tests look at to see that none covers another.
struct TextBox {
  Rect box;
  std::string text;
};

enum class Align { start, middle, end };  // left, centre, right; or baseline, middle of x-height, top

struct TextStyle {
  double size = 9.0;
  Colour colour;
  Align align = Align::start;  // along the text
  Align level = Align::start;  // across it
  bool bold = false;
  double angle = 0.0;  // radians, clockwise
};

struct Stroke {
  Colour colour;
  double width = 1.0;
  std::vector<double> dashes = {};
};

// Pixels as Cairo keeps them: premultiplied alpha, blue first in memory.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;  // 0xaarrggbb

  std::uint32_t at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
};

// Whether some installed font has all characters of the text.
bool can_write(std::string_view text);

class Canvas {
 public:
  // The file's format is that of its ending: .png (scale pixels per point), .svg, .pdf. It is complete once
  // finish() has been called, and not there before.
  static Canvas to_file(const std::string& path, double width, double height, double scale = 2.0);
  static Canvas to_image(double width, double height, double scale = 1.0);
  // Draws into pixels that somebody else keeps, one per point.
  static Canvas onto(Image& image);
  ~Canvas();
  Canvas(Canvas&&) noexcept;
  Canvas& operator=(Canvas&&) = delete;

  void fill(const Colour& colour);  // everything
  void fill(const Rect& rect, const Colour& colour, double radius = 0.0);
  void fill(std::span<const Point> polygon, const Colour& colour);
  // Fills and closes the hairline that two neighbours' antialiased edges would leave.
  void fill_facet(std::span<const Point> polygon, const Colour& colour);
  void disc(Point center, double radius, const Colour& colour);
  void ball(Point center, double radius, const Colour& colour);  // a disc that looks round
  void line(Point from, Point to, const Stroke& stroke);
  // A gap wherever a coordinate is NaN; a point alone between gaps is a dot.
  void polyline(std::span<const Point> points, const Stroke& stroke);
  void outline(std::span<const Point> polygon, const Stroke& stroke);
  void image(const Image& image, const Rect& place);
  void clip(const Rect& rect);  // until unclip
  void unclip();

  // `label` as in label.h. Returns where it is.
  Rect text(std::string_view label, Point at, const TextStyle& style);
  double text_width(std::string_view label, double size, bool bold = false);

  const std::vector<TextBox>& texts() const { return texts_; }
  double width() const { return width_; }
  double height() const { return height_; }

  // Writes the file. Throws std::runtime_error when that fails.
  void finish();
  Image taken_image();  // of to_image

 private:
  Canvas(double width, double height);
  void start_path(std::span<const Point> polygon);

  double width_, height_, scale_ = 1.0;
  std::string path_;
  struct _cairo* context_ = nullptr;
  std::vector<TextBox> texts_;
};

}  // namespace catena::draw
