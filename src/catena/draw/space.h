// Chains in space: who hangs from what, the ground below, and the paths of the bobs as a figure.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/draw/figure.h"
#include "catena/draw/view.h"
#include "catena/model/scene.h"

namespace catena::draw {

struct Skeleton {
  struct Link {
    std::string label;  // of its columns: "2", or "left_2" with several chains
    int parent = -1;    // in `links`; -1: the pivot
    Vec3 pivot{};       // of its chain
    bool elastic = false;
    double mass = 1.0;
    double length = 0.0;       // at rest; 0: not known
    bool pivot_moves = false;  // `pivot` is where it starts
  };
  std::vector<Link> links;

  std::vector<Vec3> pivots() const;
};

Skeleton skeleton_of(const Scene& scene);

// A chain of bobs known by their labels alone, one hanging from the other, the first from the origin.
Skeleton skeleton_of(const std::vector<std::string>& labels);

// Everything that moves, and the pivots.
struct Room {
  Bounds x, y, z;
  double reach = 0.0;  // horizontally, from `center`
  Vec3 center{};       // the first pivot

  void add(const Vec3& point);
  // Whether everything stays near one vertical plane, and its azimuth.
  bool is_flat() const;
  double plane_azimuth() const;
};

// Rings below the pivot, at the height of the lowest point.
struct Ground {
  Vec3 center{};
  double gap = 1.0;  // between rings, m
  int rings = 1;
  double radius() const { return gap * rings; }
};

Ground ground_for(const Room& room);
void draw_ground(Canvas& canvas, const View& view, const Ground& ground, const Theme& theme);

// Where to look from: across the plane of a flat motion, or from the corner that axes like.
Gaze gaze_for(const Room& room);

// Room for everything from this side.
View view_for(const Room& room, const Ground& ground, const Gaze& gaze, const Rect& frame, bool all_around);

// Room for these points and for the middle of the ground, whose rim may lie outside.
View view_of(std::vector<Vec3> points, const Room& room, const Ground& ground, const Gaze& gaze,
             const Rect& frame);

struct BobPath {
  Colour colour;
  std::vector<Point> points;  // on the page, oldest first
  std::shared_ptr<const Density> density = {};
  Bounds x_bounds = {}, y_bounds = {};
};

struct SpacePicture {
  std::string title, note;
  double width = 640, height = 560;
  Skeleton skeleton;
  std::vector<Colour> colours;      // of the links
  std::vector<std::string> legend;  // names of `paths`, in their order; empty: a colour key
  std::optional<ColourKey> key = {};
  View view;
  Ground ground;
  std::vector<BobPath> paths;
  std::vector<Point> shadow;                // of the last bob's path, on the page
  std::vector<std::vector<Vec3>> instants;  // ends of all links, oldest first
  std::vector<std::vector<Vec3>> uppers;    // upper ends then; none: pivots stand still
};

// Where the picture's view goes on the page.
Rect space_frame(double width, double height, std::size_t legend_entries);

Drawn draw(const SpacePicture& picture, const Theme& theme, Canvas& canvas);

}  // namespace catena::draw
