#include "catena/model/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "catena/base/words.h"
#include "catena/math/symmetric_eigen.h"
#include "catena/model/shapes_definitions.h"

namespace catena {

CATENA_SOLIDS(double);

const std::vector<ShapeInfo>& shape_infos() {
  static const std::vector<ShapeInfo> all{
      {"box", "a block; size: its edges along x, y, z"},
      {"rod", "a thin straight rod along x; length, or size"},
      {"sphere", "a ball; radius, or size"},
      {"cylinder", "along z; radius and length, or size"},
      {"capsule", "a cylinder with round ends, along z; radius and length over all, or size"},
      {"cone", "along z, base below; radius and length, or size"},
      {"ellipsoid", "size: its diameters along x, y, z"},
      {"mesh", "a solid bounded by the triangles of an OBJ or STL file"},
      {"compound", "several shapes as one body: parts"},
      {"point", "a mass without extent and orientation"},
  };
  return all;
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const ShapeInfo& info : shape_infos()) names.push_back(info.name);
  return names;
}

std::string mesh_complaint(const Mesh& mesh) {
  if (mesh.triangles.empty()) return "it has no triangles";
  std::map<std::pair<std::size_t, std::size_t>, int> edges;
  for (const auto& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
  }
  std::size_t open = 0;
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    if (back == edges.end() || back->second != count) ++open;
  }
  if (open > 0) {
    return fmt::format(
        "its surface is not closed: {} edges have no triangle on their other side, or one that faces "
        "the other way",
        open);
  }
  const double volume = solid(mesh).mass;
  double extent = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [low, high] = std::minmax_element(mesh.points.begin(), mesh.points.end(),
                                                 [i](const Vec3& a, const Vec3& b) { return a[i] < b[i]; });
    extent = std::max(extent, (*high)[i] - (*low)[i]);
  }
  if (!(std::fabs(volume) > 1e-13 * extent * extent * extent)) return "it has no volume";
  if (volume < 0.0) return "its triangles face inwards; turn the order of their corners";
  return "";
}

Vec3 inertia_ellipsoid(const Body& body) {
  // I_xx = m (b^2 + c^2) / 5 with semi-axes a, b, c, so a^2 = 5 (I_yy + I_zz - I_xx) / (2 m).
  Vec3 squares{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double others = body.inertia[(i + 1) % 3][(i + 1) % 3] + body.inertia[(i + 2) % 3][(i + 2) % 3];
    squares[i] = 2.5 * (others - body.inertia[i][i]) / std::max(body.mass, 1e-300);
  }
  // Discs and rods have no extent along some axis: what is drawn has a little.
  const double least = 1e-3 * *std::max_element(squares.begin(), squares.end());
  Vec3 extents{};
  for (std::size_t i = 0; i < 3; ++i) extents[i] = 2 * std::sqrt(std::max(squares[i], std::max(least, 0.0)));
  return extents;
}

std::string inertia_complaint(const Matrix3& m) {
  const double size = std::fabs(m[0][0]) + std::fabs(m[1][1]) + std::fabs(m[2][2]);
  const double roundoff = 1e-12 * size;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::fabs(m[i][j] - m[j][i]) > roundoff) return "must be symmetric";
    }
  }
  std::vector<double> rows;
  for (const Vec3& row : m) rows.insert(rows.end(), row.begin(), row.end());
  const std::vector<double> moments = symmetric_eigen(3, rows).values;
  if (moments[0] < -roundoff) {
    return fmt::format("must not be negative; one of its principal moments is {}", number_text(moments[0]));
  }
  if (moments[2] > moments[0] + moments[1] + 1e-9 * size) {
    return fmt::format(
        "is of no solid: its largest principal moment, {:.6g}, is above the sum of the other two, {:.6g}",
        moments[2], moments[0] + moments[1]);
  }
  return "";
}

}  // namespace catena
