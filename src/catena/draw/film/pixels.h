// Lines and balls straight into pixels, for pictures that are made hundreds of times a second. What Cairo
// draws more beautifully but slowly (text, polygons), it draws onto the same image.
#pragma once

#include <cstdint>
#include <vector>

#include "catena/draw/canvas.h"

namespace catena::draw {

// A line with round ends, `width` pixels wide, with smooth edges. Alpha and colour go from one end to the
// other.
void paint_line(Image& image, Point from, Point to, double width, const Colour& first, const Colour& last);

// Likewise with straight ends, so that pieces of a translucent curve meet without overlapping.
void paint_piece(Image& image, Point from, Point to, double width, const Colour& first, const Colour& last);

// A disc with smooth edges.
void paint_disc(Image& image, Point center, double radius, const Colour& colour);

// A lit ball.
void paint_ball(Image& image, Point center, double radius, const Colour& colour);

// Shadows of several things do not add up: they are gathered as the strongest at each pixel, then laid on.
class ShadowMask {
 public:
  ShadowMask(int width, int height);
  void line(Point from, Point to, double width);
  void disc(Point center, double radius);
  void polygon(const std::vector<Point>& convex);  // counterclockwise as a mathematician draws, on the page
  // Darkens the image and forgets what was gathered.
  void lay_on(Image& image, const Colour& shadow);

 private:
  void grow(int x0, int y0, int x1, int y1);

  int width_, height_;
  std::vector<std::uint8_t> strength_;
  int x0_, y0_, x1_, y1_;  // where there is something
};

}  // namespace catena::draw
