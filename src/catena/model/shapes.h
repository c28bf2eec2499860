// Shapes of bodies: volume, centre of mass and inertia, by closed forms and exact integration.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/mechanism.h"

namespace catena {

// Mass, centre and inertia about the centre, in the frame the shape is given in.
struct MassProperties {
  double mass = 0.0;
  Vec3 center{};
  Matrix3 inertia{};
};

struct ShapeInfo {
  std::string name;
  std::string summary;
};
const std::vector<ShapeInfo>& shape_infos();
std::vector<std::string> shape_names();

// A solid of unit density. `size`: extents along its own x, y and z; a capsule's rounded ends count. Centre
// at the origin but for a cone, whose base is at z = 0.
MassProperties solid(const std::string& shape, const Vec3& size);

// What keeps a mesh from being a solid, in words: open edges, no volume, triangles facing inwards; "" if it
// is one.
std::string mesh_complaint(const Mesh& mesh);

// Of unit density, by integration over the tetrahedra between the origin and each triangle: D. Eberly,
// Polyhedral Mass Properties (2002).
MassProperties solid(const Mesh& mesh);

MassProperties with_mass(MassProperties of, double mass);
// Turned by p, then moved by d.
MassProperties placed(const MassProperties& of, const Quaternion& p, const Vec3& d);
MassProperties together(const std::vector<MassProperties>& parts);

// Extents along the body's axes of the uniform ellipsoid that has its mass and its moments of inertia: what a
// body known by these alone is drawn as.
Vec3 inertia_ellipsoid(const Body& body);

// What keeps a matrix from being the inertia of a solid, in words; "" if it is one. Zero is allowed.
std::string inertia_complaint(const Matrix3& inertia);

}  // namespace catena
