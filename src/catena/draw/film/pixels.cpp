#include "catena/draw/film/pixels.h"

#include <algorithm>
#include <cmath>

namespace catena::draw {
namespace {

struct Box {
  int x0, y0, x1, y1;  // the last ones are outside
};

Box clipped(double left, double top, double right, double bottom, int width, int height) {
  const auto at = [](double value, int most) {
    return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(most)));
  };
  return {at(std::floor(left), width), at(std::floor(top), height), at(std::ceil(right) + 1, width),
          at(std::ceil(bottom) + 1, height)};
}

// Colour over a premultiplied pixel.
inline std::uint32_t over(std::uint32_t below, float r, float g, float b, float alpha) {
  const float keep = 1.0f - alpha;
  const auto mix = [&](unsigned shift, float part) {
    const float old = static_cast<float>(below >> shift & 255u);
    return static_cast<std::uint32_t>(old * keep + part * alpha + 0.5f) << shift;
  };
  return mix(24, 255.0f) | mix(16, r) | mix(8, g) | mix(0, b);
}

struct Paint {
  float r, g, b, a;
  explicit Paint(const Colour& c)
      : r(static_cast<float>(255 * c.r)),
        g(static_cast<float>(255 * c.g)),
        b(static_cast<float>(255 * c.b)),
        a(static_cast<float>(c.a)) {}
};

bool is_drawable(const Point& point) {
  return std::fabs(point.x) < 1e6 && std::fabs(point.y) < 1e6;  // NaN is not
}

// Calls visit(pixel index, coverage, share along the line) for all pixels of a line with round or straight
// ends. Each row knows where the line crosses it, so that long diagonal ones cost their length and not their
// box.
template <bool Round, class Visit>
void each_line_pixel(Point from, Point to, double line_width, int width, int height, const Visit& visit) {
  if (!is_drawable(from) || !is_drawable(to)) return;
  const double half = 0.5 * line_width, reach = half + 1.0;
  const Box box = clipped(std::min(from.x, to.x) - reach, std::min(from.y, to.y) - reach,
                          std::max(from.x, to.x) + reach, std::max(from.y, to.y) + reach, width, height);
  const float dx = static_cast<float>(to.x - from.x), dy = static_cast<float>(to.y - from.y);
  const float square = dx * dx + dy * dy, inverse = square > 1e-12f ? 1.0f / square : 0.0f;
  const float edge = static_cast<float>(half) + 0.5f;
  // Thinner than a pixel: paler.
  const float strength = static_cast<float>(std::min(1.0, line_width));
  const float fx = static_cast<float>(from.x), fy = static_cast<float>(from.y);
  const double slope = std::fabs(to.y - from.y) > 1e-9 ? (to.x - from.x) / (to.y - from.y) : 0.0;
  const double across = std::fabs(to.y - from.y) > 1e-9 ? reach * std::sqrt(1 + slope * slope) : 0.0;
  for (int y = box.y0; y < box.y1; ++y) {
    int first = box.x0, last = box.x1;
    if (across > 0.0) {
      const double middle = from.x + slope * (y + 0.5 - from.y);
      // Beyond the ends the caps are round and the crossing runs away: stay within the ends' reach.
      const double low = std::max(middle - across - reach, static_cast<double>(box.x0));
      const double high = std::min(middle + across + reach, static_cast<double>(box.x1));
      first = std::max(box.x0, static_cast<int>(low));
      last = std::min(box.x1, static_cast<int>(high) + 1);
    }
    const float py = static_cast<float>(y) + 0.5f - fy;
    for (int x = first; x < last; ++x) {
      const float px = static_cast<float>(x) + 0.5f - fx;
      const float share = (px * dx + py * dy) * inverse;
      if (!Round && !(share >= 0.0f && share < 1.0f)) continue;
      const float along = std::clamp(share, 0.0f, 1.0f);
      const float ex = px - along * dx, ey = py - along * dy;
      const float away = ex * ex + ey * ey;
      if (away >= edge * edge) continue;
      const float coverage = std::min(1.0f, edge - std::sqrt(away)) * strength;
      visit(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x),
            coverage, along);
    }
  }
}

template <class Visit>
void each_disc_pixel(Point center, double radius, int width, int height, const Visit& visit) {
  if (!is_drawable(center) || !(radius > 0.0)) return;
  const Box box = clipped(center.x - radius - 1, center.y - radius - 1, center.x + radius + 1,
                          center.y + radius + 1, width, height);
  const float edge = static_cast<float>(radius) + 0.5f;
  for (int y = box.y0; y < box.y1; ++y) {
    const float py = static_cast<float>(y + 0.5 - center.y);
    for (int x = box.x0; x < box.x1; ++x) {
      const float px = static_cast<float>(x + 0.5 - center.x);
      const float square = px * px + py * py;
      if (square >= edge * edge) continue;
      const float coverage = std::min(1.0f, edge - std::sqrt(square));
      visit(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x),
            coverage, px, py);
    }
  }
}

}  // namespace

namespace {

template <bool Round>
void paint(Image& image, Point from, Point to, double width, const Colour& first, const Colour& last) {
  const Paint a(first), b(last);
  each_line_pixel<Round>(
      from, to, width, image.width, image.height, [&](std::size_t i, float coverage, float along) {
        const auto mix = [&](float x, float y) { return x + (y - x) * along; };
        image.pixels[i] =
            over(image.pixels[i], mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), mix(a.a, b.a) * coverage);
      });
}

}  // namespace

void paint_line(Image& image, Point from, Point to, double width, const Colour& first, const Colour& last) {
  paint<true>(image, from, to, width, first, last);
}

void paint_piece(Image& image, Point from, Point to, double width, const Colour& first, const Colour& last) {
  paint<false>(image, from, to, width, first, last);
}

void paint_disc(Image& image, Point center, double radius, const Colour& colour) {
  const Paint paint(colour);
  each_disc_pixel(center, radius, image.width, image.height,
                  [&](std::size_t i, float coverage, float, float) {
                    image.pixels[i] = over(image.pixels[i], paint.r, paint.g, paint.b, paint.a * coverage);
                  });
}

void paint_ball(Image& image, Point center, double radius, const Colour& colour) {
  const Paint paint(colour);
  const float inverse = static_cast<float>(1.0 / radius);
  each_disc_pixel(
      center, radius, image.width, image.height, [&](std::size_t i, float coverage, float px, float py) {
        const float nx = px * inverse, ny = py * inverse;
        const float nz = std::sqrt(std::max(0.0f, 1.0f - nx * nx - ny * ny));
        // Light from the upper left and from the eye, and a small highlight.
        const float light = std::max(0.0f, -0.42f * nx - 0.58f * ny + 0.70f * nz);
        const float shade = 0.42f + 0.66f * light;
        const float shine = light > 0.93f ? (light - 0.93f) * 9.0f : 0.0f;
        const auto lit = [&](float part) { return std::min(255.0f, part * shade + 255.0f * shine); };
        image.pixels[i] = over(image.pixels[i], lit(paint.r), lit(paint.g), lit(paint.b), paint.a * coverage);
      });
}

ShadowMask::ShadowMask(int width, int height)
    : width_(width),
      height_(height),
      strength_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0),
      x0_(width),
      y0_(height),
      x1_(0),
      y1_(0) {}

void ShadowMask::grow(int x0, int y0, int x1, int y1) {
  x0_ = std::min(x0_, x0);
  y0_ = std::min(y0_, y0);
  x1_ = std::max(x1_, x1);
  y1_ = std::max(y1_, y1);
}

void ShadowMask::line(Point from, Point to, double width) {
  if (!is_drawable(from) || !is_drawable(to)) return;
  const Box box =
      clipped(std::min(from.x, to.x) - width - 2, std::min(from.y, to.y) - width - 2,
              std::max(from.x, to.x) + width + 2, std::max(from.y, to.y) + width + 2, width_, height_);
  grow(box.x0, box.y0, box.x1, box.y1);
  each_line_pixel<true>(from, to, width, width_, height_, [&](std::size_t i, float coverage, float) {
    strength_[i] = std::max(strength_[i], static_cast<std::uint8_t>(200.0f * coverage));
  });
}

void ShadowMask::disc(Point center, double radius) {
  if (!is_drawable(center)) return;
  const Box box = clipped(center.x - radius - 2, center.y - radius - 2, center.x + radius + 2,
                          center.y + radius + 2, width_, height_);
  grow(box.x0, box.y0, box.x1, box.y1);
  const float inverse = static_cast<float>(1.0 / std::max(radius, 1e-6));
  each_disc_pixel(center, radius, width_, height_, [&](std::size_t i, float coverage, float px, float py) {
    const float out = std::sqrt(px * px + py * py) * inverse;  // darkest in the middle
    const float soft = std::clamp(1.6f * (1.0f - out), 0.0f, 1.0f);
    strength_[i] = std::max(strength_[i], static_cast<std::uint8_t>(255.0f * coverage * soft));
  });
}

void ShadowMask::polygon(const std::vector<Point>& convex) {
  if (convex.size() < 3) return;
  Point low{1e9, 1e9}, high{-1e9, -1e9};
  struct Edge {
    float x, y, nx, ny;  // a point, and the normal that looks inside
  };
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < convex.size(); ++i) {
    const Point &a = convex[i], &b = convex[(i + 1) % convex.size()];
    if (!is_drawable(a)) return;
    low = {std::min(low.x, a.x), std::min(low.y, a.y)};
    high = {std::max(high.x, a.x), std::max(high.y, a.y)};
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
    edges.push_back({static_cast<float>(a.x), static_cast<float>(a.y),
                     static_cast<float>((a.y - b.y) / length), static_cast<float>((b.x - a.x) / length)});
  }
  const Box box = clipped(low.x - 1, low.y - 1, high.x + 1, high.y + 1, width_, height_);
  grow(box.x0, box.y0, box.x1, box.y1);
  for (int y = box.y0; y < box.y1; ++y) {
    for (int x = box.x0; x < box.x1; ++x) {
      float inside = 2.0f;
      for (const Edge& e : edges) {
        inside = std::min(inside, (static_cast<float>(x) + 0.5f - e.x) * e.nx +
                                      (static_cast<float>(y) + 0.5f - e.y) * e.ny);
      }
      if (inside <= -0.5f) continue;
      const std::size_t i =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
      strength_[i] =
          std::max(strength_[i], static_cast<std::uint8_t>(200.0f * std::min(1.0f, inside + 0.5f)));
    }
  }
}

void ShadowMask::lay_on(Image& image, const Colour& shadow) {
  const Paint paint(shadow);
  for (int y = y0_; y < y1_; ++y) {
    for (int x = x0_; x < x1_; ++x) {
      const std::size_t i =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
      if (strength_[i] == 0) continue;
      image.pixels[i] = over(image.pixels[i], paint.r, paint.g, paint.b,
                             paint.a * static_cast<float>(strength_[i]) / 255.0f);
      strength_[i] = 0;
    }
  }
  x0_ = width_, y0_ = height_, x1_ = 0, y1_ = 0;
}

}  // namespace catena::draw
