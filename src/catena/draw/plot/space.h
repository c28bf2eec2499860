// Chains in space: who hangs from what, the ground below, and the paths of the bobs as a figure.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/draw/plot/figure.h"
#include "catena/draw/shapes.h"
#include "catena/draw/view.h"
#include "catena/model/scene.h"

namespace catena::draw {

// What moves: bobs that hang on links, and bodies. All have a place in a row's columns, by their labels.
struct Skeleton {
  static constexpr int kPivot = -1, kFree = -2;

  struct Link {
    std::string label;    // of its columns: "2", "left_2" with several chains, "crank" for a body
    int parent = kPivot;  // in `links`; kPivot: it hangs from the pivot; kFree: from nothing
    Vec3 pivot{};         // of its chain
    bool elastic = false;
    double mass = 1.0;
    double length = 0.0;       // at rest; 0: not known
    bool pivot_moves = false;  // `pivot` is where it starts
    int mesh = -1;             // in `meshes`; -1: a bob
  };
  // A place in a body, or in the world.
  struct BodyPoint {
    int link = -1;  // -1: the world
    Vec3 point{};   // in the body's frame, from its centre of mass
  };
  struct Tie {
    BodyPoint from, to;
    bool spring = false;  // otherwise a rod without mass
  };

  std::vector<Link> links;
  std::vector<Mesh> meshes;
  std::vector<BodyPoint> pins;  // where joints are
  std::vector<BodyPoint> arms;  // the same for each body they hold: it reaches there, whatever its shape
  std::vector<Tie> ties;
  std::vector<std::vector<BodyPoint>>
      curves;  // along which something slides, each in one body or in the world

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
  std::vector<Point> shadow;                  // of the last bob's path, on the page
  std::vector<std::vector<Vec3>> instants;    // ends of all links, oldest first
  std::vector<std::vector<Vec3>> uppers;      // upper ends then; none: pivots stand still
  std::vector<Quaternion> orientations = {};  // of all links at the last instant; none: no bodies
};

// Where the picture's view goes on the page.
Rect space_frame(double width, double height, std::size_t legend_entries);

Drawn draw(const SpacePicture& picture, const Theme& theme, Canvas& canvas);

}  // namespace catena::draw
