// Solids of any number.
#pragma once

#include <numbers>
#include <type_traits>

#include "catena/math/functions_digits.h"
#include "catena/model/placement.h"
#include "catena/model/placement_digits.h"
#include "catena/model/shapes.h"

namespace catena {
namespace solids {

template <class S>
S pi() {
  if constexpr (std::is_same_v<S, double>)
    return std::numbers::pi;
  else
    return digits::pi<S>();
}

template <class S>
Matrix3Of<S> diagonal(const S& x, const S& y, const S& z) {
  Matrix3Of<S> out{};
  out[0][0] = x;
  out[1][1] = y;
  out[2][2] = z;
  return out;
}

// About an axis through the centre, moved by d: I + m (|d|^2 - d d^T).
template <class S>
Matrix3Of<S> moved(const Matrix3Of<S>& inertia, const S& mass, const Vec3Of<S>& d) {
  const S square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  Matrix3Of<S> out = inertia;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) out[i][j] += mass * ((i == j ? square : S(0.0)) - d[i] * d[j]);
  }
  return out;
}

template <class S>
MassPropertiesOf<S> box(const Vec3Of<S>& s) {
  const S m = s[0] * s[1] * s[2], twelve(12.0);
  return {m,
          {},
          diagonal<S>(m * (s[1] * s[1] + s[2] * s[2]) / twelve, m * (s[0] * s[0] + s[2] * s[2]) / twelve,
                      m * (s[0] * s[0] + s[1] * s[1]) / twelve)};
}

template <class S>
MassPropertiesOf<S> ellipsoid(const Vec3Of<S>& s) {
  const S m = pi<S>() / S(6.0) * s[0] * s[1] * s[2], twenty(20.0);
  return {m,
          {},
          diagonal<S>(m * (s[1] * s[1] + s[2] * s[2]) / twenty, m * (s[0] * s[0] + s[2] * s[2]) / twenty,
                      m * (s[0] * s[0] + s[1] * s[1]) / twenty)};
}

// Along z.
template <class S>
MassPropertiesOf<S> cylinder(const S& radius, const S& length) {
  const S m = pi<S>() * radius * radius * length;
  const S across = m * (S(3.0) * radius * radius + length * length) / S(12.0);
  return {m, {}, diagonal<S>(across, across, m * radius * radius / S(2.0))};
}

template <class S>
MassPropertiesOf<S> capsule(const S& radius, const S& length) {
  const S between = length - S(2.0) * radius, ball = S(4.0) / S(3.0) * pi<S>() * radius * radius * radius;
  const MassPropertiesOf<S> body = cylinder(radius, between);
  // Two half balls, whose centres lie 3/8 of a radius outside the cylinder's ends.
  const S offset = between / S(2.0) + S(0.375) * radius, turning = S(2.0) / S(5.0) * ball * radius * radius;
  const S own = turning - ball * S(9.0) / S(64.0) * radius * radius;
  const S across = body.inertia[0][0] + own + ball * offset * offset;
  return {body.mass + ball, {}, diagonal<S>(across, across, body.inertia[2][2] + turning)};
}

template <class S>
MassPropertiesOf<S> cone(const S& radius, const S& length) {
  const S m = pi<S>() / S(3.0) * radius * radius * length;
  const S across = S(3.0) / S(80.0) * m * (S(4.0) * radius * radius + length * length);
  return {m,
          {S(0.0), S(0.0), length / S(4.0)},
          diagonal<S>(across, across, S(3.0) / S(10.0) * m * radius * radius)};
}

// As thin as its length across, whatever its thickness: m L^2 / 12.
template <class S>
MassPropertiesOf<S> rod(const S& length, const S& thickness) {
  const S m = length * pi<S>() / S(4.0) * thickness * thickness;
  const S across = m * length * length / S(12.0);
  return {m, {}, diagonal<S>(m * thickness * thickness / S(8.0), across, across)};
}

}  // namespace solids

template <class S>
MassPropertiesOf<S> solid(const std::string& shape, const Vec3Of<S>& s) {
  const S radius = s[0] / S(2.0);
  if (shape == "box") return solids::box<S>(s);
  if (shape == "rod") return solids::rod<S>(s[0], s[1]);
  if (shape == "sphere" || shape == "ellipsoid") return solids::ellipsoid<S>(s);
  if (shape == "cylinder") return solids::cylinder<S>(radius, s[2]);
  if (shape == "capsule") return solids::capsule<S>(radius, s[2]);
  if (shape == "cone") return solids::cone<S>(radius, s[2]);
  return {};
}

template <class S>
MassPropertiesOf<S> solid(const std::vector<Vec3Of<S>>& points, const Triangles& triangles) {
  // Moments of a tetrahedron with a corner at the origin, from its other corners: exact for polynomials.
  // Taken about the mesh's middle, so that a mesh far away loses no digits.
  Vec3Of<S> middle{};
  for (const Vec3Of<S>& p : points) {
    for (std::size_t i = 0; i < 3; ++i) middle[i] += p[i] / S(static_cast<double>(points.size()));
  }
  S volume(0.0);
  Vec3Of<S> first{};
  Matrix3Of<S> second{};
  for (const auto& t : triangles) {
    Vec3Of<S> corner[3];
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < 3; ++i) corner[k][i] = points[t[k]][i] - middle[i];
    }
    const auto& [a, b, c] = corner;
    const S six = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]);
    volume += six / S(6.0);
    Vec3Of<S> sum;
    for (std::size_t i = 0; i < 3; ++i) sum[i] = a[i] + b[i] + c[i];
    for (std::size_t i = 0; i < 3; ++i) {
      first[i] += six / S(24.0) * sum[i];
      for (std::size_t j = 0; j < 3; ++j) {
        second[i][j] += six / S(120.0) * (sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
      }
    }
  }
  Vec3Of<S> center{};
  for (std::size_t i = 0; i < 3; ++i) center[i] = !(volume == S(0.0)) ? first[i] / volume : S(0.0);
  const S trace = second[0][0] + second[1][1] + second[2][2];
  Matrix3Of<S> inertia{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) inertia[i][j] = (i == j ? trace : S(0.0)) - second[i][j];
  }
  const Vec3Of<S> about = center;
  for (std::size_t i = 0; i < 3; ++i) center[i] += middle[i];
  return {volume, center, solids::moved<S>(inertia, -volume, about)};
}

template <class S>
MassPropertiesOf<S> with_mass(MassPropertiesOf<S> of, const S& mass) {
  const S factor = mass / of.mass;
  of.mass = mass;
  for (Vec3Of<S>& row : of.inertia) {
    for (S& entry : row) entry = entry * factor;
  }
  return of;
}

template <class S>
MassPropertiesOf<S> placed(const MassPropertiesOf<S>& of, const std::array<S, 4>& p, const Vec3Of<S>& d) {
  MassPropertiesOf<S> out = of;
  const Vec3Of<S> turned = rotated(p, of.center);
  for (std::size_t i = 0; i < 3; ++i) out.center[i] = turned[i] + d[i];
  Matrix3Of<S> half;  // R I, row by row of I^T = I
  for (std::size_t i = 0; i < 3; ++i) half[i] = rotated(p, of.inertia[i]);
  for (std::size_t j = 0; j < 3; ++j) {
    const Vec3Of<S> column = rotated(p, {half[0][j], half[1][j], half[2][j]});
    for (std::size_t i = 0; i < 3; ++i) out.inertia[i][j] = column[i];
  }
  return out;
}

template <class S>
MassPropertiesOf<S> together(const std::vector<MassPropertiesOf<S>>& parts) {
  MassPropertiesOf<S> out;
  for (const MassPropertiesOf<S>& part : parts) {
    out.mass += part.mass;
    for (std::size_t i = 0; i < 3; ++i) out.center[i] += part.mass * part.center[i];
  }
  for (S& c : out.center) c = c / out.mass;
  for (const MassPropertiesOf<S>& part : parts) {
    const Vec3Of<S> d{part.center[0] - out.center[0], part.center[1] - out.center[1],
                      part.center[2] - out.center[2]};
    const Matrix3Of<S> own = solids::moved<S>(part.inertia, part.mass, d);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) out.inertia[i][j] += own[i][j];
    }
  }
  return out;
}

// What a source instantiates.
#define CATENA_SOLIDS(S)                                                                   \
  template MassPropertiesOf<S> solid(const std::string&, const Vec3Of<S>&);                \
  template MassPropertiesOf<S> solid(const std::vector<Vec3Of<S>>&, const Triangles&);     \
  template MassPropertiesOf<S> with_mass(MassPropertiesOf<S>, const S&);                   \
  template MassPropertiesOf<S> placed(const MassPropertiesOf<S>&, const std::array<S, 4>&, \
                                      const Vec3Of<S>&);                                   \
  template MassPropertiesOf<S> together(const std::vector<MassPropertiesOf<S>>&)

}  // namespace catena
