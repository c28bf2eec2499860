#include "catena/draw/view.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace catena::draw {

void View::look(const Gaze& gaze) {
  const double ca = std::cos(gaze.azimuth), sa = std::sin(gaze.azimuth);
  const double ce = std::cos(gaze.elevation), se = std::sin(gaze.elevation);
  back_ = {ce * ca, ce * sa, se};
  right_ = {-sa, ca, 0.0};
  up_ = {-se * ca, -se * sa, ce};
}

View::View(std::span<const Vec3> points, const Gaze& gaze, const Rect& frame) {
  look(gaze);
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Vec3& point : points) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], point[i]);
      high[i] = std::max(high[i], point[i]);
    }
  }
  double reach = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    target_[i] = points.empty() ? 0.0 : 0.5 * (low[i] + high[i]);
    reach = std::max(reach, points.empty() ? 1.0 : high[i] - low[i]);
  }
  // Far enough away that near and far differ by a quarter or so, whatever the size of the picture.
  distance_ = 3.2 * std::max(reach, 1e-9);
  focal_ = 1.0;
  center_ = {};
  Point least{1e300, 1e300}, most{-1e300, -1e300};
  for (const Vec3& point : points) {
    const Point at = (*this)(point).at;
    least = {std::min(least.x, at.x), std::min(least.y, at.y)};
    most = {std::max(most.x, at.x), std::max(most.y, at.y)};
  }
  if (points.empty()) least = {-0.2, -0.2}, most = {0.2, 0.2};
  focal_ = std::min(frame.width / std::max(most.x - least.x, 1e-9),
                    frame.height / std::max(most.y - least.y, 1e-9));
  center_ = {frame.x + 0.5 * frame.width - 0.5 * focal_ * (least.x + most.x),
             frame.y + 0.5 * frame.height - 0.5 * focal_ * (least.y + most.y)};
}

Seen View::operator()(const Vec3& point) const {
  const Vec3 from_target = point - target_;
  const double depth = std::max(distance_ - dot(from_target, back_), 1e-3 * distance_);
  const double scale = focal_ / depth;
  return {{center_.x + scale * dot(from_target, right_), center_.y - scale * dot(from_target, up_)},
          depth,
          scale};
}

View View::turned(const Gaze& gaze) const {
  View other = *this;
  other.look(gaze);
  return other;
}

std::vector<Vec3> drum(const Vec3& center, double radius, double low, double high) {
  std::vector<Vec3> points;
  constexpr int kPoints = 48;
  for (int i = 0; i < kPoints; ++i) {
    const double angle = 2 * std::numbers::pi * i / kPoints;
    for (const double z : {low, high}) {
      points.push_back({center[0] + radius * std::cos(angle), center[1] + radius * std::sin(angle), z});
    }
  }
  return points;
}

}  // namespace catena::draw
