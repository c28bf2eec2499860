#include "catena/draw/shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/model/shapes.h"

namespace catena::draw {
namespace {

constexpr int kAround = 48, kAlong = 24;  // faces of round bodies

// A body of revolution about z through rings of (radius, height), from the lowest to the highest. A radius of
// 0 is a tip; an open end gets a flat lid.
Mesh turned(const std::vector<Point>& rings) {
  Mesh mesh;
  for (const Point& ring : rings) {
    for (int i = 0; i < kAround; ++i) {
      const double angle = 2 * std::numbers::pi * i / kAround;
      mesh.corners.push_back({ring.x * std::cos(angle), ring.x * std::sin(angle), ring.y});
    }
  }
  const auto at = [](std::size_t ring, int i) { return static_cast<int>(ring) * kAround + i % kAround; };
  for (std::size_t k = 0; k + 1 < rings.size(); ++k) {
    for (int i = 0; i < kAround; ++i) {
      if (rings[k].x == 0.0) {
        mesh.faces.push_back({at(k, i), at(k + 1, i + 1), at(k + 1, i)});
      } else if (rings[k + 1].x == 0.0) {
        mesh.faces.push_back({at(k, i), at(k, i + 1), at(k + 1, i)});
      } else {
        mesh.faces.push_back({at(k, i), at(k, i + 1), at(k + 1, i + 1), at(k + 1, i)});
      }
    }
  }
  const auto lid = [&](std::size_t ring, bool up) {
    if (rings[ring].x == 0.0) return;
    std::vector<int> face;
    for (int i = 0; i < kAround; ++i) face.push_back(at(ring, up ? i : kAround - 1 - i));
    mesh.faces.push_back(std::move(face));
  };
  lid(0, false);
  lid(rings.size() - 1, true);
  return mesh;
}

struct Face {
  std::vector<Point> corners;
  double depth = 0.0;
  Colour colour;
};

}  // namespace

Mesh box_mesh(const Vec3& size) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.corners.push_back(
        {(i & 1 ? 0.5 : -0.5) * size[0], (i & 2 ? 0.5 : -0.5) * size[1], (i & 4 ? 0.5 : -0.5) * size[2]});
  }
  mesh.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return mesh;
}

Mesh cylinder_mesh(double radius, double height) {
  return turned({{radius, -0.5 * height}, {radius, 0.5 * height}});
}

Mesh rod_mesh(double length, double radius) {
  Mesh mesh = cylinder_mesh(radius, length);
  for (Vec3& corner : mesh.corners) corner = {corner[2], corner[0], corner[1]};  // z becomes x, turning on
  return mesh;
}

Mesh ellipsoid_mesh(const Vec3& radii) {
  Mesh mesh = sphere_mesh(1.0);
  for (Vec3& corner : mesh.corners)
    corner = {corner[0] * radii[0], corner[1] * radii[1], corner[2] * radii[2]};
  return mesh;
}

Mesh sphere_mesh(double radius) { return capsule_mesh(radius, 0.0); }

Mesh capsule_mesh(double radius, double height) {
  std::vector<Point> rings;
  for (int k = 0; k <= kAlong; ++k) {
    const double angle = std::numbers::pi * (static_cast<double>(k) / kAlong - 0.5);
    const double reach = k == 0 || k == kAlong ? 0.0 : radius * std::cos(angle);
    const double shift = (k < kAlong / 2 ? -0.5 : k > kAlong / 2 ? 0.5 : 0.0) * height;
    if (2 * k == kAlong && height > 0.0) {
      rings.push_back({radius, -0.5 * height});
      rings.push_back({radius, 0.5 * height});
    } else {
      rings.push_back({reach, radius * std::sin(angle) + shift});
    }
  }
  return turned(rings);
}

Mesh cone_mesh(double radius, double height) {
  return turned({{radius, -0.25 * height}, {0.0, 0.75 * height}});
}

namespace {

Mesh mesh_of(const catena::Mesh& triangles) {
  Mesh mesh;
  mesh.corners = triangles.points;
  for (const auto& t : triangles.triangles) {
    mesh.faces.push_back({static_cast<int>(t[0]), static_cast<int>(t[1]), static_cast<int>(t[2])});
  }
  return mesh;
}

// About the centre of its mass.
Mesh mesh_of(const std::string& shape, const Vec3& size) {
  const double across = 0.5 * size[0];
  if (shape == "rod") return rod_mesh(size[0], std::max(0.5 * size[1], 0.018 * size[0]));
  if (shape == "sphere" || shape == "ellipsoid") {
    return ellipsoid_mesh({0.5 * size[0], 0.5 * size[1], 0.5 * size[2]});
  }
  if (shape == "cylinder") return cylinder_mesh(across, size[2]);
  if (shape == "capsule") return capsule_mesh(across, std::max(0.0, size[2] - size[0]));
  if (shape == "cone") return cone_mesh(across, size[2]);
  return box_mesh(size);
}

void append(const DrawnShape& shape, Mesh& to) {
  Mesh part = shape.shape == "mesh" ? mesh_of(shape.mesh) : mesh_of(shape.shape, shape.size);
  const int first = static_cast<int>(to.corners.size());
  const double lift = shape.shape == "cone" ? 0.25 * shape.size[2] : 0.0;  // a cone is placed by its base
  const Solid placed = {&part, shape.position, shape.orientation, {}};
  for (const Vec3& c : part.corners) to.corners.push_back(to_world(placed, {c[0], c[1], c[2] + lift}));
  for (std::vector<int>& face : part.faces) {
    for (int& corner : face) corner += first;
    to.faces.push_back(std::move(face));
  }
}

}  // namespace

Mesh body_mesh(const Body& body) {
  const Vec3& size = body.size;
  if (!body.shapes.empty()) {
    Mesh mesh;
    for (const DrawnShape& shape : body.shapes) append(shape, mesh);
    return mesh;
  }
  if (size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0) return mesh_of(body.shape, size);
  const Vec3 extents = inertia_ellipsoid(body);
  return ellipsoid_mesh({0.5 * extents[0], 0.5 * extents[1], 0.5 * extents[2]});
}

std::vector<Point> hull(std::vector<Point> points) {
  // A. Andrew's monotone chain (1979): lower and upper half from left to right.
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Point> out;
  const auto turns_right = [&](const Point& next) {
    const Point &a = out[out.size() - 2], &b = out.back();
    return (b.x - a.x) * (next.y - a.y) - (b.y - a.y) * (next.x - a.x) <= 0.0;
  };
  for (int half = 0; half < 2; ++half) {
    const std::size_t first = out.size();
    for (const Point& point : points) {
      while (out.size() >= first + 2 && turns_right(point)) out.pop_back();
      out.push_back(point);
    }
    out.pop_back();  // the other half begins with it
    std::reverse(points.begin(), points.end());
  }
  return out;
}

Vec3 to_world(const Solid& solid, const Vec3& p) {
  const auto& [w, x, y, z] = solid.orientation;
  // p + 2 w (q x p) + 2 q x (q x p)
  const Vec3 q = {x, y, z}, once = cross(q, p), twice = cross(q, once);
  return {p[0] + 2 * (w * once[0] + twice[0]) + solid.position[0],
          p[1] + 2 * (w * once[1] + twice[1]) + solid.position[1],
          p[2] + 2 * (w * once[2] + twice[2]) + solid.position[2]};
}

void draw_solids(Canvas& canvas, const View& view, std::span<const Solid> solids) {
  std::vector<Face> faces;
  const Vec3 light = {0.30, -0.45, 0.84};  // from above, of length 1
  std::vector<Vec3> world;
  std::vector<Seen> seen;
  for (const Solid& solid : solids) {
    world.clear();
    seen.clear();
    for (const Vec3& corner : solid.mesh->corners) {
      world.push_back(to_world(solid, corner));
      seen.push_back(view(world.back()));
    }
    for (const std::vector<int>& face : solid.mesh->faces) {
      const auto at = [&](std::size_t i) { return static_cast<std::size_t>(face[i]); };
      Face out;
      double turn = 0.0;  // twice the area as seen: the sign tells which side is seen
      for (std::size_t i = 0; i < face.size(); ++i) {
        const Seen& corner = seen[at(i)];
        const Seen& next = seen[at((i + 1) % face.size())];
        turn += corner.at.x * next.at.y - next.at.x * corner.at.y;
        out.corners.push_back(corner.at);
        out.depth += corner.depth / static_cast<double>(face.size());
      }
      if (turn >= 0.0) continue;  // y goes down, so counterclockwise is negative
      const Vec3 normal = cross(world[at(1)] - world[at(0)], world[at(2)] - world[at(1)]);
      const double size = std::sqrt(dot(normal, normal));
      const double lit = size > 0.0 ? dot(normal, light) / size : 0.0;
      out.colour = lit > 0.0 ? mixed(mixed(solid.colour, rgb(0x000000), 0.30),
                                     mixed(solid.colour, rgb(0xffffff), 0.30), lit)
                             : mixed(solid.colour, rgb(0x000000), 0.30 - 0.22 * lit);
      faces.push_back(std::move(out));
    }
  }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.depth > b.depth; });
  for (const Face& face : faces) canvas.fill_facet(face.corners, face.colour);
}

}  // namespace catena::draw
