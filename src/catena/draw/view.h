// A camera: points in space to points of a picture.
#pragma once

#include <span>
#include <vector>

#include "catena/draw/canvas.h"
#include "catena/model/scene.h"

namespace catena::draw {

struct Gaze {
  double azimuth = 0.6;    // where the eye is, around the vertical, rad
  double elevation = 0.3;  // and above the horizon
};

// A point as the eye sees it.
struct Seen {
  Point at;
  double depth = 0.0;  // from the eye, m
  double scale = 0.0;  // points per metre there
};

// Perspective from a finite distance; straight lines stay straight.
class View {
 public:
  // Chooses distance and place so that all points lie inside `frame`, in its middle.
  View(std::span<const Vec3> points, const Gaze& gaze, const Rect& frame);

  Seen operator()(const Vec3& point) const;
  // The same place and distance, from elsewhere.
  View turned(const Gaze& gaze) const;
  const Vec3& toward_eye() const { return back_; }

 private:
  void look(const Gaze& gaze);

  Vec3 target_{};
  Vec3 right_{}, up_{}, back_{};
  double distance_ = 1.0;
  double focal_ = 1.0;  // points
  Point center_;
};

// Points on two rings around the vertical through `center`: a view that has room for them has room for what
// is between, from all sides.
std::vector<Vec3> drum(const Vec3& center, double radius, double low, double high);

}  // namespace catena::draw
