// Vectors and rotations of expressions, so that laws and joints read like their equations:
//   q (E + cross(v, B)),   dot(a.z, b.point - a.point).
#pragma once

#include "catena/expr/expression.h"

namespace catena::expr {

struct Vector {
  Expression x, y, z;
};

inline Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector operator-(const Vector& a) { return {-a.x, -a.y, -a.z}; }
inline Vector operator*(const Expression& s, const Vector& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Vector operator*(double s, const Vector& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Vector operator/(const Vector& a, const Expression& s) { return {a.x / s, a.y / s, a.z / s}; }
inline Expression dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Expression norm(const Vector& a) { return norm(a.x, a.y, a.z); }
inline Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline Vector constant(Graph& graph, double x, double y, double z) {
  return {constant(graph, x), constant(graph, y), constant(graph, z)};
}
inline Vector variables(Graph& graph, std::uint32_t first) {
  return {variable(graph, first), variable(graph, first + 1), variable(graph, first + 2)};
}

inline Expression square(const Expression& a) { return a * a; }

// w, x, y, z
struct Quaternion {
  Expression w, x, y, z;
};

// p v p*: the vector turned, for |p| = 1.
inline Vector rotated(const Quaternion& p, const Vector& v) {
  const Expression ww = square(p.w), xx = square(p.x), yy = square(p.y), zz = square(p.z);
  const Expression xy = p.x * p.y, xz = p.x * p.z, yz = p.y * p.z;
  const Expression wx = p.w * p.x, wy = p.w * p.y, wz = p.w * p.z;
  const Vector first{ww + xx - yy - zz, 2.0 * (xy + wz), 2.0 * (xz - wy)};
  const Vector second{2.0 * (xy - wz), ww - xx + yy - zz, 2.0 * (yz + wx)};
  const Vector third{2.0 * (xz + wy), 2.0 * (yz - wx), ww - xx - yy + zz};
  return v.x * first + v.y * second + v.z * third;
}

// p (0, w) / 2: the rate of p when the body turns at w, given in the body's own frame.
inline Quaternion rate(const Quaternion& p, const Vector& w) {
  return {-0.5 * (p.x * w.x + p.y * w.y + p.z * w.z), 0.5 * (p.w * w.x + p.y * w.z - p.z * w.y),
          0.5 * (p.w * w.y + p.z * w.x - p.x * w.z), 0.5 * (p.w * w.z + p.x * w.y - p.y * w.x)};
}

}  // namespace catena::expr
