#include "catena/draw/plot/curve.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace catena::draw {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_gap(const Point& point) { return !std::isfinite(point.x) || !std::isfinite(point.y); }

}  // namespace

void Bounds::add(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
  if (value > 0.0) least_positive = std::min(least_positive, value);
}

void Bounds::add(const Bounds& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  least_positive = std::min(least_positive, other.least_positive);
}

Envelope::Envelope(double start, double end, std::size_t bins)
    : start_(start), scale_(end > start ? static_cast<double>(bins) / (end - start) : 0.0), bins_(bins) {}

void Envelope::add(double x, double y) {
  const double place = std::clamp((x - start_) * scale_, 0.0, static_cast<double>(bins_.size()) - 1);
  Bin& bin = bins_[static_cast<std::size_t>(place)];
  if (!std::isfinite(y)) {
    bin.gap = !bin.used;
    return;
  }
  bounds_.add(y);
  const Point point = {x, y};
  if (!bin.used) {
    const bool after_gap = bin.gap;
    bin = {point, point, point, point, true, after_gap};
    return;
  }
  if (y < bin.least.y) bin.least = point;
  if (y > bin.greatest.y) bin.greatest = point;
  bin.last = point;
}

std::vector<Point> Envelope::points() const {
  std::vector<Point> out;
  for (const Bin& bin : bins_) {
    if (bin.gap && !out.empty() && !is_gap(out.back())) out.push_back({kNan, kNan});
    if (!bin.used) continue;
    std::array<Point, 4> kept = {bin.first, bin.least, bin.greatest, bin.last};
    std::sort(kept.begin(), kept.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    for (const Point& point : kept) {
      const bool again = !out.empty() && out.back().x == point.x && out.back().y == point.y;
      if (!again) out.push_back(point);
    }
  }
  return out;
}

Trace::Trace(Bounds x, Bounds y, std::size_t most)
    : x_(x),
      y_(y),
      x_scale_(kRaster / std::max(x.high - x.low, 1e-300)),
      y_scale_(kRaster / std::max(y.high - y.low, 1e-300)),
      most_(most),
      last_{kNan, kNan} {}

void Trace::add(double x, double y) {
  const Point point = {x, y};
  if (is_gap(point)) {
    if (!density_ && !points_.empty() && !is_gap(points_.back())) points_.push_back({kNan, kNan});
    last_ = {kNan, kNan};
    return;
  }
  if (!is_gap(last_)) {
    const double dx = (x - last_.x) * x_scale_, dy = (y - last_.y) * y_scale_;
    constexpr double kUnseen = 0.4;  // raster pixels
    if (dx * dx + dy * dy < kUnseen * kUnseen) return;
  }
  if (density_) {
    if (!is_gap(last_)) count(last_, point);
    last_ = point;
    return;
  }
  last_ = point;
  points_.push_back(point);
  if (points_.size() < most_) return;
  density_ = std::make_shared<Density>();
  density_->width = density_->height = kRaster;
  density_->hits.assign(static_cast<std::size_t>(kRaster) * kRaster, 0);
  for (std::size_t i = 1; i < points_.size(); ++i) {
    if (!is_gap(points_[i]) && !is_gap(points_[i - 1])) count(points_[i - 1], points_[i]);
  }
  points_.clear();
  points_.shrink_to_fit();
}

void Trace::count(const Point& from, const Point& to) {
  // Both ends lie inside, and so does everything between them.
  constexpr double kLast = kRaster - 1e-3;
  const double x0 = std::clamp((from.x - x_.low) * x_scale_, 0.0, kLast);
  const double y0 = std::clamp((y_.high - from.y) * y_scale_, 0.0, kLast);
  const double x1 = std::clamp((to.x - x_.low) * x_scale_, 0.0, kLast);
  const double y1 = std::clamp((y_.high - to.y) * y_scale_, 0.0, kLast);
  const int steps = 1 + static_cast<int>(std::max(std::fabs(x1 - x0), std::fabs(y1 - y0)));
  const double dx = (x1 - x0) / steps, dy = (y1 - y0) / steps;
  std::uint32_t* hits = density_->hits.data();
  for (int k = 1; k <= steps; ++k) {  // not the first: it ended the segment before
    const int px = static_cast<int>(x0 + dx * k), py = static_cast<int>(y0 + dy * k);
    ++hits[static_cast<std::size_t>(py) * kRaster + static_cast<std::size_t>(px)];
  }
}

}  // namespace catena::draw
