// Shapes of bodies: volume, centre of mass and inertia, by closed forms and exact integration.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/mechanism.h"

namespace catena {

template <class S>
using Matrix3Of = std::array<Vec3Of<S>, 3>;  // rows
using Triangles = std::vector<std::array<std::size_t, 3>>;

// Mass, centre and inertia about the centre, in the frame the shape is given in. The functions of solids are
// for doubles and, for runs with more digits, for pairs of them.
template <class S>
struct MassPropertiesOf {
  S mass{};
  Vec3Of<S> center{};
  Matrix3Of<S> inertia{};
};
using MassProperties = MassPropertiesOf<double>;

struct ShapeInfo {
  std::string name;
  std::string summary;
};
const std::vector<ShapeInfo>& shape_infos();
std::vector<std::string> shape_names();

// A solid of unit density. `size`: extents along its own x, y and z; a capsule's rounded ends count. Centre
// at the origin but for a cone, whose base is at z = 0.
template <class S>
MassPropertiesOf<S> solid(const std::string& shape, const Vec3Of<S>& size);

// What keeps a mesh from being a solid, in words: open edges, no volume, triangles facing inwards; "" if it
// is one.
std::string mesh_complaint(const Mesh& mesh);

// Of unit density, by integration over the tetrahedra between the origin and each triangle: D. Eberly,
// Polyhedral Mass Properties (2002).
template <class S>
MassPropertiesOf<S> solid(const std::vector<Vec3Of<S>>& points, const Triangles& triangles);
inline MassProperties solid(const Mesh& mesh) { return solid(mesh.points, mesh.triangles); }

template <class S>
MassPropertiesOf<S> with_mass(MassPropertiesOf<S> of, const S& mass);
// Turned by p, then moved by d.
template <class S>
MassPropertiesOf<S> placed(const MassPropertiesOf<S>& of, const std::array<S, 4>& p, const Vec3Of<S>& d);
template <class S>
MassPropertiesOf<S> together(const std::vector<MassPropertiesOf<S>>& parts);

// Extents along the body's axes of the uniform ellipsoid that has its mass and its moments of inertia: what a
// body known by these alone is drawn as.
Vec3 inertia_ellipsoid(const Body& body);

// What keeps a matrix from being the inertia of a solid, in words; "" if it is one. Zero is allowed.
std::string inertia_complaint(const Matrix3& inertia);

}  // namespace catena
