// Curves from any number of rows in constant memory: what a picture of a given size can show, and no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "catena/draw/canvas.h"

namespace catena::draw {

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double least_positive = std::numeric_limits<double>::infinity();

  void add(double value);
  void add(const Bounds& other);
  bool empty() const { return low > high; }
};

// A quantity over time. Of each of `bins` stretches of time it keeps the first, least, greatest and last
// value, so that no peak is lost (U. Jugel et al., "M4", 2014).
class Envelope {
 public:
  Envelope(double start, double end, std::size_t bins = kBins);

  void add(double x, double y);  // NaN: a gap
  std::vector<Point> points() const;
  const Bounds& bounds() const { return bounds_; }

  static constexpr std::size_t kBins = 1500;

 private:
  struct Bin {
    Point first, least, greatest, last;
    bool used = false;
    bool gap = false;  // no value, but a NaN
  };
  double start_, scale_;
  std::vector<Bin> bins_;
  Bounds bounds_;
};

// How often a curve passed each pixel.
struct Density {
  int width = 0, height = 0;
  std::vector<std::uint32_t> hits;
};

// One quantity against another. Points nearer to the last one than the eye sees are left out; when even so
// they are too many, it counts in a raster how often each pixel is passed.
class Trace {
 public:
  Trace(Bounds x, Bounds y, std::size_t most = 20000);

  void add(double x, double y);  // NaN: a gap
  const std::vector<Point>& points() const { return points_; }
  // Null as long as there are points. Its corners are those of the bounds.
  std::shared_ptr<const Density> density() const { return density_; }

  static constexpr int kRaster = 1200;  // pixels across

 private:
  void count(const Point& from, const Point& to);

  Bounds x_, y_;
  double x_scale_, y_scale_;  // raster pixels per unit
  std::size_t most_;
  std::vector<Point> points_;
  Point last_;
  std::shared_ptr<Density> density_;
};

}  // namespace catena::draw
