// Solid bodies: meshes shaded by one light and drawn from far to near.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "catena/draw/canvas.h"
#include "catena/draw/view.h"
#include "catena/model/scene.h"

namespace catena::draw {

// Flat faces, corners counterclockwise seen from outside.
struct Mesh {
  std::vector<Vec3> corners;
  std::vector<std::vector<int>> faces;
};

// All about their centre, as the shapes of scenes: a rod lies along x; cylinder, capsule and cone along z.
Mesh box_mesh(const Vec3& size);
Mesh rod_mesh(double length, double radius);
Mesh sphere_mesh(double radius);
Mesh ellipsoid_mesh(const Vec3& radii);
Mesh cylinder_mesh(double radius, double height);
Mesh capsule_mesh(double radius, double height);  // height: of the straight part
Mesh cone_mesh(double radius, double height);     // centre of mass a quarter of the height above the base

struct Solid {
  const Mesh* mesh = nullptr;
  Vec3 position{};                                   // world, of the mesh's origin
  std::array<double, 4> orientation = {1, 0, 0, 0};  // quaternion w, x, y, z: body to world
  Colour colour;
};

Vec3 to_world(const Solid& solid, const Vec3& point_body);

// Faces toward the eye, from the farthest to the nearest.
void draw_solids(Canvas& canvas, const View& view, std::span<const Solid> solids);

}  // namespace catena::draw
