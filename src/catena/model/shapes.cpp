#include "catena/model/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "catena/base/words.h"
#include "catena/math/symmetric_eigen.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

constexpr double kPi = std::numbers::pi;

Matrix3 diagonal(double x, double y, double z) {
  Matrix3 out{};
  out[0][0] = x;
  out[1][1] = y;
  out[2][2] = z;
  return out;
}

// About an axis through the centre, moved by d: I + m (|d|^2 - d d^T).
Matrix3 moved(const Matrix3& inertia, double mass, const Vec3& d) {
  const double square = dot(d, d);
  Matrix3 out = inertia;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) out[i][j] += mass * ((i == j ? square : 0.0) - d[i] * d[j]);
  }
  return out;
}

MassProperties box(const Vec3& s) {
  const double m = s[0] * s[1] * s[2];
  return {m,
          {},
          diagonal(m * (s[1] * s[1] + s[2] * s[2]) / 12, m * (s[0] * s[0] + s[2] * s[2]) / 12,
                   m * (s[0] * s[0] + s[1] * s[1]) / 12)};
}

MassProperties ellipsoid(const Vec3& s) {
  const double m = kPi / 6 * s[0] * s[1] * s[2];
  return {m,
          {},
          diagonal(m * (s[1] * s[1] + s[2] * s[2]) / 20, m * (s[0] * s[0] + s[2] * s[2]) / 20,
                   m * (s[0] * s[0] + s[1] * s[1]) / 20)};
}

// Along z.
MassProperties cylinder(double radius, double length) {
  const double m = kPi * radius * radius * length;
  const double across = m * (3 * radius * radius + length * length) / 12;
  return {m, {}, diagonal(across, across, m * radius * radius / 2)};
}

MassProperties capsule(double radius, double length) {
  const double between = length - 2 * radius, ball = 4.0 / 3.0 * kPi * radius * radius * radius;
  const MassProperties body = cylinder(radius, between);
  // Two half balls, whose centres lie 3/8 of a radius outside the cylinder's ends.
  const double offset = between / 2 + 3.0 / 8.0 * radius;
  const double own = 2.0 / 5.0 * ball * radius * radius - ball * 9.0 / 64.0 * radius * radius;
  const double across = body.inertia[0][0] + own + ball * offset * offset;
  return {body.mass + ball,
          {},
          diagonal(across, across, body.inertia[2][2] + 2.0 / 5.0 * ball * radius * radius)};
}

MassProperties cone(double radius, double length) {
  const double m = kPi / 3 * radius * radius * length;
  const double across = 3.0 / 80.0 * m * (4 * radius * radius + length * length);
  return {m, {0.0, 0.0, length / 4}, diagonal(across, across, 3.0 / 10.0 * m * radius * radius)};
}

// As thin as its length across, whatever its thickness: m L^2 / 12.
MassProperties rod(double length, double thickness) {
  const double m = length * kPi / 4 * thickness * thickness;
  const double across = m * length * length / 12;
  return {m, {}, diagonal(m * thickness * thickness / 8, across, across)};
}

}  // namespace

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

MassProperties solid(const std::string& shape, const Vec3& s) {
  if (shape == "box") return box(s);
  if (shape == "rod") return rod(s[0], s[1]);
  if (shape == "sphere" || shape == "ellipsoid") return ellipsoid(s);
  if (shape == "cylinder") return cylinder(s[0] / 2, s[2]);
  if (shape == "capsule") return capsule(s[0] / 2, s[2]);
  if (shape == "cone") return cone(s[0] / 2, s[2]);
  return {};
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

MassProperties solid(const Mesh& mesh) {
  // Moments of a tetrahedron with a corner at the origin, from its other corners: exact for polynomials.
  // Taken about the mesh's middle, so that a mesh far away loses no digits.
  Vec3 middle{};
  for (const Vec3& p : mesh.points) {
    for (std::size_t i = 0; i < 3; ++i) middle[i] += p[i] / static_cast<double>(mesh.points.size());
  }
  double volume = 0.0;
  Vec3 first{};
  Matrix3 second{};
  for (const auto& t : mesh.triangles) {
    Vec3 corner[3];
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < 3; ++i) corner[k][i] = mesh.points[t[k]][i] - middle[i];
    }
    const auto& [a, b, c] = corner;
    const double six = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0]);
    volume += six / 6;
    Vec3 sum;
    for (std::size_t i = 0; i < 3; ++i) sum[i] = a[i] + b[i] + c[i];
    for (std::size_t i = 0; i < 3; ++i) {
      first[i] += six / 24 * sum[i];
      for (std::size_t j = 0; j < 3; ++j) {
        second[i][j] += six / 120 * (sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
      }
    }
  }
  Vec3 center{};
  for (std::size_t i = 0; i < 3; ++i) center[i] = volume != 0.0 ? first[i] / volume : 0.0;
  const double trace = second[0][0] + second[1][1] + second[2][2];
  Matrix3 inertia{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) inertia[i][j] = (i == j ? trace : 0.0) - second[i][j];
  }
  const Vec3 about = center;
  for (std::size_t i = 0; i < 3; ++i) center[i] += middle[i];
  return {volume, center, moved(inertia, -volume, about)};
}

MassProperties with_mass(MassProperties of, double mass) {
  const double factor = mass / of.mass;
  of.mass = mass;
  for (Vec3& row : of.inertia) {
    for (double& entry : row) entry *= factor;
  }
  return of;
}

MassProperties placed(const MassProperties& of, const Quaternion& p, const Vec3& d) {
  MassProperties out = of;
  const Vec3 turned = rotated(p, of.center);
  for (std::size_t i = 0; i < 3; ++i) out.center[i] = turned[i] + d[i];
  Matrix3 half;  // R I, row by row of I^T = I
  for (std::size_t i = 0; i < 3; ++i) half[i] = rotated(p, of.inertia[i]);
  for (std::size_t j = 0; j < 3; ++j) {
    const Vec3 column = rotated(p, {half[0][j], half[1][j], half[2][j]});
    for (std::size_t i = 0; i < 3; ++i) out.inertia[i][j] = column[i];
  }
  return out;
}

MassProperties together(const std::vector<MassProperties>& parts) {
  MassProperties out;
  for (const MassProperties& part : parts) {
    out.mass += part.mass;
    for (std::size_t i = 0; i < 3; ++i) out.center[i] += part.mass * part.center[i];
  }
  for (double& c : out.center) c /= out.mass;
  for (const MassProperties& part : parts) {
    const Matrix3 own = moved(part.inertia, part.mass, part.center - out.center);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) out.inertia[i][j] += own[i][j];
    }
  }
  return out;
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
